"""ncnn with Vulkan, speaking as `assay bench --serve` does: a line of JSON once it is warm, then
for each line N of the input the latencies of N inferences.

ncnn_worker.py MODEL.tflite fp32|fp16 INPUT.raw EXPECTED.raw"""
import json
import os
import sys
import tempfile
import time

import numpy
import ncnn

from ncnn_model import Converter
from network import Refused

WARM_SECONDS = 0.5


def open_net(converter, half):
    net = ncnn.Net()
    net.opt.use_vulkan_compute = True
    net.opt.use_fp16_packed = net.opt.use_fp16_storage = net.opt.use_fp16_arithmetic = half
    net.set_vulkan_device(ncnn.get_default_gpu_index())
    param, weights = converter.convert()
    with tempfile.TemporaryDirectory() as work:
        files = os.path.join(work, "net.param"), os.path.join(work, "net.bin")
        with open(files[0], "w", encoding="ascii") as f:
            f.write(param)
        with open(files[1], "wb") as f:
            f.write(weights)
        if net.load_param(files[0]) != 0 or net.load_model(files[1]) != 0:
            raise Refused("ncnn does not load the converted model")
    return net


def main(model, precision, input_path, expected_path):
    if ncnn.get_gpu_count() == 0:
        raise Refused("ncnn finds no Vulkan device")
    converter = Converter(model)
    _, h, w, c = converter.shape(converter.model.inputs[0])
    x = numpy.fromfile(input_path, numpy.float32).reshape(h, w, c).transpose(2, 0, 1)
    x = numpy.ascontiguousarray(x)
    before = time.perf_counter()
    net = open_net(converter, precision == "fp16")
    init_ms = 1e3 * (time.perf_counter() - before)
    source, sink = net.input_names()[0], net.output_names()[0]

    def infer():
        begin = time.perf_counter()
        extractor = net.create_extractor()
        extractor.input(source, ncnn.Mat(x))
        failed, y = extractor.extract(sink)
        milliseconds = 1e3 * (time.perf_counter() - begin)
        if failed:
            raise Refused(f"ncnn's extract returns {failed}")
        return milliseconds, y

    first_ms, y = infer()
    y = numpy.array(y)
    if y.ndim == 3:
        y = y.transpose(1, 2, 0)
    expected = numpy.fromfile(expected_path, numpy.float32)
    if y.size != expected.size:
        raise Refused(f"expected {expected.size} elements of the output, found {y.size}")
    difference = float(numpy.abs(y.ravel() - expected).max() / numpy.abs(expected).max())
    end = time.perf_counter() + WARM_SECONDS
    while time.perf_counter() < end:
        infer()
    print(json.dumps({"subject": f"ncnn Vulkan {precision}", "runtime": f"ncnn {ncnn.__version__}",
                      "device": ncnn.get_gpu_info(ncnn.get_default_gpu_index()).device_name(),
                      "init_ms": init_ms, "first_ms": first_ms, "difference": difference}),
          flush=True)
    for line in sys.stdin:
        print(" ".join(f"{infer()[0]:.6f}" for _ in range(int(line))), flush=True)


if __name__ == "__main__":
    code = 0
    try:
        main(*sys.argv[1:])
    except Refused as e:
        print(e, file=sys.stderr)
        code = 2
    sys.stdout.flush()
    os._exit(code)  # ncnn's own ending of Vulkan crashes with some drivers

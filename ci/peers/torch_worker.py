"""PyTorch by torch.compile in a CUDA graph, speaking as `assay bench --serve` does: a line of JSON
once it is warm, then for each line N of the input the latencies of N inferences.

An inference copies the input to pinned memory, replays one graph (to the device, the network,
back to pinned memory), waits, and copies the output.  fp32 is strict: no TF32.

torch_worker.py MODEL.tflite fp32|fp16 INPUT.raw EXPECTED.raw"""
import json
import sys
import time

import torch

from network import Refused
from torch_model import Converter

WARM_SECONDS = 0.5


class Runner:
    def __init__(self, network, x, half):
        kind = torch.float16 if half else torch.float32
        network = network.cuda().to(kind)
        self.source = x
        self.pinned = torch.empty(x.shape).contiguous(memory_format=torch.channels_last).pin_memory()
        on_device = torch.empty_like(self.pinned, device="cuda")
        compiled = torch.compile(network)

        def compute():
            on_device.copy_(self.pinned, non_blocking=True)
            return compiled(on_device.to(kind)).float()

        y = compute()
        form = torch.channels_last if y.dim() == 4 else torch.contiguous_format
        self.result = torch.empty(y.shape).contiguous(memory_format=form).pin_memory()
        self.output = torch.empty_like(self.result, pin_memory=False)
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(3):
                compute()
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.result.copy_(compute(), non_blocking=True)

    def infer(self):
        begin = time.perf_counter()
        self.pinned.copy_(self.source)
        self.graph.replay()
        torch.cuda.synchronize()
        self.output.copy_(self.result)
        return 1e3 * (time.perf_counter() - begin)

    def dense(self):
        """The output in the order of TensorFlow Lite."""
        y = self.output
        return (y.permute(0, 2, 3, 1) if y.dim() == 4 else y).contiguous().ravel()


def read(path):
    with open(path, "rb") as f:
        return torch.frombuffer(bytearray(f.read()), dtype=torch.float32)


@torch.no_grad()
def main(model, precision, input_path, expected_path):
    if not torch.cuda.is_available():
        raise Refused("PyTorch finds no CUDA device")
    torch.set_num_threads(1)  # of copies by the CPU, which would wait for threads that others delay
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    before = time.perf_counter()
    network = Converter(model).eval()
    n, h, w, c = network.shape(network.model.inputs[0])
    x = read(input_path).reshape(n, h, w, c).permute(0, 3, 1, 2)
    runner = Runner(network, x, precision == "fp16")
    init_ms = 1e3 * (time.perf_counter() - before)
    first_ms = runner.infer()
    y, expected = runner.dense(), read(expected_path)
    if y.numel() != expected.numel():
        raise Refused(f"expected {expected.numel()} elements of the output, found {y.numel()}")
    difference = float((y - expected).abs().max() / expected.abs().max())
    end = time.perf_counter() + WARM_SECONDS
    while time.perf_counter() < end:
        runner.infer()
    print(json.dumps({"subject": f"PyTorch compiled {precision}", "init_ms": init_ms,
                      "runtime": f"PyTorch {torch.__version__}", "first_ms": first_ms,
                      "device": torch.cuda.get_device_name(0), "difference": difference}), flush=True)
    for line in sys.stdin:
        print(" ".join(f"{runner.infer():.6f}" for _ in range(int(line))), flush=True)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Refused as e:
        sys.exit(str(e))

"""Checks TFLite_Detection_PostProcess of our reference against the real LiteRT.

    make cross-check            # or, in a venv with golden/requirements.txt:
    python conformance/tests/litert/cross_detection.py BUILD_DIRECTORY

Generated anchors, boxes and scores, in f32 and in u8, with fast and regular suppression, with and
without a background class, with scores that tie and boxes that overlap by exactly the threshold:
all rows that LiteRT writes must have the same bits.  Options that are damaged must fail in ours, with
a message; LiteRT may do with them what it likes.  Then the last node of the detector of ASSAY_MODELS
(default ../shared/models), where there is such a folder.
"""

import argparse
import itertools
import os
import pathlib
import sys

import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from flatbuffers import flexbuffers

from flat_model import FlatModel
from libassay import Failure, Library, Runtime
from litert import Report

NAME = "TFLite_Detection_PostProcess"
OPTIONS = {"max_detections": 10, "max_classes_per_detection": 1, "num_classes": 3,
           "nms_score_threshold": 0.3, "nms_iou_threshold": 0.5,
           "y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0}  # fmt: skip


def pack(options):
    return bytes(flexbuffers.Dumps(options))


def build(boxes, columns, options, kind=np.float32, width=4, quantized=None):
    m = FlatModel()
    shapes = [1, boxes, width], [1, boxes, columns], [boxes, 4]
    quantized = quantized or [None] * 3
    x = [m.tensor(s, kind, quantized=q) for s, q in zip(shapes, quantized)]
    y = [m.tensor(s) for s in ([1, 1, 4], [1, 1], [1, 1], [1])]
    m.custom(NAME, x, y, options)
    return m.bytes(x, y)


def real_outputs(model, inputs):
    i = Interpreter(model_content=model, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    i.allocate_tensors()
    for detail, value in zip(i.get_input_details(), inputs):
        i.set_tensor(detail["index"], value)
    i.invoke()
    return [i.get_tensor(d["index"]).copy() for d in i.get_output_details()]


def written(options, count):
    """The rows that LiteRT writes."""
    if options.get("use_regular_nms"):
        return np.arange(options["max_detections"])
    rows, classes = options["max_classes_per_detection"], options["num_classes"]
    return np.concatenate(
        [np.arange(i * rows, i * rows + min(rows, classes)) for i in range(count)] or [[]]
    ).astype(int)


def compare(report, library, what, model, inputs, options):
    expected = real_outputs(model, inputs)
    try:
        ours = Runtime(library, model)
        got = ours.run(inputs)
        ours.close()
    except Failure as failure:
        report.check(False, what, f"does not run: {failure}")
        return
    rows = written(options, int(expected[3][0]))
    same = all(a.shape == b.shape for a, b in zip(expected, got)) and np.array_equal(
        expected[3], got[3]
    )
    bits = same and all(
        np.array_equal(a[0, rows].view(np.int32), b[0, rows].view(np.int32))
        for a, b in zip(expected[:3], got[:3])
    )
    if not bits and same:
        for a, b in zip(expected[:3], got[:3]):
            print("  expected", a[0, rows].tolist(), "got", b[0, rows].tolist())
    report.check(bits, what, f"{int(expected[3][0])} detections, found {int(got[3][0])}")


def draw(random, boxes, columns, ties):
    anchors = np.concatenate(
        [random.uniform(0, 1, (boxes, 2)), random.uniform(0.05, 0.5, (boxes, 2))], axis=1
    )
    if ties:  # boxes on a grid, so that overlaps repeat
        anchors = np.round(anchors * 8) / 8 + [0, 0, 0.125, 0.125]
    encodings = random.standard_normal((1, boxes, 4)) * (0 if ties else 1)
    scores = random.uniform(0, 1, (1, boxes, columns))
    if ties:
        scores = np.round(scores * 4) / 4
    return [a.astype(np.float32) for a in (encodings, scores, anchors)]


def quantize(value, scale, zero):
    return np.clip(np.round(value / scale) + zero, 0, 255).astype(np.uint8)


def check_generated(report, library):
    random = np.random.default_rng(7)
    cases = itertools.product((1, 7, 60), (0, 1), (1, 2, 5), (False, True), (False, True),
                              (np.float32, np.uint8))  # fmt: skip
    for boxes, background, most, regular, ties, kind in cases:
        options = dict(OPTIONS, max_classes_per_detection=most, use_regular_nms=regular)
        if regular and most == 2:
            options["detections_per_class"] = 2
        columns = options["num_classes"] + background
        inputs = draw(random, boxes, columns, ties)
        quantized = None
        if kind == np.uint8:
            quantized = [(4 / 128, 128), (1 / 256, 0), (1 / 128, 3)]
            inputs = [quantize(v, *q) for v, q in zip(inputs, quantized)]
        model = build(boxes, columns, pack(options), kind, quantized=quantized)
        what = (f"{boxes} boxes, {columns} columns, {most} classes each, "
                f"{'regular' if regular else 'fast'}, {np.dtype(kind).name}"
                f"{', ties' if ties else ''}")  # fmt: skip
        compare(report, library, what, model, inputs, options)
    for width, most in ((4, 1), (6, 3), (16, 8)):  # more classes, and key points behind the boxes
        options = dict(OPTIONS, num_classes=20, max_classes_per_detection=most, max_detections=40)
        inputs = draw(random, 200, 21, False)
        inputs[0] = np.pad(inputs[0], ((0, 0), (0, 0), (0, width - 4)), constant_values=9)
        model = build(200, 21, pack(options), width=width)
        compare(report, library, f"200 boxes of {width}, {most} of 20 classes", model, inputs, options)


def refused(library, model):
    """What our runtime says of a model; None where it runs."""
    try:
        ours = Runtime(library, model)
        ours.allocate()
        ours.close()
    except Failure as failure:
        return str(failure)
    return None


def check_refused(report, library):
    whole = pack(OPTIONS)
    bad = {
        "no options": None,
        "not a map": bytes(flexbuffers.Dumps(3)),
        "overflow": pack(dict(OPTIONS, max_detections=65536, max_classes_per_detection=65536)),
        "negative": pack(dict(OPTIONS, max_detections=-1)),
        "no classes": pack(dict(OPTIONS, num_classes=0)),
        "another num_classes": pack(dict(OPTIONS, num_classes=9)),
        "a word": pack(dict(OPTIONS, y_scale="ten")),
        "no threshold": pack({k: v for k, v in OPTIONS.items() if k != "nms_iou_threshold"}),
        "threshold 0": pack(dict(OPTIONS, nms_iou_threshold=0.0)),
        "scale 0": pack(dict(OPTIONS, h_scale=0)),
        "2^40": pack(dict(OPTIONS, max_detections=1 << 40)),
    }
    for what, options in bad.items():
        said = refused(library, build(5, 4, options))
        report.check(said is not None and NAME in said, f"refused, {what}", said)
    cut = sum(refused(library, build(5, 4, whole[:n])) is None for n in range(len(whole)))
    report.check(cut == 0, "options cut short", f"{cut} of {len(whole)} accepted")


def detection_of(model):
    """The graph and the detection node of a model."""
    unpacked = schema.ModelT.InitFromPackedBuf(model, 0)
    graph = unpacked.subgraphs[0]
    for op in graph.operators:
        if (unpacked.operatorCodes[op.opcodeIndex].customCode or b"") == NAME.encode():
            return graph, op
    raise ValueError(f"no {NAME}")


def check_model(report, library, path):
    """The node of a trained detector, on what the nodes before it give for random images."""
    model, random = path.read_bytes(), np.random.default_rng(11)
    graph, op = detection_of(model)
    i = Interpreter(model_content=model, experimental_op_resolver_type=OpResolverType.BUILTIN_REF,
                    experimental_preserve_all_tensors=True)  # fmt: skip
    i.allocate_tensors()
    m = FlatModel()
    x = []
    for index in op.inputs:
        tensor, value = graph.tensors[index], i.get_tensor(index)
        q = tensor.quantization
        x.append(m.tensor(value.shape, value.dtype,
                          quantized=(q.scale[0], int(q.zeroPoint[0])) if q else None))  # fmt: skip
    y = [m.tensor(i.get_tensor(index).shape) for index in op.outputs]
    m.custom(NAME, x, y, bytes(bytearray(op.customOptions)))
    single = m.bytes(x, y)
    options = flexbuffers.Loads(bytes(bytearray(op.customOptions)))
    for image in range(3):
        for detail in i.get_input_details():
            data = random.integers(0, 256, detail["shape"]).astype(detail["dtype"])
            i.set_tensor(detail["index"], data)
        i.invoke()
        inputs = [i.get_tensor(index) for index in op.inputs]
        compare(report, library, f"{path.name}, image {image}", single, inputs, options)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    library, report = Library(parser.parse_args().build), Report()
    check_generated(report, library)
    check_refused(report, library)
    models = pathlib.Path(os.environ.get("ASSAY_MODELS", "../shared/models")) / "real"
    detector = models / "traffic_model.tflite"
    if detector.exists():
        check_model(report, library, detector)
    else:
        print(f"skip  {detector}: not there")
    print(f"cross-detection: {report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())

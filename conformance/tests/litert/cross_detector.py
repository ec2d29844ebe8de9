"""Compares `assay eval coco MODEL` with the real LiteRT and pycocotools.

    python conformance/tests/litert/cross_detector.py BUILD_DIRECTORY

A detector that is made here, whose boxes and scores are an image's pixels, ends in
TFLite_Detection_PostProcess.  LiteRT's reference kernels resize BMP images, as TFLite's evaluation
tools do, and run it; its detections go to pycocotools.  The program does all that itself, on the
scalar reference.  Detections and the twelve figures must be equal to 1e-6: LiteRT's are floats.
"""

import argparse
import contextlib
import io
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from flatbuffers import flexbuffers
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from cross_coco import KEYS
from flat_model import FlatModel

HEIGHT, WIDTH, BOXES, IMAGES = 8, 10, 60, 30  # of the input: 8 * 10 * 3 = 60 * 4
LIMIT = 1e-6
OPTIONS = {"max_detections": 8, "max_classes_per_detection": 1, "num_classes": 3,
           "nms_score_threshold": 0.2, "nms_iou_threshold": 0.6,
           "y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0}  # fmt: skip


def make_model(rng):
    m = FlatModel()
    image = m.tensor([1, HEIGHT, WIDTH, 3])
    shape = m.tensor([3], np.int32, data=[1, BOXES, 4])
    pixels = m.tensor([1, BOXES, 4])
    anchors = np.concatenate([rng.uniform(0.1, 0.9, (BOXES, 2)), rng.uniform(0.1, 0.4, (BOXES, 2))], 1)
    table = m.tensor([BOXES, 4], data=anchors)
    found = [m.tensor(s) for s in ([1, 8, 4], [1, 8], [1, 8], [1])]
    m.op("RESHAPE", [image, shape], [pixels])
    m.custom("TFLite_Detection_PostProcess", [pixels, pixels, table], found, bytes(flexbuffers.Dumps(OPTIONS)))
    return m.bytes([image], found)


def resize(pixels):
    m = FlatModel()
    x, y = m.tensor([1, *pixels.shape]), m.tensor([1, HEIGHT, WIDTH, 3])
    size = m.tensor([2], np.int32, data=[HEIGHT, WIDTH])
    m.op("RESIZE_BILINEAR", [x, size], [y], 1, "ResizeBilinearOptions", alignCorners=False, halfPixelCenters=False)
    i = Interpreter(model_content=m.bytes([x], [y]), experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    i.allocate_tensors()
    i.set_tensor(i.get_input_details()[0]["index"], pixels[None].astype(np.float32))
    i.invoke()
    return i.get_tensor(i.get_output_details()[0]["index"])[0]


def write_bmp(path, pixels):
    """24 bits, rows from the bottom, BGR, padded to 4 bytes."""
    height, width, _ = pixels.shape
    rows = [row[:, ::-1].tobytes() for row in pixels[::-1]]
    rows = b"".join(row + b"\0" * (-len(row) % 4) for row in rows)
    head = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(rows), 0, 0, 0, 0)
    path.write_bytes(struct.pack("<2sIHHI", b"BM", 54 + len(rows), 0, 0, 54) + head + rows)


def detect(interpreter, pixels):
    """As TFLite's tool: class + 1 is the category, boxes are shares of the image."""
    height, width, _ = pixels.shape
    x = (resize(pixels) - np.float32(127.5)) * np.float32(1 / 127.5)
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], x[None])
    interpreter.invoke()
    boxes, classes, scores, count = (interpreter.get_tensor(d["index"])[0] for d in interpreter.get_output_details())
    for i in range(int(count)):
        top, left, bottom, right = (float(v) for v in boxes[i])
        box = [left * width, top * height, (right - left) * width, (bottom - top) * height]
        yield {"category_id": int(classes[i]) + 1, "bbox": box, "score": float(scores[i])}


def expected_of(truth, found):
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO(str(truth))
        evaluation = COCOeval(coco, coco.loadRes(found), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return dict(zip(KEYS, evaluation.stats.tolist()))


def make_files(directory, rng):
    """Images, and as ground truth what LiteRT finds, moved or left out."""
    model = make_model(rng)
    (directory / "detector.tflite").write_bytes(model)
    interpreter = Interpreter(model_content=model, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    (directory / "images").mkdir()
    truth = {"images": [], "annotations": [], "categories": [{"id": c, "name": f"c{c}"} for c in (1, 2, 3)]}
    found = []
    for i in range(1, IMAGES + 1):
        # Smaller and larger than the input, and of its size.
        extent = (HEIGHT, WIDTH) if i % 5 == 0 else rng.integers(3, 40, 2)
        pixels = rng.integers(0, 256, (*extent, 3), dtype=np.uint8)
        write_bmp(directory / "images" / f"{i}.bmp", pixels)
        truth["images"].append({"id": i, "file_name": f"{i}.bmp", "width": int(extent[1]), "height": int(extent[0])})
        for one in detect(interpreter, pixels):
            found.append({"image_id": i, **one})
            if rng.random() < 0.7:
                x, y, w, h = one["bbox"]
                box = [x + rng.normal() * w * 0.1, y + rng.normal() * h * 0.1, w, h]
                truth["annotations"].append({"id": len(truth["annotations"]) + 1, "image_id": i, "iscrowd": 0,
                                             "category_id": one["category_id"], "bbox": box, "area": w * h})  # fmt: skip
    (directory / "truth.json").write_text(json.dumps(truth))
    return found


def check(build, directory, rng):
    found = make_files(directory, rng)
    expected = expected_of(directory / "truth.json", found)
    run = subprocess.run(
        [build / "assay", "eval", "coco", directory / "detector.tflite", f"--images={directory / 'images'}",
         f"--ground-truth={directory / 'truth.json'}", "--delegate=none", "--format=json",
         f"--save-detections={directory / 'found.json'}"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if run.returncode != 0:
        sys.exit(f"cross_detector: exit code {run.returncode}: {run.stderr}{run.stdout}")
    ours = json.loads((directory / "found.json").read_text())
    order = lambda d: (d["image_id"], -d["score"], d["category_id"], d["bbox"])  # noqa: E731
    if len(ours) != len(found):
        sys.exit(f"cross_detector: {len(ours)} detections, expected {len(found)}")
    worst = 0.0
    for a, b in zip(sorted(ours, key=order), sorted(found, key=order)):
        if (a["image_id"], a["category_id"]) != (b["image_id"], b["category_id"]):
            sys.exit(f"cross_detector: found {a}, expected {b}")
        worst = max(worst, abs(a["score"] - b["score"]), *(abs(p - q) for p, q in zip(a["bbox"], b["bbox"])))
    for key, value in json.loads(run.stdout)["metrics"].items():
        got = -1.0 if value["subject"] is None else value["subject"]
        worst = max(worst, abs(got - expected[key]))
    if worst > LIMIT:
        sys.exit(f"cross_detector: off by {worst:.3g}, limit {LIMIT:g}")
    print(f"cross_detector: {len(found)} detections in {IMAGES} images, AP {expected['ap']:.3f}, "
          f"as LiteRT and pycocotools to {worst:.2g}")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        check(arguments.build, pathlib.Path(directory), np.random.default_rng(3))


if __name__ == "__main__":
    main()

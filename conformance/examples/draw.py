"""Draws what a model finds in an image: boxes of TFLite_Detection_PostProcess, a mask of classes, or
PoseNet's keypoints.

    python3 -m venv venv && venv/bin/pip install -r conformance/examples/requirements.txt
    venv/bin/python conformance/examples/draw.py MODEL IMAGE OUT.png [--labels=FILE] [--as=mask]
        [--threshold=0.5] [--assay=build/assay] [-- FLAGS OF assay run]

Outputs are floats, or classes in integers; their shapes, in the report of `assay run --format=json`,
tell which of these it is."""
import argparse
import colorsys
import json
import os
import subprocess
import sys
import tempfile

import h5py
import numpy as np
from PIL import Image, ImageDraw

SIDE_MIN = 320  # smaller images are enlarged, so that text can be read
# The keypoints of COCO: nose, eyes, ears, shoulders, elbows, wrists, hips, knees, ankles.
EDGES = [(0, 1), (0, 2), (1, 3), (2, 4), (5, 6), (5, 7), (7, 9), (6, 8), (8, 10), (5, 11), (6, 12), (11, 12),
         (11, 13), (13, 15), (12, 14), (14, 16)]


def colour(index):
    """Neighbours differ: each is a golden angle further on the wheel."""
    return tuple(int(255 * x) for x in colorsys.hsv_to_rgb(index * 0.618034 % 1, 0.8, 1))


def run(args):
    """The report of assay run, and the outputs as real numbers."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "outputs.h5")
        got = subprocess.run([args.assay, "run", args.model, "--input=" + args.image, "--output=" + path,
                              "--format=json"] + args.flags, capture_output=True, text=True)
        if got.returncode != 0:
            sys.exit(got.stderr.strip())
        report = json.loads(got.stdout)
        with h5py.File(path, "r") as f:
            return report, [np.array(f[f"outputs/{i}"]) for i in range(len(report["outputs"]))]


def find_boxes(outputs):
    """Boxes, classes, scores and their number; the op's outputs may be in any order."""
    boxes = [x for x in outputs if x.ndim == 3 and x.shape[0] == 1 and x.shape[2] == 4]
    rows = [x for x in outputs if x.ndim == 2 and x.shape[0] == 1]
    count = [x for x in outputs if x.ndim <= 1 and x.size == 1]
    if len(outputs) != 4 or not boxes or len(rows) != 2 or not count or rows[0].shape != rows[1].shape:
        return None
    if rows[0].shape[1] != boxes[0].shape[1]:
        return None
    scores, classes = (rows[0], rows[1]) if (rows[0] % 1 != 0).any() else (rows[1], rows[0])
    return boxes[0][0], classes[0], scores[0], int(count[0].flat[0])


def draw_boxes(image, found, name, threshold):
    boxes, classes, scores, count = found
    draw = ImageDraw.Draw(image)
    kept = [i for i in range(min(count, len(scores))) if scores[i] >= threshold]
    for i in reversed(kept):  # the best one last, on top
        top, left, bottom, right = boxes[i] * [image.height, image.width, image.height, image.width]
        what = colour(int(classes[i]))
        draw.rectangle([min(left, right), min(top, bottom), max(left, right), max(top, bottom)], outline=what,
                       width=2)
        draw.text((left, top - 12), f"{name(int(classes[i]))} {scores[i]:.2f}", fill=what)
    return f"{len(kept)} boxes with scores from {threshold:g}"


def find_mask(outputs):
    """The class of each pixel."""
    x = outputs[0]
    if len(outputs) != 1 or x.ndim not in (3, 4) or x.shape[0] != 1 or min(x.shape[1:3]) < 2:
        return None
    if x.ndim == 4 and x.shape[3] > 1:
        return x[0].argmax(axis=2)
    return x.reshape(x.shape[1:3]).astype(int) if np.issubdtype(x.dtype, np.integer) else None


def draw_mask(image, mask, name, _):
    rows = (np.arange(image.height) * mask.shape[0] // image.height)[:, None]
    mask = mask[rows, np.arange(image.width) * mask.shape[1] // image.width]
    pixels = np.asarray(image).astype(float)
    kinds, counts = np.unique(mask[mask > 0], return_counts=True)
    for kind in kinds:
        pixels[mask == kind] = 0.45 * pixels[mask == kind] + 0.55 * np.array(colour(int(kind)))
    image.paste(Image.fromarray(pixels.astype(np.uint8)))
    lines = [(int(kinds[i]), f"{name(int(kinds[i]))} {100 * counts[i] / mask.size:.1f}%")
             for i in np.argsort(-counts)[:8]]
    for row, (kind, text) in enumerate(lines):
        ImageDraw.Draw(image).text((4, 4 + 12 * row), text, fill=colour(kind))
    return "mask: " + (", ".join(text for _, text in lines) or "background only")


def find_pose(outputs, shape):
    """Keypoints as shares of the image, with scores: heatmaps [1, h, w, K], offsets [1, h, w, 2 K]."""
    for heat in outputs:
        for offset in outputs:
            if len(shape) != 4 or heat.ndim != 4 or offset.ndim != 4 or heat.shape[:3] != offset.shape[:3] or \
                    2 * heat.shape[3] != offset.shape[3]:
                continue
            _, high, wide, count = heat.shape
            best = heat.reshape(-1, count).argmax(axis=0)
            moves = offset.reshape(-1, 2, count)[best, :, np.arange(count)]
            cells = np.stack([best // wide, best % wide], axis=1)
            extent = np.array(shape[1:3]) - 1
            places = (cells * (extent / np.maximum([high - 1, wide - 1], 1)) + moves) / np.maximum(extent, 1)
            scores = heat.reshape(-1, count)[best, np.arange(count)]
            if heat.min() < 0 or heat.max() > 1:
                scores = 1 / (1 + np.exp(-scores))
            return places, scores
    return None


def draw_pose(image, found, name, threshold):
    places, scores = found
    points = [(x * (image.width - 1), y * (image.height - 1)) for y, x in places]
    seen = [k for k in range(len(scores)) if scores[k] >= threshold]
    draw = ImageDraw.Draw(image)
    for a, b in EDGES if len(scores) == 17 else []:
        if a in seen and b in seen:
            draw.line([points[a], points[b]], fill=colour(b), width=2)
    for k in seen:
        x, y = points[k]
        draw.ellipse([x - 3, y - 3, x + 3, y + 3], fill=colour(k))
        draw.text((x + 5, y), name(k), fill=colour(k))
    return f"{len(seen)} of {len(scores)} keypoints with scores from {threshold:g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("model", "image", "out"):
        parser.add_argument(name)
    parser.add_argument("--labels")
    parser.add_argument("--as", dest="form", choices=["boxes", "mask", "keypoints"])
    parser.add_argument("--threshold", type=float, default=0.5)
    parser.add_argument("--assay", default="build/assay")
    own, flags = sys.argv[1:], []
    if "--" in own:
        own, flags = own[:own.index("--")], own[own.index("--") + 1:]
    args = parser.parse_args(own)
    args.flags = flags
    report, outputs = run(args)
    labels = open(args.labels, encoding="utf-8").read().splitlines() if args.labels else []
    forms = {"boxes": (draw_boxes, find_boxes(outputs)), "mask": (draw_mask, find_mask(outputs)),
             "keypoints": (draw_pose, find_pose(outputs, report["inputs"][0]["shape"]))}
    kinds = [k for k in forms if args.form in (None, k) and forms[k][1] is not None]
    if not kinds:
        shapes = ", ".join(f"{o['type']} {o['shape']}" for o in report["outputs"])
        sys.exit(f"{args.model}: outputs {shapes}: expected {args.form or 'boxes, a mask or keypoints'}")
    image = Image.open(args.image).convert("RGB")
    factor = max(1, -(-SIDE_MIN // max(image.size)))
    image = image.resize((factor * image.width, factor * image.height))
    draw, found = forms[kinds[0]]
    said = draw(image, found, lambda k: labels[k] if 0 <= k < len(labels) else str(k), args.threshold)
    image.save(args.out)
    print(f"{args.out}: {said}")


if __name__ == "__main__":
    main()

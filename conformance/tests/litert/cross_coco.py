"""Compares `assay eval coco` with pycocotools on ground truth and detections that are made here.

    python conformance/tests/litert/cross_coco.py BUILD_DIRECTORY

Each set is drawn from a seed: crowd regions, categories without objects, images without objects or
detections, more than 100 detections of a category in an image, scores and boxes that are equal, and
areas at the ends of the ranges.  The twelve figures and the average precision of each category must
be equal to 1e-9.
"""

import argparse
import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

KEYS = ["ap", "ap_50", "ap_75", "ap_small", "ap_medium", "ap_large"]
KEYS += ["ar_1", "ar_10", "ar_100", "ar_small", "ar_medium", "ar_large"]
LIMIT = 1e-9


def draw_box(rng):
    side = 2.0 ** rng.uniform(2, 8, 2)
    at = rng.uniform(0, 400, 2)
    box = [*at, *side]
    if rng.random() < 0.2:  # areas exactly at the ends of the ranges
        box[2:] = [(32.0, 32.0), (96.0, 96.0)][rng.integers(2)]
    if rng.random() < 0.5:  # whole pixels, so that boxes coincide
        box = [float(round(v)) for v in box]
    return box


def move(rng, box):
    """A detection of the box: near, exactly there, or far."""
    kind = rng.random()
    if kind < 0.15:
        return list(box)
    shift = rng.normal(0, 0.12 if kind < 0.8 else 0.5, 4)
    return [
        box[0] + shift[0] * box[2],
        box[1] + shift[1] * box[3],
        box[2] * float(np.exp(shift[2])),
        box[3] * float(np.exp(shift[3])),
    ]


def make(seed, crowded):
    rng = np.random.default_rng(seed)
    image_ids = sorted(rng.choice(10**6, 25, replace=False).tolist())
    category_ids = sorted(rng.choice(90, 9, replace=False).tolist())
    truth = {
        "images": [{"id": i, "file_name": f"{i}.jpg", "width": 640, "height": 480} for i in image_ids],
        "categories": [{"id": c, "name": f"category {c}"} for c in category_ids],
        "annotations": [],
    }
    rng.shuffle(truth["images"])
    used = category_ids[:-2]  # two have no objects, of which one is detected
    found = []
    for image in image_ids[:-3]:  # three images have neither
        for _ in range(rng.integers(0, 12)):
            box = draw_box(rng)
            category = int(rng.choice(used))
            area = box[2] * box[3] * (1.0 if rng.random() < 0.4 else rng.uniform(0.4, 1))
            truth["annotations"].append(
                {
                    "id": len(truth["annotations"]) + 1,
                    "image_id": image,
                    "category_id": category,
                    "bbox": box,
                    "area": area,
                    "iscrowd": int(rng.random() < 0.15),
                }
            )
            for _ in range(rng.integers(0, 4)):
                found.append((image, category if rng.random() < 0.9 else int(rng.choice(used)), move(rng, box)))
        for _ in range(rng.integers(0, 5)):
            found.append((image, int(rng.choice(category_ids[:-1])), draw_box(rng)))
    if crowded:  # more than 100 of a category in an image
        for image in image_ids[:2]:
            for _ in range(180):
                found.append((image, used[0], draw_box(rng)))
    rng.shuffle(found)
    results = []
    for image, category, box in found:
        # Few values, so that many are equal.
        score = float(rng.integers(1, 20)) / 20 if rng.random() < 0.7 else float(rng.random())
        results.append({"image_id": int(image), "category_id": int(category), "bbox": list(box), "score": score})
    return truth, results


def expected_of(truth_path, results_path):
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO(str(truth_path))
        evaluation = COCOeval(truth, truth.loadRes(str(results_path)), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    each = {}
    for k, category in enumerate(evaluation.params.catIds):
        p = evaluation.eval["precision"][:, :, k, 0, 2]
        p = p[p > -1]
        if p.size:
            each[truth.cats[category]["name"]] = float(np.mean(p))
    return dict(zip(KEYS, evaluation.stats.tolist())), each


def check(build, directory, name, truth, results):
    truth_path, results_path = directory / "truth.json", directory / "results.json"
    truth_path.write_text(json.dumps(truth))
    results_path.write_text(json.dumps(results))
    run = subprocess.run(
        [build / "assay", "eval", "coco", f"--ground-truth={truth_path}", f"--detections={results_path}",
         "--format=json"],
        capture_output=True, text=True, check=False,
    )
    if run.returncode != 0:
        sys.exit(f"cross_coco: {name}: exit code {run.returncode}: {run.stderr}")
    report = json.loads(run.stdout)
    stats, each = expected_of(truth_path, results_path)
    worst = 0.0
    for key, value in stats.items():
        got = report["metrics"][key]["subject"]
        if (got is None) != (value == -1):
            sys.exit(f"cross_coco: {name}: {key}: got {got}, expected {value}")
        if got is not None:
            worst = max(worst, abs(got - value))
    classes = {c["name"]: c["subject"] for c in report["classes"]}
    if set(classes) != set(each):
        sys.exit(f"cross_coco: {name}: classes: got {sorted(classes)}, expected {sorted(each)}")
    for category, value in each.items():
        worst = max(worst, abs(classes[category] - value))
    if worst > LIMIT:
        sys.exit(f"cross_coco: {name}: off by {worst:.3g}, limit {LIMIT:g}: {report['metrics']}, expected {stats}")
    return worst, stats["ap"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--sets", type=int, default=40)
    arguments = parser.parse_args()
    worst, sum_ap = 0.0, 0.0
    with tempfile.TemporaryDirectory() as directory:
        for seed in range(arguments.sets):
            truth, results = make(seed, crowded=seed % 4 == 0)
            if seed == 1:  # nothing is detected but one box
                results = results[:1]
            one, ap = check(arguments.build, pathlib.Path(directory), f"seed {seed}", truth, results)
            worst, sum_ap = max(worst, one), sum_ap + ap
    print(f"cross_coco: {arguments.sets} sets, mean AP {sum_ap / arguments.sets:.3f}, as pycocotools to {worst:.2g}")


if __name__ == "__main__":
    main()

"""Runs models with weights of 4 and 2 bits, and composites, whose answers a float64 program gave:
those of a folder, $ASSAY_VECTORS or ../shared/vectors; without such a folder it says so and ends.

    python conformance/tests/litert/cross_vectors.py BUILD_DIRECTORY [PREFIX...]

NAME.npz has in_0, in_1, ..., y_float, the float64 of the definition (and mag, its sum of magnitudes
B), or of integers y_int, the exact result rounded, with y_float before rounding.  The reference has
to be within 2 roundings of B, 1 of a weight and 1 of the result; integers are at most a step from
y_int and 1.02 steps from y_float, as LiteRT's 16-bit multipliers are.  The delegate's sums in f32
are off by 2.1 roundings of B at most, and have 4; with fp16 activation, weight and result are each
rounded to f16, so 3 of its roundings, of which 0.9 are used.  Without mag four times the largest
result stands for B, and a quarter is used.  Files in hostile/ have to be refused, but for those
that the manifest accepts; none may crash.  Decoders have signatures: cross_decoders.py.
"""

import argparse
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from litert import Report

ROOT = pathlib.Path(__file__).resolve().parents[3]
U = 2.0**-24
# Name, flags, and roundings of B.
SUBJECTS = [("reference", ["--delegate=none"], 2),
            ("fp32", ["--delegate-option=precision=fp32"], 4),
            ("fp16", ["--delegate-option=precision=fp16"], 3 * 2.0**13)]  # fmt: skip


def run(assay, model, flags):
    return subprocess.run([assay, "run", model, *flags], capture_output=True, text=True)


def difference(answers, got, roundings):
    """The largest difference in units of what is allowed; above 1 is wrong."""
    exact, got = answers["y_float"], got.astype(np.float64)
    if got.shape != exact.shape:
        return np.inf
    if "y_int" in answers:
        return max(np.abs(got - answers["y_int"]).max(), np.abs(got - exact).max() / 1.02)
    sums = answers["mag"] if "mag" in answers else 4 * np.abs(exact).max()
    return (np.abs(got - exact) / np.maximum(roundings * U * sums, np.finfo(np.float32).tiny)).max()


def check_model(report, assay, path, work):
    answers = np.load(path.with_suffix(".npz"))
    inputs = []
    while f"in_{len(inputs)}" in answers:
        inputs.append(f"--input={work / f'{len(inputs)}.npy'}")
        np.save(work / f"{len(inputs) - 1}.npy", answers[f"in_{len(inputs) - 1}"])
    for subject, flags, roundings in SUBJECTS:
        if subject == "fp16" and np.abs(answers["y_float"]).max() > 65504:
            continue  # beyond the range of f16
        output = work / "y.npy"
        output.unlink(missing_ok=True)
        done = run(assay, path, [f"--output={output}", *flags, *inputs])
        if done.returncode:
            report.check(False, f"{path.stem}, {subject}", done.stderr.strip())
            continue
        used = difference(answers, np.load(output), roundings)
        report.check(used <= 1, f"{path.stem}, {subject}", f"{used:.3g} of its bound")


def check_hostile(report, assay, folder, prefix):
    with open(folder / "manifest.tsv", newline="") as f:
        rows = list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))
    for row in rows:
        if not row["name"].startswith(prefix):
            continue
        wanted = row["expected"]
        # Attributes that nobody can read: the decomposition is the meaning.
        accepted = "accept" in wanted or row["name"].startswith("composite_attributes")
        for subject, flags, _ in SUBJECTS[:2]:
            done = run(assay, folder / (row["name"] + ".tflite"), flags)
            said = (done.stderr.strip() or "runs").splitlines()[-1]
            ok = done.returncode == 0 if accepted else done.returncode in (1, 2) and "assay: " in said
            report.check(ok, f"hostile {row['name']}, {subject}", f"{wanted}: {said}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("prefix", nargs="*")
    arguments = parser.parse_args()
    prefix = tuple(arguments.prefix) or ("",)
    folder = pathlib.Path(os.environ.get("ASSAY_VECTORS", ROOT.parent / "shared/vectors"))
    if not (folder / "manifest.tsv").exists():
        print(f"cross-vectors: no models in {folder} (ASSAY_VECTORS): nothing to do")
        return 0
    assay, report = arguments.build.resolve() / "assay", Report()
    with tempfile.TemporaryDirectory() as work:
        for path in sorted(folder.glob("*.tflite")):
            if path.stem.startswith(prefix) and not path.stem.startswith("decoder"):
                check_model(report, assay, path, pathlib.Path(work))
    check_hostile(report, assay, folder / "hostile", prefix)
    print(f"cross-vectors: {report.passed} checks passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())

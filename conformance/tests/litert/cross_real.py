"""Runs the trained models of a folder, $ASSAY_MODELS or ../shared/models, in ours and in the real
LiteRT; where there is no such folder it says so and ends.

    python conformance/tests/litert/cross_real.py BUILD_DIRECTORY

Every tensor of our reference is compared with that of LiteRT's reference kernels on random inputs:
integers must be identical.  Then the delegate runs in exact mode, and its outputs must be those of
the reference.  Models that cannot run must be refused with the reason: a custom op that nobody
knows, or an output scale so small that the runtime shifts by more than 31 bits, which C leaves
undefined.
"""

import argparse
import os
import pathlib
import subprocess
import sys

import h5py
import numpy as np

import compare_tensors
from litert import Report

ROOT = pathlib.Path(__file__).resolve().parents[3]
REFUSED = {"model_invoking_error.tflite": '"fake-op-double"',
           "traffic_model.tflite": "MUL: node 75: scale of a * scale of b / output scale is"}
FLOAT_LIMIT = 1e-4


def outputs_of(assay, model, work, flags):
    path = work / "outputs.h5"
    path.unlink(missing_ok=True)
    done = subprocess.run([assay, "run", model, f"--output={path}", f"--out={work / 'run.txt'}", *flags],
                          capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    with h5py.File(path) as f:
        return [f[f"outputs/{i}"][()] for i in range(len(f["outputs"]))]


def check_refused(report, assay, model, reason):
    done = subprocess.run([assay, "run", model], capture_output=True, text=True)
    report.check(done.returncode == 2 and reason in done.stderr, f"{model.name} is refused",
                 done.stderr.strip() or f"exit code {done.returncode}")


def check_tensors(report, library, model):
    arguments = argparse.Namespace(seed=1, runs=1, input=None)
    try:
        wrong = compare_tensors.run_model(arguments, library, model)
        report.check(wrong == 0, f"{model.name}, every tensor of the reference",
                     f"{wrong} tensors of integers differ")
    except (RuntimeError, ValueError) as error:
        report.check(False, f"{model.name}, every tensor of the reference", error)


def check_delegate(report, assay, model, work):
    what = f"{model.name}, delegate in exact mode"
    try:
        expected = outputs_of(assay, model, work, ["--delegate=none"])
        got = outputs_of(assay, model, work, ["--delegate-option=quantized=exact",
                                              "--delegate-option=max_partitions=0"])
    except RuntimeError as error:
        report.check(False, what, error)
        return
    worst = 0.0
    for a, b in zip(expected, got):
        if a.dtype.kind == "f":
            worst = max(worst, float(np.abs(a.astype(np.float64) - b).max(initial=0)))
        else:
            worst = worst if np.array_equal(a, b) else float("inf")
    report.check(len(expected) == len(got) and worst <= FLOAT_LIMIT, what,
                 f"{len(got)} outputs, integers "
                 f"{'differ' if worst == float('inf') else 'identical, floats by up to %.3g' % worst}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    build = parser.parse_args().build.resolve()
    models = pathlib.Path(os.environ.get("ASSAY_MODELS", ROOT.parent / "shared" / "models")) / "real"
    if not models.is_dir():
        print(f"skipped: no {models} (set ASSAY_MODELS)")
        return 0
    assay, report, work = str(build / "assay"), Report(), build / "cross-real"
    work.mkdir(exist_ok=True)
    for model in sorted(models.glob("*.tflite")):
        if model.name in REFUSED:
            check_refused(report, assay, model, REFUSED[model.name])
            continue
        check_tensors(report, build / "libassay.so", model)
        check_delegate(report, assay, model, work)
    print(f"real models: {report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())

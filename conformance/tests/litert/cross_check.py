"""Checks the delegate in the real LiteRT: the same .so, loaded by ai-edge-litert from PyPI.

    make cross-check            # or, in a venv with golden/requirements.txt:
    python conformance/tests/litert/cross_check.py BUILD_DIRECTORY

On the digit models and on MobileNet v1 1.0 224 from `assay zoo`, each with f32 and with f16 weights,
in both precisions, next to the plain reference kernels and next to the default ones (XNNPACK), it
checks which nodes were taken, and compares the answers with those of the reference kernels alone.  So
it does with our own runtime, without a delegate.  Limits for whole models: 90 dB in f32, 40 dB in
f16, and the same class, unless the two best scores of the reference are closer than the error.

cross_check_ops.py checks single ops, compare_delegate.py whole 8-bit models.
"""

import argparse
import pathlib
import subprocess
import sys

import h5py
import numpy as np
from ai_edge_litert.interpreter import OpResolverType, load_delegate

import compare_delegate
import cross_check_ops
from litert import Report, infer, interpreter_of, ops_that_run, snr_db, wrong_classes

ROOT = pathlib.Path(__file__).resolve().parents[3]
RESOLVERS = {"reference kernels": OpResolverType.BUILTIN_REF, "default kernels": OpResolverType.AUTO}
SNR_DB = {"fp32": 90.0, "fp16": 40.0}
IMAGES = 40  # of the digits, spread over the test part
SEED = 1


def check_delegate(report, library, name, path, inputs, expected):
    for precision, limit in SNR_DB.items():
        for kernels, resolver in RESOLVERS.items():
            what = f"{name}, {precision}, {kernels}"
            delegate = load_delegate(library, {"precision": precision, "max_partitions": 0})
            interpreter = interpreter_of(path, resolver, [delegate])
            taken, left = ops_that_run(interpreter)
            report.check(
                taken == 1 and not left,
                what,
                f"DELEGATE nodes: {taken}, other ops: {', '.join(left) or 'none'}",
            )
            got = infer(interpreter, inputs)
            snr = snr_db(expected, got)
            report.check(snr >= limit, what, f"SNR {snr:.1f} dB, limit {limit:.0f}")
            wrong = wrong_classes(expected, got)
            same = int((expected.argmax(1) == got.argmax(1)).sum())
            report.check(wrong == 0, what, f"same class {same} of {len(inputs)}, {wrong} wrong")
            del interpreter, delegate


def check_runtime(report, assay, work, name, path, inputs, expected):
    """Compares our interpreter, without a delegate, with the expected answers."""
    worst, wrong = float("inf"), 0
    for x, r in zip(inputs, expected):
        np.save(work / "x.npy", x)
        subprocess.run(
            [assay, "run", path, f"--input={work / 'x.npy'}", f"--output={work / 'y.npy'}"]
            + ["--delegate=none", f"--out={work / 'run.txt'}"],
            check=True,
        )
        got = np.load(work / "y.npy")
        worst = min(worst, snr_db(r[None], got))
        wrong += wrong_classes(r[None], got)
    limit = SNR_DB["fp32"]
    report.check(
        worst >= limit and wrong == 0,
        f"{name}, assay without delegate",
        f"worst SNR {worst:.1f} dB of {len(inputs)}, limit {limit:.0f}; {wrong} wrong classes",
    )


def check_refused_option(report, library):
    try:
        load_delegate(library, {"colour": "blue"})
        report.check(False, "an unknown option", "was accepted")
    except ValueError as e:
        report.check("colour" in str(e), "an unknown option", " ".join(str(e).split()))


def digits():
    """Returns inputs, [1, 32, 32, 1] f32 each, and labels."""
    with h5py.File(ROOT / "golden" / "digits" / "digits.h5", "r") as f:
        pick = np.linspace(0, len(f["labels"]) - 1, IMAGES).astype(int)
        pixels, labels = f["images"][:][pick], f["labels"][:][pick]
    return [((p.astype(np.float32) - 127.5) / np.float32(127.5))[None] for p in pixels], labels


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    build = parser.parse_args().build.resolve()
    assay, library = str(build / "assay"), str(build / "libassay_delegate.so")
    work = build / "cross-check"
    work.mkdir(exist_ok=True)
    report = Report()

    check_refused_option(report, library)
    cross_check_ops.check_ops(report, assay, library, work, ops_that_run)
    images, labels = digits()
    for kind in ("f32", "f16"):
        path = ROOT / "golden" / "digits" / f"digits_{kind}.tflite"
        expected = infer(interpreter_of(path, OpResolverType.BUILTIN_REF), images)
        top1 = float((expected.argmax(1) == labels).mean())
        report.check(top1 >= 0.95, f"digits_{kind}, reference kernels", f"top-1 {top1:.3f}")
        check_delegate(report, library, f"digits_{kind}", path, images, expected)
        check_runtime(report, assay, work, f"digits_{kind}", path, images[:10], expected)

    rng = np.random.default_rng(SEED)
    frames = [rng.uniform(-1, 1, (1, 224, 224, 3)).astype(np.float32) for _ in range(2)]
    for kind in ("f32", "f16"):
        path = work / f"mobilenet_v1_{kind}.tflite"
        subprocess.run(
            [assay, "zoo", "mobilenet_v1", "--width=1.0", "--res=224", f"--type={kind}", "-o", path],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        expected = infer(interpreter_of(path, OpResolverType.BUILTIN_REF), frames)
        check_delegate(report, library, f"mobilenet_v1_{kind}", path, frames, expected)
        check_runtime(report, assay, work, f"mobilenet_v1_{kind}", path, frames, expected)

    compare_delegate.check_all(report, build)
    print(f"cross-check: {report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())

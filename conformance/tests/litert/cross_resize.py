"""Checks resized inputs, and outputs that stay on the device, in the real LiteRT.

    python conformance/tests/litert/cross_resize.py BUILD_DIRECTORY

The digit models are resized to batches A, B, A, for which LiteRT undoes the delegate and applies it
again.  B is compared with the reference kernels; the last A must have the bits of the first.  With
wait=none an inference returns at once and LiteRT asks for the outputs, which must have the same bits.
"""

import argparse
import pathlib
import sys

import h5py
import numpy as np
from ai_edge_litert.interpreter import OpResolverType, load_delegate

from litert import Report, interpreter_of, ops_that_run, snr_db

ROOT = pathlib.Path(__file__).resolve().parents[3]
SNR_DB = {"fp32": 90.0, "fp16": 40.0}


def run(interpreter, x):
    """Resizes to the batch x, and runs it."""
    i, o = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
    if list(i["shape"]) != list(x.shape):
        interpreter.resize_tensor_input(i["index"], x.shape, strict=False)
        interpreter.allocate_tensors()
    interpreter.set_tensor(i["index"], x)
    interpreter.invoke()
    return interpreter.get_tensor(o["index"])


def check(report, library, path, images, precision, wait):
    what = f"{path.stem}, {precision}, wait={wait}"
    delegate = load_delegate(
        str(library), {"precision": precision, "wait": wait, "max_partitions": 0}
    )
    ours = interpreter_of(path, OpResolverType.BUILTIN_REF, [delegate])
    real = interpreter_of(path, OpResolverType.BUILTIN_REF)
    first = run(ours, images[:1])
    for batch in (5, 2):
        got, expected = run(ours, images[:batch]), run(real, images[:batch])
        taken, left = ops_that_run(ours)
        report.check(taken == 1 and not left, what, f"batch {batch}: DELEGATE nodes: {taken}")
        snr = snr_db(expected, got)
        limit = SNR_DB[precision]
        report.check(snr >= limit, what, f"batch {batch}: SNR {snr:.1f} dB, limit {limit:.0f}")
    again = run(ours, images[:1])
    report.check(np.array_equal(first, again), what, "batch 1 again: the same bits")
    for i in range(3):  # frames that differ
        run(ours, images[i + 1 : i + 2])
    report.check(np.array_equal(first, run(ours, images[:1])), what, "and after other frames")
    return first


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    library = parser.parse_args().build.resolve() / "libassay_delegate.so"
    with h5py.File(ROOT / "golden/digits/digits.h5") as f:
        images = (f["images"][:8].astype(np.float32) - 127.5) / np.float32(127.5)
    report = Report()
    for name in ("digits_f32", "digits_f16"):
        path = ROOT / f"golden/digits/{name}.tflite"
        for precision in SNR_DB:
            passive = check(report, library, path, images, precision, "passive")
            none = check(report, library, path, images, precision, "none")
            report.check(
                np.array_equal(passive, none), f"{name}, {precision}", "wait=none: the same bits"
            )
    print(f"cross-resize: {report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs the zoo's encoder, vit and whisper, each signature, in the real LiteRT and through the C API
of libassay.so: by the reference, and by the delegate in fp32 and fp16; and the delegate in LiteRT.

    python conformance/tests/litert/cross_transformers.py BUILD_DIRECTORY [NAME...]

Each result is within 32 roundings of the reference's largest value, in f32, of the delegate in fp16
within 16 of f16: about twice what is used, 17 and 8.

But weights of 8 and 4 bits LiteRT multiplies with activations that it rounds to 8 bits.  A step is
1/127 of a row's largest, about three times its rms: noise of (3 / 127)^2 / 12 of its power, -43 dB.
Eight such products in a row, two layers of four, leave 34 dB, which is what is found; 30 are asked for.

Of a text of padding alone the logits are rounded at -10000, by half a step: 2^-11 in f32, of which
2^-15 is left in the results, and 2^-13 allowed.  In f16 it is 4, which makes all logits alike: the mean
of all tokens is 12 dB from what attention gives, something else would be at 0; 9 dB are asked for.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from ai_edge_litert.interpreter import OpResolverType, load_delegate

from cross_decoders import Library, Signature, open_interpreter
from litert import Report, interpreter_of, ops_that_run, snr_db

MODELS = {"encoder": ["serving_default"], "vit": ["serving_default"], "whisper": ["encode", "decode"]}
# Of the largest value: in f32, of the delegate in fp16, of a text of padding alone in f32.
ROUNDINGS, ROUNDINGS16, PADDING = 32 * 2.0**-24, 16 * 2.0**-11, 2.0**-13
# Of activations in 8 bits, of a text of padding alone in fp16.
HYBRID_DB, PADDING16_DB = 30, 9
TYPES = ("f32", "f16", "dynamic", "i4", "i4_block")


def filled(zeros, rng):
    """Ids; of two texts the second is padding alone; slots up to position 5 are in use."""
    for name, x in zeros.items():
        if name == b"mask":
            x[...] = np.where(np.arange(x.size) <= 5, 0, -np.inf)
        elif name == b"attention_mask":
            x[0] = np.arange(x.shape[1]) < x.shape[1] * 2 // 3
        elif name == b"input_pos":
            x[...] = 5
        elif x.dtype == np.int32:
            x[...] = rng.integers(0, 2 if name == b"token_type_ids" else 200, x.shape)
        else:
            x[...] = rng.standard_normal(x.shape)
    return zeros


def by_litert(path, key, given, resolver, delegates=None):
    interpreter = interpreter_of(path, resolver, delegates)
    answers = interpreter.get_signature_runner(key)(**{n.decode(): x for n, x in given.items()})
    left = ops_that_run(interpreter)[1] if delegates else []
    return {n.encode(): x for n, x in answers.items()}, left


def check(report, api, build, path, what, key):
    signature = Signature(api, open_interpreter(api, build, path, None), key.encode())
    given = filled(signature.zeros(), np.random.default_rng(1))
    want = signature.invoke(given)
    plain, xnnpack = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES, OpResolverType.BUILTIN
    got = {"litert": by_litert(path, key, given, plain)[0],
           "xnnpack": by_litert(path, key, given, xnnpack)[0]}  # fmt: skip
    for precision in ("fp32", "fp16"):
        interpreter = open_interpreter(api, build, path, precision.encode())
        got[precision] = Signature(api, interpreter, key.encode()).invoke(given)
    delegate = load_delegate(str(build / "libassay_delegate.so"), {"precision": "fp32"})
    got["in litert"], left = by_litert(path, key, given, plain, [delegate])
    report.check(not left, f"{what}: whole in LiteRT", f"on the CPU: {left}")
    for subject, answers in got.items():
        hybrid = subject in ("litert", "xnnpack") and path.stem not in ("f32", "f16")
        for name, x in want.items():
            y = answers[name]
            for text in range(len(x)):
                half, padding = subject == "fp16", text > 0
                worst, snr = np.abs(x[text] - y[text]).max() / np.abs(x).max(), snr_db(x[text], y[text])
                most = ROUNDINGS16 if half else PADDING if padding else ROUNDINGS
                least = HYBRID_DB if hybrid else PADDING16_DB if half and padding else None
                report.check(worst <= most if least is None else snr >= least,
                             f"{what} {key}, {name.decode()} {text}, {subject}",
                             f"{worst:.3g}, {snr:.1f} dB")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("names", nargs="*", default=list(MODELS))
    arguments = parser.parse_args()
    build, report = arguments.build.resolve(), Report()
    api = Library(build / "libassay.so")
    with tempfile.TemporaryDirectory() as work:
        for name in arguments.names:
            for kind in TYPES:
                path = pathlib.Path(work) / f"{kind}.tflite"
                batch = ["--batch=2"] if name == "encoder" else []
                subprocess.run([build / "assay", "zoo", name, f"--type={kind}", *batch, "-o", path],
                               check=True, stdout=subprocess.DEVNULL)  # fmt: skip
                for key in MODELS[name]:
                    check(report, api, build, path, f"{name} {kind}", key)
    print(f"cross-transformers: {report.passed} checks passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())

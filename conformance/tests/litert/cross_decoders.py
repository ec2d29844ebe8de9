#!/usr/bin/env python3
"""Runs decoders of two signatures, whose logits and caches a float64 program gave, through the C API
of libassay.so: those of a folder, $ASSAY_VECTORS or ../shared/vectors; without it, it says so.

    python conformance/tests/litert/cross_decoders.py BUILD_DIRECTORY [PREFIX...]

decoder_*.npz has tokens, the first of which are prefilled with caches of zeros, then 20 are decoded
with the caches of the step before; logits of these, and some caches.  Each is within 10 roundings
of the largest logit, in f32 of the reference and of the delegate, with fp16 within 3 of f16: twice
what the layers add up to, which is 4.6 of f32 and 1.6 of f16 at most.
"""

import argparse
import ctypes
import os
import pathlib
import sys

import numpy as np

from litert import Report

ROOT = pathlib.Path(__file__).resolve().parents[3]
P = ctypes.c_void_p
TYPES = {1: np.float32, 2: np.int32}
SUBJECTS = [("reference", None, 10 * 2.0**-24), ("fp32", b"fp32", 10 * 2.0**-24),
            ("fp16", b"fp16", 3 * 2.0**-11)]  # fmt: skip


class Library:
    """Functions of a C library whose results are pointers, text or sizes, as their names say."""

    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))

    def __call__(self, name, *args):
        function = getattr(self.library, name)
        function.restype = (ctypes.c_char_p if name.endswith(("Name", "Key"))
                            else ctypes.c_size_t if name.endswith("ByteSize")
                            else ctypes.c_int if name.endswith(("Type", "Dim", "Dims", "Invoke", "Tensors", "Count", "Buffer"))
                            else P)  # fmt: skip
        return function(*(P(a) if isinstance(a, int) and a > 1 << 20 else a for a in args))


def values(api, tensor):
    shape = [api("TfLiteTensorDim", tensor, i) for i in range(api("TfLiteTensorNumDims", tensor))]
    count = api("TfLiteTensorByteSize", tensor)
    data = (ctypes.c_uint8 * count).from_address(api("TfLiteTensorData", tensor))
    return np.frombuffer(data, TYPES[api("TfLiteTensorType", tensor)]).reshape(shape).copy()


class Signature:
    def __init__(self, api, interpreter, key):
        self.api, self.runner = api, api("TfLiteInterpreterGetSignatureRunner", interpreter, key)
        if api("TfLiteSignatureRunnerAllocateTensors", self.runner):
            raise RuntimeError(f"{key}: tensors are not allocated")
        self.inputs, self.outputs = (
            [api(f"TfLiteSignatureRunnerGet{side}Name", self.runner, i)
             for i in range(api(f"TfLiteSignatureRunnerGet{side}Count", self.runner))]
            for side in ("Input", "Output"))  # fmt: skip

    def run(self, tokens, position, state):
        given = {}
        for name, x in self.zeros().items():
            if name == b"tokens":
                x[...] = np.reshape(tokens, x.shape)
            elif name == b"input_pos":
                x[...] = np.arange(position, position + len(tokens)).reshape(x.shape)
            elif name == b"mask":
                for t in range(len(tokens)):
                    x[..., t, position + t + 1 :] = -1e4
            else:
                x = state.get(name, x)
            given[name] = x
        state.update(self.invoke(given))

    def zeros(self):
        get = "TfLiteSignatureRunnerGetInputTensor"
        return {n: np.zeros_like(values(self.api, self.api(get, self.runner, n))) for n in self.inputs}

    def invoke(self, given):
        for name, x in given.items():
            tensor = self.api("TfLiteSignatureRunnerGetInputTensor", self.runner, name)
            if self.api("TfLiteTensorCopyFromBuffer", tensor, x.ctypes.data_as(P), ctypes.c_size_t(x.nbytes)):
                raise RuntimeError(f"{name}: not copied")
        if self.api("TfLiteSignatureRunnerInvoke", self.runner):
            raise RuntimeError("invoke failed")
        get = "TfLiteSignatureRunnerGetOutputTensor"
        return {n: values(self.api, self.api(get, self.runner, n)) for n in self.outputs}


def open_interpreter(api, build, path, precision):
    options = api("TfLiteInterpreterOptionsCreate")
    if precision:
        plugin = Library(build / "libassay_delegate.so")
        keys, texts = (ctypes.c_char_p * 1)(b"precision"), (ctypes.c_char_p * 1)(precision)
        delegate = plugin("tflite_plugin_create_delegate", keys, texts, ctypes.c_size_t(1), None)
        api("TfLiteInterpreterOptionsAddDelegate", options, delegate)
    model = api("TfLiteModelCreateFromFile", str(path).encode())
    return api("TfLiteInterpreterCreate", model, options)


def check(report, api, build, path):
    answers = np.load(path.with_suffix(".npz"))
    prefill, tokens = len(answers["tokens"]) - len(answers["logits"]), answers["tokens"]
    scale = np.abs(answers["logits"]).max()
    for subject, precision, bound in SUBJECTS:
        interpreter = open_interpreter(api, build, path, precision)
        if not interpreter:
            report.check(False, f"{path.stem}, {subject}", "no interpreter")
            continue
        state, worst = {}, 0
        Signature(api, interpreter, f"prefill_{prefill}".encode()).run(tokens[:prefill], 0, state)
        for key in ("k_0", "v_1"):
            got = state[f"kv_cache_{key}".encode()]
            worst = max(worst, np.abs(got - answers[f"prefill_{key}"]).max())
        decode = Signature(api, interpreter, b"decode")
        for step, logits in enumerate(answers["logits"]):
            decode.run(tokens[prefill + step : prefill + step + 1], prefill + step, state)
            worst = max(worst, np.abs(state[b"logits"].reshape(-1) - logits).max())
        worst = max(worst, np.abs(state[b"kv_cache_k_1"] - answers["end_k_1"]).max())
        report.check(worst <= bound * scale, f"{path.stem}, {subject}",
                     f"{worst:.3g} of {bound * scale:.3g}")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("prefix", nargs="*")
    arguments = parser.parse_args()
    folder = pathlib.Path(os.environ.get("ASSAY_VECTORS", ROOT.parent / "shared/vectors"))
    build, report = arguments.build.resolve(), Report()
    if not folder.exists():
        print(f"cross-decoders: no models in {folder} (ASSAY_VECTORS): nothing to do")
        return 0
    api = Library(build / "libassay.so")
    for path in sorted(folder.glob("decoder_*.tflite")):
        if path.stem.startswith(tuple(arguments.prefix) or ("",)):
            check(report, api, build, path)
    print(f"cross-decoders: {report.passed} checks passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())

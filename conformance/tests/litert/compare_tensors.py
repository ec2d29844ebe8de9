"""Compares every tensor of a model in our runtime with the reference kernels of the real LiteRT.

    python conformance/tests/litert/compare_tensors.py [--seed=N] [--runs=N] [--input=FILE.npy] BUILD_DIRECTORY MODEL...

In a venv with golden/requirements.txt.  Each model is rewritten so that every result of a node is an
output.  libassay.so and ai-edge-litert with BUILTIN_REF get the same inputs, random over the whole
range of an integer type (the first one may come from a file).  Tensors of integers have to be
identical, unless they follow from a float tensor; of float tensors the largest difference is shown.
The exit code is 1 when an integer differs or a model does not run.
"""

import argparse
import ctypes
import pathlib
import sys

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

SHOWN = 5  # tensors that differ


def expose_all(model_bytes):
    """Returns the model with the results of all nodes as outputs, and the indices of these."""
    model = schema.ModelT.InitFromPackedBuf(model_bytes, 0)
    graph = model.subgraphs[0]
    results = [int(t) for op in graph.operators for t in op.outputs if t >= 0]
    graph.outputs = results
    model.signatureDefs = []
    builder = flatbuffers.Builder(len(model_bytes))
    builder.Finish(model.Pack(builder), b"TFL3")
    names = [(graph.tensors[t].name or b"").decode(errors="replace") for t in results]
    return bytes(builder.Output()), results, names


class Ours:
    """The part of the C API of libassay.so that is needed here."""

    def __init__(self, library, model_bytes):
        self.lib = ctypes.CDLL(str(library))
        for name in ("ModelCreate", "InterpreterCreate", "InterpreterGetInputTensor",
                     "InterpreterGetOutputTensor", "TensorData"):
            getattr(self.lib, f"TfLite{name}").restype = ctypes.c_void_p
        self.lib.TfLiteTensorByteSize.restype = ctypes.c_size_t
        self.bytes = model_bytes  # has to outlive the model
        self.interpreter = None
        self.model = self.call("ModelCreate", model_bytes, ctypes.c_size_t(len(model_bytes)))
        if self.model:
            self.interpreter = self.call("InterpreterCreate", ctypes.c_void_p(self.model), None)
        if not self.interpreter or self.call("InterpreterAllocateTensors", self.me()) != 0:
            raise RuntimeError("our runtime does not take the model")

    def call(self, name, *arguments):
        return getattr(self.lib, f"TfLite{name}")(*arguments)

    def me(self):
        return ctypes.c_void_p(self.interpreter)

    def invoke(self, inputs, like):
        """Returns the outputs as arrays of the types and shapes of others."""
        for i, value in enumerate(inputs):
            tensor = ctypes.c_void_p(self.call("InterpreterGetInputTensor", self.me(), i))
            data = np.ascontiguousarray(value)
            if self.call("TensorCopyFromBuffer", tensor, data.ctypes.data_as(ctypes.c_void_p),
                         ctypes.c_size_t(data.nbytes)) != 0:
                raise RuntimeError(f"input {i} has another size in our runtime")
        if self.call("InterpreterInvoke", self.me()) != 0:
            raise RuntimeError("our runtime does not run the model")
        got = []
        for i, other in enumerate(like):
            tensor = ctypes.c_void_p(self.call("InterpreterGetOutputTensor", self.me(), i))
            size = self.call("TensorByteSize", tensor)
            if size != other.nbytes:
                raise RuntimeError(f"output {i} has {size} bytes, in the runtime {other.nbytes}")
            data = ctypes.string_at(self.call("TensorData", tensor), size) if size else b""
            got.append(np.frombuffer(data, other.dtype).reshape(other.shape))
        return got

    def close(self):
        if self.interpreter:
            self.call("InterpreterDelete", self.me())
        if self.model:
            self.call("ModelDelete", ctypes.c_void_p(self.model))


def random_inputs(details, random):
    inputs = []
    for detail in details:
        kind, shape = np.dtype(detail["dtype"]), detail["shape"]
        if kind.kind == "f":
            inputs.append(random.standard_normal(shape).astype(kind))
        else:
            info = np.iinfo(kind)
            inputs.append(random.integers(info.min, info.max, shape, kind, endpoint=True))
    return inputs


def compare(path, names, expected, got):
    """Prints one line for the model; returns how many integer tensors differ."""
    wrong, elements, worst, floats = [], 0, 0.0, False
    for name, a, b in zip(names, expected, got):
        elements += a.size
        if a.dtype.kind == "f":
            floats = True
            if a.size:
                worst = max(worst, float(np.abs(a.astype(np.float64) - b).max()))
        elif not floats and not np.array_equal(a, b):
            wrong.append((name, int(np.count_nonzero(a != b)), a.size))
    figures = f"{len(expected)} tensors, {elements} elements, {len(wrong)} tensors of integers differ"
    if floats:
        figures += f", floats by up to {worst:.3g}"
    print(f"{'FAIL' if wrong else 'ok  '}  {path.name}: {figures}", flush=True)
    for name, count, size in wrong[:SHOWN]:
        print(f"        {name}: {count} of {size}")
    return len(wrong)


def run_model(arguments, library, path):
    model_bytes, results, names = expose_all(path.read_bytes())
    random = np.random.default_rng(arguments.seed)
    theirs = Interpreter(model_content=model_bytes, num_threads=1,
                         experimental_op_resolver_type=OpResolverType.BUILTIN_REF,
                         experimental_preserve_all_tensors=True)
    theirs.allocate_tensors()
    details = theirs.get_input_details()
    ours = None
    try:
        ours = Ours(library, model_bytes)
        wrong = 0
        for _ in range(arguments.runs):
            inputs = random_inputs(details, random)
            if arguments.input:
                given = np.load(arguments.input)
                inputs[0] = given.reshape(inputs[0].shape).astype(inputs[0].dtype)
            for detail, value in zip(details, inputs):
                theirs.set_tensor(detail["index"], value)
            theirs.invoke()
            expected = [np.atleast_1d(theirs.get_tensor(t)) for t in results]
            wrong += compare(path, names, expected, ours.invoke(inputs, expected))
        return wrong
    finally:
        if ours:
            ours.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--input", help="the first input, in .npy")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("models", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    failed = 0
    for path in arguments.models:
        try:
            failed += run_model(arguments, (arguments.build / "libassay.so").resolve(), path) != 0
        except (RuntimeError, ValueError) as error:
            print(f"FAIL  {path.name}: {error}", flush=True)
            failed += 1
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

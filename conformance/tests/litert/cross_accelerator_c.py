"""Checks the delegate as a LiteRT accelerator through LiteRT's C API, for what Python lacks.

    make cross-check            # or, in a venv with golden/requirements.txt:
    python conformance/tests/litert/cross_accelerator_c.py BUILD_DIRECTORY

On a digit model: opaque options by our name, buffers of the accelerator's own type, memory of the
application, asynchronous runs with events, and buffers that are destroyed before and after their
model.  Every answer has the bits of the first one.
"""

import argparse
import ctypes as c
import pathlib
import sys

import ai_edge_litert
import numpy as np

from litert import Report

ROOT = pathlib.Path(__file__).resolve().parents[3]
MODEL = ROOT / "golden" / "digits" / "digits_f32.tflite"
GPU, FLOAT32, READ, WRITE = 2, 1, 0, 1
MIN_SEVERITY, ACCELERATOR = 25, 30  # options of an environment
INT, POINTER = 2, 9  # types of their values
SILENT = 4
ZERO, ONE = c.c_size_t(0), c.c_size_t(1)
DEALLOCATOR = c.CFUNCTYPE(None, c.c_void_p)


class Value(c.Structure):
    _fields_ = [("type", c.c_int), ("value", c.c_void_p)]


class Option(c.Structure):
    _fields_ = [("tag", c.c_int), ("value", Value)]


class Layout(c.Structure):
    _fields_ = [("rank", c.c_uint32), ("dims", c.c_int32 * 8), ("strides", c.c_uint32 * 8)]


class TensorType(c.Structure):
    _fields_ = [("element", c.c_int), ("layout", Layout)]

    def count(self):
        return int(np.prod(self.layout.dims[: self.layout.rank & 127]))


class Failure(Exception):
    pass


@DEALLOCATOR
def keep(_):
    """Memory of Python's stays Python's."""


class LiteRt:
    def __init__(self, library, accelerator):
        self.lib = c.CDLL(str(library))
        definition = c.addressof(c.c_char.in_dll(c.CDLL(accelerator), "LiteRtAcceleratorImpl"))
        options = (Option * 2)(
            Option(MIN_SEVERITY, Value(INT, SILENT)), Option(ACCELERATOR, Value(POINTER, definition))
        )
        self.environment = self.make("CreateEnvironment", 2, options)
        self.model = self.make("CreateModelFromFile", self.environment, str(MODEL).encode())

    def call(self, name, *arguments):
        status = getattr(self.lib, "LiteRt" + name)(*arguments)
        if status:
            raise Failure(f"{name}: status {status}")

    def make(self, name, *arguments):
        made = c.c_void_p()
        self.call(name, *arguments, c.byref(made))
        return made

    def destroy(self, kind, thing):
        getattr(self.lib, "LiteRtDestroy" + kind)(thing)


class Compiled:
    """The digit model, with one input and one output buffer."""

    def __init__(self, litert, text=None):
        self.litert = litert
        self.options = litert.make("CreateOptions")
        litert.call("SetOptionsHardwareAccelerators", self.options, GPU)
        if text:
            self.text = c.create_string_buffer(text.encode())
            opaque = litert.make("CreateOpaqueOptions", b"assay_gpu", self.text, keep)
            litert.call("AddOpaqueOptions", self.options, opaque)
        self.model = litert.make(
            "CreateCompiledModel", litert.environment, litert.model, self.options
        )
        self.types = TensorType(FLOAT32), TensorType(FLOAT32)
        litert.call(
            "GetCompiledModelInputTensorLayout", self.model, ZERO, ZERO, c.byref(self.types[0].layout)
        )
        litert.call(
            "GetCompiledModelOutputTensorLayouts",
            self.model,
            ZERO,
            ONE,
            c.byref(self.types[1].layout),
            c.c_bool(False),
        )
        self.buffers = [self.required("Input", 0), self.required("Output", 1)]

    def required(self, which, i):
        needs = self.litert.make(f"GetCompiledModel{which}BufferRequirements", self.model, ZERO, ZERO)
        environment = self.litert.environment
        name = "CreateManagedTensorBufferFromRequirements"
        return self.litert.make(name, environment, c.byref(self.types[i]), needs)

    def locked(self, buffer, mode, count, change):
        at = c.c_void_p()
        self.litert.call("LockTensorBuffer", buffer, c.byref(at), mode)
        result = change(np.ctypeslib.as_array(c.cast(at, c.POINTER(c.c_float)), (count,)))
        self.litert.call("UnlockTensorBuffer", buffer)
        return result

    def run(self, values, asynchronous=False, buffers=None):
        """Returns the bytes of the output, and whether an event was left on it."""
        x, y = buffers or self.buffers
        self.locked(x, WRITE, values.size, lambda a: np.copyto(a, values))
        arguments = [self.model, ZERO, ONE, c.byref(x), ONE, c.byref(y)]
        if asynchronous:
            flag = c.c_bool(True)
            self.litert.call("RunCompiledModelAsync", *arguments, c.byref(flag))
        else:
            self.litert.call("RunCompiledModel", *arguments)
        event = c.c_bool()
        self.litert.call("HasTensorBufferEvent", y, c.byref(event))
        answer = self.locked(y, READ, self.types[1].count(), lambda a: a.tobytes())
        if event.value:
            self.litert.call("ClearTensorBufferEvent", y)
        return answer, event.value

    def host_buffer(self, i, array):
        return self.litert.make(
            "CreateTensorBufferFromHostMemory",
            c.byref(self.types[i]),
            c.c_void_p(array.ctypes.data),
            c.c_size_t(array.nbytes),
            keep,
        )

    def close(self, buffers_first):
        if buffers_first:
            for b in self.buffers:
                self.litert.destroy("TensorBuffer", b)
        self.litert.destroy("CompiledModel", self.model)
        if not buffers_first:
            for b in self.buffers:
                self.litert.destroy("TensorBuffer", b)
        self.litert.destroy("Options", self.options)


def aligned(count):
    """Floats at an address that LiteRT takes for host memory."""
    raw = np.zeros(count + 16, np.float32)
    first = (-raw.ctypes.data % 64) // 4
    return raw[first : first + count]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    build = parser.parse_args().build.resolve()
    library = pathlib.Path(ai_edge_litert.__file__).parent / "libLiteRt.so"
    litert = LiteRt(library, str(build / "libassay_delegate.so"))
    report = Report()

    one = Compiled(litert)
    kind = c.c_int()
    litert.call("GetTensorBufferType", one.buffers[0], c.byref(kind))
    report.check(kind.value == 160, "buffers of the accelerator's type", f"type {kind.value}")
    values = np.random.default_rng(1).uniform(-1, 1, one.types[0].count()).astype(np.float32)
    expected, event = one.run(values)
    report.check(not event, "a synchronous run", "leaves no event")

    runs = [one.run(values, asynchronous=True) for _ in range(5)]
    right, events = sum(a == expected for a, _ in runs), sum(e for _, e in runs)
    report.check(right == 5 and events == 5, "asynchronous runs", f"{right} right, {events} events")

    memory = [aligned(t.count()) for t in one.types]
    theirs = [one.host_buffer(i, a) for i, a in enumerate(memory)]
    for what, asynchronous in (("a run", False), ("an asynchronous run", True)):
        answer, event = one.run(values, asynchronous, theirs)
        report.check(
            answer == expected and not event, f"{what} in the application's memory", "same bits"
        )
    mixed = one.run(values, buffers=[one.buffers[0], theirs[1]])[0]
    report.check(mixed == expected, "both kinds of buffers", "same bits")

    half = Compiled(litert, "precision=fp16\nwait=active\n")
    answer = half.run(values)[0]
    error = np.abs(np.frombuffer(answer, np.float32) - np.frombuffer(expected, np.float32)).max()
    report.check(0 < error < 0.02, "opaque options: precision=fp16", f"differs by {error:.2g}")
    try:
        Compiled(litert, "precision=fp8")
        report.check(False, "opaque options: precision=fp8", "was accepted")
    except Failure as e:
        report.check("CreateCompiledModel" in str(e), "opaque options: precision=fp8", str(e))

    half.close(buffers_first=True)
    again = Compiled(litert)
    report.check(again.run(values)[0] == expected, "after a model was closed", "same bits")
    one.close(buffers_first=False)
    report.check(again.run(values, True)[0] == expected, "after another was closed", "same bits")
    again.close(buffers_first=False)
    for b in theirs:
        litert.destroy("TensorBuffer", b)
    litert.destroy("Model", litert.model)
    litert.destroy("Environment", litert.environment)
    print(f"cross_accelerator_c: {report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Our runtime in Python: libassay.so through its C API."""

import ctypes as c
import pathlib

import numpy as np

TYPES = {1: np.float32, 2: np.int32, 3: np.uint8, 4: np.int64, 6: np.bool_, 7: np.int16, 9: np.int8}


class Failure(Exception):
    pass


class Library:
    def __init__(self, build):
        self.c = c.CDLL(str(pathlib.Path(build).resolve() / "libassay.so"))
        for name in ("ModelCreate", "InterpreterOptionsCreate", "InterpreterCreate",
                     "InterpreterGetInputTensor", "InterpreterGetOutputTensor", "TensorData"):  # fmt: skip
            getattr(self.c, "TfLite" + name).restype = c.c_void_p
        self.c.TfLiteTensorByteSize.restype = c.c_size_t

    def call(self, name, *arguments):
        return getattr(self.c, "TfLite" + name)(*arguments)


# What the C library prints of a va_list, in Python.
REPORTER = c.CFUNCTYPE(None, c.c_void_p, c.c_char_p, c.c_void_p)


class Runtime:
    """An interpreter; a failure has the messages of the library."""

    def __init__(self, library, model):
        self.library, self.messages, self.bytes = library, [], model
        vsnprintf = c.CDLL(None).vsnprintf

        def report(_, text, arguments):
            line = c.create_string_buffer(2048)
            vsnprintf(line, c.c_size_t(2048), text, c.c_void_p(arguments))
            self.messages.append(line.value.decode(errors="replace"))

        self.reporter = REPORTER(report)
        options = c.c_void_p(library.call("InterpreterOptionsCreate"))
        library.call("InterpreterOptionsSetErrorReporter", options, self.reporter, None)
        create = library.c.TfLiteModelCreateWithErrorReporter
        create.restype = c.c_void_p
        self.interpreter = None
        self.model = c.c_void_p(
            create(c.c_char_p(model), c.c_size_t(len(model)), self.reporter, None)
        )
        if self.model:
            self.interpreter = c.c_void_p(library.call("InterpreterCreate", self.model, options))
        library.call("InterpreterOptionsDelete", options)
        if not self.interpreter:
            self.close()
            raise Failure("; ".join(self.messages))

    def call(self, name, *arguments):
        return self.library.call(name, self.interpreter, *arguments)

    def check(self, status):
        if status != 0:
            raise Failure("; ".join(self.messages) or f"status {status}")

    def allocate(self):
        self.check(self.call("InterpreterAllocateTensors"))

    def resize(self, index, shape):
        dims = (c.c_int * len(shape))(*shape)
        self.check(self.call("InterpreterResizeInputTensor", index, dims, len(shape)))

    def array(self, tensor):
        """A copy of a tensor."""
        tensor, call = c.c_void_p(tensor), self.library.call
        shape = [call("TensorDim", tensor, i) for i in range(call("TensorNumDims", tensor))]
        size = call("TensorByteSize", tensor)
        data = c.string_at(call("TensorData", tensor), size) if size else b""
        return np.frombuffer(data, TYPES[call("TensorType", tensor)]).reshape(shape)

    def set(self, index, value):
        tensor = c.c_void_p(self.call("InterpreterGetInputTensor", index))
        data = np.ascontiguousarray(value).tobytes()
        self.check(
            self.library.call("TensorCopyFromBuffer", tensor, c.c_char_p(data), c.c_size_t(len(data)))
        )

    def invoke(self):
        self.check(self.call("InterpreterInvoke"))

    def output(self, index):
        return self.array(self.call("InterpreterGetOutputTensor", index))

    def outputs(self):
        return [self.output(i) for i in range(self.call("InterpreterGetOutputTensorCount"))]

    def run(self, inputs):
        """Allocates, and returns the outputs."""
        self.allocate()
        for i, value in enumerate(inputs):
            self.set(i, value)
        self.invoke()
        return self.outputs()

    def close(self):
        self.library.call("InterpreterDelete", self.interpreter)
        self.library.call("ModelDelete", self.model)
        self.interpreter = self.model = None

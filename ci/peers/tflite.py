"""Reads what a converter needs of a .tflite file: operators, tensors, constants, options."""
import pathlib
import struct
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "conformance/adapters"))
from tflite_file import Table

OPS = {0: "ADD", 1: "AVERAGE_POOL_2D", 2: "CONCATENATION", 3: "CONV_2D", 4: "DEPTHWISE_CONV_2D",
       9: "FULLY_CONNECTED", 17: "MAX_POOL_2D", 22: "RESHAPE", 23: "RESIZE_BILINEAR",
       25: "SOFTMAX", 34: "PAD", 40: "MEAN"}
FLOAT32, INT32 = 0, 2


class Tensor:
    def __init__(self, table, buffers):
        self.shape, self.type = table.ints(0), table.scalar(1, "<b")
        self.data = buffers[table.scalar(2, "<I")].raw(0)


class Node:
    def __init__(self, table, codes):
        code = codes[table.scalar(0, "<I")]
        self.code = max(code.scalar(0, "<b"), code.scalar(3))
        self.op = OPS.get(self.code, f"builtin operator {self.code}")
        self.inputs, self.outputs = table.ints(1), table.ints(2)
        self.options = table.table(4)

    def option(self, field, form="<i", default=0):
        return self.options.scalar(field, form, default) if self.options else default


class Model:
    def __init__(self, path):
        with open(path, "rb") as f:
            data = memoryview(f.read())
        if bytes(data[4:8]) != b"TFL3":
            raise ValueError(f"{path}: expected the identifier TFL3, found {bytes(data[4:8])!r}")
        root = Table(data, struct.unpack_from("<I", data, 0)[0])
        graph = root.tables(2)[0]
        buffers = root.tables(4)
        self.tensors = [Tensor(t, buffers) for t in graph.tables(0)]
        self.inputs, self.outputs = graph.ints(1), graph.ints(2)
        self.nodes = [Node(n, root.tables(1)) for n in graph.tables(3)]

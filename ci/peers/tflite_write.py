"""Writes a .tflite model of one op with seeded weights, by the standard library alone.

FlatBuffers: a table is written in front of what it refers to, since offsets point forward."""
import array
import random
import struct


class Blob:
    """Bytes that are referred to: a vector or a string, with their alignment."""

    def __init__(self, data, count, align=4):
        self.data, self.count, self.align = data, count, align


def ints(values):
    return Blob(struct.pack(f"<{len(values)}i", *values), len(values))


def text(value):
    return Blob(value.encode() + b"\0", len(value))


class Writer:
    def __init__(self):
        self.out = bytearray(struct.pack("<I4s", 0, b"TFL3"))

    def align(self, to, then=0):
        while (len(self.out) + then) % to:
            self.out.append(0)

    def patch(self, at):
        """The offset at `at` leads to what is written next."""
        struct.pack_into("<I", self.out, at, len(self.out) - at)

    def put(self, at, value):
        """Writes a table (a dict), a list of tables, or a blob, to which the offset at `at` leads."""
        if isinstance(value, dict):
            self.table(at, value)
        elif isinstance(value, list):
            self.align(4)
            self.patch(at)
            self.out += struct.pack("<I", len(value))
            first = len(self.out)
            self.out += bytes(4 * len(value))
            for i, item in enumerate(value):
                self.put(first + 4 * i, item)
        else:
            self.align(value.align, 4)
            self.patch(at)
            self.out += struct.pack("<I", value.count) + value.data

    def table(self, at, fields):
        """fields: number to an int (4 bytes), a byte (bytes of length 1), or what put takes."""
        places, size = {}, 4
        for field in fields:
            places[field] = size
            size += 4
        slots = max(fields, default=-1) + 1
        self.align(4, 4 + 2 * slots)
        vtable = len(self.out)
        self.out += struct.pack(f"<{2 + slots}H", 4 + 2 * slots, size,
                                *(places.get(f, 0) for f in range(slots)))
        start = len(self.out)
        struct.pack_into("<I", self.out, at, start - at)
        self.out += struct.pack("<i", start - vtable) + bytes(size - 4)
        for field, value in fields.items():
            if isinstance(value, bytes):
                self.out[start + places[field]] = value[0]
            elif isinstance(value, int):
                struct.pack_into("<i", self.out, start + places[field], value)
        for field, value in fields.items():
            if not isinstance(value, (bytes, int)):
                self.put(start + places[field], value)


CODES = {"ADD": 0, "CONV_2D": 3, "DEPTHWISE_CONV_2D": 4}
OPTIONS = {"ADD": (11, {}), "CONV_2D": (1, {1: 1, 2: 1}), "DEPTHWISE_CONV_2D": (2, {1: 1, 2: 1, 3: 1})}


def write(path, op, size, channels, kernel=3):
    """One op on [1, size, size, channels]: CONV_2D to as many channels, DEPTHWISE_CONV_2D, both 3x3
    with SAME padding, or ADD of two inputs."""
    draw = random.Random(1)
    shape = [1, size, size, channels]
    tensors = [(b"x", shape, None)]
    if op == "ADD":
        tensors.append((b"x2", shape, None))
    else:
        w = [channels if op == "CONV_2D" else 1, kernel, kernel, channels]
        count = w[0] * kernel * kernel * channels
        tensors.append((b"w", w, array.array("f", (draw.uniform(-1, 1) for _ in range(count)))))
        tensors.append((b"b", [channels], array.array("f", (draw.uniform(-1, 1) for _ in range(channels)))))
    tensors.append((b"y", shape, None))
    buffers, rows = [{}], []
    for name, dims, values in tensors:
        if values is not None:
            data = values.tobytes()
            buffers.append({0: Blob(data, len(data), 16)})
        rows.append({0: ints(dims), 2: len(buffers) - 1 if values is not None else 0,
                     3: text(name.decode())})
    last = len(tensors) - 1
    inputs = [0, 1] if op == "ADD" else [0]
    kind, options = OPTIONS[op]
    code = {0: bytes([CODES[op]]), 2: 1, 3: CODES[op]}
    graph = {0: rows, 1: ints(inputs), 2: ints([last]),
             3: [{0: 0, 1: ints(list(range(last))), 2: ints([last]), 3: bytes([kind]), 4: options}]}
    w = Writer()
    w.table(0, {0: 3, 1: [code], 2: [graph], 3: text("one op"), 4: buffers})
    with open(path, "wb") as f:
        f.write(w.out)

"""What a runtime does not tell of a .tflite file: name, type and shape of its inputs and outputs."""
import struct

# TensorType of the schema
TYPES = {0: "f4", 1: "f2", 2: "i4", 3: "u1", 4: "i8", 6: "?", 7: "i2", 8: "c8", 9: "i1", 10: "f8",
         12: "u8", 15: "u4", 16: "u2"}


class Table:
    """A FlatBuffers table: fields by their number in the schema."""

    def __init__(self, data, at):
        self.data, self.at = data, at
        self.vtable = at - struct.unpack_from("<i", data, at)[0]
        self.size = struct.unpack_from("<H", data, self.vtable)[0]

    def place(self, field):
        entry = 4 + 2 * field
        offset = struct.unpack_from("<H", self.data, self.vtable + entry)[0] if entry < self.size else 0
        return self.at + offset if offset else None

    def scalar(self, field, form="<i", default=0):
        place = self.place(field)
        return default if place is None else struct.unpack_from(form, self.data, place)[0]

    def follow(self, place):
        return place + struct.unpack_from("<I", self.data, place)[0]

    def table(self, field):
        place = self.place(field)
        return None if place is None else Table(self.data, self.follow(place))

    def vector(self, field):
        """Where the elements begin, and how many there are."""
        place = self.place(field)
        if place is None:
            return 0, 0
        start = self.follow(place)
        return start + 4, struct.unpack_from("<I", self.data, start)[0]

    def ints(self, field):
        start, count = self.vector(field)
        return list(struct.unpack_from(f"<{count}i", self.data, start)) if count else []

    def raw(self, field):
        start, count = self.vector(field)
        return self.data[start:start + count]

    def tables(self, field):
        start, count = self.vector(field)
        return [Table(self.data, self.follow(start + 4 * i)) for i in range(count)]


def tensors(model):
    """Inputs, then outputs, of the first subgraph: their names, and a list of (type for numpy, shape)."""
    graph = Table(model, struct.unpack_from("<I", model, 0)[0]).tables(2)[0]
    table = graph.tables(0)

    def side(field):
        found = [table[i] for i in graph.ints(field)]
        return ([bytes(t.raw(3)).decode() for t in found],
                [(TYPES[t.scalar(1, "<b")], tuple(t.ints(0))) for t in found])

    return side(1), side(2)

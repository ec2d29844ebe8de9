"""An agent for `assay conformance --subject='exec:python3 ...'`: the protocol of
conformance/doc/PROTOCOL.md, for runtimes that Python can call.

    class Model:                       # what open() returns
        inputs, outputs                # lists of (numpy dtype, shape), in the order of the file
        def write(self, arrays): ...   # a list of numpy arrays of these shapes
        def invoke(self): ...
        def read(self): ...            # returns a list of numpy arrays
        def resize(self, shapes): ...  # of RESIZE: {input: shape}
        def reset(self): ...           # of RESET: variables are zero

    serve(create, abilities)           # create(keys) returns (open, device, runtime)
    open(model, sizes, poison)         # raises Refused where the runtime does not take the model
"""
import contextlib
import os
import struct
import sys
import time

import numpy

OPEN_OTHER_SIZES, POISON, RESET, RESIZE = 4, 2, 8, 64
AHEAD = 1 << 18  # of every agent here: frames are read one by one
HELLO, CREATE, DATA, FORGET, RUN, CLOSE, ANSWER, BYE = 1, 2, 3, 4, 5, 6, 7, 10
TYPES = {1: "f4", 2: "i4", 3: "u1", 4: "i8", 6: "?", 7: "i2", 8: "c8", 9: "i1", 10: "f2",
         11: "f8", 13: "u8", 16: "u4", 17: "u2"}
NUMBERS = {numpy.dtype(name): number for number, name in TYPES.items()}


class Refused(Exception):
    """The runtime does not take the model: the case is declined."""


def options(keys, **known):
    """Those that are known, with the values of keys; KeyError for another one."""
    for key in keys:
        known[key]
    return known | keys


def late(words):
    """What to raise when INVOKE fails: words that say that there is no code for a type refuse."""
    return (Refused if "support" in words or "type" in words else RuntimeError)(words)


def printed_by(action):
    """What a runtime prints on stderr, of an action that is known to fail: the reason, often."""
    kept, file = os.dup(2), os.memfd_create("stderr")
    os.dup2(file, 2)
    try:
        action()
    except Exception:  # it is known
        pass
    finally:
        os.dup2(kept, 2)
        os.close(kept)
    words = os.pread(file, 4096, 0).decode(errors="replace")
    os.close(file)
    return " ".join(words.split())


@contextlib.contextmanager
def path_of(data=b""):
    """A path for what reads or writes files; nothing stays on a disk, however this process ends."""
    with os.fdopen(os.memfd_create("model"), "wb") as file:
        file.write(data)
        file.flush()
        yield f"/proc/{os.getpid()}/fd/{file.fileno()}"


class Reader:
    """Walks over a payload; what passes its end raises struct.error."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values if len(values) != 1 else values[0]

    def text(self):
        length = self.take("H")
        self.at += length
        return bytes(self.data[self.at - length:self.at]).decode(errors="replace")

    def pairs(self):
        return dict(self.text().split("=", 1) for _ in range(self.take("H")))

    def sizes(self):
        sizes = {}
        for _ in range(self.take("H")):
            index, rank = self.take("HB")
            sizes[index] = [self.take("i") for _ in range(rank)]
        return sizes


def text(words):
    data = str(words).encode(errors="replace")[:4096]
    return struct.pack("<H", len(data)) + data


def pairs(**words):
    return struct.pack("<H", len(words)) + b"".join(text(f"{k}={v}") for k, v in words.items())


def tensor(dtype, shape):
    dtype = numpy.dtype(dtype)
    size = int(numpy.prod(shape, dtype=numpy.int64)) * dtype.itemsize
    return struct.pack(f"<BB{len(shape)}iQ", NUMBERS[dtype], len(shape), *shape, size)


def answer(status=0, ns=0, words="", body=b""):
    return struct.pack("<BQ", status, ns) + text(words) + struct.pack("<I", len(body)) + body


def opened(model):
    """No node has a bit: the model is taken as a whole."""
    lists = (struct.pack("<H", len(side)) + b"".join(tensor(*t) for t in side)
             for side in (model.inputs, model.outputs))
    return struct.pack("<QI", 0, 0) + b"".join(lists)


class Agent:
    def __init__(self, create, abilities):
        self.create, self.abilities = create, abilities
        self.open, self.data, self.models = None, {}, {}

    def step(self, instance, r):
        """Runs one step; returns the body of its answer, and the time of INVOKE or None."""
        kind = r.take("B")
        if kind == 1:
            model, poison, _, _, _ = r.take("QIIII")
            self.models.pop(instance, None)
            self.models[instance] = self.open(self.data[model], r.sizes(), poison)
            return opened(self.models[instance]), None
        model = self.models[instance]
        if kind == 2:
            arrays = []
            ids = [r.take("Q") for _ in range(r.take("H"))]
            for index, (dtype, shape) in enumerate(model.inputs):
                data = self.data[ids[index]]
                if len(data) != numpy.prod(shape, dtype=numpy.int64) * numpy.dtype(dtype).itemsize:
                    raise ValueError(f"input {index}: {len(data)} bytes for {dtype} {list(shape)}")
                arrays.append(numpy.frombuffer(data, dtype).reshape(shape))
            model.write(arrays)
        elif kind == 3:
            times = []
            for _ in range(max(r.take("I"), 1)):
                begin = time.perf_counter_ns()
                model.invoke()
                times.append(time.perf_counter_ns() - begin)
            return struct.pack(f"<{len(times)}Q", *times) if len(times) > 1 else b"", min(times)
        elif kind == 4:
            outputs = [numpy.asarray(o) for o in model.read()]
            return struct.pack("<H", len(outputs)) + b"".join(
                tensor(o.dtype, o.shape) + b"\0" + o.tobytes() for o in outputs), None
        elif kind == 6:
            model.reset()
        elif kind == 8:
            model.resize(r.sizes())
            return opened(model), None
        elif kind != 5:
            raise ValueError(f"step {kind} is not known")
        return b"", None

    def run(self, r):
        instance, _, count = r.take("IIH")
        answers = []
        for _ in range(count):
            begin = time.perf_counter_ns()
            try:
                body, ns = self.step(instance, r)
            except Refused as error:
                answers.append(answer(1, 0, error))
                break
            except Exception as error:  # whatever the runtime raises is its answer
                answers.append(answer(2, 0, f"{type(error).__name__}: {error}"))
                break
            answers.append(answer(0, ns or time.perf_counter_ns() - begin, "", body))
        return struct.pack("<H", len(answers)) + b"".join(answers)

    def created(self, r):
        try:
            self.open, device, runtime = self.create(r.pairs())
        except KeyError as error:
            return struct.pack("<H", 1) + answer(1, 0, f"there is no key {error}")
        except Exception as error:  # as above
            return struct.pack("<H", 1) + answer(2, 0, f"{type(error).__name__}: {error}")
        return struct.pack("<H", 1) + answer(
            0, 0, "", struct.pack("<I", self.abilities | AHEAD) + pairs(device=device, runtime=runtime))

    def reply(self, kind, payload):
        """The payload of the answering frame; None: there is none."""
        r = Reader(payload)
        if kind == HELLO:
            return b"ASSAYR" + struct.pack("<HHI", 1, 1, 1 << 30) + pairs(name="assay_agent.py")
        if kind == CREATE:
            return self.created(r)
        if kind == RUN:
            return self.run(r)
        if kind == DATA:
            self.data[r.take("Q")] = payload[8:]
        elif kind == FORGET:
            which = r.take("Q")
            self.data = {} if which == 0 else {i: d for i, d in self.data.items() if i != which}
        elif kind == CLOSE:
            self.models.pop(r.take("I"), None)
        return None


def serve(create, abilities):
    """Answers on stdin and stdout until the suite hangs up."""
    source, out = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # stdout belongs to frames
    agent = Agent(create, abilities)
    while len(head := source.read(12)) == 12:
        length, kind, sequence = struct.unpack("<III", head)
        payload = source.read(length)
        if kind == BYE or len(payload) < length:
            break
        reply = agent.reply(kind, payload)
        if reply is not None:
            out.write(struct.pack("<III", len(reply), HELLO if kind == HELLO else ANSWER, sequence))
            out.write(reply)
            out.flush()

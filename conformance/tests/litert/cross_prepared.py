"""Checks results that LiteRT computes a SHAPE, and what follows from it, when it prepares a graph; a node behind reads the
value then, before any inference.  A delegate that takes such a node writes its result too late: after
a resize the reader has the value of the shape before.  And WHILE may lack outputs that nobody reads,
whose index is -1: LiteRT itself removes those of values that no iteration changes.  Models of both
kinds run with our delegate, resized from batch to batch; shapes and values have to be those of
BUILTIN_REF, and the nodes beside have to be on the device.
"""

import argparse
import pathlib
import sys

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType, load_delegate

from flat_model import FlatModel
from litert import Report, ops_that_run

INT = np.int32


class Net(FlatModel):
    """x [batch, 3] is the input, and its ADD to itself and LOGISTIC are for the device."""

    def __init__(self):
        super().__init__()
        self.x = self.tensor([1, 3], signature=[-1, 3])
        twice, self.side = (self.tensor([1, 3], signature=[-1, 3]) for _ in range(2))
        self.op("ADD", [self.x, self.x], [twice], options="AddOptions")
        self.op("LOGISTIC", [twice], [self.side])

    def ints(self, *values):
        return self.constant(values, INT)

    def batch(self, keep=False):
        """The batch of x, as [1] or a scalar."""
        shape, batch = self.tensor([2], INT), self.tensor([1] if keep else [], INT)
        self.op("SHAPE", [self.x], [shape], options="ShapeOptions", outType=2)
        self.op("STRIDED_SLICE", [shape, self.ints(0), self.ints(1), self.ints(1)], [batch],
                options="StridedSliceOptions", shrinkAxisMask=0 if keep else 1)  # fmt: skip
        return batch

    def binary(self, name, a, b, shape):
        y, options = self.tensor(shape, INT), name.capitalize() + "Options"
        self.op(name, [a, b], [y], options=options)
        return y

    def range(self, limit):
        y = self.tensor([1], INT, signature=[-1])
        zero, one = self.constant(0, INT), self.constant(1, INT)
        self.op("RANGE", [zero, limit, one], [y], options="RangeOptions")
        return y

    def broadcast(self, dims):
        y = self.tensor([1, 3], signature=[-1, 3])
        self.op("BROADCAST_TO", [self.constant([[1.5, -2, 3]]), dims], [y],
                options="BroadcastToOptions", version=2)  # fmt: skip
        return y

    def written(self, *outputs):
        return self.bytes([self.x], [self.side, *outputs])


def sliced():
    """RANGE reads what STRIDED_SLICE has taken out of a shape."""
    m = Net()
    return m.written(m.range(m.batch()))


def computed():
    """RANGE reads what ADD and MUL have made of it."""
    m = Net()
    two, five = m.constant(2, INT), m.constant(5, INT)
    return m.written(m.range(m.binary("ADD", m.binary("MUL", m.batch(), two, []), five, [])))


def packed():
    """BROADCAST_TO reads dimensions that PACK puts together."""
    m = Net()
    dims = m.tensor([2], INT)
    m.op("PACK", [m.batch(), m.constant(3, INT)], [dims], options="PackOptions", valuesCount=2)
    return m.written(m.broadcast(dims))


def joined():
    """BROADCAST_TO reads dimensions that CONCATENATION puts together."""
    m = Net()
    dims = m.tensor([2], INT)
    m.op("CONCATENATION", [m.batch(True), m.ints(3)], [dims], options="ConcatenationOptions")
    return m.written(m.broadcast(dims))


def reshaped():
    """RESHAPE reads a shape that was sliced and multiplied."""
    m = Net()
    y = m.tensor([3], signature=[-1])
    m.op("RESHAPE", [m.x, m.binary("MUL", m.batch(True), m.ints(3), [1])], [y])
    return m.written(y)


def shown():
    """Outputs of the model are the slice of a shape and twice that."""
    m = Net()
    batch = m.batch(True)
    return m.written(batch, m.binary("ADD", batch, batch, [1]))


def constants():
    """What follows from constants alone: RANGE reads a slice of a constant, as does ADD."""
    m = Net()
    four, y = m.tensor([], INT), m.tensor([1, 3], signature=[-1, 3])
    m.op("STRIDED_SLICE", [m.ints(3, 4), m.ints(1), m.ints(2), m.ints(1)], [four],
         options="StridedSliceOptions", shrinkAxisMask=1)  # fmt: skip
    row = m.tensor([1, 3])
    m.op("STRIDED_SLICE", [m.constant([[1, 2, 3], [4, 5, 6]]), m.ints(1, 0), m.ints(2, 3),
                           m.ints(1, 1)], [row], options="StridedSliceOptions")  # fmt: skip
    m.op("ADD", [m.side, row], [y], options="AddOptions")
    return m.written(m.range(four), y)


def loop(absent):
    """i, v, w := 0, x, x; while i < 4: i, v, w := i + 1, v + w, w; of the results some are absent.
    Only w, which no iteration changes, may be: without i LiteRT loops for ever."""
    m = Net()
    kinds = [([], INT), ([1, 3], np.float32), ([1, 3], np.float32)]
    out = [-1 if i in absent else m.tensor(s, k) for i, (s, k) in enumerate(kinds)]
    y = m.tensor([1, 3], signature=[-1, 3])
    m.op("WHILE", [m.constant(0, INT), m.x, m.x], out, options="WhileOptions",
         condSubgraphIndex=1, bodySubgraphIndex=2)  # fmt: skip
    m.op("ADD", [out[1], m.side], [y], options="AddOptions")
    m.ends([m.x], [m.side, y])
    m.begin()
    a = [m.tensor(s, k) for s, k in kinds]
    less = m.tensor([], np.bool_)
    m.op("LESS", [a[0], m.constant(4, INT)], [less], options="LessOptions")
    m.ends(a, [less])
    m.begin()
    a = [m.tensor(s, k) for s, k in kinds]
    n, v = m.tensor([], INT), m.tensor([1, 3])
    m.op("ADD", [a[0], m.constant(1, INT)], [n], options="AddOptions")
    m.op("ADD", [a[1], a[2]], [v], options="AddOptions")
    m.ends(a, [n, v, a[2]])
    m.graph = m.model.subgraphs[0]
    return m.bytes(m.graph.inputs, m.graph.outputs)


def run(i, x):
    detail = i.get_input_details()[0]
    if list(detail["shape"]) != list(x.shape):
        i.resize_tensor_input(detail["index"], x.shape)
        i.allocate_tensors()
    i.set_tensor(detail["index"], x)
    i.invoke()
    return [i.get_tensor(d["index"]).copy() for d in i.get_output_details()]


def agree(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and np.allclose(a, b, rtol=1e-6, atol=1e-6)


def check(report, library, name, model, options):
    what = ", ".join([name, *(f"{k}={v}" for k, v in options.items())])
    delegate = load_delegate(str(library), options)
    real = Interpreter(
        model_content=model, experimental_op_resolver_type=OpResolverType.BUILTIN_REF
    )
    try:
        ours = Interpreter(
            model_content=model,
            experimental_op_resolver_type=OpResolverType.BUILTIN_REF,
            experimental_delegates=[delegate],
        )
        ours.allocate_tensors()
    except RuntimeError as error:
        report.check(False, what, f"does not open: {error}")
        return
    real.allocate_tensors()
    taken, _ = ops_that_run(ours)
    report.check(taken > 0, what, f"DELEGATE nodes: {taken}")
    random = np.random.default_rng(2)
    for batch in (1, 4, 4, 2, 1, 3):
        x = random.standard_normal([batch, 3]).astype(np.float32)
        expected = run(real, x)
        try:
            got = run(ours, x)
        except (RuntimeError, ValueError) as error:
            report.check(False, what, f"batch {batch}: {error}")
            return
        same = [agree(a, b) for a, b in zip(expected, got)]
        figures = "; ".join(f"{list(b.shape)} of {list(a.shape)}" for a, b in zip(expected, got))
        report.check(all(same), what, f"batch {batch}: {figures}")
    taken, _ = ops_that_run(ours)
    report.check(taken > 0, what, f"DELEGATE nodes after resizes: {taken}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    library = parser.parse_args().build.resolve() / "libassay_delegate.so"
    models = {
        make.__name__: make()
        for make in (sliced, computed, packed, joined, reshaped, shown, constants)
    }
    models["WHILE, all outputs"], models["WHILE, an absent output"] = loop(()), loop((2,))
    report = Report()
    for name, model in models.items():
        for options in ({"max_partitions": 0}, {"max_partitions": 1}):
            check(report, library, name, model, options)
    print(f"cross-prepared: {report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())

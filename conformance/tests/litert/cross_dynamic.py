"""Checks models with dynamic tensors, and their resized inputs, in the real LiteRT.

    python conformance/tests/litert/cross_dynamic.py BUILD_DIRECTORY [MODEL...]

A converter that does not know the batch computes shapes at run time: SHAPE, STRIDED_SLICE, PACK, and
a TRANSPOSE_CONV, RESHAPE, RESIZE or PAD that reads the result, whose output is dynamic then.  Our
delegate computes such values itself and takes all of it as one partition; what depends on a value that
it does not know stays on the CPU.  Answers are compared with BUILTIN_REF for batches, or heights, A, B,
A, with and without LiteRT's default delegate behind ours, and for an input that is resized before the
tensors are first allocated.  MODEL: further f32 models with one input
[batch, ...], such as fresh conversions.
"""

import argparse
import pathlib
import sys

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType, load_delegate

from flat_model import FlatModel
from litert import Report, ops_that_run, snr_db

SNR_DB = 100.0
# What depends on a dynamic tensor stays on the CPU; of other models nothing does.
BEHIND = {"reversed": {"SHAPE", "STRIDED_SLICE", "PACK", "REVERSE_V2", "RESHAPE", "FULLY_CONNECTED"}}
AXES = {"upsampler": 1, "padded": 2}  # which is resized, where not the batch is
RESOLVERS = (OpResolverType.BUILTIN_REF, OpResolverType.BUILTIN)


class Net(FlatModel):
    """Images [1, 8, 8, 4] of any batch."""

    def __init__(self):
        super().__init__()
        self.random = np.random.default_rng(3)

    def image(self, size, channels):
        return self.tensor([1, size, size, channels], signature=[-1, size, size, channels])

    def parameters(self, *shape):
        return self.constant(self.random.standard_normal(shape) / 4)

    def conv(self, x, channels, size, out):
        y = self.image(size, out)
        weights, bias = self.parameters(out, 3, 3, channels), self.parameters(out)
        self.op("CONV_2D", [x, weights, bias], [y], options="Conv2DOptions", strideW=1, strideH=1,
                dilationWFactor=1, dilationHFactor=1)  # fmt: skip
        return y

    def shape_of(self, x, rest):
        """The batch of x, and then these dims, computed as converters do."""
        shape, batch = self.tensor([4], np.int32), self.tensor([], np.int32)
        result = self.tensor([1 + len(rest)], np.int32)
        self.op("SHAPE", [x], [shape], options="ShapeOptions", outType=2)
        ints = [self.constant([i], np.int32) for i in (0, 1, 1)]
        self.op("STRIDED_SLICE", [shape, *ints], [batch], options="StridedSliceOptions",
                shrinkAxisMask=1)  # fmt: skip
        dims = [self.constant(n, np.int32) for n in rest]
        self.op("PACK", [batch, *dims], [result], options="PackOptions", valuesCount=1 + len(rest))
        return result


def decoder():
    """A TRANSPOSE_CONV to a computed shape between convolutions, and a branch beside it that is
    static but comes later."""
    m = Net()
    x = m.image(8, 4)
    a = m.conv(x, 4, 8, 6)
    shape, up = m.shape_of(a, [16, 16, 5]), m.image(16, 5)
    m.op("TRANSPOSE_CONV", [shape, m.parameters(5, 2, 2, 6), a], [up],
         options="TransposeConvOptions", strideW=2, strideH=2)  # fmt: skip
    y = m.conv(up, 5, 16, 3)
    side = m.conv(a, 6, 8, 7)
    return m.bytes([x], [y, side])


def classifier(turn=False):
    """A RESHAPE to [batch, n] by a computed shape, and FULLY_CONNECTED; turn: REVERSE_V2, which our
    delegate does not compute on the host, makes the shape out of [n, batch]."""
    m = Net()
    x = m.image(8, 4)
    a = m.conv(x, 4, 8, 6)
    pooled = m.image(4, 6)
    m.op("MAX_POOL_2D", [a], [pooled], options="Pool2DOptions", strideW=2, strideH=2,
         filterWidth=2, filterHeight=2)  # fmt: skip
    flat, y = m.tensor([1, 96], signature=[-1, 96]), m.tensor([1, 5], signature=[-1, 5])
    shape = m.shape_of(pooled, [96])
    if turn:
        turned, back = m.tensor([2], np.int32), m.tensor([2], np.int32)
        zero = m.constant([0], np.int32)
        m.op("REVERSE_V2", [shape, zero], [turned], options="ReverseV2Options")
        m.op("REVERSE_V2", [turned, zero], [back], options="ReverseV2Options")
        shape = back
    m.op("RESHAPE", [pooled, shape], [flat], options="ReshapeOptions", newShape=[1, 96])
    m.op("FULLY_CONNECTED", [flat, m.parameters(5, 96), m.parameters(5)], [y],
         options="FullyConnectedOptions")  # fmt: skip
    return m.bytes([x], [y])


def upsampler():
    """RESIZE to twice the height and width of a feature map."""
    m = Net()
    x = m.image(8, 4)
    a = m.conv(x, 4, 8, 6)
    shape, size, twice = (m.tensor([n], np.int32) for n in (4, 2, 2))
    m.op("SHAPE", [a], [shape], options="ShapeOptions", outType=2)
    ends = [m.constant([i], np.int32) for i in (1, 3, 1)]
    m.op("STRIDED_SLICE", [shape, *ends], [size], options="StridedSliceOptions")
    m.op("ADD", [size, size], [twice], options="AddOptions")
    up = m.image(16, 6)
    m.op("RESIZE_NEAREST_NEIGHBOR", [a, twice], [up], options="ResizeNearestNeighborOptions")
    return m.bytes([x], [m.conv(up, 6, 16, 3)])


def padded():
    """PAD to an even number of rows and columns, as before a SPACE_TO_DEPTH, added to a copy."""
    m = Net()
    x = m.image(8, 4)
    a = m.conv(x, 4, 8, 6)
    shape, odd = m.tensor([4], np.int32), m.tensor([4], np.int32)
    m.op("SHAPE", [a], [shape], options="ShapeOptions", outType=2)
    m.op("FLOOR_MOD", [shape, m.constant([1, 2, 2, 1], np.int32)], [odd], options="FloorModOptions")
    ends, y = m.tensor([4, 2], np.int32), m.image(8, 6)
    m.op("PACK", [m.constant([0, 0, 0, 0], np.int32), odd], [ends], options="PackOptions",
         valuesCount=2, axis=1)  # fmt: skip
    m.op("PAD", [a, ends], [y], options="PadOptions")
    return m.bytes([x], [m.conv(y, 6, 8, 3)])


def static():
    """Only static tensors: all of it is taken, before and after a resize."""
    m = Net()
    x = m.image(8, 4)
    a = m.conv(x, 4, 8, 6)
    b, y = m.image(8, 6), m.tensor([1, 1, 1, 6], signature=[-1, 1, 1, 6])
    m.op("ADD", [a, a], [b], options="AddOptions")
    m.op("MEAN", [b, m.constant([1, 2], np.int32)], [y], options="ReducerOptions", keepDims=True)
    return m.bytes([x], [y])


def resize(i, size, axis):
    detail = i.get_input_details()[0]
    shape = list(detail["shape"])
    shape[axis] = size
    i.resize_tensor_input(detail["index"], shape)


def run(i, x):
    i.set_tensor(i.get_input_details()[0]["index"], x)
    i.invoke()
    return [i.get_tensor(d["index"]).copy() for d in i.get_output_details()]


def check(report, library, name, model, resolver, first, batches):
    """first: the batch to resize to before the first allocation; 0: none."""
    what = f"{name}, {resolver.name}" + (f", resized to {first} before" if first else "")
    options, axis = {"max_partitions": 0}, AXES.get(name, 0)
    delegate = load_delegate(str(library), options)
    try:
        ours = Interpreter(model_content=model, experimental_op_resolver_type=resolver,
                           experimental_delegates=[delegate])  # fmt: skip
    except RuntimeError as error:
        report.check(False, what, f"does not open: {error}")
        return
    real = Interpreter(
        model_content=model, experimental_op_resolver_type=OpResolverType.BUILTIN_REF
    )
    for i in (ours, real):
        if first:
            resize(i, first, axis)
        i.allocate_tensors()
    random, seen = np.random.default_rng(5), {}
    for batch in [first, *batches] if first else [1, *batches]:
        for i in (ours, real):
            resize(i, batch, axis)
            i.allocate_tensors()
        shape = ours.get_input_details()[0]["shape"]
        x = seen.get(batch, (random.standard_normal(shape).astype(np.float32), None))[0]
        got, expected = run(ours, x), run(real, x)
        same = all(a.shape == b.shape for a, b in zip(got, expected))
        snr = min(snr_db(a, b) for a, b in zip(expected, got)) if same else float("-inf")
        report.check(snr >= SNR_DB, what, f"batch {batch}: {snr:.1f} dB, limit {SNR_DB:.0f}")
        if batch in seen:
            bits = all(np.array_equal(a, b) for a, b in zip(got, seen[batch][1]))
            report.check(bits, what, f"batch {batch} again: the same bits")
        seen[batch] = (x, got)
    if resolver == OpResolverType.BUILTIN_REF:
        taken, left = ops_that_run(ours)
        ok = taken == 1 and BEHIND.get(name, set()) == set(left)
        report.check(ok, what, f"DELEGATE nodes: {taken}, other ops: {', '.join(left) or 'none'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("models", type=pathlib.Path, nargs="*")
    arguments = parser.parse_args()
    library = arguments.build.resolve() / "libassay_delegate.so"
    models = {f.__name__: f() for f in (decoder, classifier, upsampler, padded, static)}
    models["reversed"] = classifier(turn=True)
    models.update((path.stem, path.read_bytes()) for path in arguments.models)
    report = Report()
    for name, model in models.items():
        for resolver in RESOLVERS:
            check(report, library, name, model, resolver, 0, [3, 1, 2, 3, 1])
            check(report, library, name, model, resolver, 4, [1, 4])
    print(f"cross-dynamic: {report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())

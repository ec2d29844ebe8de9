"""Checks in the real LiteRT that our delegate expands sparse weights.

    python conformance/tests/litert/cross_sparse.py BUILD_DIRECTORY

TfLiteTensor.sparsity says how the stored values lie; computed as dense they are other weights.
FULLY_CONNECTED has them element by element (random) and in blocks of four, alone and between other
nodes; CONV_2D by way of DENSIFY, of f32 and of f16 with a DEQUANTIZE behind it, as converters write
it.  Every node must be the delegate's, so that weights are its constants; results must equal those
without it, and be near a product of the dense weights.  A CONV_2D that reads sparse weights itself,
for which the CPU has no kernel, is the delegate's, too.
"""

import argparse
import copy
import pathlib
import sys

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType, load_delegate

from flat_model import FlatModel, sparsity_of
from litert import Report, ops_that_run

UNITS, DEPTH = 12, 16


def weights(random, shape, block, share):
    """Returns an array of which this share of the blocks is not zero."""
    dense = random.standard_normal(shape).astype(np.float32)
    keep = random.random((shape[0], shape[1] // block)) < share
    keep[0, 0] = True
    return dense * np.repeat(keep, block, axis=1)


def fully_connected(dense, block, around):
    """FULLY_CONNECTED; around: between a RELU and an ADD of its own result."""
    m = FlatModel()
    sparsity, values = sparsity_of(dense, block)
    x = first = m.tensor([2, DEPTH])
    if around:
        first = m.tensor([2, DEPTH])
        m.op("RELU", [x], [first])
    w = m.tensor(dense.shape, data=values, sparsity=sparsity)
    bias = m.constant(np.arange(UNITS) / 8)
    y = last = m.tensor([2, UNITS])
    m.op("FULLY_CONNECTED", [first, w, bias], [y], version=8, options="FullyConnectedOptions")
    if around:
        last = m.tensor([2, UNITS])
        m.op("ADD", [y, y], [last], options="AddOptions")
    return m.bytes([x], [last])


def conv_2d(dense, block, kind, densify=True):
    """CONV_2D 1x1 of the rows of `dense`, whose weights are of this kind and behind DENSIFY."""
    m = FlatModel()
    sparsity, values = sparsity_of(dense, block)
    one = copy.deepcopy(sparsity.dimMetadata[0])  # a dense level of one index
    one.denseSize = 1
    sparsity.dimMetadata[1:1] = [one, one]
    sparsity.traversalOrder = list(range(4 + (block > 1)))
    sparsity.blockMap = [3] if block > 1 else None
    shape = [UNITS, 1, 1, DEPTH]
    w = m.tensor(shape, kind, data=values, sparsity=sparsity)
    x, y = m.tensor([1, 3, 3, DEPTH]), m.tensor([1, 3, 3, UNITS])
    if densify:
        sparse, w = w, m.tensor(shape, kind)
        m.op("DENSIFY", [sparse], [w], options="DensifyOptions")
    if kind == np.float16:
        half, w = w, m.tensor(shape)
        m.op("DEQUANTIZE", [half], [w], version=3, options="DequantizeOptions")
    m.op(
        "CONV_2D",
        [x, w, m.constant(np.zeros(UNITS))],
        [y],
        options="Conv2DOptions",
        strideW=1,
        strideH=1,
        dilationWFactor=1,
        dilationHFactor=1,
    )
    return m.bytes([x], [y])


def interpreter(model, resolver, library=None):
    delegates = [load_delegate(str(library), {"max_partitions": 0})] if library else None
    i = Interpreter(
        model_content=model,
        experimental_op_resolver_type=resolver,
        experimental_delegates=delegates,
    )
    i.allocate_tensors()
    return i


def run(i, x):
    i.set_tensor(i.get_input_details()[0]["index"], x)
    i.invoke()
    return i.get_tensor(i.get_output_details()[0]["index"])


def check(report, library, what, model, expected, x):
    """Compares runs with and without the delegate, which takes every node."""
    for resolver in (OpResolverType.BUILTIN, OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES):
        name = f"{what}, {resolver.name}"
        plain = run(interpreter(model, resolver), x)
        ours = interpreter(model, resolver, library)
        got = run(ours, x)
        error = float(np.abs(expected - got).max())
        report.check(
            np.allclose(plain, got, rtol=0, atol=1e-5) and error < 1e-5,
            name,
            f"error {error:.2g}, without the delegate {float(np.abs(expected - plain).max()):.2g}",
        )
        if resolver == OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES:
            kernels, others = ops_that_run(ours)
            report.check(kernels == 1 and not others, name, f"the CPU runs {others}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    library = parser.parse_args().build.resolve() / "libassay_delegate.so"
    random, report = np.random.default_rng(7), Report()
    x = random.standard_normal((2, DEPTH)).astype(np.float32)
    image = random.standard_normal((1, 3, 3, DEPTH)).astype(np.float32)
    for block, share, name in (
        (1, 0.35, "random"),
        (1, 1, "random, all stored"),  # as many bytes as dense weights have
        (4, 0.35, "blocks of 4"),
    ):
        dense = weights(random, (UNITS, DEPTH), block, share)
        bias = np.arange(UNITS, dtype=np.float32) / 8
        for around in (False, True):
            y = (np.maximum(x, 0) if around else x) @ dense.T + bias
            what = f"FULLY_CONNECTED, {name}{', between others' if around else ''}"
            model = fully_connected(dense, block, around)
            check(report, library, what, model, 2 * y if around else y, x)
        half = dense.astype(np.float16).astype(np.float32)
        for kind, weights_of in ((np.float32, dense), (np.float16, half)):
            what = f"CONV_2D, {name}, DENSIFY, {np.dtype(kind)}"
            model = conv_2d(weights_of, block, kind)
            check(report, library, what, model, image @ weights_of.T, image)
        ours = interpreter(
            conv_2d(dense, block, np.float32, densify=False),
            OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
            library,
        )
        others, error = ops_that_run(ours)[1], np.abs(run(ours, image) - image @ dense.T).max()
        report.check(not others and error < 1e-5, f"CONV_2D, {name}", f"error {error:.2g}, {others}")
    print(f"cross-sparse: {report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())

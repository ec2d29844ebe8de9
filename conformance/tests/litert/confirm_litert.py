"""Confirms findings about LiteRT's accelerators with tiny models, apart from the conformance suite.

    python conformance/tests/litert/confirm_litert.py make DIRECTORY     # golden/requirements.txt: models, inputs, answers
    python conformance/tests/litert/confirm_litert.py run DIRECTORY      # ai_edge_litert and numpy: runs them on the GPU

`make` writes one model for each finding, its inputs, and what LiteRT's reference kernels answer.
`run` runs each in a process of its own through CompiledModel of LiteRT's Python package, and prints
inputs, the answer expected and the answer got.  conformance/doc/results/FINDINGS.md explains them.
"""

import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys

import numpy as np

F32, I32 = np.float32, np.int32


def a(values, *shape):
    values = np.asarray(values, F32)
    return values.reshape(shape) if shape else values


class Builder:
    """The models, each with its inputs and with what is said about it."""

    def __init__(self):
        from flat_model import TYPES, FlatModel, schema

        TYPES[np.dtype(np.float16)] = schema.TensorType.FLOAT16
        TYPES[np.dtype(np.int8)] = schema.TensorType.INT8
        TYPES[np.dtype(np.int64)] = schema.TensorType.INT64
        self.FlatModel, self.schema, self.cases = FlatModel, schema, []

    def add(self, name, note, model, inputs, outputs, values):
        self.cases.append((name, note, model.bytes(inputs, outputs), values))

    def one(self, name, note, op, table, inputs, result, kind=F32, version=1, **options):
        """A model of one op.  inputs: ("in" or "const", values), or None; shapes of their values."""
        m, indices, fed, values = self.FlatModel(), [], [], []
        for i in inputs:
            if i is None:
                indices.append(-1)
                continue
            where, value = i
            value = np.asarray(value)
            if where == "const":
                indices.append(m.constant(value, value.dtype))
            else:
                indices.append(m.tensor(value.shape, value.dtype))
                fed.append(indices[-1])
                values.append(value)
        out = m.tensor(result, kind)
        m.op(op, indices, [out], version, table, **options)
        self.add(name, note, m, fed, [out], values)

    def quantized(self, m, tensor, scale, zero):
        q = self.schema.QuantizationParametersT()
        q.scale, q.zeroPoint = [scale], [zero]
        m.graph.tensors[tensor].quantization = q
        return tensor


POOL = dict(padding=1, strideW=2, strideH=2, filterWidth=2, filterHeight=2)
CONV = dict(padding=1, strideW=1, strideH=1, dilationWFactor=1, dilationHFactor=1)


def pools_and_rows(b):
    b.one("max_pool_low", "windows whose maximum is below -10000", "MAX_POOL_2D", "Pool2DOptions",
          [("in", a([-20000, -30000, -40000, -50000], 1, 2, 2, 1))], (1, 1, 1, 1), **POOL)
    b.one("max_pool_control", "control: the same above -10000", "MAX_POOL_2D", "Pool2DOptions",
          [("in", a([-2000, -3000, -4000, -5000], 1, 2, 2, 1))], (1, 1, 1, 1), **POOL)
    b.one("softmax_rank1", "the axis of a rank 1 tensor", "SOFTMAX", "SoftmaxOptions",
          [("in", a([1, 2, 3]))], (3,), beta=1.0)
    b.one("softmax_control", "control: rank 2", "SOFTMAX", "SoftmaxOptions",
          [("in", a([1, 2, 3], 1, 3))], (1, 3), beta=1.0)
    for name, low in (("arg_max_negative", -1), ("arg_max_control", 1)):
        b.one(name, "three channels, " + ("all negative" if low < 0 else "control: all positive"),
              "ARG_MAX", "ArgMaxOptions", [("in", a([low, 2 * low, 3 * low], 1, 1, 1, 3)),
              ("const", np.array(3, I32))], (1, 1, 1), I32, outputType=2)
    b.one("concatenation_one", "one input", "CONCATENATION", "ConcatenationOptions",
          [("in", a([1, 2, 3], 1, 1, 1, 3))], (1, 1, 1, 3), axis=3)
    b.one("pad_batch", "a zero in front of the batch", "PAD", "PadOptions",
          [("in", a([1, 2], 1, 1, 1, 2)), ("const", np.array([[1, 0], [0, 0], [0, 0], [0, 0]], I32))],
          (2, 1, 1, 2))
    b.one("pad_rank3", "a zero in front of each axis of rank 3", "PAD", "PadOptions",
          [("in", a([1, 2, 3, 4], 2, 1, 2)), ("const", np.array([[1, 0], [1, 0], [1, 0]], I32))],
          (3, 2, 3))
    b.one("pad_rank3_inner", "a zero in front of the axes behind the first", "PAD", "PadOptions",
          [("in", a([1, 2, 3, 4], 2, 1, 2)), ("const", np.array([[0, 0], [1, 0], [1, 0]], I32))],
          (2, 2, 3))


def broadcasts(b):
    six = a([10, 20, 30, 40, 50, 60])
    for name, constant, value, shape in (
        ("add_const_rank2", six.reshape(3, 2), np.zeros((3, 2), F32), (3, 2)),
        ("add_const_rank2_second", six.reshape(3, 2), np.zeros((3, 2), F32), (3, 2)),
        ("add_const_rank2_over_one", six.reshape(3, 2), np.zeros((1, 1), F32), (3, 2)),
        ("add_const_rank2_column", six[:3].reshape(3, 1), np.zeros((3, 2), F32), (3, 2)),
        ("add_const_rank3", six.reshape(3, 1, 2), np.zeros((3, 1, 2), F32), (3, 1, 2)),
        ("add_const_rank4_batch", six.reshape(3, 1, 1, 2), np.zeros((3, 1, 1, 2), F32), (3, 1, 1, 2)),
        ("add_const_rank4_over_one", six.reshape(1, 3, 1, 2), np.zeros((1, 1, 1, 2), F32), (1, 3, 1, 2)),
        ("add_const_rank4_channel_over", six[:2].reshape(1, 1, 1, 2), np.zeros((1, 3, 1, 1), F32),
         (1, 3, 1, 2)),
        ("add_control_rank4", six.reshape(1, 3, 1, 2), np.zeros((1, 3, 1, 2), F32), (1, 3, 1, 2)),
        ("add_control_channels", six[:2], np.zeros((1, 3, 1, 2), F32), (1, 3, 1, 2)),
    ):
        operands = [("const", constant), ("in", value)]
        if name.endswith("second"):
            operands.reverse()
        b.one(name, f"constant {constant.shape} and zeros {value.shape}", "ADD", "AddOptions", operands,
              shape)


def dense(b):
    weights = a([1, 10, 100, 1000], 1, 4)
    four = a([1, 2, 3, 4])
    for name, shape in (
        ("dense_rank4_flat", (1, 2, 2, 1)),
        ("dense_rank4_row", (1, 1, 4, 1)),
        ("dense_rank4_channels", (1, 1, 1, 4)),
        ("dense_rank3_flat", (1, 2, 2)),
        ("dense_rank1", (4,)),
        ("dense_control", (1, 4)),
    ):
        b.one(name, f"input {shape}, weights (1, 4), result (1, 1)", "FULLY_CONNECTED",
              "FullyConnectedOptions", [("in", four.reshape(shape)), ("const", weights),
              ("const", a([0]))], (1, 1))
    b.one("dense_runtime_weights", "weights (2, 2) that the host gives", "FULLY_CONNECTED",
          "FullyConnectedOptions", [("in", a([1, 2], 1, 2)), ("in", a([1, 10, 100, 1000], 2, 2)),
          ("const", a([0, 0]))], (1, 2))
    b.one("dense_runtime_weights_bias", "the same with a bias of 7 and 8", "FULLY_CONNECTED",
          "FullyConnectedOptions", [("in", a([1, 2], 1, 2)), ("in", a([1, 10, 100, 1000], 2, 2)),
          ("const", a([7, 8]))], (1, 2))
    b.one("dense_runtime_bias", "a bias that the host gives", "FULLY_CONNECTED",
          "FullyConnectedOptions", [("in", a([1, 2], 1, 2)), ("const", a([1, 10, 100, 1000], 2, 2)),
          ("in", a([7, 8]))], (1, 2))


def convolutions(b):
    b.one("conv_runtime_bias", "a bias that the host gives", "CONV_2D", "Conv2DOptions",
          [("in", a([1, 2], 1, 1, 1, 2)), ("const", a([1, 10, 100, 1000], 2, 1, 1, 2)),
           ("in", a([7, 8]))], (1, 1, 1, 2), **CONV)
    for groups, inner, outer in ((2, 2, 1), (2, 1, 2), (2, 4, 4), (3, 1, 1)):
        c = groups * inner
        w = np.array([[10**i for i in range(inner)] for _ in range(groups * outer)], F32)
        w *= np.arange(1, groups * outer + 1, dtype=F32)[:, None]
        b.one(f"conv_groups{groups}_in{inner}_out{outer}", f"{groups} groups of {inner} and {outer}",
              "CONV_2D", "Conv2DOptions", [("in", a(range(1, c + 1), 1, 1, 1, c)),
              ("const", w.reshape(groups * outer, 1, 1, inner)),
              ("const", np.zeros(groups * outer, F32))], (1, 1, 1, groups * outer), **CONV)
    D = "DepthwiseConv2DOptions"
    x, w = a([1, 10], 1, 1, 1, 2), a([1, 2, 3, 4], 1, 1, 1, 4)
    for name, dilation, bias in (("1x1", 1, True), ("1x1_dilated", 2, True),
                                 ("1x1_dilated_without_bias", 2, False)):
        b.one("depthwise_multiplier2_" + name, f"dilation {dilation}, bias: {bias}",
              "DEPTHWISE_CONV_2D", D,
              [("in", x), ("const", w)] + [("const", np.zeros(4, F32))] * bias, (1, 1, 1, 4),
              padding=1, strideW=1, strideH=1, dilationWFactor=dilation, dilationHFactor=dilation,
              depthMultiplier=2)
    b.one("depthwise_multiplier2_runtime_weights", "weights that the host gives", "DEPTHWISE_CONV_2D",
          D, [("in", x), ("in", w), ("const", np.zeros(4, F32))], (1, 1, 1, 4), depthMultiplier=2,
          **CONV)
    b.one("depthwise_runtime_bias", "a bias that the host gives", "DEPTHWISE_CONV_2D",
          D, [("in", x), ("const", w), ("in", np.zeros(4, F32))], (1, 1, 1, 4), depthMultiplier=2,
          **CONV)
    for name, k, s, n, padding, out in (
        ("k3_s2_same", 3, 2, 1, 0, 2), ("k3_s2_same_wide", 3, 2, 2, 0, 4), ("k3_s1_same", 3, 1, 2, 0, 2),
        ("k2_s2_same", 2, 2, 1, 0, 2), ("k4_s2_same", 4, 2, 2, 0, 4), ("k3_s2_valid", 3, 2, 1, 1, 3),
        ("k5_s2_same", 5, 2, 1, 0, 2), ("k3_s3_same", 3, 3, 1, 0, 3), ("k4_s3_same", 4, 3, 1, 0, 3),
    ):
        kernel = a(range(1, k * k + 1), 1, k, k, 1)
        x = a([1, 100, 10000, 1000000][: n * n], 1, n, n, 1)
        b.one("transpose_conv_" + name, f"kernel {k}, stride {s}", "TRANSPOSE_CONV",
              "TransposeConvOptions", [("const", np.array([1, out, out, 1], I32)), ("const", kernel),
              ("in", x)], (1, out, out, 1), padding=padding, strideW=s, strideH=s)


def intermediates(b):
    m = b.FlatModel()
    x, p, y = m.tensor((1, 2, 2, 1)), m.tensor((1, 4, 4, 1)), m.tensor((1, 2, 2, 1))
    m.op("PAD", [x, m.constant([[0, 0], [1, 1], [1, 1], [0, 0]], I32)], [p], 1, "PadOptions")
    m.op("MAX_POOL_2D", [p], [y], 1, "Pool2DOptions", **POOL)
    b.add("output_of_pad_read_by_max_pool", "both are outputs", m, [x], [p, y],
          [a([1, 2, 3, 4], 1, 2, 2, 1)])

    m = b.FlatModel()
    x, p, y = m.tensor((1, 1, 2, 1)), m.tensor((1, 1, 2, 1)), m.tensor((1, 1, 2, 1))
    m.op("CONV_2D", [x, m.constant([[[[10]]]]), m.constant([5])], [p], 1, "Conv2DOptions", **CONV)
    m.op("ADD", [p, m.constant([1000])], [y], 1, "AddOptions")
    b.add("output_of_conv_read_by_add", "both are outputs", m, [x], [p, y], [a([1, 2], 1, 1, 2, 1)])

    m = b.FlatModel()
    x, p, y = m.tensor((1, 1, 2, 1)), m.tensor((1, 1, 2, 1)), m.tensor((1, 1, 2, 1))
    m.op("ADD", [x, m.constant([1000])], [p], 1, "AddOptions")
    m.op("CONV_2D", [p, m.constant([[[[10]]]]), m.constant([5])], [y], 1, "Conv2DOptions", **CONV)
    b.add("output_of_add_read_by_conv", "both are outputs", m, [x], [p, y], [a([1, 2], 1, 1, 2, 1)])

    for k in (1, 3):
        m = b.FlatModel()
        x, p, y = m.tensor((1, 1, 2, 2)), m.tensor((1, 1, 2, 2)), m.tensor((1, 1, 2, 2))
        first = np.zeros((2, 3, 3, 2), F32)
        first[0, 1, 1, 0], first[1, 1, 1, 1] = 10, 10
        m.op("CONV_2D", [x, m.constant(first), m.constant([0, 0])], [p], 1, "Conv2DOptions",
             **{**CONV, "padding": 0})
        second = np.zeros((2, k, k, 2), F32)
        second[0, k // 2, k // 2, 0], second[1, k // 2, k // 2, 1] = 7, 7
        m.op("CONV_2D", [p, m.constant(second), m.constant([0, 0])], [y], 1, "Conv2DOptions",
             **{**CONV, "padding": 0})
        b.add(f"output_of_conv_read_by_conv{k}", "both are outputs", m, [x], [p, y],
              [a([1, 2, 3, 4], 1, 1, 2, 2)])

    m = b.FlatModel()
    x, p, y = m.tensor((1, 1, 2, 2)), m.tensor((1, 1, 2, 2)), m.tensor((1, 1, 2, 2))
    depthwise = np.zeros((1, 3, 3, 2), F32)
    depthwise[0, 1, 1] = 10
    m.op("DEPTHWISE_CONV_2D", [x, m.constant(depthwise), m.constant([0, 0])], [p], 1,
         "DepthwiseConv2DOptions", depthMultiplier=1, **{**CONV, "padding": 0})
    m.op("CONV_2D", [p, m.constant([[[[7, 0]]], [[[0, 7]]]]), m.constant([0, 0])], [y], 1,
         "Conv2DOptions", **CONV)
    b.add("output_of_depthwise_read_by_conv1", "both are outputs", m, [x], [p, y],
          [a([1, 2, 3, 4], 1, 1, 2, 2)])

    m = b.FlatModel()
    x, p, y = m.tensor((1, 1, 1, 2)), m.tensor((1, 2, 2, 2)), m.tensor((1, 1, 1, 2))
    for before, after, size in ((x, p, 2), (p, y, 1)):
        m.op("RESIZE_BILINEAR", [before, m.constant([size, size], I32)], [after], 1,
             "ResizeBilinearOptions")
    b.add("output_of_resize_read_by_resize", "both are outputs", m, [x], [p, y],
          [a([1, 2], 1, 1, 1, 2)])

    for extra in (False, True):
        m = b.FlatModel()
        x, p, y = m.tensor((2, 2, 1, 2)), m.tensor((2, 2, 1, 2)), m.tensor((2, 1))
        depthwise = np.zeros((1, 3, 3, 2), F32)
        depthwise[0, 1, 1] = 2
        m.op("DEPTHWISE_CONV_2D", [x, m.constant(depthwise), m.constant([0, 0])], [p], 1,
             "DepthwiseConv2DOptions", depthMultiplier=1, **{**CONV, "padding": 0})
        m.op("FULLY_CONNECTED", [p, m.constant([[1, 10, 100, 1000]]), m.constant([0])], [y], 1,
             "FullyConnectedOptions")
        b.add(f"dense_flat_after_depthwise{'_both' * extra}", "rank 4 flattened by FULLY_CONNECTED", m,
              [x], [p, y] if extra else [y], [a(range(1, 9), 2, 2, 1, 2)])

    m = b.FlatModel()
    x, p, y = m.tensor((1, 1, 2, 1)), m.tensor((1, 1, 2, 1)), m.tensor((1, 1, 2, 1))
    m.op("MAX_POOL_2D", [x], [p], 1, "Pool2DOptions", padding=1, strideW=1, strideH=1, filterWidth=1,
         filterHeight=1)
    m.op("MUL", [p, m.constant([10])], [y], 1, "MulOptions")
    b.add("output_control", "control: MAX_POOL_2D and MUL, both are outputs", m, [x], [p, y],
          [a([1, 2], 1, 1, 2, 1)])


def bytes_and_halves(b):
    m = b.FlatModel()
    x = b.quantized(m, m.tensor((1, 1, 1, 5), np.int8), 0.05, 3)
    y = m.tensor((1, 1, 1, 5))
    m.op("DEQUANTIZE", [x], [y], 2)
    b.add("dequantize_i8", "scale 0.05, zero point 3: the reference multiplies in f32", m, [x], [y],
          [np.array([[[[-128, 2, 3, 4, 127]]]], np.int8)])
    for shape in ((1, 1, 1, 3), (1, 3), (3,)):
        b.one(f"dequantize_f16_rank{len(shape)}", "an f16 tensor that the host gives", "DEQUANTIZE", None,
              [("in", np.asarray([1, 2.5, -3], np.float16).reshape(shape))], shape, version=3)
    m = b.FlatModel()
    x, z = (b.quantized(m, m.tensor((1, 1, 1, 4), np.int8), 1.0, 0) for _ in range(2))
    y = b.quantized(m, m.tensor((1, 1, 1, 4), np.int8), 2.0, 0)
    m.op("ADD", [x, z], [y], 2, "AddOptions")
    b.add("add_i8_tie", "halves: (1 + 0) / 2, (2 + 1) / 2, (-1 + 0) / 2, (-2 - 1) / 2", m, [x, z], [y],
          [np.array([[[[1, 2, -1, -2]]]], np.int8), np.array([[[[0, 1, 0, -1]]]], np.int8)])
    for name, stride, kernel in (("1x1_stride2", 2, 1), ("1x1_control", 1, 1), ("3x3_stride2", 2, 3)):
        m = b.FlatModel()
        x = b.quantized(m, m.tensor((1, 1, 3, 1), np.int8), 1.0, 0)
        weights = np.zeros((1, kernel, kernel, 1), np.int8)
        weights[0, kernel // 2, kernel // 2] = 2
        w, c = m.constant(weights, np.int8), m.constant([5], I32)
        for t in (w, c):
            b.quantized(m, t, 1.0, 0)
        wide = 3 if stride == 1 else 2
        y = b.quantized(m, m.tensor((1, 1, wide, 1), np.int8), 1.0, 0)
        m.op("CONV_2D", [x, w, c], [y], 3, "Conv2DOptions",
             **{**CONV, "padding": 0, "strideW": stride, "strideH": stride})
        b.add(f"conv_i8_{name}", "int8, all scales 1, weight 2, bias 5", m, [x], [y],
              [np.array([10, 20, 30], np.int8).reshape(1, 1, 3, 1)])
        b.one(f"conv_f32_{name}", "the same in f32", "CONV_2D", "Conv2DOptions",
              [("in", a([10, 20, 30], 1, 1, 3, 1)), ("const", weights.astype(F32)), ("const", a([5]))],
              (1, 1, wide, 1), **{**CONV, "padding": 0, "strideW": stride, "strideH": stride})

    m = b.FlatModel()
    x = b.quantized(m, m.tensor((1, 1, 3, 2), np.int8), 1.0, 0)
    w = b.quantized(m, m.constant([[1, 10]], np.int8), 1.0, 0)
    c = b.quantized(m, m.constant([0], I32), 1.0, 0)
    y = b.quantized(m, m.tensor((3, 1), np.int8), 1.0, 0)
    m.op("FULLY_CONNECTED", [x, w, c], [y], 4, "FullyConnectedOptions")
    b.add("dense_i8_rank4_rows", "three rows of two channels, all scales 1", m, [x], [y],
          [np.array([1, 2, 3, 4, 5, 6], np.int8).reshape(1, 1, 3, 2)])
    b.one("dense_f32_rank4_rows", "the same in f32", "FULLY_CONNECTED", "FullyConnectedOptions",
          [("in", a([1, 2, 3, 4, 5, 6], 1, 1, 3, 2)), ("const", a([1, 10], 1, 2)), ("const", a([0]))],
          (3, 1))

    for kind in (np.int8, F32):
        m = b.FlatModel()
        shapes = (3,), (2, 3), (2, 3)
        x, z, y = (m.tensor(shape, kind) for shape in shapes)
        if kind == np.int8:
            for t in (x, z, y):
                b.quantized(m, t, 1.0, 0)
        m.op("MUL", [x, z], [y], 2, "MulOptions")
        b.add(f"mul_rank1_{np.dtype(kind)}", "ranks 1 and 2, both given by the host", m, [x, z], [y],
              [np.array([1, 2, 3], kind), np.array([[1, 1, 1], [10, 10, 10]], kind)])


def make(directory):
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    b = Builder()
    for group in (pools_and_rows, broadcasts, dense, convolutions, intermediates, bytes_and_halves):
        group(b)
    directory.mkdir(parents=True, exist_ok=True)
    index = []
    for name, note, model, values in b.cases:
        (directory / f"{name}.tflite").write_bytes(model)
        expected, refusal = [], ""
        try:
            i = Interpreter(model_content=model, num_threads=1,
                            experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
            i.allocate_tensors()
            for d, v in zip(i.get_input_details(), values):
                i.set_tensor(d["index"], v)
            i.invoke()
            expected = [i.get_tensor(d["index"]) for d in i.get_output_details()]
        except (RuntimeError, ValueError) as e:
            refusal = str(e).splitlines()[0]
        for k, v in enumerate(values):
            np.save(directory / f"{name}.in{k}.npy", v)
        for k, v in enumerate(expected):
            np.save(directory / f"{name}.out{k}.npy", v)
        index.append(dict(name=name, note=note, inputs=len(values), outputs=len(expected),
                          refusal=refusal))
        if refusal:
            print(f"{name}: the reference kernels refuse it: {refusal}")
    (directory / "index.json").write_text(json.dumps(index, indent=1) + "\n")
    print(f"{len(index)} models in {directory}")
    return 0


def answer(directory, name, accelerator, precision):
    """Runs one model, in this process."""
    from ai_edge_litert.compiled_model import CompiledModel
    from ai_edge_litert.hardware_accelerator import HardwareAccelerator
    from ai_edge_litert.options import GpuOptions, Options

    case = next(c for c in json.loads((directory / "index.json").read_text()) if c["name"] == name)
    values = [np.load(directory / f"{name}.in{k}.npy") for k in range(case["inputs"])]
    expected = [np.load(directory / f"{name}.out{k}.npy") for k in range(case["outputs"])]
    for v in values:
        print(f"  input    {v.shape} {v.ravel().tolist()}")
    for v in expected:
        print(f"  expected {v.shape} {v.ravel().tolist()}", flush=True)
    options = Options(hardware_accelerators=getattr(HardwareAccelerator, accelerator.upper()),
                      gpu_options=GpuOptions(enforce_f32=precision == "fp32"))
    try:
        model = CompiledModel.from_file(str(directory / f"{name}.tflite"), options=options)
        accelerated = model.is_fully_accelerated()
    except Exception as e:  # LiteRT's Python raises several kinds
        print(f"  refused: {' '.join(str(e).split())[:160]}\n  => REFUSED")
        return 0
    inputs, outputs = model.create_input_buffers(0), model.create_output_buffers(0)
    for buffer, v in zip(inputs, values):
        # The package has no float16: the bytes are written.
        buffer.write(v.view(np.int8) if v.dtype == np.float16 else v)
    for buffer, v in zip(outputs, expected):
        buffer.write(np.full(v.size, 77, v.dtype))
    model.run_by_index(0, inputs, outputs)
    wrong = False
    for buffer, v in zip(outputs, expected):
        got = np.asarray(buffer.read(v.size, v.dtype)).reshape(v.shape)
        near = np.allclose(got, v, rtol=1e-5, atol=1e-6)
        exact = np.array_equal(got, v)
        wrong |= not near
        print(f"  got      {got.shape} {got.ravel().tolist()}"
              f"{'' if exact else ' (within 1e-5)' if near else ' WRONG'}")
    print(f"  => {'WRONG' if wrong else 'RIGHT'}{'' if accelerated else ' (not fully accelerated)'}",
          flush=True)
    return 0


def isolated(directory, case, accelerator, precision):
    """Returns what a process of one model prints, and the verdict."""
    command = [sys.executable, __file__, "one", str(directory), "--name", case["name"],
               "--accelerator", accelerator, "--precision", precision]
    try:
        p = subprocess.run(command, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "  no answer in 120 s\n", "TIMEOUT"
    if "=> " in p.stdout:
        return p.stdout, p.stdout.rsplit("=> ", 1)[1].split()[0]
    lines = [x for x in p.stderr.splitlines() if x.strip()] or [""]
    ended = f"  the process ended with status {p.returncode}: {lines[-1][:160]}\n  => CRASHED\n"
    return p.stdout + ended, "CRASHED"


def run(directory, accelerator, precision, pattern, jobs):
    """Runs all models, each in a process of its own: some end it."""
    cases = [c for c in json.loads((directory / "index.json").read_text()) if pattern in c["name"]]
    totals = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        answers = pool.map(lambda c: isolated(directory, c, accelerator, precision), cases)
        for case, (text, verdict) in zip(cases, answers):
            print(f"{case['name']}: {case['note']}\n{text}", end="", flush=True)
            totals[verdict] = totals.get(verdict, 0) + 1
    print(", ".join(f"{n} {v.lower()}" for v, n in sorted(totals.items())))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("make", "run", "one"))
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--accelerator", choices=("cpu", "gpu"), default="gpu")
    parser.add_argument("--precision", choices=("fp32", "default"), default="fp32")
    parser.add_argument("--name", default="", help="one model, or part of the names of those to run")
    parser.add_argument("--jobs", type=int, default=4, help="processes at a time")
    arguments = parser.parse_args()
    directory = arguments.directory.resolve()
    if arguments.what == "make":
        return make(directory)
    if arguments.what == "one":
        return answer(directory, arguments.name, arguments.accelerator, arguments.precision)
    return run(directory, arguments.accelerator, arguments.precision, arguments.name,
               arguments.jobs)


if __name__ == "__main__":
    sys.exit(main())

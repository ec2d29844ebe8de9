#!/usr/bin/env python3
"""Answers the cases with sub-byte weights in float64, where no kernel of LiteRT is a witness for all.

    assay golden export --filter='*.w4.*' ... cases.h5
    python golden/float64.py cases.h5 golden

golden/sub_byte.h5 is written, with resolver=float64 in /meta: conformance/suite/golden/file_format.h
has the format.  The definitions are those of conformance/doc/TOLERANCES.md 13.9, and nothing here is
shared with reference/: a weight is s * (q - z), its scale an f32 of the tensor or the channel, or the
f16 of its block; a float result is the exact sum, rounded once.  Integers are the runtime's formulas.

The attribute witness of a case says what LiteRT's three paths on the CPU compute: the plain kernels
(REF), the optimized ones (OPT) and XNNPACK (XNN), by the name of the nearest design, "float", "sym",
"asym", "xnn" or "xnn+bf16"; "same" or "one step" of integers; "bias" for act(bias) alone; "other";
"refused"; "crash".
"""

import argparse
import multiprocessing
import os
import queue
import sys
import time

import h5py
import mint
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

RESOLVER = "float64"
FILE = "sub_byte.h5"
OP = schema.BuiltinOperator
TYPE = schema.TensorType
BITS = {TYPE.INT4: 4, TYPE.INT2: 2, TYPE.UINT4: 4}
PLAIN = {
    TYPE.FLOAT32: np.float32,
    TYPE.FLOAT16: np.float16,
    TYPE.INT8: np.int8,
    TYPE.UINT8: np.uint8,
    TYPE.INT16: np.int16,
    TYPE.INT32: np.int32,
    TYPE.INT64: np.int64,
}
PATHS = {"REF": "BUILTIN_REF", "OPT": "BUILTIN_WITHOUT_DEFAULT_DELEGATES", "XNN": "BUILTIN"}
SECONDS = 60  # after which a child without an answer counts as a crash
UNIT = 2.0**-24
DESIGN_UNITS = 8  # of B_d, which a design may be off by (TOLERANCES.md 13.9)


def round_away(x):
    """To the nearest integer, ties away from zero."""
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def bfloat16(x):
    """f32 values rounded to bf16, ties to even."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)


# ---- tensors ----


class Graph:
    """The first subgraph of a model, and its constants."""

    def __init__(self, data):
        self.model = schema.ModelT.InitFromPackedBuf(data, 0)
        self.graph = self.model.subgraphs[0]

    def tensor(self, index):
        return self.graph.tensors[index]

    def shape(self, index):
        shape = self.tensor(index).shape
        return tuple(int(d) for d in shape) if shape is not None else ()

    def is_constant(self, index):
        return self.model.buffers[self.tensor(index).buffer].data is not None

    def integers(self, index):
        """The elements of a constant as they are stored, sub-byte ones unpacked: the first element of
        a byte is in its low bits, and rows are not padded."""
        tensor = self.tensor(index)
        data = np.asarray(self.model.buffers[tensor.buffer].data, np.uint8)
        count = int(np.prod(self.shape(index), dtype=np.int64))
        bits = BITS.get(tensor.type)
        if not bits:
            return data.view(PLAIN[tensor.type])[:count].reshape(self.shape(index))
        at = np.arange(count, dtype=np.int64) * bits
        q = (data[at // 8].astype(np.int64) >> (at % 8)) & ((1 << bits) - 1)
        if tensor.type != TYPE.UINT4:
            q -= (q >> (bits - 1)) << bits
        return q.reshape(self.shape(index))

    def blocks(self, index):
        """Scales tensor and block size of a blockwise tensor; None: its scales are affine."""
        q = self.tensor(index).quantization
        if q is None or q.detailsType != schema.QuantizationDetails.BlockwiseQuantization:
            return None
        return q.details.scales, q.details.blockSize

    def scales(self, index, narrow=False):
        """Scale and zero point of each element, in the tensor's shape.  narrow: scales of blocks are
        rounded to bf16."""
        tensor, shape = self.tensor(index), self.shape(index)
        blocks = self.blocks(index)
        if blocks:
            scales = self.integers(blocks[0]).astype(np.float32)
            if narrow:
                scales = bfloat16(scales)
            each = scales.astype(np.float64).reshape(shape[0], -1).repeat(blocks[1], axis=1)
            return each.reshape(shape), np.zeros(shape)
        q = tensor.quantization
        scale = np.asarray(q.scale, np.float32).astype(np.float64)
        zero = np.zeros(len(scale)) if q.zeroPoint is None else np.asarray(q.zeroPoint, np.float64)
        along = [1] * len(shape)
        if len(scale) > 1:
            along[q.quantizedDimension] = len(scale)
        return (np.broadcast_to(v.reshape(along), shape) for v in (scale, zero))

    def reals(self, index, narrow=False):
        """What a constant means, exactly."""
        q = self.integers(index).astype(np.float64)
        if self.tensor(index).type in (TYPE.FLOAT32, TYPE.FLOAT16):
            return q
        scale, zero = self.scales(index, narrow)
        return scale * (q - zero)


# ---- sums of products ----


def window(padding, size, kernel, stride, dilation):
    """Results of one dimension, and the padding in front of them."""
    reach = (kernel - 1) * dilation + 1
    if padding == schema.Padding.VALID:
        return (size - reach) // stride + 1, 0
    out = -(-size // stride)
    return out, max((out - 1) * stride + reach - size, 0) // 2


def taps(x, options, kernel):
    """Yields for each tap its place in the kernel and the inputs under it, 0 in the padding."""
    _, height, width, _ = x.shape
    rows, top = window(options.padding, height, kernel[0], options.strideH, options.dilationHFactor)
    cols, left = window(options.padding, width, kernel[1], options.strideW, options.dilationWFactor)
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            h = np.arange(rows) * options.strideH - top + i * options.dilationHFactor
            w = np.arange(cols) * options.strideW - left + j * options.dilationWFactor
            inside = ((h >= 0) & (h < height))[:, None] & ((w >= 0) & (w < width))[None]
            part = x[:, np.clip(h, 0, height - 1)][:, :, np.clip(w, 0, width - 1)]
            yield i, j, np.where(inside[None, :, :, None], part, 0)


def fully_connected(x, w, options):
    return x.reshape(-1, w.shape[1]) @ w.T


def conv_2d(x, w, options):
    depth = w.shape[3]
    groups = x.shape[3] // depth
    units = w.shape[0] // groups
    y = 0
    for i, j, part in taps(x, options, w.shape[1:3]):
        y = y + np.concatenate(
            [
                part[..., g * depth : (g + 1) * depth] @ w[g * units : (g + 1) * units, i, j].T
                for g in range(groups)
            ],
            axis=3,
        )
    return y


def depthwise_conv_2d(x, w, options):
    times = w.shape[3] // x.shape[3]
    y = 0
    for i, j, part in taps(x, options, w.shape[1:3]):
        y = y + part.repeat(times, axis=3) * w[0, i, j]
    return y


SUMS = {
    OP.FULLY_CONNECTED: fully_connected,
    OP.CONV_2D: conv_2d,
    OP.DEPTHWISE_CONV_2D: depthwise_conv_2d,
}


def activate(y, which):
    act = schema.ActivationFunctionType
    low, high = {
        act.NONE: (-np.inf, np.inf),
        act.RELU: (0, np.inf),
        act.RELU_N1_TO_1: (-1, 1),
        act.RELU6: (0, 6),
        act.TANH: (-np.inf, np.inf),
    }[which]
    return np.tanh(y) if which == act.TANH else np.clip(y, low, high)


# ---- designs: how activations are rounded to 8 bits ----


def symmetric(x):
    """qx, zero point and scale of each row of f32 values."""
    a = np.abs(x).max(axis=1, keepdims=True).astype(np.float32)
    safe = np.where(a == 0, np.float32(1), a)
    q = np.clip(round_away(x * (np.float32(127) / safe)), -127, 127)
    return q, np.zeros_like(q), np.where(a == 0, np.float32(1), safe / np.float32(127))


def range_of(x):
    zero = np.float32(0)
    return (
        np.minimum(x.min(axis=1, keepdims=True), zero),
        np.maximum(x.max(axis=1, keepdims=True), zero),
    )


def asymmetric(x):
    low, high = range_of(x)
    same = low == high
    s = np.where(same, 1, (high.astype(np.float64) - low) / 255)
    below = -128 - low / s
    above = 127 - high / s
    nearer = 128 + np.abs(low / s) < 127 + np.abs(high / s)
    zero = round_away(np.clip(np.where(nearer, below, above), -128, 127))
    zero = np.where(same, 0, zero)
    scale = s.astype(np.float32)
    q = np.clip(round_away(zero.astype(np.float32) + x * (np.float32(1) / scale)), -128, 127)
    return np.where(same, 0, q), zero, scale


def xnnpack(x):
    low, high = range_of(x)
    same = low == high
    inverse = np.where(same, np.float32(1), np.float32(255) / np.where(same, np.float32(1), high - low))
    below, above = np.float32(-128) + low * inverse, np.float32(127) + high * inverse
    zero = np.where(below + above > 0, np.float32(-128) - low * inverse, np.float32(127) - high * inverse)
    zero = np.rint(np.clip(zero, -128, 127))
    q = np.clip(np.rint(x * inverse) + zero, -128, 127)
    return q, zero, np.float32(1) / inverse


DESIGNS = {"sym": symmetric, "asym": asymmetric, "xnn": xnnpack}


class Sum:
    """FULLY_CONNECTED, CONV_2D or DEPTHWISE_CONV_2D of f32 activations."""

    def __init__(self, graph, op, code, x, w):
        self.dot, self.options = SUMS[code], op.builtinOptions
        self.x, self.w = x, w
        bias = op.inputs[2] if len(op.inputs) > 2 else -1
        self.bias = graph.reals(bias) if bias >= 0 else 0.0
        # A row of FULLY_CONNECTED, an image of a convolution has a scale of its own.
        self.rows = x.reshape(-1, w.shape[1]) if code == OP.FULLY_CONNECTED else x.reshape(len(x), -1)

    def products(self, x, w):
        return self.dot(x.reshape(self.x.shape), w, self.options)

    def finish(self, sums):
        return activate(sums + self.bias, self.options.fusedActivationFunction)

    def exact(self):
        return self.finish(self.products(self.x.astype(np.float64), self.w))

    def magnitude(self, x=None):
        x = np.abs(self.x if x is None else x).astype(np.float64)
        return self.products(x, np.abs(self.w)) + np.abs(self.bias)

    def design(self, name, w):
        """What a design computes, and the magnitude B_d of its sums."""
        q, zero, scale = (v.astype(np.float64) for v in DESIGNS[name](self.rows.astype(np.float32)))
        sums = self.products((q - zero) * scale, w)
        size = self.products((np.abs(q) + np.abs(zero)) * scale, np.abs(w)) + np.abs(self.bias)
        return self.finish(sums), size


# ---- integers ----


def quantize_multiplier(m):
    fraction, exponent = np.frexp(m)
    q = int(round_away(fraction * 2.0**31))
    if q == 1 << 31:
        q, exponent = q // 2, exponent + 1
    return (0, 0) if exponent < -31 else (q, int(exponent))


def multiply(sums, q, e):
    """MultiplyByQuantizedMultiplier of 32-bit sums: two roundings."""
    p = (sums.astype(np.int64) << max(e, 0)) * q
    high = np.where(p >= 0, p + (1 << 30), p + 1 - (1 << 30))
    high = np.sign(high) * (np.abs(high) >> 31)
    n = max(-e, 0)
    if n == 0:
        return high
    mask = (1 << n) - 1
    return (high >> n) + ((high & mask) > (mask >> 1) + (high < 0))


def multiply16(sums, q, e):
    """The same of 64-bit sums, of i16 activations: a multiplier of 16 bits."""
    q = 0x7FFF if q >= 0x7FFF0000 else (q + (1 << 15)) >> 16
    return (sums.astype(np.int64) * q + (1 << (14 - e))) >> (15 - e)


def clamp_integers(y, which, scale, zero, dtype):
    def steps(v):
        return zero + round_away(np.float32(v) / scale)

    act = schema.ActivationFunctionType
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    if which in (act.RELU, act.RELU6):
        low = max(low, steps(0))
    if which == act.RELU6:
        high = min(high, steps(6))
    if which == act.RELU_N1_TO_1:
        low, high = max(low, steps(-1)), min(high, steps(1))
    return np.clip(y, low, high).astype(dtype)


def integer_sum(graph, op, code, x, out):
    """Quantized activations: the formulas of LiteRT's plain kernels."""
    w = graph.integers(op.inputs[1]).astype(np.int64)
    into, kernel, result = (
        graph.tensor(t).quantization for t in (op.inputs[0], op.inputs[1], out)
    )
    zero_in = int(into.zeroPoint[0]) if into.zeroPoint is not None else 0
    zero_out = int(result.zeroPoint[0]) if result.zeroPoint is not None else 0
    sums = SUMS[code](x.astype(np.int64) - zero_in, w, op.builtinOptions)
    if len(op.inputs) > 2 and op.inputs[2] >= 0:
        sums = sums + graph.integers(op.inputs[2]).astype(np.int64)
    scale = np.float64(np.float32(into.scale[0])) * np.asarray(kernel.scale, np.float32).astype(np.float64)
    factors = np.broadcast_to(scale / np.float64(np.float32(result.scale[0])), sums.shape[-1:])
    dtype = PLAIN[graph.tensor(out).type]
    if code == OP.FULLY_CONNECTED:
        y = round_away(sums * factors)
    else:
        apply = multiply16 if dtype == np.int16 else multiply
        y = np.stack(
            [apply(sums[..., c], *quantize_multiplier(m)) for c, m in enumerate(factors)], axis=-1
        )
    y = clamp_integers(
        y + zero_out, op.builtinOptions.fusedActivationFunction, np.float32(result.scale[0]), zero_out, dtype
    )
    return y.reshape(graph.shape(out))


# ---- a case ----


def answer(model_bytes, inputs):
    """The results of all nodes but DEQUANTIZE of a constant, by tensor, and the last sum."""
    graph = Graph(model_bytes)
    values = dict(zip((int(t) for t in graph.graph.inputs), inputs, strict=True))
    results, last = {}, None
    for op in graph.graph.operators:
        code = graph.model.operatorCodes[op.opcodeIndex]
        code = max(code.builtinCode, code.deprecatedBuiltinCode)
        out = int(op.outputs[0])
        first = int(op.inputs[0])
        if code == OP.DEQUANTIZE:
            if first in values:
                scale, zero = graph.scales(first)
                y = scale * (values[first] - zero)
            else:
                y = graph.reals(first)
            values[out] = y.astype(np.float32)
            if first in values:
                results[out] = values[out]
            continue
        if code == OP.EMBEDDING_LOOKUP:
            table = values[int(op.inputs[1])] if int(op.inputs[1]) in values else graph.reals(op.inputs[1])
            y = table[values[first]].astype(PLAIN[graph.tensor(out).type])
        elif code in SUMS and graph.tensor(first).type == TYPE.FLOAT32:
            weights = int(op.inputs[1])
            w = values[weights].astype(np.float64) if weights in values else graph.reals(weights)
            last = Sum(graph, op, code, values[first], w)
            y = last.exact().reshape(graph.shape(out)).astype(np.float32)
            if weights not in values:
                last.narrow = graph.reals(weights, narrow=True) if graph.blocks(weights) else None
        elif code == OP.ADD:
            a, b = (values[int(t)].astype(np.float64) for t in op.inputs)
            y = activate(a + b, op.builtinOptions.fusedActivationFunction).astype(np.float32)
        elif code in SUMS:
            y = integer_sum(graph, op, code, values[first], out)
        else:
            sys.exit(f"float64: no definition of operator {code}")
        values[out] = results[out] = y
    return graph, results, last


def invoke(path, model_bytes, inputs):
    """What one path of LiteRT answers; None: it refuses the model."""
    try:
        interpreter = Interpreter(
            model_content=model_bytes,
            num_threads=1,
            experimental_op_resolver_type=OpResolverType[PATHS[path]],
        )
        interpreter.allocate_tensors()
        for detail, value in zip(interpreter.get_input_details(), inputs, strict=True):
            interpreter.set_tensor(detail["index"], value)
        interpreter.invoke()
        return interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
    except (RuntimeError, ValueError):
        return None


def name_integers(y, want):
    off = int(np.abs(y.astype(np.int64) - want).max(initial=0))
    return "same" if off == 0 else "one step" if off == 1 else "other"


def name_floats(y, last, want):
    """The nearest design."""
    if last is None or not hasattr(last, "narrow"):  # rows of a table, float weights
        limit = 64 * UNIT * (np.abs(want) if last is None else last.magnitude().reshape(want.shape))
        return "float" if bool((np.abs(y - want) <= limit).all()) else "other"
    y = y.astype(np.float64).reshape(last.exact().shape)
    terms = last.w.shape[-1] if last.dot is fully_connected else last.w[0].size
    candidates = {"float": (last.exact(), last.magnitude(), 4 + min(terms + 1, 3 * (terms + 1) ** 0.5))}
    for name in DESIGNS:
        candidates[name] = (*last.design(name, last.w), DESIGN_UNITS)
    if last.narrow is not None:
        candidates["xnn+bf16"] = (*last.design("xnn", last.narrow), DESIGN_UNITS)
    ratios = {}
    for name, (value, size, units) in candidates.items():
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.abs(y - value) / (units * UNIT * size + 2.0**-126)
        ratios[name] = float(np.nan_to_num(ratio, nan=np.inf).max(initial=0))
    best = min(ratios, key=ratios.get)
    if ratios[best] <= 1:
        return best
    alone = np.broadcast_to(last.finish(np.zeros(y.shape)), y.shape).astype(np.float32)
    return "bias" if bool((y.astype(np.float32) == alone).all()) else "other"


def work(tasks, answers):
    """In a process of its own, since some kernels read beyond their tensors."""
    for path, model_bytes, inputs in iter(tasks.get, None):
        answers.put(invoke(path, model_bytes, inputs))


class Witnesses:
    """Asks LiteRT in another process, which is replaced when it dies."""

    def __init__(self):
        self.context = multiprocessing.get_context("fork")
        self.process = None

    def start(self):
        self.tasks, self.answers = self.context.SimpleQueue(), self.context.Queue()
        self.process = self.context.Process(target=work, args=(self.tasks, self.answers), daemon=True)
        self.process.start()

    def ask(self, path, model_bytes, inputs):
        if self.process is None or not self.process.is_alive():
            self.start()
        self.tasks.put((path, model_bytes, inputs))
        deadline = time.monotonic() + SECONDS
        while self.process.is_alive() and time.monotonic() < deadline:
            try:
                return self.answers.get(timeout=0.2)
            except queue.Empty:
                pass
        self.process.kill()
        self.process.join()
        raise ChildProcessError("crash")

    def name(self, path, model_bytes, inputs, want, last):
        try:
            y = self.ask(path, model_bytes, inputs)
        except ChildProcessError:
            return "crash"
        if y is None:
            return "refused"
        if want.dtype != np.float32:
            return name_integers(y, want.astype(np.int64))
        return name_floats(y, last, want.astype(np.float64))

    def close(self):
        if self.process is not None and self.process.is_alive():
            self.tasks.put(None)
            self.process.join()


def write_case(out, name, case, witnesses):
    group = mint.create_case(out, name, case, ("data_set", "model_sha256", "inputs_sha256"))
    model, inputs = mint.read_case(name, case)
    graph, results, last = answer(model, inputs)
    outputs = [int(t) for t in graph.graph.outputs]
    named = {
        path: witnesses.name(path, model, inputs, results[outputs[0]], last) for path in PATHS
    }
    group.attrs["witness"] = np.bytes_(", ".join(f"{path} {what}" for path, what in named.items()))
    mint.write_answers(group, [([results.pop(t) for t in outputs], results)])
    return named


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("export", help="file of `assay golden export`")
    parser.add_argument("outdir", help="directory of the golden files")
    args = parser.parse_args()
    path, lines, counts = os.path.join(args.outdir, FILE), [], {}
    new = os.path.join(args.outdir, f".{FILE}.new")
    with h5py.File(args.export, "r") as export:
        names = mint.names_of(export, float64=True)
        if not names:
            sys.exit(f"float64: {args.export}: no case of the types {', '.join(sorted(mint.FLOAT64_TYPES))}")
        mint.refuse_losses(path, set(names), float64=True)
        witnesses = Witnesses()
        with h5py.File(new, "w", libver=("v110", "v110")) as out:
            for name in names:
                case = export[name.replace(".", "/")]
                for item in write_case(out, name, case, witnesses).items():
                    counts[item] = counts.get(item, 0) + 1
                lines.append(mint.line_of(name, case))
            mint.write_meta(out, RESOLVER, lines, "numpy")
        witnesses.close()
    what = mint.replace(new, path)
    print(f"{path}: {len(names)} cases, {os.path.getsize(path)} bytes, {what}")
    for (witness, design), count in sorted(counts.items()):
        print(f"{witness} {design}: {count}")


if __name__ == "__main__":
    main()

"""Models that no converter makes, as bytes: for cross-checks in the real LiteRT."""

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

TYPES = {
    np.dtype(np.float32): schema.TensorType.FLOAT32,
    np.dtype(np.float16): schema.TensorType.FLOAT16,
    np.dtype(np.int32): schema.TensorType.INT32,
    np.dtype(np.uint8): schema.TensorType.UINT8,
    np.dtype(np.bool_): schema.TensorType.BOOL,
    "resource": schema.TensorType.RESOURCE,
}
# The bit of an option table's name in schema.BuiltinOptions is the name itself.
NONE = schema.BuiltinOptions.NONE


class FlatModel:
    """Tensors and operators are added in order, to the subgraph that was begun last."""

    def __init__(self):
        self.model = schema.ModelT()
        self.model.version, self.model.subgraphs = 3, []
        self.model.operatorCodes, self.model.buffers = [], [schema.BufferT()]
        self.begin()

    def begin(self):
        """Begins a subgraph, and returns its index."""
        self.graph = schema.SubGraphT()
        self.graph.tensors, self.graph.operators = [], []
        self.graph.inputs, self.graph.outputs = [], []
        self.model.subgraphs.append(self.graph)
        return len(self.model.subgraphs) - 1

    def ends(self, inputs, outputs):
        """The inputs and outputs of the subgraph."""
        self.graph.inputs, self.graph.outputs = list(inputs), list(outputs)

    def tensor(self, shape, kind=np.float32, signature=None, data=None, sparsity=None,
               quantized=None):  # fmt: skip
        """Returns the index of a new tensor: a constant if there is data, of the stored values if it
        is sparse.  quantized: scale and zero point."""
        tensor = schema.TensorT()
        tensor.name = f"t{len(self.graph.tensors)}".encode()
        kind = kind if kind == "resource" else np.dtype(kind)
        tensor.shape, tensor.type, tensor.buffer = list(shape), TYPES[kind], 0
        if quantized:
            tensor.quantization = schema.QuantizationParametersT()
            tensor.quantization.scale = [quantized[0]]
            tensor.quantization.zeroPoint = [quantized[1]]
        tensor.shapeSignature, tensor.sparsity = signature, sparsity
        if data is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(np.ascontiguousarray(data, kind).tobytes(), np.uint8)
            tensor.buffer = len(self.model.buffers)
            self.model.buffers.append(buffer)
        self.graph.tensors.append(tensor)
        return len(self.graph.tensors) - 1

    def constant(self, data, kind=np.float32):
        data = np.asarray(data, kind)
        return self.tensor(data.shape, kind, data=data)

    def custom(self, name, inputs, outputs, options=None):
        """Adds a custom operator; options are bytes."""
        self.op("CUSTOM", inputs, outputs)
        self.model.operatorCodes[-1].customCode = name.encode()
        if options is not None:
            self.graph.operators[-1].customOptions = np.frombuffer(options, np.uint8)

    def op(self, name, inputs, outputs, version=1, options=None, **fields):
        """Adds an operator.  options: the name of its option table, whose fields are given."""
        code = schema.OperatorCodeT()
        code.builtinCode = getattr(schema.BuiltinOperator, name)
        code.deprecatedBuiltinCode = min(code.builtinCode, 127)
        code.version = version
        self.model.operatorCodes.append(code)
        op = schema.OperatorT()
        op.opcodeIndex = len(self.model.operatorCodes) - 1
        op.inputs, op.outputs, op.builtinOptionsType = list(inputs), list(outputs), NONE
        if options:
            op.builtinOptionsType = getattr(schema.BuiltinOptions, options)
            op.builtinOptions = getattr(schema, options + "T")()
            for field, value in fields.items():
                assert hasattr(op.builtinOptions, field), field
                setattr(op.builtinOptions, field, value)
        self.graph.operators.append(op)

    def bytes(self, inputs, outputs):
        """Ends the subgraph, and returns the file."""
        self.ends(inputs, outputs)
        builder = flatbuffers.Builder(1024)
        builder.Finish(self.model.Pack(builder), b"TFL3")
        return bytes(builder.Output())


def _dense(size):
    d = schema.DimensionMetadataT()
    d.format, d.denseSize = schema.DimensionType.DENSE, size
    return d


def _vector(values):
    v = schema.Int32VectorT()
    v.values = [int(i) for i in values]
    return v


def sparsity_of(dense, block):
    """Returns a SparsityParameters table and the stored values of an array [rows, ...]: the first
    dimension dense, the last in compressed rows of blocks of so many elements (1: each alone)."""
    rows = dense.reshape(dense.shape[0], -1, block) if dense.ndim == 2 else None
    assert rows is not None, "two dimensions"
    segments, indices, values = [0], [], []
    for row in rows:
        for i, piece in enumerate(row):
            if np.any(piece):
                indices.append(i)
                values.extend(piece)
        segments.append(len(indices))
    compressed = schema.DimensionMetadataT()
    compressed.format = schema.DimensionType.SPARSE_CSR
    compressed.arraySegmentsType = compressed.arrayIndicesType = (
        schema.SparseIndexVector.Int32Vector
    )
    compressed.arraySegments, compressed.arrayIndices = _vector(segments), _vector(indices)
    s = schema.SparsityParametersT()
    s.traversalOrder, s.blockMap = [0, 1], None
    s.dimMetadata = [_dense(dense.shape[0]), compressed]
    if block > 1:
        s.traversalOrder, s.blockMap = [0, 1, 2], [1]
        s.dimMetadata.append(_dense(block))
    return s, np.array(values, np.float32)

"""What the converters of .tflite networks to other runtimes share."""
import numpy

from tflite import FLOAT32, INT32, Model

RELU, RELU_N1_TO_1, RELU6 = 1, 2, 3
NUMPY = {FLOAT32: numpy.float32, INT32: numpy.int32}


class Refused(Exception):
    """The model has what the converter or the runtime lacks."""


def same_padding(size, kernel, stride, dilation):
    """SAME of TensorFlow: what is odd goes behind."""
    out = -(-size // stride)
    total = max((out - 1) * stride + (kernel - 1) * dilation + 1 - size, 0)
    return total // 2, total - total // 2


class Network:
    """A float model of one input and one output."""

    def __init__(self, path):
        self.model = Model(path)
        for tensor in self.model.tensors:
            if tensor.type not in NUMPY:
                raise Refused("only float models are converted")
        if len(self.model.inputs) != 1 or len(self.model.outputs) != 1:
            raise Refused("expected one input and one output")

    def shape(self, tensor):
        return self.model.tensors[tensor].shape

    def constant(self, tensor):
        t = self.model.tensors[tensor]
        if not len(t.data):
            raise Refused("weights that are computed")
        return numpy.frombuffer(t.data, NUMPY[t.type]).reshape(t.shape)

    def bias(self, node):
        """None where the node has none."""
        return self.constant(node.inputs[2]) if len(node.inputs) > 2 and node.inputs[2] >= 0 else None

    def padding(self, node, code, kernel, stride, dilation=(1, 1)):
        """Rows and columns of zeros: top, bottom, left, right."""
        _, h, w, _ = self.shape(node.inputs[0])
        if code == 1:
            return 0, 0, 0, 0
        return (*same_padding(h, kernel[0], stride[0], dilation[0]),
                *same_padding(w, kernel[1], stride[1], dilation[1]))

    def window(self, node, depthwise):
        """Weights, stride, dilation, activation and padding of a convolution of one group or of
        as many as channels."""
        first = 4 if depthwise else 3
        stride, code = (node.option(2), node.option(1)), node.option(first, "<b")
        dilation = (node.option(first + 2, default=1), node.option(first + 1, default=1))
        w = self.constant(node.inputs[1])
        channels = self.shape(node.inputs[0])[3]
        if depthwise and w.shape[3] != channels:
            raise Refused("a depth multiplier")
        if not depthwise and w.shape[3] != channels:
            raise Refused("a grouped convolution")
        return w, stride, dilation, code, self.padding(node, node.option(0, "<b"), w.shape[1:3],
                                                       stride, dilation)

    def pads(self, node):
        """PAD: rows and columns of zeros, as of padding()."""
        p = self.constant(node.inputs[1]).tolist()
        if p[0] != [0, 0] or p[3] != [0, 0]:
            raise Refused("PAD of batch or channels")
        return (*p[1], *p[2])

    def check_pool(self, node):
        """MEAN over height and width."""
        if sorted(a % 4 for a in self.constant(node.inputs[1]).ravel().tolist()) != [1, 2]:
            raise Refused("MEAN of other axes than height and width")

    def check_vector(self, node):
        if max(self.shape(node.inputs[0])) != numpy.prod(self.shape(node.inputs[0])):
            raise Refused(f"{node.op} of more than a vector")

    def check_channels(self, node):
        if node.option(0) not in (3, -1):
            raise Refused("CONCATENATION of another axis than channels")

    def check_sum(self, node):
        if self.shape(node.inputs[0]) != self.shape(node.inputs[1]):
            raise Refused("ADD of two shapes")

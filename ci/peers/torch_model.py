"""Converts a float .tflite image network to a PyTorch module: the same layers, the same weights.

PyTorch has channels before height and width in its shapes; in memory they stay last."""
import torch
import torch.nn.functional as F

from network import RELU, RELU6, RELU_N1_TO_1, Network, Refused


def activated(y, code):
    if code == 0:
        return y
    if code == RELU:
        return F.relu(y)
    if code in (RELU6, RELU_N1_TO_1):
        return y.clamp(*((0, 6) if code == RELU6 else (-1, 1)))
    raise Refused(f"fused activation {code}")


def padded(x, padding):
    """With zeros; what is the same on either side is left to the layer, which gets the rest."""
    top, bottom, left, right = padding
    if top == bottom and left == right:
        return x, (top, left)
    return F.pad(x, (left, right, top, bottom)), (0, 0)


class Converter(Network, torch.nn.Module):
    """forward() takes and returns what is [n, c, h, w], or [n, c] where the model has two dims."""

    def __init__(self, path):
        torch.nn.Module.__init__(self)
        Network.__init__(self, path)
        ways = {"CONV_2D": lambda n: self.convolution(n, False),
                "DEPTHWISE_CONV_2D": lambda n: self.convolution(n, True),
                "FULLY_CONNECTED": self.fully_connected, "MEAN": self.mean, "PAD": self.pad,
                "AVERAGE_POOL_2D": lambda n: self.pool(n, True),
                "MAX_POOL_2D": lambda n: self.pool(n, False), "ADD": self.sum,
                "CONCATENATION": self.concatenation, "RESHAPE": self.reshape,
                "RESIZE_BILINEAR": self.resize, "SOFTMAX": self.softmax}
        self.layers = []
        for i, node in enumerate(self.model.nodes):
            if node.op not in ways:
                raise Refused(f"{node.op} is not converted")
            self.place = f"node{i}"
            reads = [t for t in node.inputs if t >= 0 and not len(self.model.tensors[t].data)]
            self.layers.append((ways[node.op](node), reads, node.outputs[0]))

    def keep(self, kind, array):
        """A constant, which .half() and .cuda() convert; its name."""
        if array is None:
            return None
        name = f"{self.place}_{kind}"
        value = torch.from_numpy(array.copy())
        self.register_buffer(name, value.contiguous(memory_format=torch.channels_last)
                             if value.dim() == 4 else value)
        return name

    def constant_of(self, name):
        return None if name is None else getattr(self, name)

    # ---- layers: each returns the function that computes it ----

    def convolution(self, n, depthwise):
        w, stride, dilation, code, padding = self.window(n, depthwise)
        groups = w.shape[3] if depthwise else 1
        # [1, h, w, c] to [c, 1, h, w], or [out, h, w, in] to [out, in, h, w].
        weights = self.keep("weights", w.transpose(3, 0, 1, 2) if depthwise else w.transpose(0, 3, 1, 2))
        bias = self.keep("bias", self.bias(n))

        def layer(x):
            x, rest = padded(x, padding)
            return activated(F.conv2d(x, self.constant_of(weights), self.constant_of(bias), stride,
                                      rest, dilation, groups), code)
        return layer

    def fully_connected(self, n):
        code = n.option(0, "<b")
        weights, bias = self.keep("weights", self.constant(n.inputs[1])), self.keep("bias", self.bias(n))
        depth = self.constant(n.inputs[1]).shape[1]
        return lambda x: activated(F.linear(x.reshape(-1, depth), self.constant_of(weights),
                                            self.constant_of(bias)), code)

    def pool(self, n, average):
        stride, kernel, code = (n.option(2), n.option(1)), (n.option(4), n.option(3)), n.option(5, "<b")
        padding = self.padding(n, n.option(0, "<b"), kernel, stride)
        if average and any(padding):
            raise Refused("AVERAGE_POOL_2D with padding")
        fill = 0 if average else float("-inf")
        top, bottom, left, right = padding

        def layer(x):
            if any(padding):
                x = F.pad(x, (left, right, top, bottom), value=fill)
            way = F.avg_pool2d if average else F.max_pool2d
            return activated(way(x, kernel, stride), code)
        return layer

    def mean(self, n):
        self.check_pool(n)
        kept = len(self.shape(n.outputs[0])) == 4
        return lambda x: x.mean((2, 3), keepdim=kept)

    def pad(self, n):
        top, bottom, left, right = self.pads(n)
        return lambda x: F.pad(x, (left, right, top, bottom))

    def sum(self, n):
        self.check_sum(n)
        code = n.option(0, "<b")
        return lambda a, b: activated(a + b, code)

    def concatenation(self, n):
        self.check_channels(n)
        code = n.option(1, "<b")
        return lambda *x: activated(torch.cat(x, 1), code)

    def reshape(self, n):
        self.check_vector(n)
        shape = self.shape(n.outputs[0])
        if len(shape) == 4:
            shape = [shape[0], shape[3], shape[1], shape[2]]
        return lambda x: x.reshape(shape)

    def resize(self, n):
        _, h, w, _ = self.shape(n.outputs[0])
        aligned, centers = bool(n.option(2, "<b")), bool(n.option(3, "<b"))
        if not aligned and not centers and self.shape(n.inputs[0])[1:3] != [1, 1]:
            raise Refused("RESIZE_BILINEAR that is neither aligned nor of pixel centers")
        return lambda x: F.interpolate(x, (h, w), mode="bilinear", align_corners=aligned)

    def softmax(self, n):
        beta = n.option(0, "<f")
        return lambda x: F.softmax(x if beta == 1 else x * beta, 1)

    def forward(self, x):
        values = {self.model.inputs[0]: x}
        for layer, reads, output in self.layers:
            values[output] = layer(*(values[t] for t in reads))
        return values[self.model.outputs[0]]

"""Converts a float .tflite image network to ncnn: the same layers, the same weights.

ncnn has channels before height and width, a batch of one, and layers of one consumer: a tensor
that several read passes through Split."""
import numpy

from network import RELU, RELU6, RELU_N1_TO_1, Network, Refused


class Converter(Network):
    def __init__(self, path):
        super().__init__(path)
        self.lines, self.weights, self.blobs = [], [], 0
        self.readers = {}  # blobs of a tensor that no layer has read

    def add(self, kind, inputs, parameters, output=None):
        """A layer; returns its blob, or gives it to the readers of the tensor `output`."""
        name = f"b{self.blobs}"
        self.blobs += 1
        text = " ".join(f"{k}={v}" for k, v in parameters)
        self.lines.append(f"{kind} {name} {len(inputs)} 1 {' '.join(inputs + [name])} {text}".rstrip())
        if output is not None:
            self.share(output, name)
        return name

    def share(self, tensor, name):
        count = sum(n.inputs.count(tensor) for n in self.model.nodes)
        if count < 2:
            self.readers[tensor] = [name]
            return
        copies = [f"{name}_{i}" for i in range(count)]
        self.blobs += count
        self.lines.append(f"Split split_{name} 1 {count} {name} {' '.join(copies)}")
        self.readers[tensor] = copies

    def read(self, tensor):
        return self.readers[tensor].pop()

    def put(self, array, tagged=True):
        if tagged:
            self.weights.append(b"\0\0\0\0")
        self.weights.append(numpy.ascontiguousarray(array, numpy.float32).tobytes())

    def activation(self, code):
        """Parameters of an activation inside of a layer with weights."""
        if code in (0, RELU):
            return [(9, code)]
        if code in (RELU_N1_TO_1, RELU6):
            return [(9, 3), (-23310, "2,%g,%g" % ((0, 6) if code == RELU6 else (-1, 1)))]
        raise Refused(f"fused activation {code}")

    def activated(self, kind, inputs, parameters, code, output):
        if code == 0:
            self.add(kind, inputs, parameters, output)
        elif code == RELU:
            self.add("ReLU", [self.add(kind, inputs, parameters)], [], output)
        elif code == RELU6:
            self.add("Clip", [self.add(kind, inputs, parameters)], [(0, 0), (1, 6)], output)
        else:
            raise Refused(f"fused activation {code}")

    # ---- layers ----

    def convolution(self, n, depthwise):
        w, stride, dilation, code, (top, bottom, left, right) = self.window(n, depthwise)
        kernel, channels = w.shape[1:3], w.shape[3] if depthwise else w.shape[0]
        if self.shape(n.inputs[0])[1:3] == [1, 1] == list(kernel) and not depthwise:
            self.product(n, w.reshape(channels, -1), code)  # a vector: ncnn's global pool gives one
            return
        bias = self.bias(n)
        parameters = [(0, channels), (1, kernel[1]), (11, kernel[0]), (2, dilation[1]),
                      (12, dilation[0]), (3, stride[1]), (13, stride[0]), (4, left), (15, right),
                      (14, top), (16, bottom), (5, int(bias is not None)), (6, w.size)]
        parameters += ([(7, channels)] if depthwise else []) + self.activation(code)
        # [1, h, w, c] to [c, h, w], or [out, h, w, in] to [out, in, h, w].
        self.put(w[0].transpose(2, 0, 1) if depthwise else w.transpose(0, 3, 1, 2))
        if bias is not None:
            self.put(bias, tagged=False)
        self.add("ConvolutionDepthWise" if depthwise else "Convolution", [self.read(n.inputs[0])],
                 parameters, n.outputs[0])

    def fully_connected(self, n):
        w = self.constant(n.inputs[1])
        if numpy.prod(self.shape(n.inputs[0])) != w.shape[1]:
            raise Refused("FULLY_CONNECTED of several rows")
        self.product(n, w, n.option(0, "<b"))

    def product(self, n, w, code):
        bias = self.bias(n)
        self.put(w)
        if bias is not None:
            self.put(bias, tagged=False)
        self.add("InnerProduct", [self.read(n.inputs[0])],
                 [(0, w.shape[0]), (1, int(bias is not None)), (2, w.size)] + self.activation(code),
                 n.outputs[0])

    def pool(self, n, average):
        stride, kernel = (n.option(2), n.option(1)), (n.option(4), n.option(3))
        top, bottom, left, right = self.padding(n, n.option(0, "<b"), kernel, stride)
        whole = list(kernel) == self.shape(n.inputs[0])[1:3]
        parameters = [(0, int(average)), (4, 1)] if average and whole and not (top + left) else [
            (0, int(average)), (1, kernel[1]), (11, kernel[0]), (2, stride[1]), (12, stride[0]),
            (3, left), (14, right), (13, top), (15, bottom), (5, 1)]
        self.activated("Pooling", [self.read(n.inputs[0])], parameters, n.option(5, "<b"),
                       n.outputs[0])

    def mean(self, n):
        self.check_pool(n)
        self.add("Pooling", [self.read(n.inputs[0])], [(0, 1), (4, 1)], n.outputs[0])

    def pad(self, n):
        top, bottom, left, right = self.pads(n)
        self.add("Padding", [self.read(n.inputs[0])],
                 [(0, top), (1, bottom), (2, left), (3, right), (4, 0), (5, 0)], n.outputs[0])

    def sum(self, n):
        self.check_sum(n)
        self.activated("BinaryOp", [self.read(t) for t in n.inputs], [(0, 0)], n.option(0, "<b"),
                       n.outputs[0])

    def concatenation(self, n):
        self.check_channels(n)
        self.activated("Concat", [self.read(t) for t in n.inputs], [(0, 0)], n.option(1, "<b"),
                       n.outputs[0])

    def reshape(self, n):
        self.check_vector(n)
        self.add("Flatten", [self.read(n.inputs[0])], [], n.outputs[0])

    def resize(self, n):
        if n.option(3, "<b"):
            raise Refused("RESIZE_BILINEAR with half_pixel_centers")
        _, h, w, _ = self.shape(n.outputs[0])
        _, from_h, from_w, _ = self.shape(n.inputs[0])
        aligned = n.option(2, "<b")
        if not aligned and (from_h, from_w) != (1, 1):
            raise Refused("RESIZE_BILINEAR without align_corners, which ncnn's Interp lacks")
        self.add("Interp", [self.read(n.inputs[0])], [(0, 2), (3, h), (4, w), (6, aligned)],
                 n.outputs[0])

    def softmax(self, n):
        if n.option(0, "<f") != 1:
            raise Refused("SOFTMAX with beta")
        self.check_vector(n)
        self.add("Softmax", [self.read(n.inputs[0])], [(0, 0), (1, 1)], n.outputs[0])

    def convert(self):
        """Returns .param as text and .bin as bytes."""
        source = self.model.inputs[0]
        n, h, w, c = self.shape(source)
        if n != 1:
            raise Refused(f"a batch of {n}")
        ways = {"CONV_2D": lambda n: self.convolution(n, False),
                "DEPTHWISE_CONV_2D": lambda n: self.convolution(n, True),
                "FULLY_CONNECTED": self.fully_connected, "MEAN": self.mean, "PAD": self.pad,
                "AVERAGE_POOL_2D": lambda n: self.pool(n, True),
                "MAX_POOL_2D": lambda n: self.pool(n, False), "ADD": self.sum,
                "CONCATENATION": self.concatenation, "RESHAPE": self.reshape,
                "RESIZE_BILINEAR": self.resize, "SOFTMAX": self.softmax}
        self.add("Input", [], [(0, w), (1, h), (2, c)], source)
        for node in self.model.nodes:
            if node.op not in ways:
                raise Refused(f"{node.op} is not converted")
            ways[node.op](node)
        head = f"7767517\n{len(self.lines)} {self.blobs}\n"
        return head + "\n".join(self.lines) + "\n", b"".join(self.weights)

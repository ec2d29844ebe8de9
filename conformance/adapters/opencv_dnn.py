"""OpenCV's module dnn, which reads .tflite files itself; tensors of rank 4 are NCHW there:

    assay conformance --subject='exec:python3 conformance/adapters/opencv_dnn.py'
"""
import cv2
import numpy
import tflite_file
from assay_agent import Refused, options, serve


class Model:
    def __init__(self, model, _, __):
        (self.to, self.inputs), (self.names, self.outputs) = tflite_file.tensors(model)
        try:
            self.net = cv2.dnn.readNetFromTFLite(numpy.frombuffer(model, numpy.uint8))
            self.write([numpy.zeros(shape, dtype) for dtype, shape in self.inputs])  # looks at types
        except cv2.error as error:
            raise Refused(error) from error
        if len(self.net.getUnconnectedOutLayersNames()) != len(self.names):
            raise Refused("outputs that other nodes read")

    def write(self, arrays):
        for name, array in zip(self.to, arrays):
            self.net.setInput(array.transpose(0, 3, 1, 2).copy() if array.ndim == 4 else array, name)

    def invoke(self):
        self.results = self.net.forward(self.names)

    def read(self):
        return [r.transpose(0, 2, 3, 1) if len(shape) == 4 and r.ndim == 4 else r
                for r, (_, shape) in zip(self.results, self.outputs)]


def create(keys):
    options(keys)
    cv2.setNumThreads(1)
    return Model, "host processor", f"OpenCV {cv2.__version__}"


serve(create, 0)

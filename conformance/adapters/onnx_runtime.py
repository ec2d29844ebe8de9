"""ONNX Runtime's CPU provider, for what tf2onnx makes of the model, which it reads with TensorFlow:

    assay conformance --subject='exec:python3 conformance/adapters/onnx_runtime.py?late_refusal=declined'

The reason of a refusal begins with the name of who refuses.  A model that runs into shapes which do
not agree, as the checker of ONNX says, is refused late, by tf2onnx: without the key it fails.
"""
import functools
import logging

import onnx
import onnxruntime
import tf2onnx
import tflite_file
from assay_agent import Refused, late, options, path_of, serve

OPSET = 18


@functools.lru_cache(maxsize=8)  # the suite opens a model several times
def convert(model):
    """The model as ONNX; a node that tf2onnx does not know stays in it as TFL_..."""
    with path_of(model) as path:
        try:
            return tf2onnx.convert.from_tflite(path, opset=OPSET)[0]
        except Exception as error:  # it raises whatever Python does
            raise Refused(f"tf2onnx: {type(error).__name__}: {error}") from error


class Model:
    def __init__(self, model, _, __):
        (self.to, self.inputs), (self.names, self.outputs) = tflite_file.tensors(model)
        self.graph = convert(bytes(model))
        limits = onnxruntime.SessionOptions()
        limits.intra_op_num_threads = limits.inter_op_num_threads = 1
        try:
            self.session = onnxruntime.InferenceSession(self.graph.SerializeToString(), limits,
                                                        ["CPUExecutionProvider"])
        except Exception as error:  # its classes have no other base
            raise Refused(f"ONNX Runtime: {error}") from error

    def write(self, arrays):
        self.arguments = dict(zip(self.to, arrays))

    def invoke(self):
        try:
            self.results = self.session.run(self.names, self.arguments)
        except Exception as error:  # as above
            self.blame()
            raise late(f"ONNX Runtime: {error}") from error
        if [r.shape for r in self.results] != [shape for _, shape in self.outputs]:
            self.blame()

    def blame(self):
        """Whose fault it is that shapes do not agree."""
        try:
            onnx.checker.check_model(self.graph, full_check=True)
        except Exception as error:  # as above
            raise Refused(f"tf2onnx: {error}") from error

    def read(self):
        return self.results


def create(keys):
    options(keys)
    logging.disable(logging.WARNING)
    version = f"ONNX Runtime {onnxruntime.__version__}, tf2onnx {tf2onnx.__version__}"
    return Model, "host processor", version


serve(create, 0)

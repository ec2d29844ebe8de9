"""OpenVINO's CPU plugin, which reads .tflite files itself, in f32:

    assay conformance --subject='exec:python3 conformance/adapters/openvino_cpu.py'
"""
import contextlib
import functools
import os
import sys

import openvino
import tflite_file
from assay_agent import Refused, options, path_of, serve

CONFIG = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
# OpenVINO looks at the ending of a name: a link, which stays, to whatever has this number here.
NUMBER = 100
LINK = os.path.join(sys.prefix, f"file-{NUMBER}.tflite")


@functools.lru_cache(maxsize=8)  # the suite opens a model several times
def compile_model(core, model):
    with path_of(model) as path:
        os.dup2(int(os.path.basename(path)), NUMBER)
        try:
            return core.compile_model(LINK, "CPU", CONFIG)
        except RuntimeError as error:
            raise Refused(error) from error


def find(ports, name):
    """A port may have several names, where nothing is computed between tensors."""
    for index, port in enumerate(ports):
        if name in port.names:
            return index
    raise RuntimeError(f"no port is named {name}: " + ", ".join(str(p.names) for p in ports))


class Model:
    def __init__(self, core, model, _, __):
        (to, self.inputs), (names, self.outputs) = tflite_file.tensors(model)
        compiled = compile_model(core, bytes(model))
        self.request = compiled.create_infer_request()
        self.to = [find(compiled.inputs, name) for name in to]
        self.results = [find(compiled.outputs, name) for name in names]

    def write(self, arrays):
        for port, array in zip(self.to, arrays):
            self.request.set_input_tensor(port, openvino.Tensor(array.copy()))

    def invoke(self):
        self.request.infer()

    def read(self):
        return [self.request.get_output_tensor(port).data for port in self.results]


def create(keys):
    options(keys)
    with contextlib.suppress(FileExistsError):
        os.symlink(f"/proc/self/fd/{NUMBER}", LINK)
    core = openvino.Core()
    name = core.get_property("CPU", "FULL_DEVICE_NAME")
    return lambda *model: Model(core, *model), name, f"OpenVINO {openvino.__version__}"


serve(create, 0)

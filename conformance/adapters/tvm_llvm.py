"""TVM: the importer of relax, compiled by LLVM for this machine's processor.

    assay conformance --subject='exec:python3 conformance/adapters/tvm_llvm.py'
"""
import functools

import numpy
import tflite
import tflite_file
import tvm
from assay_agent import Refused, options, serve
from tvm import relax
from tvm.relax.frontend.tflite import from_tflite

TARGET = "llvm"


@functools.lru_cache(maxsize=8)  # the suite opens a model several times
def compile_model(model):
    try:
        module = from_tflite(tflite.Model.GetRootAsModel(bytearray(model), 0))
        return tvm.compile(module, TARGET)
    except Exception as error:  # the importer raises whatever Python does
        raise Refused(f"{type(error).__name__}: {error}") from error


class Model:
    def __init__(self, model, _, __):
        (_, self.inputs), (_, self.outputs) = tflite_file.tensors(model)
        self.machine = relax.VirtualMachine(compile_model(bytes(model)), tvm.cpu())

    def write(self, arrays):
        self.arguments = [tvm.runtime.tensor(a) for a in arrays]

    def invoke(self):
        self.results = self.machine["main"](*self.arguments)

    def read(self):
        one = isinstance(self.results, tvm.runtime.Tensor)
        return [numpy.asarray(r.numpy()) for r in ([self.results] if one else self.results)]


def create(keys):
    options(keys)
    return Model, "host processor", f"TVM {tvm.__version__}"


serve(create, 0)

"""TOSA: tosa-converter-for-tflite and the reference model of tosa-tools.

    assay conformance --subject='exec:python3 conformance/adapters/tosa_reference.py'
"""
import functools
import importlib.metadata
import os
import subprocess
import sys

import numpy
import tflite_file
import tosa_converter_for_tflite as converter
import tosa_reference_model
from assay_agent import Refused, options, path_of, serve

TOSA_OPT = os.path.join(os.path.dirname(sys.executable), "tosa-opt")


@functools.lru_cache(maxsize=8)  # the suite opens a model several times
def convert(model):
    """The graph as a TOSA flatbuffer."""
    with path_of(model) as source, path_of() as mlir, path_of() as graph:
        try:
            converter.tflite_flatbuffer_to_tosa_mlir(source, mlir)
        except RuntimeError as error:
            raise Refused(error) from error
        done = subprocess.run([TOSA_OPT, mlir, "-o", os.devnull,
                               "--tosa-convert-integer-type-to-signless",
                               f"--tosa-serialize=tosa-flatbuffer-filename={graph}"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            raise Refused((done.stderr.strip() or "tosa-opt fails").splitlines()[0].replace(mlir, ""))
        with open(graph, "rb") as file:
            return file.read()


class Model:
    def __init__(self, model, _, __):
        (_, self.inputs), (_, self.outputs) = tflite_file.tensors(model)
        self.graph = convert(bytes(model))

    def write(self, arrays):
        self.arrays = [a.copy() for a in arrays]

    def invoke(self):
        self.results, status = tosa_reference_model.run(self.graph, self.arrays)
        if status != tosa_reference_model.GraphStatus.TOSA_VALID:
            raise RuntimeError(status)

    def read(self):
        return [r.view(dtype).reshape(shape) for r, (dtype, shape) in zip(self.results, self.outputs)]


def create(keys):
    options(keys)
    version = importlib.metadata.version("tosa-tools")
    return Model, "host processor", f"TOSA reference model {version}"


serve(create, 0)

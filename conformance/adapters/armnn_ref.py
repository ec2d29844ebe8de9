"""Arm NN's reference backend (Debian's python3-pyarmnn):

    assay conformance --subject='exec:python3 conformance/adapters/armnn_ref.py'

Key: backends, the folder of Arm_CpuRef_backend.so where it is not installed.
"""
import os

import numpy
import pyarmnn as ann
import tflite_file
from assay_agent import Refused, options, path_of, serve


class Model:
    def __init__(self, runtime, model, _, __):
        (to, self.inputs), (names, self.outputs) = tflite_file.tensors(model)
        self.runtime = runtime
        with path_of(model) as path:
            try:
                parser = ann.ITfLiteParser()
                network = parser.CreateNetworkFromBinaryFile(path)
                self.to = [parser.GetNetworkInputBindingInfo(0, name) for name in to]
                results = [parser.GetNetworkOutputBindingInfo(0, name) for name in names]
                optimized, _ = ann.Optimize(network, [ann.BackendId("CpuRef")],
                                            runtime.GetDeviceSpec(), ann.OptimizerOptions())
                self.network, _ = runtime.LoadNetwork(optimized)
            except RuntimeError as error:
                raise Refused(error) from error
        self.results = ann.make_output_tensors(results)

    def __del__(self):
        if hasattr(self, "network"):
            self.runtime.UnloadNetwork(self.network)

    def write(self, arrays):
        self.arguments = ann.make_input_tensors(self.to, [a.copy() for a in arrays])

    def invoke(self):
        self.runtime.EnqueueWorkload(self.network, self.arguments, self.results)

    def read(self):
        found = ann.workload_tensors_to_ndarray(self.results)
        return [f.reshape(shape) if f.size == numpy.prod(shape) else f
                for f, (_, shape) in zip(found, self.outputs)]


def create(keys):
    backends, creation = options(keys, backends=None)["backends"], ann.CreationOptions()
    if backends:
        creation.m_DynamicBackendsPath = os.path.abspath(backends)
    runtime = ann.IRuntime(creation)
    if "CpuRef" not in str(runtime.GetDeviceSpec()):
        raise RuntimeError(f"CpuRef is not installed: {runtime.GetDeviceSpec()}")
    return lambda *model: Model(runtime, *model), "host processor, CpuRef", f"Arm NN {ann.ARMNN_VERSION}"


serve(create, 0)

"""TensorFlow Lite for Microcontrollers (package tflite-micro) on this machine's processor:

    assay conformance --subject='exec:python3 conformance/adapters/tflm.py?late_refusal=declined'

It looks at types when it runs: without the key such a model fails.  Key: arena_mb (64).
"""
import importlib.metadata

import tflite_file
from assay_agent import RESET, Refused, late, options, printed_by, serve
from tflite_micro.python.tflite_micro import runtime


class Model:
    def __init__(self, arena_bytes, model, _, __):
        def make():
            return runtime.Interpreter.from_bytes(bytes(model), arena_size=arena_bytes)

        (_, self.inputs), (_, self.outputs) = tflite_file.tensors(model)
        try:
            self.interpreter = make()
        except RuntimeError as error:
            raise Refused(printed_by(make) or error) from error
        self.reset = self.interpreter.reset

    def write(self, arrays):
        for index, array in enumerate(arrays):
            self.interpreter.set_input(array, index)

    def invoke(self):
        """What it prints at a second attempt says whether it has no code for the model."""
        try:
            self.interpreter.invoke()
        except RuntimeError as error:
            raise late(printed_by(self.interpreter.invoke) or str(error)) from error

    def read(self):
        return [self.interpreter.get_output(i) for i in range(len(self.outputs))]


def create(keys):
    arena_bytes = int(options(keys, arena_mb=64)["arena_mb"]) << 20
    version = importlib.metadata.version("tflite-micro")
    return lambda *model: Model(arena_bytes, *model), "host processor", f"tflite-micro {version}"


serve(create, RESET)

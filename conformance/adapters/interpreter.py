"""The Interpreter of ai-edge-litert, tflite-runtime or TensorFlow, whichever is installed:

    assay conformance --subject='exec:python3 conformance/adapters/interpreter.py?resolver=builtin'

Keys: package (ai_edge_litert, tflite_runtime, tensorflow), threads, resolver (auto: with XNNPACK;
builtin; reference).
"""
import importlib
import importlib.metadata

from assay_agent import OPEN_OTHER_SIZES, RESET, RESIZE, Refused, late, options, serve

PACKAGES = {"ai_edge_litert": "interpreter", "tflite_runtime": "interpreter",
            "tensorflow": "lite.python.interpreter"}
RESOLVERS = {"auto": "AUTO", "builtin": "BUILTIN_WITHOUT_DEFAULT_DELEGATES", "reference": "BUILTIN_REF"}


class Model:
    def __init__(self, make, model, sizes, _):
        try:
            self.interpreter = make(model)
            self.resize(sizes)
        except (RuntimeError, ValueError) as error:
            raise Refused(error) from error

    def resize(self, sizes):
        for index, shape in sizes.items():
            self.interpreter.resize_tensor_input(
                self.interpreter.get_input_details()[index]["index"], shape)
        self.interpreter.allocate_tensors()
        self.inputs = self.tensors(self.interpreter.get_input_details())
        self.outputs = self.tensors(self.interpreter.get_output_details())

    @staticmethod
    def tensors(details):
        return [(d["dtype"], tuple(int(n) for n in d["shape"])) for d in details]

    def write(self, arrays):
        """No poison: what is computed when tensors are allocated, as of SHAPE, would be lost."""
        for d, array in zip(self.interpreter.get_input_details(), arrays):
            self.interpreter.set_tensor(d["index"], array)

    def invoke(self):
        try:
            self.interpreter.invoke()
        except RuntimeError as error:
            raise late(str(error)) from error

    def read(self):
        return [self.interpreter.get_tensor(d["index"])
                for d in self.interpreter.get_output_details()]

    def reset(self):
        self.interpreter.reset_all_variables()


def find(package):
    for name in [package] if package else PACKAGES:
        try:
            distribution = importlib.metadata.packages_distributions()[name][0]
            return importlib.import_module(f"{name}.{PACKAGES[name]}"), distribution
        except (ImportError, KeyError):
            if package:
                raise
    raise ImportError("none of " + ", ".join(PACKAGES))


def create(keys):
    known = options(keys, package=None, threads="1", resolver="auto")
    module, name = find(known["package"])
    resolver = getattr(module.OpResolverType, RESOLVERS[known["resolver"]])

    def make(model):
        return module.Interpreter(model_content=bytes(model), num_threads=int(known["threads"]),
                                  experimental_op_resolver_type=resolver)

    version = importlib.metadata.version(name)
    return lambda *model: Model(make, *model), "host processor", f"{name} {version}"


serve(create, OPEN_OTHER_SIZES | RESET | RESIZE)

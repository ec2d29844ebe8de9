"""Checks the installed wheel in a TensorFlow Lite: wheel_test.py HOST ADD_MODEL

HOST is ai_edge_litert, which also writes ADD_MODEL, or tflite_runtime; it and the wheel are installed.
A model that adds two tensors, and the digit model in 8 bits, run with the delegate and without.
"""

import importlib
import os
import pathlib
import subprocess
import sys

import numpy as np

import assay

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHAPE = [1, 5, 7, 13]
# Operands are below 1 and sums below 2.  f32 rounds a sum by at most 2^-24; f16 rounds each operand by
# at most 2^-12, and the sum by 2^-11.
LIMITS = {"fp32": 2.0**-24, "fp16": 2.0**-10}
passed = 0


def check(ok, what):
    global passed
    if not ok:
        sys.exit(f"wheel_test: FAILED: {what}")
    passed += 1


def write_add_model(path):
    sys.path.insert(0, str(ROOT / "conformance/tests/litert"))
    from flat_model import FlatModel

    m = FlatModel()
    a, b, total = (m.tensor(SHAPE) for _ in range(3))
    m.op("ADD", [a, b], [total], options="AddOptions")
    path.write_bytes(m.bytes([a, b], [total]))


def run(host, path, arrays, delegate=None):
    # Without XNNPACK, which would be a delegate, too.
    model = host.Interpreter(
        str(path),
        experimental_op_resolver_type=host.OpResolverType.BUILTIN_REF,
        experimental_delegates=[delegate] if delegate else [],
    )
    model.allocate_tensors()
    for detail, array in zip(model.get_input_details(), arrays):
        model.set_tensor(detail["index"], array)
    model.invoke()
    taken = [op for op in model._get_ops_details() if op["op_name"] == "DELEGATE"]
    check(bool(delegate) == bool(taken), f"{path.name}: {len(taken)} nodes of a delegate")
    return model.get_tensor(model.get_output_details()[0]["index"])


def check_models(host, path):
    rng = np.random.default_rng(1)
    arrays = [rng.uniform(-1, 1, SHAPE).astype(np.float32) for _ in range(2)]
    cpu = run(host, path, arrays)
    check(np.array_equal(cpu, arrays[0] + arrays[1]), "the sum on the CPU")
    errors = {}
    for precision, limit in LIMITS.items():
        gpu = run(host, path, arrays, assay.load_delegate(precision=precision))
        errors[precision] = float(np.abs(gpu - cpu).max())
        check(errors[precision] <= limit, f"{precision}: error {errors[precision]:g}")
    check(errors["fp16"] > errors["fp32"], f"precision has no effect: {errors}")

    package = pathlib.Path(assay.__file__).parent
    digits = package / "share" / "assay" / "golden" / "digits"
    image = rng.integers(-128, 128, [1, 32, 32, 1]).astype(np.int8)
    path = digits / "digits_i8.tflite"
    name = host.__name__.split(".")[0]
    gpu = run(host, path, [image], assay.load_delegate(quantized="exact", host=name))
    check(np.array_equal(gpu, run(host, path, [image])), "digits_i8 in exact integers")


def raises(kind, words, call, **options):
    try:
        call(**options)
    except kind as error:
        check(words in str(error), f"expected {words!r} in: {error}")
    else:
        check(False, f"{options}: expected {kind.__name__}")


def check_errors():
    raises(ValueError, "", assay.load_delegate, precision="fp64")
    raises(ValueError, "host 'caffe'", assay.load_delegate, host="caffe")
    raises(TypeError, "load_delegate", assay.load_delegate, host=sys)
    raises(TypeError, "option device", assay.load_delegate, device=[1])
    script = "import assay; assay._LOADER = 'libnone.so.1'; assay.load_delegate()"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    check("OSError: assay.load_delegate: the Vulkan loader is missing" in out.stderr, out.stderr)


def check_accelerator(host, path):
    """CompiledModel of LiteRT has the bits of the delegate in the same process: of f16, on request."""
    from ai_edge_litert.compiled_model import CompiledModel
    from ai_edge_litert.environment import Environment, EnvironmentOptions
    from ai_edge_litert.hardware_accelerator import HardwareAccelerator
    from ai_edge_litert.options import Options

    rng = np.random.default_rng(2)
    arrays = [rng.uniform(-1, 1, SHAPE).astype(np.float32) for _ in range(2)]
    expected = run(host, path, arrays, assay.load_delegate(precision="fp16"))
    os.environ["ASSAY_DELEGATE_OPTIONS"] = "precision=fp16"
    environment = Environment.create(
        options=EnvironmentOptions(runtime_path=assay.accelerator_dir())
    )
    options = Options(hardware_accelerators=HardwareAccelerator.GPU)
    model = CompiledModel.from_file(str(path), environment=environment, options=options)
    check(model.is_fully_accelerated(), "CompiledModel is fully accelerated")
    inputs, outputs = model.create_input_buffers(0), model.create_output_buffers(0)
    for buffer, array in zip(inputs, arrays):
        buffer.write(array)
    model.run_by_index(0, inputs, outputs)
    got = outputs[0].read(int(np.prod(SHAPE)), np.float32).reshape(SHAPE)
    check(
        not np.array_equal(expected, arrays[0] + arrays[1]), "sums of f16 differ from those of f32"
    )
    check(np.array_equal(got, expected), "CompiledModel has the bits of the delegate")


def main():
    name, model = sys.argv[1], pathlib.Path(sys.argv[2])
    host = importlib.import_module(f"{name}.interpreter")
    check(os.path.isfile(assay.delegate_path()), assay.delegate_path())
    if name == "ai_edge_litert":
        write_add_model(model)
    check_models(host, model)
    check_errors()
    if name == "ai_edge_litert":
        check_accelerator(host, model)
    print(f"wheel_test: {name}: {passed} checks passed")


if __name__ == "__main__":
    main()

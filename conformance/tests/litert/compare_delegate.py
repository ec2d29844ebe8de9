"""Compares whole 8-bit models with BUILTIN_REF: our .so in the real LiteRT, and in our runtime.

    python conformance/tests/litert/compare_delegate.py BUILD_DIRECTORY [MODEL...]

In a venv with golden/requirements.txt; `make cross-check` does it too.  Without MODEL: the digit
models, MobileNet v1 from `assay zoo` in i8, u8 and dynamic range, and the trained models of
ASSAY_MODELS (default ../shared/models), where there is such a folder.

First come all tensors of our runtime without a delegate, as in compare_tensors.py.  Then the delegate
runs pictures and noise, of which our own runtime is given the first and, in integers, the last.  It has
to take all nodes but ARG_MAX, and
  - with quantized=exact each output is identical to that of the reference kernels, in both hosts;
  - with quantized=float_view a picture has the same class, unless the two best scores of the
    reference are closer than the error; scores are within one step on average, and 25 dB.  Where
    the default kernels of the runtime (XNNPACK) are further off, limits follow from them: 3 dB more
    error than theirs, and in a segmentation, which has classes only, twice as many pixels of another
    class.
Models with i8 weights only (dynamic range) are held to the class and to 25 dB, since the runtime
rounds activations where we do not.
"""

import argparse
import os
import pathlib
import subprocess
import sys

import flatbuffers
import h5py
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import OpResolverType, load_delegate

import compare_tensors
import litert

ROOT = pathlib.Path(__file__).resolve().parents[3]
REAL = (
    "mobilenet_v1_0.25_128_quant",
    "tf2_mobilenet_v2_1.0_224_ptq",
    "deeplabv3_mnv2_dm05_pascal_quant",
)
PICTURES = ("cat.bmp", "parrot.jpg")
MODES = ("exact", "float_view")
LEFT_ALONE = {"ARG_MAX"}
SNR_DB, STEPS = 25.0, 1.0
DIGITS = 8  # images, spread over the test part
NOISE = "noise"


def echo_model(shape):
    """Returns a model that copies its u8 input: it shows what `assay run` makes of a picture."""
    tensors = []
    for name in (b"in", b"out"):
        tensor = schema.TensorT()
        tensor.name, tensor.shape, tensor.type = name, list(shape), schema.TensorType.UINT8
        tensor.buffer = 0
        tensors.append(tensor)
    op = schema.OperatorT()
    op.opcodeIndex, op.inputs, op.outputs = 0, [0], [1]
    op.builtinOptionsType, op.builtinOptions = schema.BuiltinOptions.ReshapeOptions, schema.ReshapeOptionsT()
    op.builtinOptions.newShape = list(shape)
    code = schema.OperatorCodeT()
    code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.RESHAPE
    code.version = 1
    graph = schema.SubGraphT()
    graph.tensors, graph.operators, graph.inputs, graph.outputs = tensors, [op], [0], [1]
    model = schema.ModelT()
    model.version, model.operatorCodes, model.subgraphs = 3, [code], [graph]
    model.buffers = [schema.BufferT()]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


class Bench:
    """The programs, and a folder for files."""

    def __init__(self, build):
        self.build = build
        self.assay = str(build / "assay")
        self.library = str(build / "libassay_delegate.so")
        self.work = build / "cross-check"
        self.work.mkdir(exist_ok=True)
        self.models = pathlib.Path(os.environ.get("ASSAY_MODELS", ROOT / ".." / "shared" / "models"))

    def run(self, path, picture, *options):
        """Returns the first output of `assay run`."""
        answer = self.work / "answer.npy"
        subprocess.run(
            [self.assay, "run", path, f"--input={picture}", f"--output={answer}"]
            + [f"--out={self.work / 'run.txt'}", *options],
            check=True,
        )
        return np.load(answer)

    def pictures(self, shape):
        """Returns names and u8 arrays of pictures, resized by `assay run`."""
        found = [self.models / "images" / name for name in PICTURES]
        if shape[-1] != 3 or not all(path.exists() for path in found):
            return {}
        echo = self.work / "echo.tflite"
        echo.write_bytes(echo_model(shape))
        return {
            path.stem: self.run(echo, path, "--delegate=none").reshape(shape) for path in found
        }


def digits():
    with h5py.File(ROOT / "golden" / "digits" / "digits.h5", "r") as f:
        pick = np.linspace(0, len(f["labels"]) - 1, DIGITS).astype(int)
        return {f"digit {i}": f["images"][i][None] for i in pick}


def inputs_for(bench, detail):
    """Returns names and arrays of the model's type; the last one is noise."""
    shape, kind = tuple(int(n) for n in detail["shape"]), np.dtype(detail["dtype"])
    random = np.random.default_rng(1)
    inputs = digits() if shape == (1, 32, 32, 1) else bench.pictures(shape)
    inputs[NOISE] = random.integers(0, 256, shape, np.uint8)
    if kind == np.int8:
        return {name: (x.astype(np.int16) - 128).astype(np.int8) for name, x in inputs.items()}
    if kind == np.float32:
        return {name: (x.astype(np.float32) - 127.5) / np.float32(127.5) for name, x in inputs.items()}
    return inputs


def answers_of(interpreter, inputs):
    at = interpreter.get_input_details()[0]["index"]
    outputs = [detail["index"] for detail in interpreter.get_output_details()]
    answers = {}
    for name, x in inputs.items():
        interpreter.set_tensor(at, x)
        interpreter.invoke()
        answers[name] = [interpreter.get_tensor(out).copy() for out in outputs]
    return answers


def compare_close(expected, got, default):
    """Returns whether the limits of a float computation hold, and figures.  default: answers of the
    default kernels of the runtime."""
    if expected.dtype == np.int64:  # a class for each pixel
        differ, limit = int((expected != got).sum()), 2 * int((expected != default).sum())
        return differ <= limit, f"{differ} of {expected.size} pixels of another class, limit {limit}"
    wrong, snr = litert.wrong_classes(expected, got), litert.snr_db(expected, got)
    limit = min(SNR_DB, litert.snr_db(expected, default) - 3)
    same = int((expected.argmax(1) == got.argmax(1)).sum())
    figures = f"same class {same} of {len(got)}, {wrong} wrong, {snr:.1f} dB, limit {limit:.1f}"
    if expected.dtype.kind == "f":
        return wrong == 0 and snr >= limit, figures
    steps = np.abs(expected.astype(np.int32) - got)
    figures += f", off by {steps.mean():.3f} steps on average, {steps.max()} at most"
    return wrong == 0 and snr >= limit and steps.mean() <= STEPS, figures


def check_answers(report, what, exact, answers, got):
    """Compares lists of outputs, by name of input, with answers of the runtime, by its kernels."""
    expected, names = answers["reference"], [*got]
    for i in range(len(got[names[0]])):

        def joined(outputs):
            return np.concatenate([outputs[name][i] for name in names])

        a, b = joined(expected), joined(got)
        if exact:
            differ = int((a != b).sum())
            ok, figures = differ == 0, f"{differ} of {a.size} elements of {len(names)} inputs differ"
        else:
            ok, figures = compare_close(a, b.astype(a.dtype), joined(answers["default"]))
        report.check(ok, what, figures)


def check_model(report, bench, path):
    plain = litert.interpreter_of(path, OpResolverType.BUILTIN_REF)
    detail = plain.get_input_details()[0]
    integers = np.dtype(detail["dtype"]).kind != "f"
    inputs = inputs_for(bench, detail)
    default = litert.interpreter_of(path, OpResolverType.AUTO)
    answers = {"reference": answers_of(plain, inputs), "default": answers_of(default, inputs)}
    for mode in MODES:
        exact = integers and mode == "exact"
        what = f"{path.stem}, {mode}"
        delegate = load_delegate(bench.library, {"quantized": mode, "max_partitions": 0})
        interpreter = litert.interpreter_of(path, OpResolverType.BUILTIN_REF, [delegate])
        taken, left = litert.ops_that_run(interpreter)
        report.check(
            taken == 1 and set(left) <= LEFT_ALONE,
            what,
            f"DELEGATE nodes: {taken}, other ops: {', '.join(left) or 'none'}",
        )
        # Floats of noise prove nothing where there is a picture.
        asked = {name: x for name, x in inputs.items() if exact or name != NOISE or len(inputs) == 1}
        check_answers(report, what, exact, answers, answers_of(interpreter, asked))
        del interpreter, delegate
        ours = {}
        for name in {next(iter(asked)), [*asked][-1]} if exact else {next(iter(asked))}:
            np.save(bench.work / "input.npy", inputs[name])
            options = [f"--delegate-option={o}" for o in (f"quantized={mode}", "max_partitions=0")]
            ours[name] = [bench.run(path, bench.work / "input.npy", *options)]
        check_answers(report, f"{what}, our runtime", exact, answers, ours)


def check_tensors(report, bench, path):
    """Compares every tensor of our runtime alone, over the whole range of inputs."""
    arguments = argparse.Namespace(seed=1, runs=1, input=None)
    wrong = compare_tensors.run_model(arguments, bench.build / "libassay.so", path)
    report.check(wrong == 0, f"{path.stem}, every tensor of our runtime", f"{wrong} of integers differ")


def own_models(bench):
    for kind in ("dynamic", "i8", "u8"):
        yield ROOT / "golden" / "digits" / f"digits_{kind}.tflite"
    for kind in ("dynamic", "i8", "u8"):
        path = bench.work / f"mobilenet_v1_{kind}.tflite"
        subprocess.run(
            [bench.assay, "zoo", "mobilenet_v1", "--res=128", f"--type={kind}", "-o", path, "--quiet"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        yield path


def real_models(bench):
    if not (bench.models / "real").is_dir():
        print(f"skipped: no trained models in {bench.models} (set ASSAY_MODELS)", flush=True)
        return
    for name in REAL:
        yield bench.models / "real" / f"{name}.tflite"


def check_all(report, build, paths=()):
    """A model that one of the runtimes does not run is a failure, and the next follows."""
    bench = Bench(build)
    for path in paths or [*own_models(bench), *real_models(bench)]:
        for check in (check_tensors, check_model):
            try:
                check(report, bench, path)
            except (RuntimeError, ValueError, OSError, subprocess.CalledProcessError) as error:
                report.check(False, path.stem, f"not compared: {error}")
                break


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("models", type=pathlib.Path, nargs="*")
    arguments = parser.parse_args()
    report = litert.Report()
    check_all(report, arguments.build.resolve(), arguments.models)
    print(f"compare-delegate: {report.passed} passed, {report.failed} failed")
    return report.failed != 0


if __name__ == "__main__":
    sys.exit(main())

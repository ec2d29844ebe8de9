"""Checks the delegate as a LiteRT accelerator: CompiledModel of ai-edge-litert, which loads our .so.

    make cross-check            # or, in a venv with golden/requirements.txt:
    python conformance/tests/litert/cross_accelerator.py BUILD_DIRECTORY

The digit models, MobileNets from `assay zoo`, and the trained models of ASSAY_MODELS (default
../shared/models), where there is such a folder, run in LiteRT's CompiledModel and in its
Interpreter, with the same delegate: the bits must be the same, in two sets of buffers in turn.  A
model that the delegate takes wholly is fully accelerated; another one is LiteRT's error with the GPU
alone, and runs with GPU and CPU.  Then options, a thread for each of several models, memory after
many of them, and cases of the suite through LiteRT's C API.
"""

import argparse
import gc
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

import ai_edge_litert
import numpy as np
from ai_edge_litert.compiled_model import CompiledModel
from ai_edge_litert.environment import Environment, EnvironmentOptions
from ai_edge_litert.gpu_options import GpuOptions
from ai_edge_litert.hardware_accelerator import HardwareAccelerator
from ai_edge_litert.interpreter import OpResolverType, load_delegate
from ai_edge_litert.options import Options

from litert import Report, interpreter_of, ops_that_run

ROOT = pathlib.Path(__file__).resolve().parents[3]
GPU, CPU = HardwareAccelerator.GPU, HardwareAccelerator.CPU
VARIABLE = "ASSAY_DELEGATE_OPTIONS"
SEED = 1
ROUNDS = 2  # inputs of each model
CYCLES, GROWTH_KIB = 30, 8192
# Cases that run through the C API, all of which the delegate takes.
SUITE = ("softmax.f*.c*", "softmax.?8.c*")


class Stderr:
    """Collects what C code writes to stderr, in .text."""

    def __enter__(self):
        sys.stderr.flush()
        self.file = tempfile.TemporaryFile()
        self.saved = os.dup(2)
        os.dup2(self.file.fileno(), 2)
        return self

    def __exit__(self, *_):
        os.dup2(self.saved, 2)
        os.close(self.saved)
        self.file.seek(0)
        self.text = self.file.read().decode(errors="replace")
        self.file.close()


class Compiled:
    """A CompiledModel whose inputs and outputs are arrays."""

    def __init__(self, environment, path, hardware=GPU, gpu=None):
        options = Options(hardware_accelerators=hardware, gpu_options=gpu)
        self.model = CompiledModel.from_file(str(path), environment=environment, options=options)
        self.inputs = self.model.create_input_buffers(0)
        self.outputs = self.model.create_output_buffers(0)

    def run(self, arrays, inputs=None, outputs=None):
        inputs, outputs = inputs or self.inputs, outputs or self.outputs
        for buffer, array in zip(inputs, arrays):
            buffer.write(array)
        self.model.run_by_index(0, inputs, outputs)
        return [self.bytes_of(buffer) for buffer in outputs]

    @staticmethod
    def bytes_of(buffer):
        details = buffer.get_tensor_details()
        dtype = np.dtype(details["dtype"])
        count = int(np.prod(details["shape"]))
        if dtype == np.int64:  # which read() does not know
            return buffer.read(2 * count, np.int32).tobytes()
        return buffer.read(count, dtype).tobytes()


class Delegate:
    """The delegate in LiteRT's Interpreter: what CompiledModel has to agree with."""

    def __init__(self, library, path, options=None):
        self.delegate = load_delegate(library, options or {})
        self.interpreter = interpreter_of(path, OpResolverType.AUTO, [self.delegate])
        taken, left = ops_that_run(self.interpreter)
        self.whole = taken == 1 and not left

    def run(self, arrays):
        for detail, array in zip(self.interpreter.get_input_details(), arrays):
            self.interpreter.set_tensor(detail["index"], array)
        self.interpreter.invoke()
        outputs = self.interpreter.get_output_details()
        return [self.interpreter.get_tensor(d["index"]).tobytes() for d in outputs]

    def arrays(self, rng):
        made = []
        for d in self.interpreter.get_input_details():
            kind, shape = np.dtype(d["dtype"]), tuple(d["shape"])
            if kind.kind == "f":
                made.append(rng.uniform(-1, 1, shape).astype(kind))
            else:
                low, high = (0, 2) if kind.itemsize > 1 else (np.iinfo(kind).min, 256)
                made.append(rng.integers(low, min(high, np.iinfo(kind).max + 1), shape, dtype=kind))
        return made


def environment_of(directory):
    return Environment.create(options=EnvironmentOptions(runtime_path=str(directory)))


def same(a, b):
    return len(a) == len(b) and all(x == y for x, y in zip(a, b))


def check_model(report, environment, library, name, path):
    reference = Delegate(library, path)
    hardware = GPU if reference.whole else GPU | CPU
    with Stderr() as said:
        if not reference.whole:
            try:
                Compiled(environment, path, GPU)
                refused = "was accepted"
            except RuntimeError as e:
                refused = "not accelerated" if "not accelerated" in str(e) else str(e)
        compiled = Compiled(environment, path, hardware)
    if not reference.whole:
        report.check(refused == "not accelerated", f"{name}, GPU alone", refused)
    full = compiled.model.is_fully_accelerated()
    report.check(
        full == reference.whole or not reference.whole,  # XNNPACK counts as acceleration
        f"{name}, {'GPU' if hardware == GPU else 'GPU and CPU'}",
        f"fully accelerated: {full}",
    )
    report.check(
        "Failed to get buffer requirements" not in said.text, name, "buffer requirements are known"
    )
    rng = np.random.default_rng(SEED)
    others = compiled.model.create_input_buffers(0), compiled.model.create_output_buffers(0)
    equal = {"its buffers": 0, "other buffers": 0}
    for _ in range(ROUNDS):
        arrays = reference.arrays(rng)
        expected = reference.run(arrays)
        equal["its buffers"] += same(expected, compiled.run(arrays))
        equal["other buffers"] += same(expected, compiled.run(arrays, *others))
    for what, count in equal.items():
        report.check(count == ROUNDS, f"{name}, {what}", f"{count} of {ROUNDS} answers the same")


def check_trained(report, environment, library, models):
    """Trained models, as far as LiteRT itself can run them in a CompiledModel."""
    paths = sorted((models / "real").glob("*.tflite")) if models.is_dir() else []
    if not paths:
        print(f"skipped: no trained models in {models} (set ASSAY_MODELS)", flush=True)
    for path in paths:
        try:
            plain = interpreter_of(path, OpResolverType.AUTO)
            with Stderr():
                compiled = CompiledModel.from_file(
                    str(path), environment=environment, hardware_accel=CPU
                )
                shapes = [
                    b.get_tensor_details()["shape"] for b in compiled.create_output_buffers(0)
                ]
        except (RuntimeError, ValueError) as e:
            reason = " ".join(str(e).split())
            print(f"skipped: {path.name}: LiteRT's CPU does not load it: {reason[:100]}", flush=True)
            continue
        # CompiledModel makes buffers too small for outputs whose size is known only after a run.
        if shapes != [d["shape"].tolist() for d in plain.get_output_details()]:
            print(f"skipped: {path.name}: outputs of unknown size, which CompiledModel cannot run")
            continue
        check_model(report, environment, library, path.stem, path)


def check_suite(report, build, library):
    """Single ops through LiteRT's C API."""
    runtime = pathlib.Path(ai_edge_litert.__file__).parent / "libLiteRt.so"
    subject = f"litert:gpu?library={runtime}&accelerator={library}"
    run = subprocess.run(
        [build / "assay", "conformance", f"--subject={subject}", "--quiet"]
        + [f"--filter={glob}" for glob in SUITE],
        capture_output=True,
        text=True,
    )
    last = (run.stdout.strip().splitlines() or [run.stderr.strip()])[-1]
    what = f"assay conformance, {' '.join(SUITE)}"
    report.check(run.returncode == 0 and "0 failed, 0 declined" in last, what, last)


def check_options(report, environment, library, path):
    rng = np.random.default_rng(SEED)
    half, single = Delegate(library, path, {"precision": "fp16"}), Delegate(library, path)
    arrays = single.arrays(rng)
    want_half, want_single = half.run(arrays), single.run(arrays)
    report.check(not same(want_half, want_single), "fp16 and fp32", "give different bits")
    os.environ[VARIABLE] = "precision=fp16 wait=active"
    try:
        got = Compiled(environment, path).run(arrays)
        report.check(same(got, want_half), f"{VARIABLE}=precision=fp16", "bits of fp16")
        got = Compiled(environment, path, gpu=GpuOptions(enforce_f32=True)).run(arrays)
        report.check(same(got, want_single), "GpuOptions(enforce_f32=True)", "overrules it: fp32")
        os.environ[VARIABLE] = "colour=blue"
        with Stderr() as said:
            try:
                Compiled(environment, path)
                failed = False
            except RuntimeError:
                failed = True
        report.check(
            failed and "option colour: unknown key" in said.text,
            "an unknown option",
            next((t for t in said.text.splitlines() if "colour" in t), "no message")[:100],
        )
    finally:
        del os.environ[VARIABLE]


def check_threads(report, environment, library, paths):
    """Each thread compiles a model of its own, and runs it many times."""
    wrong = []

    def work(path, seed):
        reference = Delegate(library, path)
        arrays = reference.arrays(np.random.default_rng(seed))
        expected = reference.run(arrays)
        compiled = Compiled(environment, path)
        for _ in range(20):
            if not same(expected, compiled.run(arrays)):
                wrong.append(path)

    threads = [threading.Thread(target=work, args=(p, i)) for i, p in enumerate(paths)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    report.check(not wrong, f"{len(paths)} models in threads", f"{len(wrong)} wrong answers")


def resident_kib():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def check_memory(report, directory, library, path):
    """Environments, models and buffers that are gone leave nothing; buffers may go last or first."""
    arrays = Delegate(library, path).arrays(np.random.default_rng(SEED))
    before = 0
    for cycle in range(CYCLES):
        if cycle == CYCLES // 3:
            gc.collect()
            before = resident_kib()
        environment = environment_of(directory)
        compiled = Compiled(environment, path)
        compiled.run(arrays)
        if cycle % 2:
            compiled.model.close()
            compiled.model = None
        del compiled, environment
    gc.collect()
    growth = resident_kib() - before
    report.check(growth < GROWTH_KIB, f"{CYCLES} models", f"{growth} KiB more, limit {GROWTH_KIB}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    args = parser.parse_args()
    build = args.build.resolve()
    library, directory = str(build / "libassay_delegate.so"), build / "litert"
    work = build / "cross-check"
    work.mkdir(exist_ok=True)
    report = Report()
    os.environ.pop(VARIABLE, None)

    environment = environment_of(directory)
    digits = sorted((ROOT / "golden" / "digits").glob("*.tflite"))
    for path in digits:
        check_model(report, environment, library, path.stem, path)
    for kind in ("f32", "i8"):
        path = work / f"mobilenet_v1_025_{kind}.tflite"
        subprocess.run(
            [build / "assay", "zoo", "mobilenet_v1", "--width=0.25", "--res=128", f"--type={kind}"]
            + ["-o", path],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        check_model(report, environment, library, path.stem, path)
    models = pathlib.Path(os.environ.get("ASSAY_MODELS", ROOT / ".." / "shared" / "models"))
    check_trained(report, environment, library, models)
    check_options(report, environment, library, ROOT / "golden" / "digits" / "digits_f32.tflite")
    check_threads(report, environment, library, digits)
    check_memory(report, directory, library, digits[0])
    check_suite(report, build, library)
    print(f"cross_accelerator: {report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())

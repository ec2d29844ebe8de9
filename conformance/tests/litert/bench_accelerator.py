"""Times the delegate as a LiteRT accelerator beside LiteRT's own, in one process, in turn.

    python conformance/tests/litert/bench_accelerator.py BUILD_DIRECTORY MODEL.tflite... [--options=TEXT]...

Each model runs on LiteRT's CPU (XNNPACK, one thread), on the GPU accelerator of the installed
ai-edge-litert (WebGPU), and on ours, once for each --options (the text of ASSAY_DELEGATE_OPTIONS; by
default once with "" and once with "wait=active").  A subject that does not take the model is left
out, with LiteRT's reason.  In each round every subject makes --runs inferences; rounds are in turn,
so that a change of clocks meets all.  The table has medians in milliseconds: e2e is write, run and
read from Python, run is CompiledModel.run alone; init is the time to compile and for the first
inference; diff is the largest difference to the CPU's output, for the same input.

For example, on a machine with an NVIDIA GPU:

    build/assay zoo mobilenet_v1 -o /tmp/mobilenet_v1.tflite
    python conformance/tests/litert/bench_accelerator.py build /tmp/mobilenet_v1.tflite
"""

import argparse
import os
import pathlib
import statistics
import sys
import time

import ai_edge_litert
import numpy as np
from ai_edge_litert.compiled_model import CompiledModel
from ai_edge_litert.cpu_options import CpuOptions
from ai_edge_litert.environment import Environment, EnvironmentOptions
from ai_edge_litert.gpu_options import GpuOptions
from ai_edge_litert.hardware_accelerator import HardwareAccelerator
from ai_edge_litert.options import Options

VARIABLE = "ASSAY_DELEGATE_OPTIONS"
SEED = 1


def array_of(details, rng):
    kind, shape = np.dtype(details["dtype"]), tuple(details["shape"])
    if kind.kind == "f":
        return rng.uniform(-1, 1, shape).astype(kind)
    return rng.integers(0, min(100, np.iinfo(kind).max), shape).astype(kind)


class Subject:
    """One model on one accelerator, with buffers that LiteRT makes as the accelerator wants them."""

    def __init__(self, name, directory, path, options):
        self.name, self.e2e, self.run_only = name, [], []
        environment = Environment.create(options=EnvironmentOptions(runtime_path=str(directory)))
        before = time.perf_counter()
        self.model = CompiledModel.from_file(str(path), environment=environment, options=options)
        self.inputs = self.model.create_input_buffers(0)
        self.outputs = self.model.create_output_buffers(0)
        rng = np.random.default_rng(SEED)
        self.arrays = [array_of(b.get_tensor_details(), rng) for b in self.inputs]
        self.sizes = []
        for b in self.outputs:
            details = b.get_tensor_details()
            kind, count = np.dtype(details["dtype"]), int(np.prod(details["shape"]))
            # read() does not know int64.
            self.sizes.append((2 * count, np.int32) if kind == np.int64 else (count, kind))
        self.answer = self.infer()
        self.init_ms = 1e3 * (time.perf_counter() - before)

    def infer(self):
        for buffer, array in zip(self.inputs, self.arrays):
            buffer.write(array)
        begin = time.perf_counter()
        self.model.run_by_index(0, self.inputs, self.outputs)
        self.last_run = time.perf_counter() - begin
        return [b.read(count, kind) for b, (count, kind) in zip(self.outputs, self.sizes)]

    def round(self, runs):
        for _ in range(runs):
            begin = time.perf_counter()
            self.infer()
            self.e2e.append(1e3 * (time.perf_counter() - begin))
            self.run_only.append(1e3 * self.last_run)


def open_subject(name, directory, path, options, variable=""):
    """Returns a Subject, or None with LiteRT's reason printed."""
    os.environ[VARIABLE] = variable
    try:
        return Subject(name, directory, path, options)
    except RuntimeError as e:
        print(f"{path.name}: {name}: left out: {' '.join(str(e).split())[:200]}", flush=True)
        return None
    finally:
        del os.environ[VARIABLE]


def subjects_of(path, build, ours):
    gpu = Options(
        hardware_accelerators=HardwareAccelerator.GPU, gpu_options=GpuOptions(enforce_f32=True)
    )
    cpu = Options(
        hardware_accelerators=HardwareAccelerator.CPU, cpu_options=CpuOptions(num_threads=1)
    )
    package = pathlib.Path(ai_edge_litert.__file__).parent
    # GpuOptions would overrule precision=fp16.
    own = Options(hardware_accelerators=HardwareAccelerator.GPU)
    found = [
        open_subject("LiteRT CPU", package, path, cpu),
        open_subject("LiteRT GPU", package, path, gpu),
    ]
    for text in ours:
        found.append(open_subject(f"ours {text}".strip(), build / "litert", path, own, text))
    return [s for s in found if s]


def difference(a, b):
    return max(
        (float(np.abs(x.astype(np.float64) - y).max()) for x, y in zip(a, b) if x.size), default=0.0
    )


def bench(path, args):
    subjects = subjects_of(path, args.build.resolve(), args.options)
    for s in subjects:  # clocks, caches and lazy compilation
        s.round(args.runs)
        s.e2e.clear()
        s.run_only.clear()
    for _ in range(args.rounds):
        for s in subjects:
            s.round(args.runs)
    reference = next((s for s in subjects if s.name == "LiteRT CPU"), None)
    for s in subjects:
        diff = f"{difference(reference.answer, s.answer):.2g}" if reference else "-"
        print(
            f"{path.stem:28.28} {s.name:20.20} {statistics.median(s.e2e):9.3f} {min(s.e2e):9.3f}"
            f" {statistics.median(s.run_only):9.3f} {s.init_ms:9.1f} {diff:>9}",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("models", nargs="+", type=pathlib.Path, metavar="MODEL.tflite")
    parser.add_argument("--options", action="append", help="of ours; may be given several times")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--runs", type=int, default=10, help="inferences of a subject in a round")
    args = parser.parse_args()
    args.options = args.options or ["", "wait=active"]
    columns = ("e2e", "e2e min", "run", "init", "diff")
    print(f"{'model':28} {'subject':20} " + " ".join(f"{c:>9}" for c in columns))
    for path in args.models:
        bench(path, args)
    return 0


if __name__ == "__main__":
    sys.exit(main())

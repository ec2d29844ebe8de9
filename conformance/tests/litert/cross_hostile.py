"""Gives the hostile models of fuzz/hostile to the real LiteRT, alone and with our delegate.

    make cross-check            # or, in a venv with golden/requirements.txt:
    build/tests/delegate test_hostile_models --write build/hostile
    python conformance/tests/litert/cross_hostile.py BUILD_DIRECTORY [PREFIX...]

Each model runs in a child process of its own, first with BUILTIN_REF alone: LiteRT has to do what
the manifest says, refuse, run or crash, and to give the results that stand there.  Then with our
delegate, which must not crash; where LiteRT runs the model, the answers must be the same, whether the
delegate takes the nodes or leaves them.  A model of which LiteRT itself crashes is noted, and given
to the delegate's planning alone, in `make check`.  PREFIX: only models whose names begin so; --list
prints what LiteRT made of each, and judges nothing.  What LiteRT reads outside of its memory has no
result, and is not judged either.
"""

import argparse
import csv
import os
import pathlib
import pickle
import resource
import select
import signal
import sys
import time

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType, load_delegate

from litert import Report, ops_that_run

SECONDS, BYTES = 30, 6 << 30


def values_of(feed, detail, index):
    """The numbers for an input: ones, or those of `feed`, the last of which fills the rest."""
    parts = feed.split("/") if feed else []
    given = [float(v) for v in parts[index].split(",")] if index < len(parts) else [1.0]
    count = int(np.prod(detail["shape"]))
    kind = detail["dtype"]
    return np.array((given + given[-1:] * count)[:count]).astype(kind).reshape(detail["shape"])


def run(path, feed, library):
    """Returns (stage, message or outputs, number of DELEGATE nodes)."""
    stage = "open"
    try:
        delegates = [load_delegate(str(library))] if library else None
        i = Interpreter(model_path=str(path), experimental_op_resolver_type=OpResolverType.BUILTIN_REF,
                        experimental_delegates=delegates)  # fmt: skip
        stage = "prepare"
        i.allocate_tensors()
        for index, detail in enumerate(i.get_input_details()):
            if detail["dtype"] is not np.bytes_:
                i.set_tensor(detail["index"], values_of(feed, detail, index))
        stage = "invoke"
        i.invoke()
        outputs = [i.get_tensor(d["index"]).copy() for d in i.get_output_details()]
        return "runs", outputs, ops_that_run(i)[0] if library else 0
    except Exception as error:  # of any kind: it goes to the parent
        return stage, str(error).replace("\n", " ")[:300], 0


def in_child(path, feed, library=None):
    """run in a child process; ("crash", how, 0) when that does not come back."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
        with os.fdopen(write, "wb") as pipe:
            pickle.dump(run(path, feed, library), pipe)
        os._exit(0)
    os.close(write)
    answer, end = b"", time.monotonic() + SECONDS
    while select.select([read], [], [], max(0, end - time.monotonic()))[0]:
        part = os.read(read, 1 << 16)
        if not part:
            break
        answer += part
    else:
        os.kill(child, signal.SIGKILL)
    os.close(read)
    status = os.waitpid(child, 0)[1]
    if status == 0:
        return pickle.loads(answer)
    how = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit {status >> 8}"
    return "crash", how, 0


def verdict_of(stage):
    return {"runs": "runs", "crash": "crashes"}.get(stage, "refuses")


def clamped(a):
    """Infinities as the largest number: the runtime clamps where devices may overflow."""
    if a.dtype != np.float32:
        return a
    largest = np.finfo(np.float32).max
    return np.where(np.isnan(a), a, np.clip(a, -largest, largest)).astype(np.float32)


def same(a, b):
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.dtype.kind != "f":
        return np.array_equal(a, b)
    return np.allclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True)


def result_of(row, outputs):
    """Whether the first output is what the manifest says."""
    if not row["result"]:
        return True
    expected = np.array([float(v) for v in row["result"].split(",")])
    got = outputs[0].ravel().astype(np.float64)
    return expected.shape == got.shape and np.allclose(got, expected, rtol=1e-4, atol=1e-6,
                                                       equal_nan=True)  # fmt: skip


def check(report, row, path, library):
    name = row["name"]
    stage, said, _ = in_child(path, row["feed"])
    verdict = verdict_of(stage)
    if row["litert"] == "undefined":
        return
    if not report.check(verdict == row["litert"], name, f"LiteRT {verdict}, at {stage}: {said}"
                        if verdict != "runs" else "LiteRT runs it"):  # fmt: skip
        return
    if verdict == "runs":
        report.check(result_of(row, said), name, f"its result: {said[0].ravel()[:8]}")
    if verdict == "crashes":
        return
    with_ours, got, taken = in_child(path, row["feed"], library)
    if row["host"] == "refuses":
        report.check(verdict_of(with_ours) == "refuses", name, f"with the delegate: {with_ours}")
        return
    if verdict == "refuses":
        report.check(verdict_of(with_ours) == (row["device"] or row["host"] or "refuses"), name,
                     f"with the delegate: {with_ours}: {got}")  # fmt: skip
        return
    ok = with_ours == "runs" and len(got) == len(said)
    if row["host"] != "runs":  # with other answers than those of LiteRT's kernels, which `why` tells
        ok = ok and all(same(clamped(a), clamped(b)) for a, b in zip(said, got))
    report.check(ok, name, f"with the delegate, which takes {taken}: {with_ours}"
                 + ("" if ok else f": {got}, expected {said}"))  # fmt: skip
    if row["delegate"] == "taken":
        report.check((taken > 0) == (row["host"] != "left"), name, f"the delegate takes {taken}")


class Quiet(Report):
    """Prints failures alone."""

    def check(self, ok, what, figures):
        self.passed += bool(ok)
        self.failed += not ok
        if not ok:
            print(f"FAIL  {what}: {figures}", flush=True)
        return ok


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("prefix", nargs="*")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    folder = arguments.build.resolve() / "hostile"
    library = arguments.build.resolve() / "libassay_delegate.so"
    report, crashes = Quiet(), []
    with open(folder / "manifest.tsv", newline="") as f:
        rows = list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))
    for row in rows:
        path = folder / (row["name"] + ".tflite")
        if arguments.prefix and not row["name"].startswith(tuple(arguments.prefix)):
            continue
        if arguments.list:
            stage, said, _ = in_child(path, row["feed"])
            if stage == "runs":
                said = ",".join(f"{v:.9g}" for v in said[0].ravel()[:65].tolist()) if said and said[0].dtype.kind in "fiub" else ""
            print(row["name"], stage, said, sep="\t", flush=True)
        elif row["litert"]:
            check(report, row, path, library)
            crashes += [row["name"]] if row["litert"] == "crashes" else []
    if not arguments.list:
        print(f"cross-hostile: {len(rows)} models, of which {len(crashes)} crash LiteRT: "
              f"{report.passed} checks passed, {report.failed} failed")  # fmt: skip
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())

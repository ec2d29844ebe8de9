"""Gives the hostile models of fuzz/hostile to the real LiteRT, alone and with our delegate.

    make cross-check            # or, in a venv with golden/requirements.txt:
    build/tests/delegate test_hostile_models --write build/hostile
    python conformance/tests/litert/cross_hostile.py BUILD_DIRECTORY [PREFIX...]

Models run in child processes, eight to each, and where one is not as the manifest says, once more in a
process of its own, which is what counts.  A model runs first with BUILTIN_REF alone: LiteRT has to do what
the manifest says, refuse, run or crash, and to give the results that stand there.  Then with our
delegate, which must not crash; where LiteRT runs the model, the answers must be the same, whether the
delegate takes the nodes or leaves them.  A model of which LiteRT itself crashes is noted, and given
to the delegate's planning alone, in `make check`.  PREFIX: only models whose names begin so; --list
prints what LiteRT made of each, and judges nothing.  What LiteRT reads outside of its memory, or
leaves unwritten, has no result, and is not judged either.
"""

import argparse
import csv
import ctypes
import io
import os
import pathlib
import pickle
import resource
import select
import signal
import sys

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType, load_delegate

from litert import Report, ops_that_run

SECONDS, BYTES, BATCH = 30, 6 << 30, 8
M_PERTURB = -6  # of glibc's mallopt


def values_of(feed, detail, index):
    """The numbers for an input: ones, or those of `feed`, the last of which fills the rest."""
    parts = feed.split("/") if feed else []
    given = [float(v) for v in parts[index].split(",")] if index < len(parts) else [1.0]
    count = int(np.prod(detail["shape"]))
    kind = detail["dtype"]
    return np.array((given + given[-1:] * count)[:count]).astype(kind).reshape(detail["shape"])


def run(path, feed, library):
    """Returns (stage, message or outputs, number of DELEGATE nodes)."""
    # New memory differs, so that elements which LiteRT leaves unwritten are never equal by chance.
    ctypes.CDLL(None).mallopt(M_PERTURB, 170 if library else 17)
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


def in_one_child(jobs):
    """run of each, in a child process: the answers that came back, and how it ended."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
        with os.fdopen(write, "wb") as pipe:
            for job in jobs:
                pipe.write(pickle.dumps(run(*job)))
                pipe.flush()
        os._exit(0)
    os.close(write)
    stream = io.BytesIO()
    while select.select([read], [], [], SECONDS)[0]:
        part = os.read(read, 1 << 16)
        if not part:
            break
        stream.write(part)
    else:
        os.kill(child, signal.SIGKILL)
    os.close(read)
    status = os.waitpid(child, 0)[1]
    how = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit {status >> 8}"
    stream.seek(0)
    answers = []
    while len(answers) < len(jobs):
        try:
            answers.append(pickle.load(stream))
        except (EOFError, pickle.UnpicklingError):
            break
    return answers, how


def in_child(path, feed, library=None):
    """run in a child process of its own; ("crash", how, 0) when that does not come back."""
    answers, how = in_one_child([(path, feed, library)])
    return answers[0] if answers else ("crash", how, 0)


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


def judge(row, ask, library):
    """Whether the row is as it says, and figures, of each check; ask(library) is what run gives."""
    stage, said, _ = ask(None)
    verdict = verdict_of(stage)
    checks = [(verdict == row["litert"], f"LiteRT {verdict}, at {stage}: {said}")]
    if verdict != row["litert"]:
        return checks
    if verdict == "runs" and row["host"] != "runs":
        checks.append((result_of(row, said), f"its result: {said[0].ravel()[:8]}"))
    if verdict == "crashes":
        return checks
    with_ours, got, taken = ask(library)
    if row["host"] == "refuses":
        return [*checks, (verdict_of(with_ours) == "refuses", f"with the delegate: {with_ours}")]
    if verdict == "refuses":
        expected = row["device"] or row["host"] or "refuses"
        return [*checks, (verdict_of(with_ours) == expected, f"with the delegate: {with_ours}: {got}")]
    ok = with_ours == "runs" and len(got) == len(said)
    if row["host"] == "runs":  # with another answer than that of LiteRT's kernels, which `why` tells
        ok = ok and row["result"] and result_of(row, got)
    else:
        ok = ok and all(same(clamped(a), clamped(b)) for a, b in zip(said, got))
    checks.append((ok, f"with the delegate, which takes {taken}: {with_ours}"
                   + ("" if ok else f": {got}, expected {said}")))  # fmt: skip
    if row["delegate"] == "taken":
        checks.append(((taken > 0) == (row["host"] != "left"), f"the delegate takes {taken}"))
    return checks


def check_batch(report, rows, folder, library):
    jobs = [(folder / (row["name"] + ".tflite"), row["feed"], by) for row in rows for by in (None, library)]
    answers = in_one_child(jobs)[0] if len(rows) > 1 else []
    answered = dict(zip(jobs, answers))
    for row in rows:
        path, feed = folder / (row["name"] + ".tflite"), row["feed"]
        checks = [(False, "")]
        if (path, feed, library) in answered:
            checks = judge(row, lambda by: answered[path, feed, by], library)
        if not all(ok for ok, _ in checks):
            checks = judge(row, lambda by: in_child(path, feed, by), library)
        for ok, figures in checks:
            report.check(ok, row["name"], figures)


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
    report = Quiet()
    with open(folder / "manifest.tsv", newline="") as f:
        rows = list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))
    rows = [r for r in rows if r["name"].startswith(tuple(arguments.prefix) or "")]
    if arguments.list:
        for row in rows:
            stage, said, _ = in_child(folder / (row["name"] + ".tflite"), row["feed"])
            if stage == "runs":
                said = ",".join(f"{v:.9g}" for v in said[0].ravel()[:65].tolist()) if said and said[0].dtype.kind in "fiub" else ""
            print(row["name"], stage, said, sep="\t", flush=True)
        return 0
    crashes = [r for r in rows if r["litert"] == "crashes"]
    for row in crashes:
        check_batch(report, [row], folder, library)
    calm = [r for r in rows if r["litert"] in ("runs", "refuses")]
    for at in range(0, len(calm), BATCH):
        check_batch(report, calm[at : at + BATCH], folder, library)
    print(f"cross-hostile: {len(rows)} models, of which {len(crashes)} crash LiteRT: "
          f"{report.passed} checks passed, {report.failed} failed")  # fmt: skip
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Times models on ours, LiteRT, ncnn and PyTorch, all in turns, and prints a table.

Each subject is a process of its own that is warm before the first round; one works at a time.
Rounds run the subjects forward and backward in turn.  An inference is timed from an input in the
host's memory until the output can be read there.  Who is absent, or does not run a model, has a
row with the reason."""
import argparse
import array
import datetime
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

import figures
from tflite import FLOAT32, Model
from worker import Failed, Worker

DEFAULT = ["mobilenet_v1:f32", "mobilenet_v1:i8", "mobilenet_v2:f32", "resnet50:f32",
           "deeplab_mnv2:f32:0.5"]
START_SECONDS, BLOCK_MS, BLOCK_MAX = 300, 20, 100
WRONG = 0.05  # of the largest output: more than fp16 explains
OURS = ["--delegate-option=wait=active"]


def make_model(assay, spec, work):
    """A path, or NAME[:TYPE[:WIDTH]] of assay zoo."""
    if spec.endswith(".tflite"):
        return spec, os.path.basename(spec)[:-len(".tflite")]
    name, kind, width = (spec.split(":") + ["f32", ""])[:3] if ":" not in spec else \
        (spec.split(":") + [""])[:3]
    path = os.path.join(work, spec.replace(":", "-") + ".tflite")
    command = [assay, "zoo", name, f"--type={kind}", "--quiet", "-o", path]
    subprocess.run(command + ([f"--width={width}"] if width else []), check=True,
                   stdout=subprocess.DEVNULL)
    return path, name + (f" {width}" if width else "")


def make_reference(assay, path, work):
    """Random input, and what the scalar reference makes of it."""
    count = 1
    model = Model(path)
    for extent in model.tensors[model.inputs[0]].shape:
        count *= extent
    draw = random.Random(1)
    files = os.path.join(work, "input.raw"), os.path.join(work, "expected.raw")
    with open(files[0], "wb") as f:
        array.array("f", (draw.uniform(-1, 1) for _ in range(count))).tofile(f)
    subprocess.run([assay, "run", path, f"--input={files[0]}", f"--output={files[1]}",
                    "--delegate=none"], check=True, stdout=subprocess.DEVNULL)
    return files


def subjects(q, path, integers, work):
    """Rows: name, name of the row that is its base, command.  The first of ours comes first."""
    serve = [q.assay, "bench", path, "--serve", "--quiet", f"--warmup_min_secs={q.warmup}"]
    threads = min(os.cpu_count() or 1, 16)
    library = f"library={q.litert}&" if q.litert else ""

    def litert(kind, keys):
        return serve + [f"--subject=litert:{kind}?{library}{keys}"]

    def ours(*options):
        return serve + OURS + [f"--delegate-option={o}" for o in options + tuple(q.option)]

    if integers:
        yield "ours i8, exact", None, ours()
        yield "LiteRT GPU", "ours i8, exact", litert("gpu", "precision=default")
        yield f"LiteRT CPU, {threads} threads", "ours i8, exact", \
            litert("cpu", f"num_threads={threads}&fallback=cpu")
        yield "ncnn Vulkan", "ours i8, exact", "quantized models are not converted to ncnn's"
        yield "PyTorch compiled", "ours i8, exact", "quantized models are not converted"
        return
    yield "ours fp32", None, ours("precision=fp32")
    yield "ours fp16", "ours fp32", ours("precision=fp16")
    yield "LiteRT GPU fp32", "ours fp32", litert("gpu", "precision=fp32")
    yield "LiteRT GPU fp16", "ours fp16", litert("gpu", "precision=fp16")
    yield f"LiteRT CPU, {threads} threads", "ours fp32", \
        litert("cpu", f"num_threads={threads}&fallback=cpu")
    here = os.path.dirname(os.path.abspath(__file__))
    vectors = os.path.join(work, "input.raw"), os.path.join(work, "expected.raw")
    worker = os.path.join(here, "ncnn_worker.py")
    for precision in ("fp32", "fp16"):
        yield f"ncnn Vulkan {precision}", f"ours {precision}", \
            [q.ncnn_python, "-B", worker, path, precision, *vectors]
    worker = os.path.join(here, "torch_worker.py")
    for precision in ("fp32", "fp16"):
        yield f"PyTorch compiled {precision}", f"ours {precision}", \
            [q.torch_python, "-B", worker, path, precision, *vectors]


def read_clocks():
    """Of the first NVIDIA GPU; None elsewhere."""
    if not shutil.which("nvidia-smi"):
        return None
    got = subprocess.run(["nvidia-smi", "--query-gpu=clocks.sm,clocks.mem",
                          "--format=csv,noheader,nounits"], capture_output=True, text=True,
                         check=False)
    words = got.stdout.splitlines()[0].split(",") if got.returncode == 0 and got.stdout else []
    return {"sm_mhz": int(words[0]), "memory_mhz": int(words[1])} if len(words) == 2 else None


def start(name, base, command):
    """A subject that is warm: its row and worker, or its row with the reason."""
    row = {"subject": name, "base": base}
    if isinstance(command, str):
        return dict(row, reason=command), None
    worker = None
    try:
        worker = Worker(command)
        hello = worker.hello(START_SECONDS)
        sample = worker.run(3, START_SECONDS)
    except Failed as e:
        if worker:
            worker.close()
        return dict(row, reason=str(e)), None
    if hello.get("difference", 0) > WRONG:
        worker.close()
        return dict(row, reason="computes something else: off by "
                    f"{100 * hello['difference']:.0f} % of the largest output"), None
    row.update({k: hello[k] for k in ("init_ms", "first_ms", "difference", "device", "runtime")
                if k in hello})
    row["label"] = hello["subject"]
    row["block"] = max(1, min(BLOCK_MAX, round(BLOCK_MS / sorted(sample)[1])))
    return row, worker


def run_rounds(q, running):
    """Blocks of each subject by round; who fails leaves, with the reason in its row."""
    blocks = {row["subject"]: [] for row, _ in running}
    begin = time.monotonic()
    for turn in range(q.rounds_max):
        enough = turn >= q.rounds and all(sum(map(len, blocks[r["subject"]])) >= q.inferences
                                          for r, _ in running)
        if not running or enough or time.monotonic() - begin > q.seconds:
            break
        for row, worker in running if turn % 2 == 0 else running[::-1]:
            try:
                blocks[row["subject"]].append(worker.run(row["block"], START_SECONDS))
            except Failed as e:
                row["reason"] = str(e)
        running = [(r, w) for r, w in running if "reason" not in r]
    return blocks


def measure(q, spec, work):
    path, name = make_model(q.assay, spec, work)
    model = Model(path)
    integers = model.tensors[model.inputs[0]].type != FLOAT32
    if not integers and {"ncnn", "pytorch"} & set(q.peers):
        make_reference(q.assay, path, work)
    rows, workers = [], []
    for title, base, command in subjects(q, path, integers, work):
        if title.split()[0].lower() not in q.peers:
            continue
        print(f"peers: {name}: {title}", file=sys.stderr, flush=True)
        row, worker = start(title, base, command)
        rows.append(row)
        if worker:
            workers.append((row, worker))
    before = read_clocks()
    blocks = run_rounds(q, workers)
    after = read_clocks()
    for _, worker in workers:
        worker.close()
    for row in rows:
        block = blocks.get(row["subject"])
        if "reason" in row or not block:
            row.setdefault("reason", "no inference in the time given")
            continue
        row.update(figures.summarize(block))
        if q.samples:
            row["samples_ms"] = block
        if blocks.get(row["base"]):
            row["ratio"] = figures.ratio(block, blocks[row["base"]])
    return {"name": name, "type": "i8" if integers else "f32", "clocks": [before, after],
            "rows": rows}


def environment(q):
    devices = json.loads(subprocess.run([q.assay, "devices", "--format=json"], check=True,
                                        capture_output=True, text=True).stdout)
    device = next((d for d in devices["devices"] if d.get("usable")), {})
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as f:
        cpu = next((x.split(":")[1].strip() for x in f if x.startswith("model name")), "CPU")
    version = subprocess.run([q.assay, "--version"], check=True, capture_output=True,
                             text=True).stdout.strip()
    return {"date": datetime.date.today().isoformat(), "device": device.get("name", "no device"),
            "driver": device.get("driver", "?"), "cpu": cpu, "cores": os.cpu_count(),
            "assay": version}


def add_versions(run):
    """Of the peers, as they tell them."""
    told = {r["runtime"] for m in run["models"] for r in m["rows"] if r.get("runtime")}
    run["environment"]["versions"] = ", ".join([run["environment"]["assay"]] + sorted(told))


def write(run, path):
    """After each model, so that a run that is cut leaves what it has."""
    if path:
        with open(path + ".new", "w", encoding="utf-8") as f:
            json.dump(run, f, indent=1)
            f.write("\n")
        os.replace(path + ".new", path)


def put_table(page, mark, table):
    """Replaces what a page has between two comments."""
    with open(page, encoding="utf-8") as f:
        head, rest = f.read().split(f"<!-- {mark} -->\n")
    with open(page, "w", encoding="utf-8") as f:
        f.write(f"{head}<!-- {mark} -->\n{table}<!-- end -->\n" + rest.split("<!-- end -->\n", 1)[1])


def accept(path):
    """Makes a run the one that is kept, and writes its tables into PERFORMANCE.md and README.md."""
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.join(here, "..", "..")
    with open(path, encoding="utf-8") as f:
        run = json.load(f)
    put_table(os.path.join(root, "PERFORMANCE.md"), "make peers-table", figures.markdown(run))
    put_table(os.path.join(root, "README.md"), "short table of make peers", figures.short(run))
    write(run, os.path.join(here, "kept.json"))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("models", nargs="*", default=None, help=".tflite, or NAME[:TYPE[:WIDTH]] of assay zoo")
    p.add_argument("--assay", default="build/assay")
    p.add_argument("--peers", default="ours,litert,ncnn", type=lambda x: x.split(","),
                   help="of ours,litert,ncnn,pytorch (default: all but the last)")
    p.add_argument("--litert", default=os.environ.get("LITERT_LIBRARY"), help="libLiteRt.so")
    p.add_argument("--ncnn-python", default=sys.executable, help="a Python with ncnn and numpy")
    p.add_argument("--torch-python", default=sys.executable, help="a Python with PyTorch and numpy")
    p.add_argument("--option", action="append", default=[], help="KEY=VALUE of our delegate")
    p.add_argument("--inferences", type=int, default=200, help="of each subject, at least")
    p.add_argument("--rounds", type=int, default=20, help="at least")
    p.add_argument("--seconds", type=float, default=600, help="of rounds of a model, at most")
    p.add_argument("--warmup", type=float, default=0.5, help="seconds")
    p.add_argument("--samples", action="store_true", help="keep all latencies in the JSON")
    p.add_argument("--out", help="the JSON")
    p.add_argument("--table", metavar="JSON", help="print the table of an earlier run")
    p.add_argument("--accept", metavar="JSON", help="keep a run: kept.json, and the tables of PERFORMANCE.md and README.md")
    p.add_argument("--short", action="store_true", help="with --table: the table of README.md")
    q = p.parse_args()
    if q.accept:
        accept(q.accept)
        return 0
    if q.table:
        with open(q.table, encoding="utf-8") as f:
            sys.stdout.write((figures.short if q.short else figures.markdown)(json.load(f)))
        return 0
    q.rounds_max = 100000
    run = {"environment": environment(q), "models": []}
    with tempfile.TemporaryDirectory() as work:
        for spec in q.models or DEFAULT:
            run["models"].append(measure(q, spec, work))
            add_versions(run)
            write(run, q.out)
    sys.stdout.write(figures.markdown(run))
    return 0


if __name__ == "__main__":
    sys.exit(main())

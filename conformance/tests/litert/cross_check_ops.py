"""Checks single ops with the delegate in the real LiteRT; a part of cross_check.py.

Some cases of each op are exported (`assay golden export`), in f32 and with data that are f16 values,
and run in LiteRT with our .so in the precision that goes with them.  The delegate has to take the
node, unless `assay inspect` says that the rule of the row refuses it (refused_by).  The answers are
written as golden files, which `assay golden check --bounds` holds to the bounds of the op.  LSTM,
like every graph with variables, is invoked twice; and three times with its state in inputs of the
graph, which the kernel overwrites.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

import flatbuffers
import h5py
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType, load_delegate

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "golden"))
import mint

LIMIT = 8  # cases of each op
# The interpreter calls the decomposition of a composite, a subgraph in which the delegate takes nodes
# of its own; its list of ops shows the call alone.
CALL = (0, ["STABLEHLO_COMPOSITE"])
GAP = "gap"  # graphs of several ops
OPS = ROOT / "reference/ops.def"
# Ops that the delegate leaves to the host.
HOST = [c.lower() for c in re.findall(r"^OP\((\w+), *\w+, *HOST,", OPS.read_text(), re.MULTILINE)]


def export(assay, path, precision):
    subprocess.run(
        [assay, "golden", "export", f"--limit={LIMIT}", f"--precision={precision}", "--quiet", path],
        check=True,
    )


def run_delegated(delegate, model_bytes, inputs, ops_that_run):
    """Returns the answers of invoke_all, and a text that says what was not taken; "" when all was."""
    interpreter = Interpreter(
        model_content=model_bytes,
        num_threads=1,
        experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
        experimental_delegates=[delegate],
    )
    interpreter.allocate_tensors()
    taken, left = ops_that_run(interpreter)
    if (taken, left) not in ((1, []), CALL):
        return [], f"DELEGATE nodes: {taken}, other ops: {', '.join(left) or 'none'}"
    model = schema.ModelT.InitFromPackedBuf(model_bytes, 0)
    return mint.invoke_all(interpreter, model, inputs, []), ""


def refusing_rules(assay, model_bytes, path, precision):
    """The rules that refuse nodes in our own runtime."""
    path.write_bytes(model_bytes)
    report = subprocess.run(
        [assay, "inspect", path, "--format=json", f"--delegate-option=precision={precision}"],
        check=True,
        stdout=subprocess.PIPE,
    )
    return {node["rule"] for node in json.loads(report.stdout)["nodes"] if node["rule"]}


def run_op(op, cases, path, delegate, ops_that_run, assay, precision):
    """Writes one file; returns how many cases it has, why others are not in it, and how many cases
    are no graphs of several ops."""
    wrong, lines, alone = [], [], 0
    with h5py.File(path, "w", libver=("v110", "v110")) as out:
        for kind, variant in mint.cases_of(cases):
            name, case = f"{op}.{kind}.{variant}", cases[kind][variant]
            model, inputs = mint.read_case(name, case)
            if any(mint.hidden_results(schema.ModelT.InitFromPackedBuf(model, 0))):
                continue  # graphs of several ops, whose intermediate tensors a delegate does not give
            alone += 1
            try:
                answers, reason = run_delegated(delegate, model, inputs, ops_that_run)
            except (RuntimeError, ValueError) as error:
                answers, reason = [], " ".join(str(error).split())
            if reason:
                rules = refusing_rules(assay, model, path.with_suffix(".tflite"), precision)
                if not rules or not rules <= {mint.text(case.attrs.get("refused_by", ""))}:
                    wrong.append(f"{name}: {reason}; rules: {', '.join(sorted(rules)) or 'none'}")
                continue
            mint.write_answers(mint.create_case(out, name, case), answers)
            lines.append(mint.line_of(name, case))
        mint.write_meta(out, "libassay_delegate.so", lines)
    return len(lines), wrong, alone


def judge(assay, directory, precision):
    """Returns the report of `assay golden check`: lines by op, and failures."""
    out = directory / "report.json"
    subprocess.run(
        [assay, "golden", "check", f"--dir={directory}", f"--bounds={precision}", "--quiet"]
        + ["--format=json", f"--out={out}"],
        check=False,  # the report has the failures
    )
    verdict = json.loads(out.read_text())
    return {line["op"]: line for line in verdict["ops"]}, verdict["failures"]


def with_state_in_inputs(model_bytes):
    """Returns the model with its variables as inputs of the graph."""
    model = schema.ModelT.InitFromPackedBuf(model_bytes, 0)
    graph = model.subgraphs[0]
    state = [i for i, tensor in enumerate(graph.tensors) if tensor.isVariable]
    for i in state:
        graph.tensors[i].isVariable = False
    graph.inputs = list(graph.inputs) + state
    builder = flatbuffers.Builder(1 << 16)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def sequence(model_bytes, inputs, delegates):
    """Runs three steps from given inputs; returns outputs and state inputs after each."""
    interpreter = Interpreter(
        model_content=model_bytes,
        num_threads=1,
        experimental_op_resolver_type=OpResolverType.BUILTIN_REF,
        experimental_delegates=delegates,
    )
    interpreter.allocate_tensors()
    details = interpreter.get_input_details()
    for detail, value in zip(details, inputs, strict=True):
        interpreter.set_tensor(detail["index"], value)
    steps = []
    for _ in range(3):
        interpreter.invoke()
        wanted = interpreter.get_output_details()[:2] + details[1:]
        steps.append([interpreter.get_tensor(d["index"]) for d in wanted])
    return interpreter, steps


def check_state_inputs(report, cases_path, delegate, precision, limit, ops_that_run):
    """Compares h and c of three steps, from given ones on, with the reference kernels."""
    with h5py.File(cases_path, "r") as cases:
        variant = sorted(cases["lstm"]["f32"])[0]
        model, inputs = mint.read_case(f"lstm.f32.{variant}", cases["lstm"]["f32"][variant])
    model = with_state_in_inputs(model)
    graph = schema.ModelT.InitFromPackedBuf(model, 0).subgraphs[0]
    rng = np.random.default_rng(1)
    for tensor in graph.inputs[len(inputs) :]:
        inputs.append(rng.uniform(-1, 1, graph.tensors[tensor].shape).astype(np.float32))
    _, expected = sequence(model, inputs, None)
    interpreter, got = sequence(model, inputs, [delegate])
    taken, left = ops_that_run(interpreter)
    error = max(np.abs(e - g).max() for step in zip(expected, got) for e, g in zip(*step))
    written = all(np.array_equal(h, s) and np.array_equal(c, t) for h, c, s, t in got)
    report.check(
        taken == 1 and not left and written and error <= limit,
        f"lstm.f32.{variant} with its state in inputs, {precision}",
        f"{taken} DELEGATE nodes, state {'written' if written else 'not written'}, "
        f"error {error:.2g} over three steps, limit {limit:.0e}",
    )


def check_ops(report, assay, library, work, ops_that_run):
    for precision, limit in (("fp32", 1e-5), ("fp16", 1e-2)):
        cases_path, directory = work / f"cases_{precision}.h5", work / f"ops_{precision}"
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
        export(assay, cases_path, precision)
        delegate = load_delegate(library, {"precision": precision})
        counts = {}
        with h5py.File(cases_path, "r") as cases:
            for op in sorted(cases):
                if op not in ("meta", GAP, *HOST):
                    path = directory / f"{op}.h5"
                    counts[op] = run_op(
                        op, cases[op], path, delegate, ops_that_run, assay, precision
                    )
        check_state_inputs(report, cases_path, delegate, precision, limit, ops_that_run)
        verdicts, failures = judge(assay, directory, precision)
        for op, (ran, wrong, alone) in counts.items():
            for line in wrong:
                report.check(False, f"{precision}, not taken", line)
            if alone == 0:
                print(f"skipped: {op}, {precision}: all its cases are graphs of several ops")
                continue
            line = verdicts.get(op, {"cases": 0, "failed": 0, "margin": None})
            margin = line["margin"]
            report.check(
                ran > 0 and line["cases"] == ran and line["failed"] == 0,
                f"{op}, {precision}",
                f"{ran} cases taken, {line['failed']} over their bounds, "
                f"margin {'infinite' if margin is None else format(margin, '.3f')}",
            )
        for failure in failures:
            print(f"      {failure['case']}: {failure['reason']}")

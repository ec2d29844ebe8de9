#!/usr/bin/env python3
"""Mints the golden files: runs the cases of `assay golden export` in the real runtime.

    assay golden export cases.h5
    python golden/mint.py cases.h5 golden

An export with --filter has to have all cases of each op that it names (--filter='sum.*').

Every case is run with the plain reference kernels (BUILTIN_REF) or, where these lack the version or
the type, with the optimized ones, without any delegate; custom ops with XNNPACK, which alone has
those of the suite.  golden/<op>.h5 is written for each op: the
format is described in conformance/suite/golden/file_format.h.  The same cases and the same runtime give
the same bytes, so a file whose op did not change is left alone.

A case that the runtime refuses is an error, unless golden/skip.txt names it with the reason.  Cases
that golden/wrong.txt names, by a pattern, have the runtime's answer with the attribute wrong: the
reference must differ from it (conformance/doc/TOLERANCES.md 9).
"""

import argparse
import fnmatch
import hashlib
import io
import os
import sys
from importlib import metadata

import h5py
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

SCHEMA = 1
RUNTIME = "ai-edge-litert"
RESOLVER = "BUILTIN_REF"
OPTIMIZED = "BUILTIN_WITHOUT_DEFAULT_DELEGATES"
XNNPACK = "BUILTIN"
STORE_ONE_IN = 10  # one case in ten has its model and inputs in full,
STORE_BYTES_MAX = 1 << 11  # where they are at most so large
TOTAL_BYTES_MAX = 40 << 20  # of all files under golden/
DEQUANTIZE = schema.BuiltinOperator.DEQUANTIZE
VARIABLES = (schema.BuiltinOperator.VAR_HANDLE, schema.BuiltinOperator.READ_VARIABLE)
# Types of cases with sub-byte weights, which float64.py answers.
FLOAT64_TYPES = frozenset(("w4", "w2", "u4", "a8w4", "a8w2", "a16w4", "a16w2"))


class Refused(Exception):
    """The runtime does not run a case."""


class NoKernel(Refused):
    """These kernels of the runtime lack an op of the case."""


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def text(value):
    """An attribute of the export: fixed-length strings come as bytes."""
    return value.decode("ascii") if isinstance(value, bytes) else value


def read_reasons(path):
    """Reads lines "case: reason" as a dictionary; # begins a comment."""
    skips = {}
    if not os.path.exists(path):
        return skips
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            name, colon, reason = line.partition(":")
            if not colon or not reason.strip():
                sys.exit(f"mint: {path}:{number}: expected 'case: reason'")
            skips[name.strip()] = reason.strip()
    return skips


def hidden_results(model):
    """Indices of the tensors that nodes write and that are no outputs of the graph.

    The result of DEQUANTIZE of a constant is left out: it is as large as the weights, and the node
    that reads it shows it.  So does the one that reads what READ_VARIABLE gives; a handle is none.
    """
    buffers = model.buffers
    graph = model.subgraphs[0]
    for op in graph.operators:
        code = model.operatorCodes[op.opcodeIndex]
        builtin = max(code.builtinCode, code.deprecatedBuiltinCode)
        if builtin in VARIABLES:
            continue
        if builtin == DEQUANTIZE and buffers[graph.tensors[op.inputs[0]].buffer].data is not None:
            continue
        for tensor in op.outputs:
            if tensor not in graph.outputs:
                yield tensor


def invoke_all(interpreter, model, inputs, hidden):
    """For each inference, the outputs in order, and the tensors of hidden by index.

    A graph with variables is invoked twice with the same inputs, so that its state changes.
    """
    for detail, value in zip(interpreter.get_input_details(), inputs, strict=True):
        if detail["dtype"] == np.bool_:
            value = value.astype(np.bool_)  # stored as bytes
        interpreter.set_tensor(detail["index"], value)
    answers = []
    for _ in range(2 if any(t.isVariable for t in model.subgraphs[0].tensors) else 1):
        interpreter.invoke()
        answers.append(
            (
                [interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()],
                {t: interpreter.get_tensor(t) for t in hidden},
            )
        )
    return answers


def has_custom(model):
    return any(code.builtinCode == schema.BuiltinOperator.CUSTOM for code in model.operatorCodes)


def run_with(resolver, model_bytes, inputs):
    """Runs invoke_all, without a delegate with the results of all nodes."""
    model = schema.ModelT.InitFromPackedBuf(model_bytes, 0)
    hidden = [] if resolver == XNNPACK else list(hidden_results(model))
    try:
        interpreter = Interpreter(
            model_content=model_bytes,
            num_threads=1,
            experimental_op_resolver_type=OpResolverType[resolver],
            experimental_preserve_all_tensors=resolver != XNNPACK,
        )
        interpreter.allocate_tensors()
        return invoke_all(interpreter, model, inputs, hidden)
    except (RuntimeError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise (NoKernel if "Didn't find op" in reason else Refused)(reason) from error


def run(model_bytes, inputs, optimized=True):
    """The resolver whose kernels ran, and what run_with gives."""
    if has_custom(schema.ModelT.InitFromPackedBuf(model_bytes, 0)):
        if not optimized:
            raise NoKernel("Didn't find op: custom ops are XNNPACK's, which keeps no result between nodes")
        return XNNPACK, run_with(XNNPACK, model_bytes, inputs)
    try:
        return RESOLVER, run_with(RESOLVER, model_bytes, inputs)
    except Refused as reference:
        if not optimized:
            raise
        try:
            return OPTIMIZED, run_with(OPTIMIZED, model_bytes, inputs)
        except Refused:
            raise reference from None


def write_array(group, name, value):
    value = np.asarray(value)
    if value.dtype == np.bool_:
        value = value.astype(np.uint8)
    if value.dtype == np.complex64:  # real and imaginary parts, in a last dimension of 2
        value = np.ascontiguousarray(value).view(np.float32).reshape(*value.shape, 2)
    # Chunks need a rank and elements: a scalar and an empty array are contiguous.
    if value.ndim == 0 or value.size == 0:
        group.create_dataset(name, data=value, dtype=value.dtype)
    else:
        group.create_dataset(
            name,
            data=value,
            chunks=value.shape,
            compression="gzip",
            compression_opts=9,
            shuffle=True,
            fletcher32=True,
        )


def is_stored(name, model, inputs):
    picked = int(sha256(name.encode())[:8], 16) % STORE_ONE_IN == 0
    return picked and len(model) + sum(x.nbytes for x in inputs) <= STORE_BYTES_MAX


def read_case(name, case):
    """Returns model and inputs of a case."""
    model = case["model"][()].tobytes()
    inputs = [case["inputs"][str(i)][()] for i in range(len(case["inputs"]))]
    if sha256(model) != text(case.attrs["model_sha256"]):
        sys.exit(f"mint: {name}: the model differs from model_sha256")
    if sha256(b"".join(x.tobytes() for x in inputs)) != text(case.attrs["inputs_sha256"]):
        sys.exit(f"mint: {name}: the inputs differ from inputs_sha256")
    return model, inputs


def create_case(out, name, case, texts=("data_set", "options", "model_sha256", "inputs_sha256")):
    """Writes the group of a case, with its attributes."""
    group = out.create_group(name.replace(".", "/"))
    for key in ("builtin_code", "op_version", "seed"):
        group.attrs[key] = np.uint64(case.attrs[key])
    for key in texts:
        group.attrs[key] = np.bytes_(text(case.attrs[key]))
    return group


def write_answers(group, answers):
    for prefix, (outputs, hidden) in zip(("", "again/"), answers):
        for i, value in enumerate(outputs):
            write_array(group, f"{prefix}outputs/{i}", value)
        for i in sorted(hidden):
            write_array(group, f"{prefix}tensors/{i}", hidden[i])


def line_of(name, case):
    """Returns the line of a case that cases_sha256 is computed from."""
    return f"{name} {text(case.attrs['model_sha256'])} {text(case.attrs['inputs_sha256'])}\n"


def write_meta(out, resolver, lines, runtime=RUNTIME):
    meta = out.create_group("meta")
    meta.attrs["schema"] = np.uint64(SCHEMA)
    meta.attrs["runtime"] = np.bytes_(runtime)
    meta.attrs["runtime_version"] = np.bytes_(metadata.version(runtime))
    meta.attrs["resolver"] = np.bytes_(resolver)
    meta.attrs["cases_sha256"] = np.bytes_(sha256("".join(lines).encode()))


def has_wrong_op(name, model):
    """Whether a random graph of 8 bits has an op that golden/wrong.txt names: its answers say nothing."""
    op, kind = name.split(".")[:2]
    if op != "graph" or kind not in ("i8", "i8pc", "u8"):
        return False
    root = schema.Model.GetRootAs(model, 0)
    codes = {root.OperatorCodes(i).BuiltinCode() for i in range(root.OperatorCodesLength())}
    wrong = schema.BuiltinOperator
    return not codes.isdisjoint((wrong.SUM, wrong.NEG, wrong.DIV))


def write_case(out, name, case, skips, wrong, used):
    group = create_case(out, name, case)
    model, inputs = read_case(name, case)
    if has_wrong_op(name, model):
        group.attrs["skipped"] = np.bytes_("an op whose answers are wrong (golden/wrong.txt)")
        return
    if name in skips:
        used.add(name)
        try:
            run(model, inputs)
        except Refused:
            group.attrs["skipped"] = np.bytes_(skips[name])
            return
        raise Refused("golden/skip.txt names it, but the runtime runs it")
    # The optimized kernels round sums of bytes otherwise, so that in a random graph the nodes beside
    # the one that the plain kernels lack would differ, too.
    graph = name.startswith("graph.")
    try:
        resolver, answers = run(model, inputs, optimized=not graph)
    except NoKernel as missing:
        if not graph:
            raise
        used.add(name)
        print(f"{name}: skipped: {missing}")
        group.attrs["skipped"] = np.bytes_(str(missing)[:200])
        return
    if resolver != RESOLVER:
        group.attrs["resolver"] = np.bytes_(resolver)
    for pattern, reason in wrong.items():
        if fnmatch.fnmatchcase(name, pattern):
            group.attrs["wrong"] = np.bytes_(reason)
    write_answers(group, answers)
    if is_stored(name, model, inputs):
        write_array(group, "model", np.frombuffer(model, np.uint8))
        for i, value in enumerate(inputs):
            write_array(group, f"inputs/{i}", value)


def cases_of(op, float64=False):
    """(type, variant) in the order of names, group by group; float64: of what float64.py answers."""
    kinds = [kind for kind in sorted(op) if (kind in FLOAT64_TYPES) == float64]
    return [(kind, variant) for kind in kinds for variant in sorted(op[kind])]


def mint_op(export, op, path, skips, wrong, used):
    """Writes one file; returns the cases that the runtime refused."""
    refused = []
    lines = []
    with h5py.File(io.BytesIO(), "w", libver=("v110", "v110")) as out:
        for kind, variant in cases_of(export[op]):
            name = f"{op}.{kind}.{variant}"
            case = export[op][kind][variant]
            try:
                write_case(out, name, case, skips, wrong, used)
            except Refused as error:
                refused.append(f"{name}: {error}")
            lines.append(line_of(name, case))
        write_meta(out, RESOLVER, lines)
        # A copy has none of the room that HDF5 left for more while groups grew: an eighth.
        with h5py.File(path, "w", libver=("v110", "v110")) as copy:
            for name in out:
                out.copy(name, copy)
    return refused


def ops_of(export, float64=False):
    return [op for op in sorted(export) if op != "meta" and cases_of(export[op], float64)]


def names_of(export, float64=False):
    ops = ops_of(export, float64)
    return [f"{op}.{kind}.{variant}" for op in ops for kind, variant in cases_of(export[op], float64)]


def refuse_losses(path, known, float64=False):
    """Ends where a file has cases that the export lacks: that is so of an export with --filter."""
    if not os.path.exists(path):
        return
    with h5py.File(path, "r") as file:
        held = names_of(file, float64)
    lost = sorted(set(held) - known)
    if lost:
        sys.exit(
            f"mint: {path}: {len(lost)} of its {len(held)} cases are not in the export, such as {lost[0]}: "
            f"export all of the op (--filter='{lost[0].split('.')[0]}.*'), or remove the file if the suite "
            "has lost them; nothing was written"
        )


def replace(new, path):
    """Replaces path by new where they differ; returns in a word what was done."""
    with open(new, "rb") as file:
        data = file.read()
    if os.path.exists(path):
        with open(path, "rb") as file:
            if file.read() == data:
                os.remove(new)
                return "unchanged"
    os.replace(new, path)
    return "written"


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("export", help="file of `assay golden export`")
    parser.add_argument("outdir", help="directory of the golden files")
    parser.add_argument("--skip", default=os.path.join(here, "skip.txt"), help="cases to skip")
    parser.add_argument(
        "--wrong", default=os.path.join(here, "wrong.txt"), help="cases that the runtime gets wrong"
    )
    args = parser.parse_args()
    for path in (args.export, args.outdir):
        if not os.path.exists(path):
            sys.exit(f"mint: {path}: no such file or directory")
    skips = read_reasons(args.skip)
    wrong = read_reasons(args.wrong)
    refused = []
    used = set()
    done = []
    with h5py.File(args.export, "r") as export:
        if export["meta"].attrs["schema"] != SCHEMA:
            sys.exit(f"mint: {args.export}: expected schema {SCHEMA}, found {export['meta'].attrs['schema']}")
        ops = ops_of(export)
        known = set(names_of(export))
        for op in ops:
            refuse_losses(os.path.join(args.outdir, f"{op}.h5"), known)
        for op in ops:
            new = os.path.join(args.outdir, f".{op}.h5.new")
            refused += mint_op(export, op, new, skips, wrong, used)
            done.append((op, new, len(cases_of(export[op]))))
    stale = [name for name in skips if name.split(".")[0] in ops and name not in known]
    refused += [f"{name}: golden/skip.txt names it, but the suite has no such case" for name in stale]
    stale = [p for p in wrong if p.split(".")[0] in ops and not fnmatch.filter(known, p)]
    refused += [f"{pattern}: golden/wrong.txt names no case of the suite" for pattern in stale]
    if refused:
        for _, new, _ in done:
            os.remove(new)
        for line in refused:
            print(f"mint: {line}", file=sys.stderr)
        sys.exit(f"mint: {len(refused)} cases were not run; nothing was written")
    for op, new, count in done:
        path = os.path.join(args.outdir, f"{op}.h5")
        what = replace(new, path)
        print(f"{path}: {count} cases, {os.path.getsize(path)} bytes, {what}")
    total = sum(
        os.path.getsize(os.path.join(folder, name))
        for folder, _, names in os.walk(args.outdir)
        for name in names
        if not folder.endswith("__pycache__")
    )
    print(f"{args.outdir}: {total} bytes in all, at most {TOTAL_BYTES_MAX}")
    if total > TOTAL_BYTES_MAX:
        sys.exit("mint: too much to keep: fewer or smaller cases")
    if used:
        print(f"{len(used)} cases skipped (golden/skip.txt, or a random graph with an op that has no kernel)")


if __name__ == "__main__":
    main()

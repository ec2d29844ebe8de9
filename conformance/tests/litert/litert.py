"""Shared by the cross-checks: the real LiteRT with and without our .so, and comparisons of answers."""

import numpy as np
from ai_edge_litert.interpreter import Interpreter


class Report:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, ok, what, figures):
        self.passed += bool(ok)
        self.failed += not ok
        print(f"{'ok  ' if ok else 'FAIL'}  {what}: {figures}", flush=True)


def snr_db(reference, got):
    reference, got = reference.astype(np.float64), got.astype(np.float64)
    if reference.shape != got.shape or not np.isfinite(got).all():
        return float("-inf")
    noise = np.square(got - reference).sum()
    return float(10 * np.log10(np.square(reference).sum() / noise)) if noise else float("inf")


def wrong_classes(reference, got):
    """Counts rows of another class, although the two best scores are further apart than the error."""
    wrong = 0
    for r, g in zip(reference.astype(np.float64), got.astype(np.float64)):
        best = np.sort(r)
        wrong += int(r.argmax() != g.argmax() and best[-1] - best[-2] > np.abs(r - g).max())
    return wrong


def infer(interpreter, inputs):
    """Returns the first row of the first output for each input."""
    at = interpreter.get_input_details()[0]["index"]
    out = interpreter.get_output_details()[0]["index"]
    answers = []
    for x in inputs:
        interpreter.set_tensor(at, x)
        interpreter.invoke()
        answers.append(interpreter.get_tensor(out)[0].copy())
    return np.stack(answers)


def interpreter_of(path, resolver, delegates=None):
    interpreter = Interpreter(
        str(path), experimental_op_resolver_type=resolver, experimental_delegates=delegates
    )
    interpreter.allocate_tensors()
    return interpreter


def ops_that_run(interpreter):
    """Returns the number of DELEGATE nodes, and the names of the other ops that outputs still need;
    the runtime's list also has the nodes that a delegate replaced."""
    producer = {}
    for op in interpreter._get_ops_details():
        for tensor in op["outputs"]:
            if op["op_name"] == "DELEGATE" or tensor not in producer:
                producer[tensor] = op
    wanted = [d["index"] for d in interpreter.get_output_details()]
    running = {}
    while wanted:
        op = producer.get(wanted.pop())
        if op and op["index"] not in running:
            running[op["index"]] = op["op_name"]
            wanted.extend(op["inputs"])
    names = list(running.values())
    return names.count("DELEGATE"), sorted(set(names) - {"DELEGATE"})

"""Checks WHILE, IF, CALL_ONCE and resource variables of our reference against the real LiteRT.

    make cross-check            # or, in a venv with golden/requirements.txt:
    python conformance/tests/litert/cross_control.py BUILD_DIRECTORY

Small models of several subgraphs, each run several times, and again after a resize: loops whose
tensors keep their shape or grow, loops in loops, branches of different shapes, variables that count
across runs.  The outputs must have the same bits and shapes.  Then models that must fail in ours,
with a message.  Last, variables between the nodes of our delegate in LiteRT: one partition, whose
state goes on.
"""

import argparse
import os
import pathlib
import sys

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType, load_delegate

from flat_model import FlatModel
from libassay import Failure, Library, Runtime
from litert import Report, ops_that_run

BOOL = np.bool_


class Net(FlatModel):
    def add(self, a, b, shape, kind=np.float32):
        y = self.tensor(shape, kind)
        self.op("ADD", [a, b], [y], options="AddOptions")
        return y

    def loop(self, inputs, outputs, cond, body):
        self.op("WHILE", inputs, outputs, options="WhileOptions", condSubgraphIndex=cond,
                bodySubgraphIndex=body)  # fmt: skip

    def branch(self, inputs, outputs, then, other):
        self.op("IF", inputs, outputs, options="IfOptions", thenSubgraphIndex=then,
                elseSubgraphIndex=other)  # fmt: skip

    def handle(self, name):
        y = self.tensor([], "resource")
        self.op("VAR_HANDLE", [], [y], options="VarHandleOptions", sharedName=name.encode())
        return y

    def below(self, x, limit):
        """Is the i32 scalar x, at most limit, below it?  Element x of a table."""
        at, y = self.tensor([1], np.int32), self.tensor([], BOOL)
        one = self.constant([1], np.int32)
        table = self.constant([True] * limit + [False], BOOL)
        self.op("RESHAPE", [x, one], [at], options="ReshapeOptions", newShape=[1])
        self.op("STRIDED_SLICE", [table, at, self.add(at, one, [1], np.int32), one], [y],
                options="StridedSliceOptions", shrinkAxisMask=1, version=4)  # fmt: skip
        return y


def condition(m, shapes, limit):
    """A subgraph: is the first of its inputs, an i32 scalar, below the limit?"""
    index = m.begin()
    x = [m.tensor(s, k) for s, k in shapes]
    m.ends(x, [m.below(x[0], limit)])
    return index


def counting(steps):
    """i, v := 0, x; while i < steps: i, v := i + 1, v + v."""
    m = Net()
    shapes = [([], np.int32), ([3], np.float32)]
    x, i = m.tensor([3], signature=[-1]), m.constant(0, np.int32)
    n, y = m.tensor([], np.int32), m.tensor([3])
    m.loop([i, x], [n, y], 1, 2)
    m.ends([x], [n, y])
    condition(m, shapes, steps)
    m.begin()
    a, b = (m.tensor(s, k) for s, k in shapes)
    m.ends([a, b], [m.add(a, m.constant(1, np.int32), [], np.int32), m.add(b, b, [3])])
    return m


def growing(steps):
    """while i < steps: v := concat(v, v)."""
    m = Net()
    shapes = [([], np.int32), ([2], np.float32)]
    x, i = m.tensor([2]), m.constant(0, np.int32)
    n, y, z = m.tensor([], np.int32), m.tensor([2]), m.tensor([2])
    m.loop([i, x], [n, y], 1, 2)
    m.op("RELU", [y], [z])
    m.ends([x], [n, z])
    condition(m, shapes, steps)
    m.begin()
    a, b = (m.tensor(s, k) for s, k in shapes)
    c = m.tensor([4])
    m.op("CONCATENATION", [b, b], [c], options="ConcatenationOptions")
    m.ends([a, b], [m.add(a, m.constant(1, np.int32), [], np.int32), c])
    return m


def nested():
    """A loop of 3 in a loop of 2."""
    m = Net()
    shapes = [([], np.int32), ([2], np.float32)]
    x, i = m.tensor([2]), m.constant(0, np.int32)
    n, y = m.tensor([], np.int32), m.tensor([2])
    m.loop([i, x], [n, y], 1, 2)
    m.ends([x], [y])
    condition(m, shapes, 2)
    m.begin()
    a, b = (m.tensor(s, k) for s, k in shapes)
    k, c = m.tensor([], np.int32), m.tensor([2])
    m.loop([m.constant(0, np.int32), b], [k, c], 3, 4)
    m.ends([a, b], [m.add(a, m.constant(1, np.int32), [], np.int32), c])
    condition(m, shapes, 3)
    m.begin()
    a, b = (m.tensor(s, k) for s, k in shapes)
    m.ends([a, b], [m.add(a, m.constant(1, np.int32), [], np.int32),
                    m.add(b, m.constant([1, -1]), [2])])  # fmt: skip
    return m


def branches(same):
    """if c: x + x, else x or concat(x, x)."""
    m = Net()
    c, x = m.tensor([1], BOOL), m.tensor([1, 2])
    y, z = m.tensor([1, 2]), m.tensor([1, 2])
    m.branch([c, x], [y], 1, 2)
    m.op("RELU", [y], [z])
    m.ends([c, x], [z])
    m.begin()
    a = m.tensor([1, 2])
    m.ends([a], [m.add(a, a, [1, 2])])
    m.begin()
    a, b = m.tensor([1, 2]), m.tensor([1, 2 if same else 4])
    if same:
        m.ends([a], [a])
    else:
        m.op("CONCATENATION", [a, a], [b], options="ConcatenationOptions", axis=1)
        m.ends([a], [b])
    return m


def variables():
    """A variable is 10 at first, and each run adds x; y is read before, z after."""
    m = Net()
    x, y, z = m.tensor([2]), m.tensor([2]), m.tensor([2])
    m.op("CALL_ONCE", [], [], options="CallOnceOptions", initSubgraphIndex=1)
    handle = m.handle("total")
    m.op("READ_VARIABLE", [handle], [y], options="ReadVariableOptions")
    m.op("ASSIGN_VARIABLE", [handle, m.add(x, y, [2])], [], options="AssignVariableOptions")
    m.op("READ_VARIABLE", [m.handle("total")], [z], options="ReadVariableOptions")
    m.ends([x], [y, z])
    m.begin()
    m.op("ASSIGN_VARIABLE", [m.handle("other"), m.constant([7, 7])], [],
         options="AssignVariableOptions")  # fmt: skip
    m.op("ASSIGN_VARIABLE", [m.handle("total"), m.constant([10, 10])], [],
         options="AssignVariableOptions")  # fmt: skip
    m.ends([], [])
    return m


def handle_in_loop():
    """A handle is an input of a loop, whose body adds to the variable."""
    m = Net()
    shapes = [([], np.int32), ([], "resource"), ([2], np.float32)]
    x, y = m.tensor([2]), m.tensor([2])
    handle = m.handle("v")
    m.op("ASSIGN_VARIABLE", [handle, x], [], options="AssignVariableOptions")
    out = [m.tensor(s, k) for s, k in shapes]
    m.loop([m.constant(0, np.int32), handle, x], out, 1, 2)
    m.op("READ_VARIABLE", [handle], [y], options="ReadVariableOptions")
    m.ends([x], [y])
    condition(m, shapes, 3)
    m.begin()
    a, h, v = (m.tensor(s, k) for s, k in shapes)
    old = m.tensor([2])
    m.op("READ_VARIABLE", [h], [old], options="ReadVariableOptions")
    m.op("ASSIGN_VARIABLE", [h, m.add(old, v, [2])], [], options="AssignVariableOptions")
    m.ends([a, h, v], [m.add(a, m.constant(1, np.int32), [], np.int32), h, v])
    return m


def delays():
    """Two layers with a state each; the second is read after the first was assigned."""
    m = Net()
    x, old, older = m.tensor([2]), m.tensor([2]), m.tensor([2])
    m.op("CALL_ONCE", [], [], options="CallOnceOptions", initSubgraphIndex=1)
    a, b = m.handle("a"), m.handle("b")
    m.op("READ_VARIABLE", [a], [old], options="ReadVariableOptions")
    y = m.add(x, old, [2])
    m.op("ASSIGN_VARIABLE", [a, y], [], options="AssignVariableOptions")
    m.op("READ_VARIABLE", [b], [older], options="ReadVariableOptions")
    z = m.add(y, older, [2])
    m.op("ASSIGN_VARIABLE", [b, z], [], options="AssignVariableOptions")
    m.ends([x], [m.add(z, old, [2]), y, older])
    m.begin()
    for name, value in (("a", 3), ("b", 5)):
        m.op("ASSIGN_VARIABLE", [m.handle(name), m.constant([value, value])], [],
             options="AssignVariableOptions")  # fmt: skip
    m.ends([], [])
    return m


def real_of(model, delegates=None):
    return Interpreter(model_content=model, experimental_delegates=delegates,
                       experimental_op_resolver_type=OpResolverType.BUILTIN_REF)  # fmt: skip


def run_real(i, inputs):
    for detail, value in zip(i.get_input_details(), inputs):
        i.set_tensor(detail["index"], value)
    i.invoke()
    return [i.get_tensor(d["index"]).copy() for d in i.get_output_details()]


def finish(m):
    main = m.model.subgraphs[0]
    m.graph = main
    return m.bytes(main.inputs, main.outputs)


def check(report, library, what, m, runs):
    """runs: inputs; a new shape of one resizes it."""
    model = finish(m)
    real, shapes = real_of(model), None
    try:
        ours = Runtime(library, model)
        for at, inputs in enumerate(runs):
            now = [v.shape for v in inputs]
            if now != shapes:
                for i, (detail, shape) in enumerate(zip(real.get_input_details(), now)):
                    if at > 0:
                        real.resize_tensor_input(detail["index"], shape)
                        ours.resize(i, shape)
                real.allocate_tensors()
                ours.allocate()
                shapes = now
            expected = run_real(real, inputs)
            for i, value in enumerate(inputs):
                ours.set(i, value)
            ours.invoke()
            got = ours.outputs()
            same = all(
                a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in zip(expected, got)
            )
            if not same:
                print("  expected", expected, "got", got)
            report.check(same, f"{what}, run {at}", f"{[list(a.shape) for a in expected]}")
        ours.close()
    except Failure as failure:
        report.check(False, what, f"fails: {failure}")


def check_all(report, library):
    f = np.array([1.5, -2, 3], np.float32)
    for steps in (0, 1, 5):
        m = counting(steps)
        check(report, library, f"counts to {steps}", m, [[f], [f[:2]], [-f]])
    for steps in (0, 1, 4):
        check(report, library, f"grows {steps} times", growing(steps), [[f[:2]], [f[1:]]])
    check(report, library, "a loop in a loop", nested(), [[f[:2]], [f[1:]]])
    x = f[None, :2]
    for same in (True, False):
        runs = [[np.array([c], BOOL), x] for c in (True, False, False, True)]
        check(report, library, f"branches of {'one shape' if same else 'two shapes'}",
              branches(same), runs)  # fmt: skip
    check(report, library, "variables", variables(), [[f[:2]], [f[1:]], [f[:2]]])
    check(report, library, "a variable in a loop", handle_in_loop(), [[f[:2]], [f[1:]]])


def check_delegated(report, build):
    model = finish(delays())
    for options in ({}, {"wait": "none"}):
        delegate = load_delegate(str(build / "libassay_delegate.so"), {"precision": "fp32", **options})
        ours, real = real_of(model, [delegate]), real_of(model)
        ours.allocate_tensors()
        real.allocate_tensors()
        for at in range(4):
            x = np.array([at + 0.5, -at], np.float32)
            expected, got = run_real(real, [x]), run_real(ours, [x])
            same = all(a.tobytes() == b.tobytes() for a, b in zip(expected, got))
            report.check(same, f"state between nodes of the delegate {options}, run {at}", f"{got}")
        ran = ops_that_run(ours)
        report.check(ran == (1, ["VAR_HANDLE"]), f"one partition {options}", f"{ran}")


def check_refused(report, library, what, m, expected, inputs=None):
    try:
        ours = Runtime(library, finish(m))
        said = "it runs"
        ours.run(inputs or [])
    except Failure as failure:
        said = str(failure)
    report.check(expected in said, f"refused, {what}", said)


def recursion():
    m = branches(True)
    m.graph = m.model.subgraphs[2]
    a = m.graph.inputs[0]
    y = m.tensor([1, 2])
    m.branch([m.constant([True], BOOL), a], [y], 1, 2)
    m.ends([a], [y])
    return m


def endless():
    m = counting(5)
    m.graph = m.model.subgraphs[1]
    m.graph.operators = []
    m.ends(m.graph.inputs, [m.constant(True, BOOL)])
    return m


def wrong_index():
    m = branches(True)
    m.model.subgraphs[0].operators[0].builtinOptions.elseSubgraphIndex = 9
    return m


def wrong_inputs():
    m = branches(True)
    m.graph = m.model.subgraphs[2]
    m.ends([], [m.constant([[1.0, 2.0]])])
    return m


def unassigned():
    m = variables()
    m.model.subgraphs[1].operators.pop()
    return m


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    build = parser.parse_args().build
    library, report = Library(build), Report()
    check_all(report, library)
    check_delegated(report, build)
    f, yes = np.zeros([3], np.float32), np.array([True], BOOL)
    x = np.zeros([1, 2], np.float32)
    os.environ["ASSAY_MAX_ITERATIONS"] = "1000"
    check_refused(report, library, "an endless loop", endless(), "after 1000 iterations", [f])
    check_refused(report, library, "recursion", recursion(), "subgraph 2 calls itself: 0 > 2 > 2")
    check_refused(report, library, "no such subgraph", wrong_index(), "no such subgraph: 9 of 3")
    check_refused(report, library, "another number of inputs", wrong_inputs(),
                  "subgraph 2 has 0 inputs, expected 1", [yes, x])  # fmt: skip
    check_refused(report, library, "read before assigned", unassigned(),
                  "is read before a value is assigned to it", [f[:2]])  # fmt: skip
    print(f"cross-control: {report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())

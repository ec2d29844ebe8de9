"""Reads files of callgrind: what our objects cost, and by which calls."""

import os
import re

# What a cost belongs to.  A function of libc counts for whoever calls it.
OURS, HELPER, FOREIGN = "ours", "helper", "foreign"
HELPERS = re.compile(r"^(libc|libm|libz|libpthread|libgcc_s|ld-linux[\w.-]*|ld-musl[\w.-]*)[-.]")


def kind_of(path, build):
    """Whether an object is ours: it lies in the build directory."""
    if os.path.abspath(path).startswith(os.path.abspath(build) + os.sep):
        return OURS
    return HELPER if HELPERS.match(os.path.basename(path)) else FOREIGN


class Dump:
    """One dump: functions are pairs of object and name."""

    def __init__(self, path, build):
        self.trigger = ""
        self.self_cost = {}  # function: instructions
        self.arcs = {}  # (caller, callee): instructions of the callee and all below it
        self.kinds = {"???": FOREIGN}
        self.build = build
        with open(path, encoding="utf-8", errors="replace") as lines:
            self._read(lines, path)

    def _read(self, lines, path):
        names = {}  # of each table: number: name
        ob, fn, cob, cfn, call, begun = "???", "", None, None, False, True

        def name(table, text):
            m = re.match(r"\((\d+)\)(?: (.*))?$", text)
            if not m:
                return text
            if m.group(2) is not None:
                names[table, m.group(1)] = m.group(2)
            return names.get((table, m.group(1)), "???")

        for number, line in enumerate(lines, 1):
            line = line.rstrip("\n")
            key, equals, value = line.partition("=")
            if line.startswith("desc: Trigger: "):
                self.trigger = line[len("desc: Trigger: ") :]
            elif equals and key == "ob":
                ob = name("ob", value)
            elif equals and key == "fn":
                fn = name("fn", value)
            elif equals and key == "cob":
                cob = name("ob", value)
            elif equals and key == "cfn":
                cfn = name("fn", value)
            elif equals and key == "calls":
                # None: the call began before this dump did, and holds all of it.
                call, begun = True, not value.startswith("0 ")
            elif line and (line[0].isdigit() or line[0] in "+-*"):
                try:
                    cost = int(line.split()[1])
                except (IndexError, ValueError):
                    raise SystemExit(f"{path}:{number}: expected a position and a count: {line}")
                if call and not begun:
                    cob, cfn, call = None, None, False
                elif call:
                    arc = (ob, fn), (cob if cob is not None else ob, cfn)
                    self.arcs[arc] = self.arcs.get(arc, 0) + cost
                    cob, cfn, call = None, None, False
                else:
                    self.self_cost[ob, fn] = self.self_cost.get((ob, fn), 0) + cost

    def kind(self, function):
        ob = function[0]
        if ob not in self.kinds:
            self.kinds[ob] = kind_of(ob, self.build)
        return self.kinds[ob]

    def own_cost(self):
        """Instructions of our objects, and of libc where we call it; not of a driver, nor of what a
        driver calls.  Where libc calls back, as qsort does, our part is in our own count."""
        cost = sum(n for f, n in self.self_cost.items() if self.kind(f) == OURS)
        for (caller, callee), n in self.arcs.items():
            kinds = self.kind(caller), self.kind(callee)
            if kinds == (OURS, HELPER):
                cost += n
            elif kinds == (HELPER, OURS):
                cost -= n
        return cost

    def stacks(self, root):
        """{stack: instructions} below our function `root`.  callgrind counts each call by its two
        ends; a function that several call is divided among them as its cost is."""
        children, into = {}, {}
        for (caller, callee), n in self.arcs.items():
            if self.kind(callee) != FOREIGN and caller != callee:
                children.setdefault(caller, []).append((callee, n))
                into[callee] = into.get(callee, 0) + n
        found = {}

        def walk(function, share, path):
            path = path + (function,)
            stack = tuple(f[1].split("'")[0] for f in path)
            cost = self.self_cost.get(function, 0) * share
            if cost >= 1:
                found[stack] = found.get(stack, 0) + cost
            if len(path) > 60 or share < 1e-4:
                return
            for callee, n in children.get(function, []):
                if into[callee] > 0 and callee not in path:
                    walk(callee, share * n / into[callee], path)

        for function in list(self.self_cost):
            if function[1] == root and self.kind(function) == OURS:
                walk(function, 1.0, ())
        return found


def dumps(prefix, build):
    """The dumps of one run in their order; the last one, at the end of the program, is left out."""
    directory, base = os.path.split(prefix)
    numbers = sorted(
        int(f[len(base) + 1 :])
        for f in os.listdir(directory or ".")
        if re.fullmatch(re.escape(base) + r"\.\d+", f)
    )
    return [Dump(f"{prefix}.{n}", build) for n in numbers]

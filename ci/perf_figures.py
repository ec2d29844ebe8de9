"""Figures of make perf: collects them from callgrind and massif, and compares them.

    perf_figures.py collect BUILD MODEL CALLGRIND MASSIF   rows of one model, on stdout
    perf_figures.py compare BASELINE NEW [PERCENT]         exit status 1: a figure grew
"""

import os
import re
import statistics
import sys

from perf_callgrind import FOREIGN, HELPER, OURS, dumps, kind_of

# The layers of a start, and the function that each one is.
LAYERS = {
    "verify": "tflite_check",
    "parse": "tflite_read_verified",
    "prepare": "interpreter_open",
    "plan": "plan_make",
    "record": "record_plan",
    "invoke": "kernel_invoke",
}
HEAP_OURS, HEAP_DRIVER = "heap, ours", "heap, driver"


def fail(text):
    raise SystemExit(f"perf: {text}")


# ---- callgrind ----


def layer_costs(prefix, build):
    """Instructions of each layer: of invoke the median of all inferences, else the sum of calls."""
    calls = {layer: [] for layer in LAYERS}
    of = {function: layer for layer, function in LAYERS.items()}
    for dump in dumps(prefix, build):
        function = dump.trigger.partition("--dump-after=")[2]
        if function in of:
            calls[of[function]].append(dump.own_cost())
    for layer, costs in calls.items():
        if not costs or not any(costs):
            fail(f"no call of {LAYERS[layer]} was counted: the layer '{layer}' has another function")
    return {
        layer: round(statistics.median(costs)) if layer == "invoke" else sum(costs)
        for layer, costs in calls.items()
    }


# ---- massif ----

NODE = re.compile(r"^( *)n(\d+): (\d+) (.*)$")
IN_OBJECT = re.compile(r"\(in ([^)]*)\)$")
IN_SOURCE = re.compile(r"\(([^():]+\.[a-z]+):\d+\)$")


def frame_kind(text, build, sources):
    """Whose code a frame of massif is; HELPER: whoever calls it."""
    m = IN_OBJECT.search(text)
    if m:
        return kind_of(m.group(1), build)
    m = IN_SOURCE.search(text)
    return OURS if m and os.path.basename(m.group(1)) in sources else HELPER


def snapshot_heap(lines, build, sources):
    """{OURS: bytes, FOREIGN: bytes} of a detailed snapshot: a block is of the innermost frame that
    is not libc.  What lies below massif's threshold, without a frame, is FOREIGN."""
    heap = {OURS: 0, FOREIGN: 0}
    open_until = None  # depth of a frame whose bytes are settled
    for line in lines:
        m = NODE.match(line)
        if not m:
            continue
        depth, children, count, text = len(m.group(1)), int(m.group(2)), int(m.group(3)), m.group(4)
        if open_until is not None and depth > open_until:
            continue
        open_until = None
        kind = HELPER if depth == 0 else frame_kind(text, build, sources)
        if kind == HELPER and children == 0:
            kind = FOREIGN
        if kind != HELPER:
            heap[kind] += count
            open_until = depth
    return heap


def heap_peaks(path, build, sources):
    """The most that is ours in a detailed snapshot, and what is the driver's at massif's peak."""
    ours, driver, tree, kind = 0, None, [], ""

    def settle():
        nonlocal ours, driver
        if not tree:
            return
        heap = snapshot_heap(tree, build, sources)
        ours = max(ours, heap[OURS])
        if kind == "peak":
            driver = heap[FOREIGN]

    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith("heap_tree="):
                settle()
                kind, tree = line.rstrip("\n").partition("=")[2], []
            elif NODE.match(line):
                tree.append(line.rstrip("\n"))
    settle()
    if driver is None or ours == 0:
        fail(f"{path}: expected a snapshot with heap_tree=peak and frames of our objects")
    return {HEAP_OURS: ours, HEAP_DRIVER: driver}


# ---- tables ----


def read_table(path):
    """Facts ('# key: value'), and {(model, figure): value}."""
    facts, rows = {}, {}
    try:
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                line = line.rstrip("\n")
                if line.startswith("#"):
                    key, colon, value = line[1:].strip().partition(": ")
                    if colon:
                        facts[key] = value
                elif line:
                    cells = line.split("\t")
                    if len(cells) != 3 or not cells[2].isdigit():
                        fail(f"{path}:{number}: expected model, figure and count: {line}")
                    rows[cells[0], cells[1]] = int(cells[2])
    except OSError as error:
        fail(f"{path}: {error.strerror}")
    if not rows:
        fail(f"{path}: no figure")
    return facts, rows


def compare(base_path, new_path, percent):
    base_facts, base = read_table(base_path)
    new_facts, new = read_table(new_path)
    other = [k for k in sorted({*base_facts, *new_facts}) if base_facts.get(k) != new_facts.get(k)]
    grown = shrunk = 0

    print(f"{'model':<22}{'figure':<14}{'baseline':>12}{'now':>12}{'ratio':>8}")
    for key in dict.fromkeys([*base, *new]):
        old, now = base.get(key), new.get(key)
        ratio = now / old if old and now is not None else None
        word = ""
        if old is None or now is None:
            word = "new" if old is None else "MISSING"
        elif key[1] == HEAP_DRIVER:
            word = "not compared"
        elif now > old * (1 + percent / 100):
            word = "GREW"
        elif now < old * (1 - percent / 100):
            word = "shrank"
        grown += word in ("GREW", "MISSING")
        shrunk += word == "shrank"
        print(
            f"{key[0]:<22}{key[1]:<14}{old if old is not None else '-':>12}"
            f"{now if now is not None else '-':>12}"
            f"{f'{ratio:.3f}' if ratio is not None else '-':>8}  {word}".rstrip()
        )
    for fact in other:
        print(
            f"perf: {fact}: the baseline has {base_facts.get(fact, 'none')}, "
            f"here is {new_facts.get(fact, 'none')}"
        )
    if other:
        print("perf: not compared: counts of another compiler, libc or driver are other counts")
        return 0
    if grown:
        print(f"perf: FAILED: {grown} figures grew by more than {percent:g} %; "
              "make perf-accept makes these the baseline")
        return 1
    if shrunk:
        print(f"perf: {shrunk} figures shrank by more than {percent:g} %: "
              "make perf-accept, so that they stay small")
    print(f"perf: {len(new)} figures, none grew by more than {percent:g} %")
    return 0


def main(arguments):
    if len(arguments) == 5 and arguments[0] == "collect":
        build, model, callgrind, massif = arguments[1:]
        rooms = "reference", "delegate", "conformance"
        sources = {f for room in rooms for _, _, files in os.walk(room) for f in files}
        figures = {**layer_costs(callgrind, build), **heap_peaks(massif, build, sources)}
        for figure, value in figures.items():
            print(f"{model}\t{figure}\t{value}")
        return 0
    if len(arguments) in (3, 4) and arguments[0] == "compare":
        return compare(arguments[1], arguments[2], float((arguments + ["2"])[3]))
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

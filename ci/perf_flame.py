"""Draws a flame graph as one SVG file without scripts: each box is a function, as wide as its cost,
and stands on its caller.

    perf_flame.py callgrind BUILD PREFIX TITLE   from the dumps of make perf: our objects and libc
    perf_flame.py perf TITLE                     from `perf script -F comm,ip,sym,dso` on stdin
"""

import os
import re
import sys
from xml.sax.saxutils import escape

from perf_callgrind import dumps
from perf_figures import LAYERS

WIDTH, ROW, MARGIN, HEAD = 1200, 17, 10, 44
NARROWEST = 0.3  # of a box, in pixels
# Colours by the first word of a name, so that neighbours of one module look alike.
COLOURS = ["#fbb4ae", "#b3cde3", "#ccebc5", "#decbe4", "#fed9a6", "#ffffcc", "#e5d8bd", "#fddaec"]


def from_callgrind(build, prefix):
    layer_of = {function: layer for layer, function in LAYERS.items()}
    stacks = {}
    for dump in dumps(prefix, build):
        root = dump.trigger.partition("--dump-after=")[2]
        if root not in layer_of:
            continue
        for stack, cost in dump.stacks(root).items():
            key = (layer_of[root], *stack)
            stacks[key] = stacks.get(key, 0) + cost
    return stacks


def from_perf(lines):
    stacks, frames, comm = {}, [], None

    def settle():
        if comm and frames:
            key = (comm, *reversed(frames))
            stacks[key] = stacks.get(key, 0) + 1

    for line in lines:
        line = line.rstrip("\n")
        m = re.match(r"\s+[0-9a-f]+ (.*?)(?: \(([^()]*)\))?$", line)
        if m and comm:
            # A function without a symbol is one box for each object, however deep it calls itself.
            name = re.sub(r"\+0x[0-9a-f]+$", "", m.group(1))
            if name == "[unknown]":
                name = "in " + os.path.basename(m.group(2) or "unknown code")
            if not frames or frames[-1] != name:
                frames.append(name)
        elif line and not line.startswith((" ", "\t")):
            settle()
            comm, frames = line.split()[0].rstrip(":"), []
    settle()
    return stacks


class Box:
    def __init__(self, name):
        self.name, self.cost, self.above = name, 0, {}


def tree_of(stacks):
    root = Box("all")
    for stack, cost in stacks.items():
        root.cost += cost
        at = root
        for name in stack:
            at = at.above.setdefault(name, Box(name))
            at.cost += cost
    return root


def height_of(box, scale):
    above = [height_of(b, scale) for b in box.above.values() if b.cost * scale >= NARROWEST]
    return 1 + max(above, default=0)


def colour_of(name):
    return COLOURS[sum(map(ord, re.split(r"[_:@. ]", name)[0])) % len(COLOURS)]


def draw(box, x, depth, scale, height, total, unit, out):
    width = box.cost * scale
    y = HEAD + (height - 1 - depth) * ROW
    title = f"{box.name}: {box.cost:,.0f} {unit}, {100 * box.cost / total:.1f} %"
    out.append(f'<g><title>{escape(title)}</title><rect x="{x:.1f}" y="{y}" width="{width:.1f}" '
               f'height="{ROW - 1}" fill="{colour_of(box.name)}" rx="1"/>')
    room = int((width - 4) / 6.6)
    if room >= 3:
        label = box.name if len(box.name) <= room else box.name[: room - 1] + "\u2026"
        out.append(f'<text x="{x + 3:.1f}" y="{y + 12}">{escape(label)}</text>')
    out.append("</g>")
    # By name, as is usual: the order says nothing about time.
    for name in sorted(box.above):
        above = box.above[name]
        if above.cost * scale >= NARROWEST:
            draw(above, x, depth + 1, scale, height, total, unit, out)
        x += above.cost * scale


def svg(stacks, title, unit):
    root = tree_of(stacks)
    if root.cost <= 0:
        raise SystemExit("perf: no sample, hence no flame graph")
    scale = (WIDTH - 2 * MARGIN) / root.cost
    height = height_of(root, scale)
    bottom = HEAD + height * ROW + MARGIN
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{bottom}" '
        f'viewBox="0 0 {WIDTH} {bottom}" font-family="monospace" font-size="11">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{bottom}" fill="#fff"/>',
        f'<text x="{MARGIN}" y="18" font-size="14">{escape(title)}</text>',
        f'<text x="{MARGIN}" y="34" fill="#555">{root.cost:,.0f} {unit}; a box is as wide as its '
        "cost and stands on its caller; point at it for its count</text>",
    ]
    draw(root, MARGIN, 0, scale, height, root.cost, unit, out)
    return "\n".join([*out, "</svg>", ""])


def main(arguments):
    if len(arguments) == 4 and arguments[0] == "callgrind":
        sys.stdout.write(svg(from_callgrind(*arguments[1:3]), arguments[3], "instructions"))
    elif len(arguments) == 2 and arguments[0] == "perf":
        sys.stdout.write(svg(from_perf(sys.stdin), arguments[1], "samples"))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

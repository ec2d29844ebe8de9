"""Medians and their intervals, and the table of a run."""
import math
import statistics


def interval(values):
    """95 % of the median, from ranks (binomial): holds for every distribution.  Neighbours in time
    resemble each other, so values are medians of blocks.  None: too few."""
    n = len(values)
    k = math.floor((n - 1.96 * math.sqrt(n)) / 2)
    ordered = sorted(values)
    return [ordered[k - 1], ordered[n - k]] if k >= 1 else None


def summarize(blocks):
    """blocks: a list of latencies for each round."""
    return {"median_ms": statistics.median(x for b in blocks for x in b),
            "interval_ms": interval([statistics.median(b) for b in blocks]),
            "n": sum(len(b) for b in blocks), "rounds": len(blocks)}


def ratio(blocks, base):
    """To the base, round by round: what changed meanwhile changed both."""
    each = [statistics.median(b) / statistics.median(a) for b, a in zip(blocks, base)]
    return {"median": statistics.median(each), "interval": interval(each)}


def span(pair, form):
    return f"{pair[0]:{form}} to {pair[1]:{form}}" if pair else "too few"


def clocks(run):
    seen = [(c["sm_mhz"], c["memory_mhz"]) for m in run["models"] for c in m["clocks"] if c]
    if not seen:
        return "clocks not known"
    parts = []
    for name, values in zip(("SM", "memory"), zip(*seen)):
        low, high = min(values), max(values)
        parts.append(f"{name} {low}" + (f" to {high}" if high > low else ""))
    return ", ".join(parts) + " MHz"


def row(model, r):
    name = f"{model['name']} {model['type']}"
    if "reason" in r:
        return f"| {name} | {r['subject']} | - | - | - | - | {r['reason']} |"
    to_base = r.get("ratio")
    note = []
    if r.get("difference") is not None:
        note.append(f"off by {r['difference']:.1e} of the largest output")
    return (f"| {name} | {r['subject']} | {r['median_ms']:.3f} | {span(r['interval_ms'], '.3f')} "
            f"({r['n']}) | " + (f"{to_base['median']:.2f} | " if to_base else "- | ") +
            f"{r['init_ms']:.0f} + {r['first_ms']:.1f} | {', '.join(note)} |")


def markdown(run):
    e = run["environment"]
    lines = [f"{e['date']}: {e['device']}, driver {e['driver']}, {clocks(run)}; {e['cpu']}, "
             f"{e['cores']} cores; {e['versions']}.", "",
             "| model | subject | median ms | 95 % (n) | / ours | start + first, ms | |",
             "|---|---|---|---|---|---|---|"]
    lines += [row(m, r).replace("  |", " |") for m in run["models"] for r in m["rows"]]
    return "\n".join(lines) + "\n"


def cell(model, name):
    """Medians of the subjects whose names begin so; those of two precisions by " / "."""
    rows = [r for r in model["rows"] if r["subject"].startswith(name)]
    return " / ".join(f"{r['median_ms']:.2f}" if "reason" not in r else "-" for r in rows)


def short(run):
    """Rows of models, columns of runtimes, milliseconds: fp32 / fp16, where there are both."""
    names = ["ours", "LiteRT GPU", "LiteRT CPU", "ncnn Vulkan", "PyTorch compiled"]
    timed = {r["subject"] for m in run["models"] for r in m["rows"]}
    names = [n for n in names if any(t.startswith(n) for t in timed)]
    lines = ["| ms: fp32 / fp16, or i8 | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    lines += [f"| {m['name']} {m['type']} | " + " | ".join(cell(m, n) for n in names) + " |"
              for m in run["models"]]
    return "\n".join(lines) + "\n"

"""How the time of an inference grows with batch, image, width and channels.

Whole models come from assay zoo, single ops from here.  Latency is the median from the call until
the outputs can be read; device time is the sum of the steps, one by one.  ADD, CONV_2D and
DEPTHWISE_CONV_2D of 5 channels, which are stored as 8, may have at most 10 % more latency than of 8:
otherwise the exit code is 1.  Their device times are those of the op's own steps: with 4 and 8
channels these also read and write the host's memory, which else is the work of other steps."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import one_op

LIMIT = 1.10
BATCHES, SIZES = (1, 2, 4, 8, 16, 32), (128, 160, 192, 224, 256, 320, 384, 448, 512)
WIDTHS, CHANNELS = (0.25, 0.5, 0.75, 1), range(1, 10)
OPS = "ADD", "CONV_2D", "DEPTHWISE_CONV_2D"


def bench(q, path, precision, seconds):
    """The report of assay bench; None, and the reason on stderr, where it fails."""
    command = [q.assay, "bench", path, "--no-starts", "--no-check", "--profile", "--quiet", "--format=json",
               "--delegate-option=wait=active", f"--delegate-option=precision={precision}",
               f"--min_secs={seconds}", f"--warmup_min_secs={seconds / 2}"]
    got = subprocess.run(command + [f"--delegate-option={o}" for o in q.option],
                         capture_output=True, text=True, check=False)
    if got.returncode == 0:
        return json.loads(got.stdout)
    print(f"growth: {os.path.basename(path)}: {got.stderr.strip()}", file=sys.stderr)
    return None


def whole(q, work, what, flag, values):
    rows = []
    for value in values:
        path = os.path.join(work, "m.tflite")
        subprocess.run([q.assay, "zoo", q.model, f"--{flag}={value}", "--quiet", "-o", path],
                       check=True, stdout=subprocess.DEVNULL)
        row = {"value": value}
        for precision in q.precisions:
            report = bench(q, path, precision, q.seconds)
            if report:
                row[precision] = {"median_ms": report["latency_ms"]["median"],
                                  "device_ms": report["device_ms"]["median"]}
        rows.append(row)
    return {"what": what, "rows": rows}


def single(q, work):
    rows = []
    for channels in q.channels:
        row = {"value": channels}
        for op in OPS:
            path = os.path.join(work, "op.tflite")
            one_op.write(q.assay, path, op, 224, channels)
            for precision in q.precisions:
                reports = [bench(q, path, precision, 0.02) for _ in range(q.repeats)]
                got = [(1e3 * r["latency_ms"]["median"],
                        sum(s["device_us"] for s in r["ops"] if s["node"] >= 0))
                       for r in reports if r]
                if got:
                    row[f"{op} {precision}"] = [min(x) for x in zip(*got)]
        rows.append(row)
    return rows


def number(value):
    return "-" if value is None else f"{value:.3f}"


def print_whole(q, table):
    print(f"\n| {table['what']} | " + " | ".join(
        f"{p}, ms | of it device | to the first" for p in q.precisions) + " |")
    print("|---" * (1 + 3 * len(q.precisions)) + "|")
    first = table["rows"][0]
    for row in table["rows"]:
        cells = [str(row["value"])]
        for p in q.precisions:
            now, base = row.get(p), first.get(p)
            cells += [number(now and now["median_ms"]), number(now and now["device_ms"]),
                      f"{now['median_ms'] / base['median_ms']:.2f}" if now and base else "-"]
        print("| " + " | ".join(cells) + " |")


def print_single(q, rows):
    """Returns whether 5 channels take as long as 8."""
    names = [f"{op} {p}" for op in OPS for p in q.precisions]
    print("\nLatency and device time of the op in us, [1, 224, 224, channels]:\n")
    print("| channels | " + " | ".join(names) + " |")
    print("|---" * (1 + len(names)) + "|")
    for row in rows:
        print(f"| {row['value']} | " +
              " | ".join("%.1f, %.1f" % tuple(row[n]) if n in row else "-" for n in names) + " |")
    by_count = {row["value"]: row for row in rows}
    good = True
    if not {5, 8} <= set(by_count):
        print("growth: 5 and 8 channels are not both among the rows: not compared")
        return True
    for name in names:
        five, eight = by_count[5].get(name), by_count[8].get(name)
        if five is None or eight is None:
            print(f"growth: {name}: not measured")
            good = False
        elif five[0] > LIMIT * eight[0]:
            print(f"growth: {name}: 5 channels take {five[0] / eight[0]:.2f} of 8, "
                  f"expected at most {LIMIT:.2f}")
            good = False
    if good:
        print(f"growth: 5 channels take at most {LIMIT:.2f} of 8")
    return good


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--assay", default="build/assay")
    p.add_argument("--model", default="mobilenet_v1", help="of assay zoo")
    p.add_argument("--precisions", default="fp32,fp16", type=lambda x: x.split(","))
    p.add_argument("--option", action="append", default=[], help="KEY=VALUE of our delegate")
    p.add_argument("--tables", default="batch,pixels,width,channels", type=lambda x: x.split(","))
    p.add_argument("--channels", default=list(CHANNELS), type=lambda x: [int(c) for c in x.split(",")])
    p.add_argument("--seconds", type=float, default=0.3, help="of inferences of a model, at least")
    p.add_argument("--repeats", type=int, default=3, help="of a single op: the shortest counts")
    p.add_argument("--out", help="a JSON")
    q = p.parse_args()
    tables, rows, good = [], [], True
    with tempfile.TemporaryDirectory() as work:
        for name, what, flag, values in (("batch", "batch", "batch", BATCHES),
                                         ("pixels", "height and width", "res", SIZES),
                                         ("width", "width", "width", WIDTHS)):
            if name in q.tables:
                tables.append(whole(q, work, f"{q.model}: {what}", flag, values))
                print_whole(q, tables[-1])
                sys.stdout.flush()
        if "channels" in q.tables:
            rows = single(q, work)
            good = print_single(q, rows)
    if q.out:
        with open(q.out, "w", encoding="utf-8") as f:
            json.dump({"models": tables, "ops": rows}, f, indent=1)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

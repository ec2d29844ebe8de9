"""The table of conformance/doc/RUNTIMES.md, from reports in JSON: python3 table.py NAME=REPORT...

A late refusal is a model that was taken, and refused at the first inference; subjects in this process
do not tell it apart, so that words which name a type, or support, count.
"""
import json
import sys

def is_late(case):
    return case["status"] == "fail" and case["reason"].startswith("invoke: ") and any(
        word in case["reason"] for word in ("late refusal", "support", "type"))


print("| runtime | date | cases | opened | right | wrong | refused late | refused | crashed, hung |")
print("|---|---|---|---|---|---|---|---|---|")
for argument in sys.argv[1:]:
    name, path = argument.split("=", 1)
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    cases = report["cases"]
    count = {status: sum(c["status"] == status for c in cases)
             for status in ("pass", "fail", "declined", "crash", "timeout")}
    late = sum(map(is_late, cases))
    row = [len(cases), len(cases) - count["declined"], count["pass"], count["fail"] - late, late,
           count["declined"], count["crash"] + count["timeout"]]
    print(f"| {name} | {report['run']['started'][:10]} | " + " | ".join(f"{n:,}" for n in row) + " |")

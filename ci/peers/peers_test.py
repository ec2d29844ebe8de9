"""The scripts of make peers notice what they should: python3 -B ci/peers/peers_test.py

ASSAY is the path of the program."""
import json
import os
import sys
import tempfile
import time
import types
import unittest

import figures
import one_op
import peers
import tflite
from worker import Failed, Worker

ASSAY = os.environ.get("ASSAY", "build/assay")
FAKE = r"""
import json, sys, time
mode = sys.argv[1]
print("a runtime says something", flush=True)
if mode == "refuse":
    print("noise\nassay: bench: it is refused", file=sys.stderr); sys.exit(2)
if mode == "hang":
    time.sleep(60)
print(json.dumps({"subject": mode, "init_ms": 1, "first_ms": 2,
                  "difference": 0.5 if mode == "wrong" else 0.01}), flush=True)
for turn, line in enumerate(sys.stdin):
    if mode == "die" and turn == 2:
        print("it died", file=sys.stderr); sys.exit(9)
    open(sys.argv[2], "a").write(mode + "\n") if len(sys.argv) > 2 else None
    print("a line between", flush=True)
    print(" ".join(["2.0" if mode == "slow" else "1.0"] * int(line)), flush=True)
"""


def fake(mode, *more):
    return [sys.executable, "-c", FAKE, mode, *more]


class Figures(unittest.TestCase):
    def test_interval(self):
        # n = 16: (16 - 1.96 * 4) / 2 = 4.08, so the fourth from either end.
        self.assertEqual(figures.interval(list(range(16, 0, -1))), [4, 13])
        self.assertEqual(figures.interval([9, 8, 7, 6, 5, 4, 3, 2, 1]), [1, 9])
        self.assertIsNone(figures.interval([1, 2, 3, 4, 5]))

    def test_ratio_is_round_by_round(self):
        base = [[1.0 * k] for k in range(1, 10)]
        self.assertEqual(figures.ratio([[2.0 * k] for k in range(1, 10)], base)["interval"], [2, 2])

    def test_summary_weighs_inferences(self):
        got = figures.summarize([[1, 1, 1], [5]])
        self.assertEqual((got["median_ms"], got["n"], got["rounds"]), (1, 4, 2))

    def test_table(self):
        run = {"environment": {"date": "2026-01-02", "device": "D", "driver": "R 1", "cpu": "C",
                               "cores": 4, "versions": "assay 1, peer 2"},
               "models": [{"name": "m", "type": "f32",
                           "clocks": [{"sm_mhz": 10, "memory_mhz": 7}, {"sm_mhz": 12, "memory_mhz": 7}],
                           "rows": [{"subject": "ours", "base": None, "median_ms": 0.5,
                                     "interval_ms": [0.4, 0.6], "n": 9, "init_ms": 3, "first_ms": 0.25},
                                    {"subject": "peer", "base": "ours", "median_ms": 1,
                                     "interval_ms": None, "n": 2, "init_ms": 3, "first_ms": 1,
                                     "difference": 1e-7, "ratio": {"median": 2, "interval": None}},
                                    {"subject": "gone", "base": "ours", "reason": "no device"}]}]}
        self.assertEqual(figures.markdown(run), """\
2026-01-02: D, driver R 1, SM 10 to 12, memory 7 MHz; C, 4 cores; assay 1, peer 2.

| model | subject | median ms | 95 % (n) | / ours | start + first, ms | |
|---|---|---|---|---|---|---|
| m f32 | ours | 0.500 | 0.400 to 0.600 (9) | - | 3 + 0.2 | |
| m f32 | peer | 1.000 | too few (2) | 2.00 | 3 + 1.0 | off by 1.0e-07 of the largest output |
| m f32 | gone | - | - | - | - | no device |
""")

    def test_short_table(self):
        rows = [{"subject": "ours fp32", "median_ms": 0.5}, {"subject": "ours fp16", "median_ms": 0.25},
                {"subject": "LiteRT GPU", "median_ms": 2}, {"subject": "LiteRT CPU, 4 threads", "median_ms": 1.234},
                {"subject": "ncnn Vulkan", "reason": "no device"}]
        self.assertEqual(figures.short({"models": [{"name": "m", "type": "f32", "rows": rows}]}), """\
| ms: fp32 / fp16, or i8 | ours | LiteRT GPU | LiteRT CPU | ncnn Vulkan |
|---|---|---|---|---|
| m f32 | 0.50 / 0.25 | 2.00 | 1.23 | - |
""")
        rows = [rows[0], {"subject": "PyTorch compiled fp32", "median_ms": 3}]
        self.assertEqual(figures.short({"models": [{"name": "m", "type": "f32", "rows": rows}]}), """\
| ms: fp32 / fp16, or i8 | ours | PyTorch compiled |
|---|---|---|
| m f32 | 0.50 | 3.00 |
""")


class Workers(unittest.TestCase):
    def test_refusal_is_a_row(self):
        row, worker = peers.start("p", None, fake("refuse"))
        self.assertIsNone(worker)
        self.assertEqual(row["reason"], "bench: it is refused")

    def test_absent_program_is_a_row(self):
        self.assertIn("No such file", peers.start("p", None, ["/no/such/program"])[0]["reason"])

    def test_wrong_result_is_a_row(self):
        self.assertIn("computes something else: off by 50 %", peers.start("p", None, fake("wrong"))[0]["reason"])

    def test_hanging_worker_ends(self):
        worker = Worker(fake("hang"))
        begin = time.monotonic()
        self.assertRaisesRegex(Failed, "too long", worker.hello, 0.5)
        worker.process.kill()
        worker.close()
        self.assertLess(time.monotonic() - begin, 8)

    def test_rounds_alternate_and_survive_a_death(self):
        with tempfile.TemporaryDirectory() as work:
            log = os.path.join(work, "log")
            running = [peers.start(m, None, fake(m, log)) for m in ("a", "die", "slow")]
            for row, _ in running:
                row["block"] = 5
            q = types.SimpleNamespace(rounds=4, rounds_max=9, inferences=20, seconds=60)
            blocks = peers.run_rounds(q, running)
            for _, worker in running:
                worker.close()
            with open(log, encoding="utf-8") as f:
                order = f.read().split()
        self.assertEqual(order, ["a", "die", "slow",  # samples
                                 "a", "die", "slow", "slow", "a", "a", "slow", "slow", "a"])
        self.assertEqual([len(blocks[k]) for k in ("a", "die", "slow")], [4, 1, 4])
        self.assertEqual(running[1][0]["reason"], "it died")
        self.assertEqual(figures.ratio(blocks["slow"], blocks["a"])["median"], 2)


class Models(unittest.TestCase):
    def test_written_models_are_read(self):
        with tempfile.TemporaryDirectory() as work:
            path = os.path.join(work, "m.tflite")
            for op, inputs in (("ADD", 2), ("CONV_2D", 1), ("DEPTHWISE_CONV_2D", 1)):
                one_op.write(ASSAY, path, op, 6, 5)
                m = tflite.Model(path)
                self.assertEqual(m.nodes[0].op, op)
                self.assertEqual(len(m.inputs), inputs)
                self.assertEqual(m.tensors[m.outputs[0]].shape, [1, 6, 6, 5])
                if inputs == 1:
                    w = m.tensors[1]
                    self.assertEqual(w.shape, [5 if op == "CONV_2D" else 1, 3, 3, 5])
                    self.assertEqual(len(w.data), 4 * 45 * w.shape[0])
                    self.assertEqual(m.nodes[0].option(2), 1)  # a stride

    def test_converted_layers(self):
        """The weights of a converted layer, and its padding; without PyTorch those of the network."""
        try:
            import network
        except ImportError as e:
            self.skipTest(str(e))
        with tempfile.TemporaryDirectory() as work:
            path = os.path.join(work, "m.tflite")
            one_op.write(ASSAY, path, "CONV_2D", 6, 5)
            net = network.Network(path)
            w, stride, dilation, code, padding = net.window(net.model.nodes[0], False)
            self.assertEqual((w.shape, stride, dilation, code, padding),
                             ((5, 3, 3, 5), (1, 1), (1, 1), 0, (1, 1, 1, 1)))
            self.assertEqual(network.same_padding(7, 3, 2, 1), (1, 1))
            self.assertEqual(network.same_padding(8, 3, 2, 1), (0, 1))
            try:
                import torch
                import torch_model
            except ImportError as e:
                self.skipTest(str(e))
            ones = torch.ones(1, 5, 6, 6)
            for op in ("CONV_2D", "DEPTHWISE_CONV_2D"):
                one_op.write(ASSAY, path, op, 6, 5)
                net = network.Network(path)
                y = torch_model.Converter(path)(ones)[0, 1] - float(net.bias(net.model.nodes[0])[1])
                w = net.constant(1)
                w = w[1] if op == "CONV_2D" else w[0, :, :, 1:2]
                # In the middle all taps, in the corner the four that lie inside.
                self.assertAlmostEqual(float(y[3, 3]), float(w.sum()), 4)
                self.assertAlmostEqual(float(y[0, 0]), float(w[1:, 1:].sum()), 4)

    def test_specification(self):
        called = []
        old, peers.subprocess.run = peers.subprocess.run, lambda c, **_: called.append(c)
        try:
            self.assertEqual(peers.make_model("a", "x/mine.tflite", "w"), ("x/mine.tflite", "mine"))
            for spec in ("net", "net:i8", "net:f32:0.5"):
                peers.make_model("a", spec, "w")
        finally:
            peers.subprocess.run = old
        self.assertEqual([c[2:4] + c[7:] for c in called],
                         [["net", "--type=f32"], ["net", "--type=i8"],
                          ["net", "--type=f32", "--width=0.5"]])


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=0, argv=sys.argv[:1]).result
    if not result.wasSuccessful():
        sys.exit(1)
    print(f"peers: {result.testsRun} tests passed")

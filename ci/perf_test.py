"""Plants growth, and files of callgrind, massif and perf whose sums are known, and wants the scripts
of make perf to find them: perf_test.py"""

import contextlib
import io
import os
import sys
import tempfile
import unittest

import perf_figures
import perf_flame

OLD = """# compiler: cc 12
m	plan	100000
m	invoke	2000
m	heap, ours	5000
m	heap, driver	700
"""

# libc, whose call began before the dump, calls the function; that has SELF of its own, calls qsort (50, of
# which 20 are of our comparator) and a driver (1000, of which 30 are of libc).
DUMP = """version: 1
desc: Trigger: --dump-after=FUNCTION
positions: line
events: Ir

ob=(2) /usr/lib/libc.so.6
fn=(1) __libc_start_main
cob=(1) BUILD/assay
cfn=(2) FUNCTION
calls=0 10
5 9999

ob=(1)
fn=(2)
10 SELF
cob=(2)
cfn=(3) qsort
calls=1 0
+1 50
cob=(3) /usr/lib/libvulkan_lvp.so
cfn=(4) vkQueueSubmit
calls=1 0
* 1000

ob=(2)
fn=(3)
0 30
cob=(1)
cfn=(5) by_size
calls=4 20
0 20

ob=(1)
fn=(5)
-2 20

ob=(3)
fn=(4)
0 970
cob=(2)
cfn=(6) memcpy
calls=1 0
0 30

ob=(2)
fn=(6)
0 30
"""
CALLS = [
    ("tflite_check", 100),
    ("tflite_read_verified", 200),
    ("interpreter_open", 300),
    ("plan_make", 400),
    ("plan_make", 40),
    ("record_plan", 500),
    ("kernel_invoke", 6000),
    ("kernel_invoke", 600),
    ("kernel_invoke", 610),
]

MASSIF = """snapshot=0
heap_tree=detailed
n1: 900 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 n0: 900 0x1: planner_put (planner.c:10)
snapshot=1
heap_tree=peak
n4: 5000 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 n1: 600 0x2: strdup (strdup.c:42)
  n0: 600 0x3: planner_put (planner.c:10)
 n1: 4000 0x4: ??? (in /usr/lib/libvulkan_lvp.so)
  n0: 4000 0x5: create (pipeline.c:78)
 n0: 100 0x6: ??? (in BUILD/libassay_delegate.so)
 n0: 300 in 20 places, all below massif's threshold (0.10%)
"""

SCRIPT = """assay
	    7f0001 vk<Submit>+0x10 (/usr/lib/libvulkan.so.1)
	    7f0002 [unknown] (/usr/lib/libvulkan_lvp.so)
	    7f0003 [unknown] (/usr/lib/libvulkan_lvp.so)
	    550001 main+0x5 (/usr/bin/assay)

assay
	    550001 main+0x9 (/usr/bin/assay)

"""


class Test(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.TemporaryDirectory()
        self.addCleanup(self.work.cleanup)
        self.write("old", OLD)

    def path(self, name):
        return os.path.join(self.work.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text.replace("BUILD", self.path("build")))

    def run_script(self, main, *arguments, stdin=""):
        """Exit status, and what was printed."""
        out, saved, sys.stdin = io.StringIO(), sys.stdin, io.StringIO(stdin)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                code = main(list(arguments))
        except SystemExit as end:
            code = 1
            out.write(str(end.code))
        finally:
            sys.stdin = saved
        return code, out.getvalue()

    def compare(self, text, code, words):
        self.write("new", text)
        found = self.run_script(perf_figures.main, "compare", self.path("old"), self.path("new"))
        self.assertEqual(found[0], code, found[1])
        self.assertRegex(found[1], words)

    def test_growth(self):
        self.compare(OLD.replace("100000", "103000"), 1, r"(?m)^m +plan +100000 +103000 +1\.030 +GREW")
        self.compare(OLD.replace("100000", "101000"), 0, "4 figures, none grew by more than 2 %")
        self.compare(OLD.replace("5000", "5200"), 1, "heap, ours +5000 +5200 +1.040 +GREW")

    def test_what_is_no_growth(self):
        self.compare(OLD.replace("\t700", "\t7000"), 0, "heap, driver .*not compared")
        self.compare(OLD.replace("2000", "1900"), 0, r"invoke +2000 +1900 +0\.950 +shrank")
        other = OLD.replace("100000", "200000").replace("cc 12", "cc 13")
        self.compare(other, 0, "compiler: the baseline has cc 12, here is cc 13\n.*not compared")

    def test_tables_that_are_broken(self):
        self.compare(OLD.replace("m\tinvoke\t2000\n", ""), 1, "invoke +2000 +- +- +MISSING")
        self.compare(OLD.replace("2000", "many"), 1, "new:3: expected model, figure and count")
        self.compare("# compiler: cc 12\n", 1, "new: no figure")
        found = self.run_script(perf_figures.main, "compare", self.path("absent"), self.path("old"))
        self.assertRegex(found[1], "absent: No such file")

    def write_runs(self):
        for i, (function, cost) in enumerate(CALLS, 1):
            text = DUMP.replace("FUNCTION", function).replace("SELF", str(cost))
            self.write(f"callgrind.{i}", text)
        self.write("massif", MASSIF)

    def collect(self):
        return self.run_script(perf_figures.main, "collect", self.path("build"), "m",
                               self.path("callgrind"), self.path("massif"))

    def test_figures(self):
        self.write_runs()
        code, text = self.collect()
        self.assertEqual(code, 0, text)
        # Each call has 50 of qsort; plan is the sum of both calls, invoke the median of three.
        self.assertEqual(text.splitlines(), [
            "m\tverify\t150", "m\tparse\t250", "m\tprepare\t350", "m\tplan\t540", "m\trecord\t550",
            "m\tinvoke\t660", "m\theap, ours\t900", "m\theap, driver\t4300",
        ])

    def test_dumps_that_are_broken(self):
        self.write_runs()
        os.remove(self.path("callgrind.2"))
        self.assertRegex(self.collect()[1], "no call of tflite_read_verified was counted")
        self.write("callgrind.2", DUMP.replace("SELF", "words"))
        self.assertRegex(self.collect()[1], "callgrind.2:15: expected a position and a count")
        self.write_runs()
        self.write("massif", "heap_tree=peak\n")
        self.assertRegex(self.collect()[1], "massif: expected a snapshot with heap_tree=peak")

    def test_flame_of_callgrind(self):
        self.write_runs()
        code, text = self.run_script(perf_flame.main, "callgrind", self.path("build"),
                                     self.path("callgrind"), "<m>")
        self.assertEqual(code, 0)
        self.assertIn("<title>&lt;m&gt;</title>", text)
        self.assertRegex(text, "<title>qsort: [0-9,]+ instructions")
        self.assertNotIn("vkQueueSubmit", text)
        self.assertNotIn("<script", text)

    def test_flame_of_perf(self):
        code, text = self.run_script(perf_flame.main, "perf", "t", stdin=SCRIPT)
        self.assertEqual(code, 0)
        self.assertIn("<title>main: 2 samples, 100.0 %", text)
        self.assertIn("<title>vk&lt;Submit&gt;: 1 samples, 50.0 %", text)
        # Frames of one object without symbols are one box.
        self.assertEqual(text.count("in libvulkan_lvp.so: 1 samples"), 1)
        self.assertRegex(self.run_script(perf_flame.main, "perf", "t")[1], "no sample")

    def test_baseline(self):
        base = os.path.join(os.path.dirname(__file__), "perf-baseline.tsv")
        facts, rows = perf_figures.read_table(base)
        self.assertLessEqual({"compiler", "libc", "machine", "valgrind", "driver"}, set(facts))
        models = {model for model, _ in rows}
        self.assertEqual(len(models), 3)
        for model in models:
            for figure in [*perf_figures.LAYERS, perf_figures.HEAP_OURS, perf_figures.HEAP_DRIVER]:
                self.assertGreater(rows[model, figure], 0)


if __name__ == "__main__":
    unittest.main()

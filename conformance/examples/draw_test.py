"""What draw.py finds in outputs and where it draws: draw_test.py ASSAY"""
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from PIL import Image

import draw

ASSAY = sys.argv.pop(1) if len(sys.argv) > 1 else "build/assay"


class Draws(unittest.TestCase):
    def setUp(self):
        self.image = Image.new("RGB", (100, 50))

    def seen(self, x, y):
        return self.image.getpixel((x, y))

    def test_boxes(self):
        boxes = np.array([[[0.2, 0.1, 0.8, 0.5], [0, 0, 1, 1], [0, 0, 1, 1]]])
        rows = [np.array([[7.0, 1, 1]]), np.array([[0.75, 0.25, 0.9]])]
        for outputs in ([boxes] + rows + [np.array([2.0])], [np.array([2.0])] + rows[::-1] + [boxes]):
            said = draw.draw_boxes(self.image, draw.find_boxes(outputs), str, 0.5)
            self.assertEqual(said, "1 boxes with scores from 0.5")
            self.assertEqual(self.seen(10, 20), draw.colour(7))
            self.assertEqual(self.seen(99, 30), (0, 0, 0))
        self.assertIsNone(draw.find_boxes([boxes] + rows))
        self.assertIsNone(draw.find_boxes([boxes[:, :2]] + rows + [np.array([2.0])]))

    def test_mask(self):
        scores = np.zeros((1, 2, 2, 3))
        scores[0, 0, 0, 2] = 1
        for outputs in ([scores], [np.array([[[2, 0], [0, 0]]])]):
            self.image = Image.new("RGB", (100, 50))
            said = draw.draw_mask(self.image, draw.find_mask(outputs), ["sky", "cat", "dog"].__getitem__, 0)
            self.assertEqual(said, "mask: dog 25.0%")
            self.assertNotEqual(self.seen(49, 24), (0, 0, 0))
            self.assertEqual(self.seen(50, 40), (0, 0, 0))
        self.assertIsNone(draw.find_mask([np.zeros((1, 2, 2))]))  # floats of one channel
        self.assertEqual(draw.draw_mask(self.image, np.zeros((2, 2), int), str, 0), "mask: background only")

    def test_keypoints(self):
        heat, offset = np.zeros((1, 3, 5, 2)), np.zeros((1, 3, 5, 4))
        heat[0, 1, 3, 0] = 0.9
        offset[0, 1, 3] = [8, 0, -16, 0]  # rows, then columns
        found = draw.find_pose([offset, heat], [1, 33, 65, 3])
        self.assertAlmostEqual(found[0][0][0], (16 + 8) / 32)
        self.assertAlmostEqual(found[0][0][1], (48 - 16) / 64)
        self.assertEqual(draw.draw_pose(self.image, found, str, 0.5), "1 of 2 keypoints with scores from 0.5")
        self.assertEqual(self.seen(50, 37), draw.colour(0))
        self.assertIsNone(draw.find_pose([heat, heat], [1, 33, 65, 3]))

    def test_program(self):
        with tempfile.TemporaryDirectory() as folder:
            model, out = os.path.join(folder, "m.tflite"), os.path.join(folder, "o.png")
            subprocess.run([ASSAY, "zoo", "deeplab_mnv2", "--width=0.25", "--res=33", "-o", model, "--quiet"],
                           check=True, capture_output=True)
            program = [sys.executable, draw.__file__, model, "golden/digits/7.png", out, "--assay=" + ASSAY]
            good = subprocess.run(program + ["--", "--delegate=none"], capture_output=True, text=True)
            self.assertEqual((good.returncode, good.stderr), (0, ""))
            self.assertIn("o.png: mask: ", good.stdout)
            with Image.open(out) as image:
                self.assertEqual(image.size, (320, 320))
            bad = subprocess.run(program + ["--as=keypoints", "--", "--delegate=none"], capture_output=True, text=True)
            self.assertIn("expected keypoints", bad.stderr)
            self.assertEqual(bad.returncode, 1)


if __name__ == "__main__":
    unittest.main()

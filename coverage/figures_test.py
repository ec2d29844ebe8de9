"""figures.py notices coverage that falls."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import figures  # noqa: E402

INFO = '''SF:{root}/reference/format/x.c
DA:1,3
DA:2,0
BRDA:1,0,0,3
BRDA:1,0,1,-
end_of_record
SF:{root}/delegate/y.c
DA:1,1
DA:1,0
end_of_record
'''


class Figures(unittest.TestCase):
    def measured(self):
        with tempfile.NamedTemporaryFile('w', suffix='.info') as f:
            f.write(INFO.format(root=os.getcwd()))
            f.flush()
            return figures.measure(figures.read(f.name, os.getcwd()))

    def test_lines_and_branches_are_counted(self):
        measured, missed, excused = self.measured()
        self.assertEqual(measured['reference'], [1, 2, 1, 2])
        self.assertEqual(measured['format'], [1, 2, 1, 2])
        self.assertEqual(measured['delegate'], [1, 1, 0, 0])
        self.assertEqual((missed, excused), (['reference/format/x.c:2'], []))

    def test_a_fall_is_noticed(self):
        measured = {p[0]: [960, 1000, 900, 1000] for p in figures.PARTS}
        self.assertEqual(figures.compare(measured, {p[0]: (96.2, 90.2) for p in figures.PARTS
                                                    if p[0] != 'delegate'} | {'delegate': (94, 86)}),
                         [])
        wrong = figures.compare(measured, {'reference': (96.3, 90)})
        self.assertEqual(wrong, ['reference: 96.00 % of lines, 96.30 % before'])

    def test_a_bar_that_was_reached_is_kept(self):
        measured = {p[0]: [949, 1000, 900, 1000] for p in figures.PARTS}
        self.assertIn('delegate: 94.90 % of lines, its bar is 95 %',
                      figures.compare(measured, {'delegate': (95.1, 87)}))


if __name__ == '__main__':
    unittest.main()

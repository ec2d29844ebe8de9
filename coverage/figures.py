"""Coverage by folder: figures.py BUILD_DIRECTORY [accept]

Reads coverage.info of lcov, prints lines and branches of each part and the lines of the verifier
and reader that no test runs, and compares with coverage/figures.tsv.  A part may fall by a quarter
of a percent of its lines or branches, which the paths of threads and drivers need; below that, or
below its bar once it was there, is an error.  accept: the figures become those of the file.

Lines that no test can run have the mark `coverage: WHY` in a comment on the same line; they
count as run, and are listed.
"""
import collections
import os
import re
import sys

# Part, what its files start with, bars in percent of lines and of branches.  Of the parts that a
# file is in, it counts in each.
PARTS = [('reference', ('reference/',), 97, 90),
         ('format', ('reference/format/',), 100, 90),
         ('delegate', ('delegate/',), 95, 87),
         ('conformance', ('conformance/',), 90, 80)]
STRICT = 'reference/format/'
TOLERANCE = 0.25
TABLE = 'coverage/figures.tsv'
MARK = re.compile(r'coverage: [a-z]')


def read(path, root):
    """{file: ({line: runs}, {(line, block, branch): taken})} of an lcov file."""
    files, at = {}, None
    for text in open(path, encoding='utf-8'):
        key, _, value = text.strip().partition(':')
        if key == 'SF':
            name = os.path.relpath(value, root)
            at = files.setdefault(name, (collections.Counter(), collections.Counter()))
        elif key == 'DA':
            line, runs = value.split(',')[:2]
            at[0][int(line)] += int(runs)
        elif key == 'BRDA':
            line, block, branch, taken = value.split(',')
            at[1][int(line), block, branch] += 0 if taken == '-' else int(taken)
    return files


def marked(name):
    """Lines of a source file that say why no test runs them."""
    if not os.path.exists(name):
        return set()
    with open(name, encoding='utf-8') as f:
        return {i for i, text in enumerate(f, 1) if MARK.search(text)}


def measure(files):
    """{part: (lines run, lines, branches taken, branches)}, lines not run of the strict part, marks."""
    figures, missed, excused = {}, [], []
    for part, starts, _, _ in PARTS:
        figures[part] = [0, 0, 0, 0]
    for name, (lines, branches) in sorted(files.items()):
        why = marked(name)
        excused += [f'{name}:{i}' for i in sorted(why) if i in lines and not lines[i]]
        if name.startswith(STRICT):
            missed += [f'{name}:{i}' for i in sorted(lines) if not lines[i] and i not in why]
        for part, starts, _, _ in PARTS:
            if name.startswith(starts):
                f = figures[part]
                f[0] += sum(1 for i in lines if lines[i] or i in why)
                f[1] += len(lines)
                f[2] += sum(1 for b in branches if branches[b] or b[0] in why)
                f[3] += len(branches)
    return figures, missed, excused


def percent(part, whole):
    return 100 * part / whole if whole else 100.0


def load():
    """{part: (lines, branches)} of the table."""
    if not os.path.exists(TABLE):
        return {}
    rows = [r.split('\t') for r in open(TABLE, encoding='utf-8').read().splitlines()
            if r and not r.startswith('#')]
    return {r[0]: (float(r[1]), float(r[2])) for r in rows}


def compare(figures, known):
    """What is wrong, as sentences."""
    wrong = []
    for part, _, *bars in PARTS:
        f = figures[part]
        for what, now, bar, before in zip(('lines', 'branches'), (percent(*f[:2]), percent(*f[2:])),
                                          bars, known.get(part, (0, 0))):
            if now < before - TOLERANCE:
                wrong.append(f'{part}: {now:.2f} % of {what}, {before:.2f} % before')
            elif now < bar <= before:
                wrong.append(f'{part}: {now:.2f} % of {what}, its bar is {bar} %')
    return wrong


def main():
    b = sys.argv[1]
    figures, missed, excused = measure(read(os.path.join(b, 'coverage.info'), os.getcwd()))
    known = load()
    print('part\tlines\tof\tpercent\tbar\tbranches\tof\tpercent\tbar')
    for part, _, bar, branch_bar in PARTS:
        f = figures[part]
        print(f'{part}\t{f[0]}\t{f[1]}\t{percent(*f[:2]):.2f}\t{bar}'
              f'\t{f[2]}\t{f[3]}\t{percent(*f[2:]):.2f}\t{branch_bar}')
    for where in excused:
        print(f'not run, and said why: {where}')
    for where in missed:
        print(f'not run: {where}')
    if len(sys.argv) > 2 and sys.argv[2] == 'accept':
        with open(TABLE, 'w', encoding='utf-8') as f:
            f.write('# Percent of lines and branches that the tests run: make coverage-accept\n')
            for part, *_ in PARTS:
                c = figures[part]
                f.write(f'{part}\t{percent(*c[:2]):.2f}\t{percent(*c[2:]):.2f}\n')
        print(f'coverage: {TABLE} written')
        return 0
    wrong = compare(figures, known)
    for text in wrong:
        print(f'coverage: {text}', file=sys.stderr)
    if not known:
        wrong.append('')
        print(f'coverage: no {TABLE}: make coverage-accept writes it', file=sys.stderr)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())

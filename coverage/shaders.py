"""Which shaders ran: shaders.py BUILD_DIRECTORY

Reads the log that a build of make coverage writes (delegate/vulkan/pipeline.c), a line for each
pipeline that a process has recorded, and prints a row for each compiled shader: its name, in how
many specializations it ran, and the values that each constant had (of many the count).  Shaders for
hardware that is not here, such as matrix units, have 0.
"""
import collections
import glob
import os
import sys

SHOWN = 8


def values(seen):
    """The values of one constant, as words."""
    seen = sorted(seen)
    return ','.join(map(str, seen)) if len(seen) <= SHOWN else f'{len(seen)} values'


def main():
    b = sys.argv[1]
    names = sorted(os.path.basename(p)[:-len('.spv')]
                   for p in glob.glob(os.path.join(b, 'delegate/**/*.spv'), recursive=True))
    ran = collections.defaultdict(set)
    log = os.path.join(b, 'shaders.log')
    for line in open(log, encoding='utf-8') if os.path.exists(log) else ():
        name, _, spec = line.rstrip('\n').partition('\t')
        ran[name].add(tuple(int(v) for v in spec.split(',') if v))
    print('shader\tspecializations\tconstants')
    for name in names:
        count = max((len(s) for s in ran[name]), default=0)
        constants = (values({s[i] for s in ran[name] if i < len(s)}) for i in range(count))
        print(f'{name}\t{len(ran[name])}\t' + ' '.join(f'{i}={v}' for i, v in enumerate(constants)))
    done = sum(1 for n in names if ran[n])
    unknown = sorted(set(n for n in ran if ran[n]) - set(names))
    print(f'shaders: {done} of {len(names)} ran, in {sum(len(ran[n]) for n in names)} specializations'
          + (f'; not compiled here: {", ".join(unknown)}' if unknown else ''))
    return 1 if unknown or not names else 0


if __name__ == '__main__':
    sys.exit(main())

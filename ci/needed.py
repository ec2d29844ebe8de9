"""Is each check needed?  Switches off the checks of a parser or of the delegate one at a time, and
runs the tests that could notice.

    needed.py BUILD_DIRECTORY [PATTERN [SECONDS]]   checks whose "file:line" or "file:function"
                                            matches, by programs that need no longer

All checks are switched by one build of a copy of the source, in BUILD_DIRECTORY/needed: a condition
becomes a call that says false when its number is in ASSAY_NEEDED_OFF, and that notes in the file
ASSAY_NEEDED_MAP whether it ever was true.  Each test program runs once to make that note.  A check
is then tried with the programs in which it was true, the quickest first, until one fails; where it
was true in none, no test can notice, and none is run.  Several are tried at once, one on each
processor.  What was found is kept in needed.tsv: an interrupted run goes on where it was.  Columns:
file, line, function, the check, what noticed.

What counts as a check: each operand of || in the condition of an if that fails (refuse, *_fail,
return of false, NULL, -1 or a status); each call of a check_* or of refuse that is no such
condition, as in `return check_a(c) && check_b(c)` or TRY(check_a(r)).
"""
import bisect
import concurrent.futures
import fnmatch
import glob
import os
import re
import subprocess
import sys
import time

GROUPS = {
    'verifier': ['reference/format/verify.c', 'reference/format/verify_tensor.c',
                 'reference/format/rules.c', 'reference/format/flatbuffer.c', 'reference/base/blockwise.c'],
    'reader': ['reference/format/read.c', 'reference/format/file.c',
               'reference/format/flexbuffer.c', 'reference/format/op_options.c'],
    'rules': ['delegate/accept/*.c', 'delegate/ops/*.c', 'delegate/ops/*/*.c',
              'delegate/graph/graph.c'],
    'guards': ['delegate/graph/options.c', 'delegate/graph/import.c', 'delegate/cache/*.c',
               'delegate/api/litert_options.c', 'conformance/report/record/statement.c',
               'conformance/suite/io/npy.c', 'conformance/suite/io/array_hdf5*.c', 'conformance/suite/io/tensor_*.c',
               'conformance/suite/io/image*.c', 'conformance/suite/golden/file*.c', 'conformance/suite/golden/h5.c',
               'conformance/util/tsv.c', 'conformance/util/json_*.c', 'conformance/util/date.c',
               'conformance/util/parser.c', 'conformance/report/record/record_re*.c',
               'conformance/report/record/record_slices.c', 'conformance/report/record/record_value.c',
               'conformance/report/record/waiver.c', 'conformance/report/record/expectations.c',
               'conformance/report/record/ledger.c', 'conformance/suite/judge/run_log.c',
               'conformance/tools/eval/coco_files.c', 'conformance/tools/eval/imagenet_truth.c',
               'conformance/tools/eval/eval_log.c', 'conformance/suite/subject/subject.c',
               'conformance/suite/subject/subject_spec.c', 'conformance/suite/subject/litert_config.c'],
}
# The layers whose tests are about a group; a pattern that is no group runs all of them.
LAYERS = {'verifier': ['reference'], 'reader': ['reference'], 'rules': ['delegate'],
          'guards': ['delegate', 'conformance']}
FAILURE = re.compile(r'\breturn\b[^;]*(\brefuse\w*\(|fail\w*\(|\bSTATUS_(?!OK\b)|\bfalse\b|\bNULL\b'
                     r'|-1\b|\berror\w*\()')
CHECK = re.compile(r'\b(?:check_\w+|refuse(?:_bytes)?|rules_fail|rules_limit|verify_\w+|fb_verify\w*)(?=\()')
STATUS_FILES = ('reference/', 'delegate/cache/')
RULES_FILES = 'delegate/ops/'
RULES = re.compile(r'^(accept|check)|_(accept|check)(_|s\b|\b)|^(add|add_spec|slice_of)$')
FUNCTION = re.compile(r'^(?:[a-z_][\w *]*?)\b(\w+)\([^;{}]*\)\s*\{', re.M)

HEADER = '''#ifndef NEEDED_H
#define NEEDED_H
int needed_fails(unsigned n, int fails);
int needed_status(unsigned n, int status);
#endif
'''
RUNTIME = '''#include "needed.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static unsigned char *map;
static unsigned off = (unsigned)-1;
__attribute__((constructor)) static void start(void)
{
    const char *path = getenv("ASSAY_NEEDED_MAP"), *number = getenv("ASSAY_NEEDED_OFF");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *p = fd < 0 ? MAP_FAILED : mmap(NULL, COUNT, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p != MAP_FAILED)
        map = p;
    if (fd >= 0)
        close(fd);
    if (number)
        off = (unsigned)strtoul(number, NULL, 10);
}
int needed_fails(unsigned n, int fails)
{
    if (map)
        map[n] |= fails ? 3 : 1;
    return n == off ? 0 : fails;
}
int needed_status(unsigned n, int status)
{
    if (map)
        map[n] |= status ? 3 : 1;
    return n == off ? 0 : status;
}
'''


def mask(text):
    """The text, of the same length, with comments and directives as blanks and literals as words."""
    pattern = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
                         r'|^[ \t]*#(?:\\\n|[^\n])*', re.S | re.M)
    return pattern.sub(lambda m: re.sub(r'[^\n]', '_' if m.group()[0] in '"\'' else ' ', m.group()), text)


def closing(text, at):
    """The position of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        if text[i] in '([{':
            depth += 1
        elif text[i] in ')]}':
            depth -= 1
            if depth == 0:
                return i
    raise ValueError('no closing bracket')


def operands(text, start, end):
    """Ranges of the operands of || at the top level of text[start:end]."""
    parts, depth, at = [], 0, start
    i = start
    while i < end:
        if text[i] in '([{':
            depth += 1
        elif text[i] in ')]}':
            depth -= 1
        elif depth == 0 and text[i] == '?':
            return [(start, end)]
        elif depth == 0 and text.startswith('||', i):
            parts.append((at, i))
            at = i + 2
            i += 1
        i += 1
    return parts + [(at, end)]


def strip(text, start, end):
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def find_checks(text, status, calls=True):
    """(start, end, kind) of each check in a masked text; kind: fails, passes or status."""
    found, covered = [], []
    for m in re.finditer(r'\bif \(', text):
        end = closing(text, m.end() - 1)
        body = end + 1
        while text[body].isspace():
            body += 1
        stop = closing(text, body) if text[body] == '{' else text.index(';', body)
        if not FAILURE.search(text[body:stop]):
            continue
        for part in operands(text, m.end(), end):
            found.append((*strip(text, *part), 'fails'))
        covered.append((m.end(), end))
        # What fails in the body is behind this condition, but an if inside it has its own.
        nested = text.find('if (', body, stop)
        covered.append((body, stop if nested < 0 else nested))
    for m in CHECK.finditer(text) if calls else ():
        before = text[:m.start()].rstrip(' \n')
        if re.search(r'(\b(bool|status|void|int)|[;{}])$', before) or any(a <= m.start() < b for a, b in covered):
            continue
        end = closing(text, m.end())
        found.append((m.start(), end + 1, 'status' if status else 'passes'))
    return sorted(found)


def transform(path, text, first):
    """The text with its checks numbered from first, and (line, function, check) of each."""
    masked = mask(text)
    functions = [(m.start(), m.group(1)) for m in FUNCTION.finditer(masked)
                 if m.group(1) not in ('if', 'for', 'while', 'switch')]
    starts = [at for at, _ in functions]
    edits, rows = [], []
    for start, end, kind in find_checks(masked, path.startswith(STATUS_FILES),
                                        not path.startswith('conformance/')):
        owner = bisect.bisect_right(starts, start) - 1
        # Elsewhere in an op's file what fails is an allocation while a step is planned.
        if path.startswith(RULES_FILES) and not (owner >= 0 and RULES.search(functions[owner][1])):
            continue
        number = first + len(rows)
        rows.append((path, text.count('\n', 0, start) + 1,
                     functions[owner][1] if owner >= 0 else '-',
                     re.sub(r'\s+', ' ', text[start:end])))
        before, after = {'fails': (f'needed_fails({number}, !!(', '))'),
                         'passes': (f'!needed_fails({number}, !(', '))'),
                         'status': (f'needed_status({number}, (', '))')}[kind]
        edits += [(start, 1, before), (end, 0, after)]
    # At one position what closes stands before what opens.
    for at, _, insert in sorted(edits, key=lambda e: (e[0], e[1]), reverse=True):
        text = text[:at] + insert + text[at:]
    return f'#include "needed.h"\n#line 1 "{path}"\n' + text, rows


class Needed:
    def __init__(self, b, longest):
        self.room = os.path.join(os.path.abspath(b), 'needed')
        self.tree = os.path.join(self.room, 'tree')
        self.maps = os.path.join(self.room, 'maps')
        os.makedirs(self.maps, exist_ok=True)
        self.checks = []
        self.longest = longest

    def write(self, path, text):
        """Keeps the time of a file that does not change, so that make sees what does."""
        full = os.path.join(self.tree, path)
        if os.path.exists(full) and open(full, encoding='utf-8').read() == text:
            return
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, 'w', encoding='utf-8') as f:
            f.write(text)
        self.changed = True

    def generate(self):
        self.changed = False
        tracked = subprocess.run(['sh', 'ci/tracked.sh'], capture_output=True, check=True).stdout
        os.makedirs(self.tree, exist_ok=True)
        names = [n for n in tracked.decode().split('\0') if n]
        patterns = [p for group in GROUPS.values() for p in group]
        for name in sorted(names):
            if not os.path.isfile(name):
                continue
            if any(fnmatch.fnmatch(name, p) and p.count('/') == name.count('/') for p in patterns):
                text, rows = transform(name, open(name, encoding='utf-8').read(), len(self.checks))
                self.checks += rows
                self.write(name, text)
            else:
                full = os.path.join(self.tree, name)
                data = open(name, 'rb').read()
                if not os.path.exists(full) or open(full, 'rb').read() != data:
                    os.makedirs(os.path.dirname(full), exist_ok=True)
                    with open(full, 'wb') as f:
                        f.write(data)
                    os.chmod(full, os.stat(name).st_mode)
                    self.changed = True
        self.write('needed.h', HEADER)
        self.write('reference/base/needed.c', RUNTIME.replace('COUNT', str(max(1, len(self.checks)))))
        # Also of programs that this run leaves out: their numbers are those of other checks now.
        for path in glob.glob(os.path.join(self.maps, '*')) if self.changed else ():
            os.remove(path)

    def build(self, pattern):
        runners = ['build/tests/' + layer
                   for layer in LAYERS.get(pattern, ['reference', 'delegate', 'conformance'])]
        replay = 'build/fuzz/replay'
        print(f'needed: {len(self.checks)} checks; building', flush=True)
        with open(os.path.join(self.room, 'build.log'), 'w', encoding='utf-8') as log:
            if subprocess.run(['make', '-C', self.tree, f'-j{os.cpu_count()}', 'B=build', 'all', *runners,
                               replay], stdout=log, stderr=log, check=False).returncode:
                sys.exit(f'needed: does not build: {log.name}')
        self.programs = [[r, name] for r in runners for name in self.names(r)] + \
            [[replay, name, 'fuzz/corpus/' + name] for name in self.names(replay)]

    def names(self, program):
        """The files of tests of a runner, or the targets of the replay."""
        return subprocess.run([program, '--list'], cwd=self.tree, capture_output=True, check=True,
                              text=True).stdout.split()

    def run(self, program, env, limit):
        """Whether the tests of a program pass."""
        start = time.monotonic()
        p = subprocess.Popen(program, cwd=self.tree, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, start_new_session=True,
                             env={**os.environ, **env,
                                  'MESA_SHADER_CACHE_DIR': os.path.join(self.room, 'shaders')})
        try:
            passed = p.wait(limit) == 0
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, 9)
            p.wait()
            passed = False
        return passed, time.monotonic() - start

    def note(self, program):
        """Runs a program once and keeps its map, unless there is one of the same source."""
        path = os.path.join(self.maps, '_'.join(program).replace('/', '.'))
        if not os.path.exists(path):
            with open(path + '.new', 'wb') as f:
                f.write(bytes(max(1, len(self.checks))))
            passed, seconds = self.run(program, {'ASSAY_NEEDED_MAP': path + '.new'}, 900)
            with open(path + '.new', 'ab') as f:
                f.write(f'{int(passed)} {seconds:.2f}'.encode())
            os.rename(path + '.new', path)
        return open(path, 'rb').read()

    def record(self):
        """The maps of all programs; those of an earlier run are kept while the source is the same."""
        self.seen = []
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            maps = list(pool.map(self.note, self.programs))
        for program, data in zip(self.programs, maps):
            passed, seconds = data[len(self.checks) or 1:].split()
            if passed == b'1' and float(seconds) > self.longest:
                print(f'needed: {" ".join(program)} needs {float(seconds):.0f} s, and is left out', flush=True)
            elif passed == b'1':
                self.seen.append((float(seconds), program, data))
            else:
                print(f'needed: {" ".join(program)} fails without a fault, and is left out', flush=True)
        self.seen.sort(key=lambda s: s[0])

    def judge(self, pattern):
        path = os.path.join(self.room, 'needed.tsv')
        known = {}
        if os.path.exists(path):
            for line in open(path, encoding='utf-8'):
                *key, by = line.rstrip('\n').split('\t')
                known[tuple(key)] = by
        chosen = [n for n, (name, line, function, _) in enumerate(self.checks)
                  if any(fnmatch.fnmatch(f'{name}:{word}', pattern) for word in (line, function))
                  or any(fnmatch.fnmatch(name, p) for p in GROUPS.get(pattern, []))]
        survivors = 0
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for number, by in zip(chosen, pool.map(lambda n: self.noticed(n, known, path), chosen)):
                name, line, function, text = self.checks[number]
                if by == '-':
                    reached = 'no test notices' if any(d[number] & 2 for _, _, d in self.seen) else \
                        'never true in a test'
                    survivors += 1
                    print(f'needed: NOT CAUGHT: {name}:{line}: {function}: {text}: {reached}', flush=True)
        print(f'needed: {len(chosen) - survivors} of {len(chosen)} checks caught when switched off; {path}')
        return 0 if chosen and not survivors else 1

    def noticed(self, number, known, path):
        """The program that notices that a check is off, or '-', also written to the file at path."""
        name, line, function, text = self.checks[number]
        by = known.get((name, str(line), function, text), '-')
        if by != '-':
            return by
        for seconds, program, data in self.seen:
            if data[number] & 2 and not self.run(
                    program, {'ASSAY_NEEDED_OFF': str(number)}, 60 + 10 * seconds)[0]:
                by = ' '.join(program).replace('build/', '')
                break
        with open(path, 'a', encoding='utf-8') as f:
            f.write(f'{name}\t{line}\t{function}\t{text}\t{by}\n')
        return by


def main():
    pattern = sys.argv[2] if len(sys.argv) > 2 and sys.argv[2] else '*'
    n = Needed(sys.argv[1], float(sys.argv[3]) if len(sys.argv) > 3 and sys.argv[3] else float('inf'))
    n.generate()
    n.build(pattern)
    n.record()
    return n.judge(pattern)


if __name__ == '__main__':
    sys.exit(main())

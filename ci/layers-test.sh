#!/bin/sh
# Breaks the rules of ci/rooms.txt once each way, in a copy of the source, and wants ci/layers.sh and
# ci/headers.sh to name the fault: layers-test.sh WORK_DIRECTORY.  CC as make has it.
set -eu
work=$1/layers
rm -rf "$work"
mkdir -p "$work/tree"
sh ci/tracked.sh '*.[ch]' '*.def' '*.comp' '*.glsl' '*.md' '*.sh' '*.tsv' '*.txt' '*.map' |
    xargs -0 tar -cf - | tar -xf - -C "$work/tree"
count=0

# expect WORDS COMMAND...: fails, and a line says the words.
expect()
{
    words=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        echo "layers-test: not noticed: expected a failure with \"$words\" of: $*" >&2
        exit 1
    fi
    grep -qE -- "$words" "$work/log" || {
        echo "layers-test: expected \"$words\" of: $*" >&2
        cat "$work/log" >&2
        exit 1
    }
    count=$((count + 1))
}

# planted FILE TEXT WORDS: the text at the end of a file of the copy, which may be new.
planted()
{
    file=$work/tree/$1
    if [ -f "$file" ]; then
        cp "$file" "$work/saved"
    else
        : >"$work/saved"
    fi
    printf '%s\n' "$2" >>"$file"
    expect "$3" sh ci/layers.sh "$work/tree"
    if [ -s "$work/saved" ]; then cp "$work/saved" "$file"; else rm "$file"; fi
}

sh ci/layers.sh "$work/tree" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
planted reference/base/half.c '#include "reference/api/c_api.h"' \
    'reference/base/half.c:.*room base must not include "reference/api/.*to its right'
planted delegate/plan/plan.c '#include "delegate/vulkan/device.h"' \
    'delegate/plan/plan.c:.*vulkan is to its right'
planted conformance/suite/io/npy.c '#include "conformance/suite/suites/gaps.h"' 'npy.c:.*stands beside it'
planted delegate/plan/plan.c '#include "reference/kernels/op.h"' \
    'plan.c:.*delegate/ must not include "reference/kernels/op.h"'
planted conformance/suite/judge/judge.c '#include "delegate/plan/plan.h"' \
    'judge.c:.*conformance/suite/ must not include'
planted reference/ops/pad.c '#include <vulkan/vulkan.h>' 'pad.c:.*must not include <vulkan'
planted delegate/ops/reduce/softmax.comp '#include "delegate/vulkan/record.h"' 'softmax.comp:.*to its right'
planted delegate/plan/plan.c 'case BUILTIN_PAD:' 'plan.c:.*asks for the op PAD'
planted conformance/suite/judge/judge.c 'if (code == BUILTIN_LSTM)' 'judge.c:.*asks for the op LSTM'
planted conformance/suite/suites/pad.c 'struct value y = add(m, constant(m, 1), mul(m, constant(m, 2), x));' \
    'pad.c:.*2 arguments of add\(\) add to the model'
planted reference/stray.c 'int stray;' 'reference/stray.c: lies in no room'
mkdir "$work/tree/delegate/attic"
planted delegate/attic/old.c 'int old;' 'delegate/attic/old.c: attic is no room'
rmdir "$work/tree/delegate/attic"
planted golden/tool.c 'int tool;' 'golden/tool.c: no C belongs here'
printf '#include "delegate/plan/b.h"\n' >"$work/tree/delegate/plan/a.h"
planted delegate/plan/b.h '#include "delegate/plan/a.h"' 'cycle: delegate/plan/. -> delegate/plan/.'
rm "$work/tree/delegate/plan/a.h"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do echo "line $i"; done \
    >"$work/tree/delegate/plan/README.md"
expect 'delegate/plan/README.md: 21 lines, at most 20' sh ci/layers.sh "$work/tree"
rm "$work/tree/delegate/plan/README.md"
expect 'delegate/plan: a room without README.md' sh ci/layers.sh "$work/tree"

# A header that needs another one before it; a row of ops.def without its last fact.
echo 'struct alone { size_t bytes; };' >"$work/alone.h"
expect 'alone.h does not compile by itself' sh ci/headers.sh "${CC:-cc} -std=c11 -I$work" alone.h
sed 's/^\(OP(PAD,.*\), *ANY)$/\1)/' reference/ops.def >"$work/tree/reference/ops.def"
cmp -s reference/ops.def "$work/tree/reference/ops.def" && { echo 'layers-test: no row PAD' >&2; exit 1; }
# shellcheck disable=SC2086 # CC may be two words
expect 'error' ${CC:-cc} -std=c11 -I"$work/tree" -I"$work/tree/reference/include" -fsyntax-only \
    "$work/tree/reference/base/op_facts.c"
rm -rf "$work"
echo "layers-test: $count planted faults noticed"

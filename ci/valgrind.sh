#!/bin/sh
# Unit tests and a few cases under valgrind memcheck: valgrind.sh BUILD_DIRECTORY.  The software
# device compiles shaders at run time, which takes most of the time.
set -eu
b=$1
log=$b/valgrind
mkdir -p "$log"
check='valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite
       --suppressions=ci/valgrind.supp'
count=0
for program in "$b"/unit/*; do
    [ -f "$program" ] && [ -x "$program" ] || continue
    name=$(basename "$program")
    # shellcheck disable=SC2086 # words on purpose
    $check "$program" >"$log/$name.log" 2>&1 ||
        { cat "$log/$name.log" >&2; echo "valgrind: FAILED: $name" >&2; exit 1; }
    echo "valgrind: $name clean"
    count=$((count + 1))
done
# shellcheck disable=SC2086
$check --trace-children=no "$b/assay" run golden/digits/digits_f32.tflite \
    --input=golden/digits/3.png >"$log/run.log" 2>&1 ||
    { cat "$log/run.log" >&2; echo 'valgrind: FAILED: assay run' >&2; exit 1; }
echo "valgrind: clean: $((count + 1)) programs"

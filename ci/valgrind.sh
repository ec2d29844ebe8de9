#!/bin/sh
# Runs unit tests, and one model on the device, under valgrind memcheck: valgrind.sh BUILD_DIRECTORY.
# lavapipe compiles shaders at run time, which under valgrind takes 20 to 40 s for each.  Unit tests
# therefore run without a device, and skip what needs one; the digit model runs on the device.
set -eu
b=$1
log=$b/valgrind
mkdir -p "$log"
check='valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite
       --suppressions=ci/valgrind.supp'
no_device="$(pwd)/$log/none.json"
count=0

fail()
{
    cat "$1" >&2
    echo "valgrind: FAILED: $2" >&2
    exit 1
}

for program in "$b"/unit/*/test_*; do
    [ -f "$program" ] && [ -x "$program" ] || continue
    name=$(basename "$(dirname "$program")").$(basename "$program")
    case $name in
    # Its workers are killed, hang and crash on purpose, within time limits.
    suite.test_runner) continue ;;
    esac
    # shellcheck disable=SC2086 # words on purpose
    env VK_DRIVER_FILES="$no_device" VK_ICD_FILENAMES="$no_device" \
        $check "$program" >"$log/$name.log" 2>&1 || fail "$log/$name.log" "$name"
    count=$((count + 1))
done
echo "valgrind: $count unit tests clean"
# shellcheck disable=SC2086
$check "$b/assay" run golden/digits/digits_f32.tflite --input=golden/digits/3.png \
    --labels=golden/digits/labels.txt >"$log/run.log" 2>&1 || fail "$log/run.log" 'assay run'
grep -q '^ *1 .*class 3' "$log/run.log" || fail "$log/run.log" 'assay run: not a three'
echo "valgrind: clean: $((count + 1)) programs"

#!/bin/sh
# Runs memcheck over the parser, the reference, plans and a part of the delegate on its device:
#     valgrind.sh BUILD_DIRECTORY
# Unit tests and the corpus of the reader run without a device, for a driver that compiles shaders does that a hundred
# times slower under valgrind.  A few models then run on the device.  An error fails, and so does a
# byte that is lost, definitely or indirectly, in any process.
set -eu
b=$(cd "$1" && pwd)
log=$b/valgrind
rm -rf "$log"
mkdir -p "$log"
begin=$(date +%s)
no_device=$log/none.json

# tests LAYER FILE...: a file of tests is one of many of a runner, or a program of its own.
tests()
{
    runner=$b/tests/$1
    shift
    for file; do
        if [ -x "$runner.$file" ]; then echo "$runner.$file $file"; else echo "$runner $file"; fi
    done
}

programs()
{
    # Not the target ops: under memcheck some of its inputs run into the replay's limit of time.
    echo "$b/fuzz/replay reader fuzz/corpus/reader"
    for layer in reference delegate; do
        # shellcheck disable=SC2046 # a word a file
        tests $layer $("$b/tests/$layer" --list)
    done
    # Of the suite itself: what reads files that others wrote, and runs a model.
    tests conformance test_batch_model test_image test_model_cut test_npy test_subject test_tensor_value test_timeline
}

# On the device: the smallest graph, opened and closed repeatedly, and the digits.
on_device()
{
    echo "$b/assay endurance --starts=2 --runs=2 --quiet"
    echo "$b/assay run golden/digits/digits_f32.tflite --input=golden/digits/3.png"
    echo "$b/assay run golden/digits/digits_i8.tflite --input=golden/digits/3.png"
}
export b log begin

# One program: a line when it has ended.  Forked processes have logs of their own.
cat >"$log/one.sh" <<'EOF'
number=$1
shift
name=$(echo "$*" | sed "s,$b/,,; s,^tests/,,")
before=$(date +%s)
code=0
valgrind --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect \
    --show-leak-kinds=definite,indirect --num-callers=40 --suppressions=ci/valgrind.supp \
    --log-file="$log/$number.%p.memcheck" "$@" >"$log/$number.out" 2>&1 || code=$?
[ $code = 0 ] || { echo "$name: exit status $code" >"$log/$number.failed"; word=FAILED; }
echo "valgrind: $(($(date +%s) - begin)) s: ${word:-clean}: $name ($(($(date +%s) - before)) s)"
EOF

# all JOBS: runs the commands on stdin, a command a line.
all()
{
    nl | xargs -P "$1" -L 1 sh "$log/one.sh"
}

jobs=$(nproc)
echo "valgrind: $(programs | wc -l) programs without a device, $jobs at a time; on 2 processors 10 to 15 minutes"
programs | VK_DRIVER_FILES="$no_device" VK_ICD_FILENAMES="$no_device" all "$jobs"
echo "valgrind: $(on_device | wc -l) programs on the device; the first time its driver compiles for minutes"
# Without LLVM's optimization, and shaders are kept for the next run.
on_device |
    MESA_SHADER_CACHE_DIR="$b/perf/shader-cache" GALLIVM_PERF=nopt LP_NUM_THREADS=1 \
        sh -c 'nl -v 900 | xargs -P 1 -L 1 sh "$log/one.sh"'

# ---- figures ----
figures=$(cat "$log"/*.memcheck | tr -d , | awk '
    /ERROR SUMMARY:/ { n++; for (i = 1; i < NF; i++) if ($i == "SUMMARY:") errors += $(i + 1)
                       if (match($0, /suppressed: [0-9]+/)) hidden += substr($0, RSTART + 12) }
    /definitely lost:/ { definite += $4 }
    /indirectly lost:/ { indirect += $4 }
    END { printf "%d processes: %d errors, %d bytes definitely and %d indirectly lost; %d suppressed (drivers)",
                 n, errors, definite, indirect, hidden }')
took=$(($(date +%s) - begin))
for failed in "$log"/*.failed; do
    [ -f "$failed" ] || continue
    number=$(basename "$failed" .failed)
    cat "$log/$number.out" "$log/$number".*.memcheck >&2
    echo "valgrind: FAILED: $(cat "$failed"); its output is above" >&2
    bad=1
done
class=$(sed -n 's/^ *1 .*class \([0-9]\).*/\1/p' "$log/901.out")
[ "$class" = 3 ] || { echo "valgrind: FAILED: expected class 3 of digits_f32, found '$class'" >&2; bad=1; }
echo "valgrind: $figures; $((took / 60)) min $((took % 60)) s"
exit "${bad:-0}"

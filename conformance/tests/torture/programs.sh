#!/bin/sh
# The n-th allocation of assay fails, for each n, or of each process that it starts:
#     programs.sh BUILD [EVERY] [NAME]   each EVERY-th, of the program NAME alone
# Then it ends with an error that names memory, or prints what it prints otherwise; it never crashes,
# leaves nothing allocated that it frees otherwise, and gives no verdict on a subject.
set -u
b=$1
every=${2:-1} only=${3:-}
work=$(mktemp -d "${TMPDIR:-/tmp}/assay-programs-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'echo "programs: interrupted"; exit 1' INT TERM
points=0 bad=0

found()
{
    bad=$((bad + 1))
    echo "programs: $name: $kind $n: $*: $(cat "$work/log" 2>/dev/null | tr '\n' ' ')"
    head -n 3 "$work/err" | sed 's/^/    /'
}

# What is printed, but for times and sizes in memory, which differ from run to run.
plain() { sed -E '/^(init|first|latency|inference|host|  (ours|driver|rest)) /d; s/avg=.*//; s/[0-9.]+ m?s\b//; s/"(started|seconds|ms)": [^,}]*//g' "$work/out"; }

# one KIND N COMMAND...
one()
{
    fault=$1:$2
    shift 2
    rm -f "$work/log"
    timeout 60 env ASSAY_FAULT="$fault" ASSAY_FAULT_LOG="$work/log" LD_PRELOAD="$b/torture/faults.so" \
        "$b/assay" "$@" >"$work/out" 2>"$work/err" </dev/null
}

# try NAME KIND COMMAND...
try()
{
    name=$1 kind=$2
    shift 2
    case $only in '' | "$name") ;; *) return ;; esac
    one allocation 1000000000 "$@"
    expected=$?
    plain >"$work/expected"
    [ "$expected" = 0 ] && [ -s "$work/expected" ] || { n=-1; found "exit status $expected without a fault"; }
    live=$(sed -n 's/^live //p' "$work/log")
    n=0 tried=0
    while :; do
        one "$kind" "$n" "$@"
        code=$?
        grep -q '^fired' "$work/log" || break
        tried=$((tried + 1))
        if [ "$code" -ge 124 ]; then
            found "exit status $code"
        elif [ "$code" != "$expected" ]; then
            grep -qiE 'memory|allocate|temporarily unavailable' "$work/err" "$work/out" ||
                found "exit status $code, and no word about memory"
        else
            plain | cmp -s - "$work/expected" ||
                grep -qiE 'memory|allocate' "$work/err" "$work/out" || found 'another output, without a word'
        fi
        # An image that had no memory is none of those that are evaluated, which its line says.
        if sed '/^images /d' "$work/out" | grep -qE '^ *(FAIL|CRASH)|[1-9][0-9]* (failed|crashed)'; then
            found 'a verdict on the subject'
        fi
        now=$(sed -n 's/^live //p' "$work/log")
        [ "${now:-0}" -le "${live:-0}" ] || found "$now blocks live at the end, otherwise $live"
        n=$((n + every))
    done
    points=$((points + tried))
    echo "programs: $name: $tried points"
}

m=$b/torture/files
reference='conformance --jobs=1 --quiet --filter=relu.f32.* --limit=1'
try run allocation run --delegate=none "$m/image.tflite"
try inspect allocation inspect --delegate=none "$m/image.tflite"
try inspect_json allocation inspect --delegate=none --format=json "$m/branches.tflite"
try conformance allocation $reference --subject=reference
try worker children $reference --subject=reference

# The reference alone: neither a path of a delegate nor one of a library is given.
mkdir "$work/golden" "$work/images"
cp golden/relu.h5 "$work/golden"
cp golden/digits/0.png golden/digits/1.png "$work/images"
printf '0.png 0\n1.png 1\n' >"$work/truth"
"$b/assay" $reference --subject=reference --format=json --out="$work/report" >"$work/out" || exit 1
few='--num_runs=1 --min_secs=0 --warmup_runs=0 --warmup_min_secs=0 --no-starts'
try run_subgraphs allocation run --delegate=none "$m/loop.tflite"
try run_image allocation run --delegate=none golden/digits/digits_f32.tflite --input=golden/digits/0.png
try run_image_child children run --delegate=none golden/digits/digits_f32.tflite --input=golden/digits/0.png
try conformance_none allocation $reference --delegate=none --repro-dir="$work/repro"
try conformance_json allocation $reference --subject=reference --format=json
try two_subjects children $reference --subject=reference --subject=reference
try graphs children conformance --subject=reference --jobs=1 --quiet --filter='graph.*' --graphs=1
try golden_check allocation golden check --dir="$work/golden" --filter=relu.f32.c1
try golden_check_child children golden check --dir="$work/golden" --filter=relu.f32.c1
try bench allocation bench $few --subject=reference "$m/image.tflite"
try diff allocation diff --delegate=none "$m/image.tflite"
try eval allocation eval imagenet golden/digits/digits_f32.tflite --images="$work/images" \
    --ground-truth="$work/truth" --subject=reference --reference=none --resamples=0
try eval_child children eval imagenet golden/digits/digits_f32.tflite --images="$work/images" \
    --ground-truth="$work/truth" --subject=reference --reference=none --resamples=0
try report allocation report show "$work/report"
try zoo allocation zoo mobilenet_v1 --width=0.1 --res=32 --classes=2 -o "$work/zoo.tflite"
echo "programs: $points points tried, $bad findings"
[ "$bad" = 0 ]

#!/bin/sh
# Shows on this machine what `assay bench` says of a planted slowdown and of none:
#     sh ci/bench-pairs.sh BUILD [PAIRS [PERCENT]]
# A pair is two measurements of the same delegate, the mock, whose second has slow=PERCENT or not.
# Prints how many of each were called slower by more than 5 %, by --compare-to and by --versus.
# Not part of the checks: what else the machine does decides what --compare-to sees.
set -eu
build=$1
pairs=${2:-50}
percent=${3:-7}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mock=$build/mock/delegate.so
model=$work/m.tflite
"$build/assay" zoo mobilenet_v1 --res=32 --width=0.25 --quiet -o "$model" >/dev/null

# measure SLOW FLAG...: the exit code, 0 or 1; anything else ends the script.
measure() {
    slow=$1
    shift
    code=0
    "$build/assay" bench "$model" --delegate="$mock" --delegate-option=slow="$slow" --no-starts \
        --num_runs=200 --min_secs="${SECS:-0.5}" --warmup_min_secs=0.1 --quiet "$@" \
        >"$work/text" || code=$?
    [ "$code" -le 1 ] || exit "$code"
    return "$code"
}

slower=0 false_alarms=0 versus_slower=0 versus_false=0 i=0
while [ "$i" -lt "$pairs" ]; do
    measure 0 --format=json --out="$work/before.json"
    measure "$percent" --compare-to="$work/before.json" || slower=$((slower + 1))
    measure 0 --format=json --out="$work/before.json"
    measure 0 --compare-to="$work/before.json" || false_alarms=$((false_alarms + 1))
    measure "$percent" --versus="delegate:$mock" --max-regression=5% ||
        versus_slower=$((versus_slower + 1))
    [ -z "${LOG:-}" ] || grep 'ratio' "$work/text" >>"$LOG"
    measure 0 --versus="delegate:$mock" --max-regression=5% || versus_false=$((versus_false + 1))
    [ -z "${LOG:-}" ] || grep 'ratio' "$work/text" >>"$LOG"
    i=$((i + 1))
done
echo "--compare-to: $slower of $pairs found with $percent % planted, $false_alarms of $pairs without"
echo "--versus: $versus_slower of $pairs found with $percent % planted, $versus_false of $pairs without"

#!/bin/sh
# The n-th allocation of assay fails, for each n, or of each worker process: programs.sh BUILD [EVERY].
# Then it ends with an error that names memory, or prints what it prints otherwise; it never crashes,
# leaves nothing allocated that it frees otherwise, and gives no verdict on a subject.
set -u
b=$1
every=${2:-1}
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
    one allocation 1000000000 "$@"
    expected=$?
    sed 's/[0-9.]* m\?s\b//' "$work/out" >"$work/expected"
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
            grep -qiE 'memory|allocate|temporarily unavailable' "$work/err" ||
                found "exit status $code, and no word about memory"
        else
            # But for times.
            sed 's/[0-9.]* m\?s\b//' "$work/out" | cmp -s - "$work/expected" ||
                grep -qiE 'memory|allocate' "$work/err" || found 'another output, without a word'
        fi
        if grep -qE '^ *(FAIL|CRASH)|[1-9][0-9]* (failed|crashed)' "$work/out"; then
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
try run allocation run --delegate=none "$m/image.tflite"
try inspect allocation inspect --delegate=none "$m/image.tflite"
try inspect_json allocation inspect --delegate=none --format=json "$m/branches.tflite"
try conformance allocation conformance --subject=reference --jobs=1 --no-models --quiet --filter='relu.f32.*' --limit=1
try worker children conformance --subject=reference --jobs=1 --no-models --quiet --filter='relu.f32.*' --limit=1
echo "programs: $points points tried, $bad findings"
[ "$bad" = 0 ]

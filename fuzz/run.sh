#!/bin/sh
# Runs fuzz targets that were built with libFuzzer, one after the other:
#     run.sh BUILD MINUTES TARGET...   each for so many minutes
#     run.sh BUILD table               what all runs of this build came to
# Inputs that reach new code are kept in BUILD/corpus/TARGET, findings in BUILD/findings/TARGET, also
# when a run is interrupted; the next run goes on from both.  Every run is a row of BUILD/fuzz.tsv:
# target, executions, edges reached, seconds of processor time, findings.  Exit status 1: there are
# findings.
#
# What one input may take, else it is a finding: 10 seconds, 512 MiB in one allocation, 2 GiB at once.
# Index tables of 64 MiB for each device that is made up would take longer: these have a lower limit.
set -u
export ASSAY_LIMITS=table_bytes=4194304
usage() { echo 'usage: run.sh BUILD MINUTES TARGET... | run.sh BUILD table' >&2; exit 2; }
[ $# -ge 2 ] || usage
here=$(dirname "$0")
build=$1 minutes=$2
shift 2
rows=$build/fuzz.tsv

if [ "$minutes" = table ]; then
    [ -s "$rows" ] || { echo "run.sh: no run yet in $rows" >&2; exit 2; }
    echo '| target | executions | edges reached | CPU minutes | findings |'
    echo '|---|---|---|---|---|'
    awk -F '\t' '{ n[$1] += $2; if ($3 > cov[$1]) cov[$1] = $3; s[$1] += $4; f[$1] += $5 }
        END { for (t in n) printf "| %s | %d | %d | %.1f | %d |\n", t, n[t], cov[t], s[t] / 60, f[t] }' \
        "$rows" | LC_ALL=C sort
    exit 0
fi
case $minutes in '' | *[!0-9.]*) usage ;; esac
seconds=$(awk "BEGIN { printf \"%d\", $minutes * 60 }")
[ "$seconds" -ge 1 ] && [ $# -ge 1 ] || usage

count() { find "$1" -type f | wc -l; }
# Seconds of processor time, of what times prints of the processes that have ended.
spent() { awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); s += 60 * t[1] + t[2] } printf "%d", s }'; }

# finish TARGET: prints and keeps what the run came to, from its log.
finish()
{
    cov=$(sed -n 's/.*cov: \([0-9]*\).*/\1/p' "$log" | sort -n | tail -n 1)
    # Each start of the fuzzer has its own count; one that was killed has that of its last line.
    runs=$(awk '/^#[0-9]/ { last = substr($1, 2) + 0 } /^fuzz-start/ { sum += last; last = 0 }
        END { printf "%d", sum + last }' "$log")
    found=$(($(count "$findings") - before))
    times >"$log.times" # not in a subshell, which has no children that have ended
    took=$(($(spent <"$log.times") - cpu))
    printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$runs" "${cov:-0}" "$took" "$found" >>"$rows"
    echo "fuzz: $1: $runs executions, ${cov:-0} edges reached, $took s of processor time," \
        "$(count "$corpus") inputs kept, $found findings"
    [ "$found" = 0 ] || find "$findings" -type f -newer "$log.begun" | sed 's/^/fuzz: finding: /'
}

stop()
{
    trap - INT TERM
    [ -z "$child" ] || { kill "$child"; wait "$child"; } 2>/dev/null
    finish "$target"
    echo "fuzz: interrupted; the same command goes on from $build/corpus, findings are in $build/findings"
    exit 130
}

TMPDIR=$(mktemp -d -p /dev/shm fuzz.XXXXXX 2>/dev/null || mktemp -d /tmp/fuzz.XXXXXX) || exit 2
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
bad=0 child=
for target; do
    program=$build/fuzz/fuzz_$target
    [ -x "$program" ] || { echo "run.sh: no $program" >&2; exit 2; }
    corpus=$build/corpus/$target findings=$build/findings/$target
    log=$build/findings/$target.log seeds=$here/corpus/$target dict=$here/dict/$target.dict
    # The official verifier reads what the reader does.
    [ "$target" != official ] || seeds=$here/corpus/reader dict=$here/dict/reader.dict
    [ -d "$seeds" ] || seeds=
    # The hostile models, where make check or make hostile has written them.
    case $target in
    models | reader | official) [ ! -d "$build/../hostile" ] || seeds="$seeds $build/../hostile" ;;
    esac
    mkdir -p "$corpus" "$findings"
    : >"$log"
    : >"$log.begun"
    before=$(count "$findings")
    begun=$(date +%s)
    times >"$log.times"
    cpu=$(spent <"$log.times")
    trap stop INT TERM
    # The fuzzer ends with its first finding, and is started again for the rest of the time.
    while left=$((seconds - ($(date +%s) - begun))) && [ "$left" -gt 0 ] &&
        [ $(($(count "$findings") - before)) -lt 20 ]; do
        echo fuzz-start >>"$log"
        "$program" -max_total_time="$left" -timeout=10 -malloc_limit_mb=512 -rss_limit_mb=2048 \
            -artifact_prefix="$findings/" ${dict:+$([ -f "$dict" ] && echo "-dict=$dict")} \
            "$corpus" $seeds >>"$log" 2>&1 &
        child=$!
        wait $child && break
        [ "$(count "$findings")" -gt "$before" ] ||
            { echo "run.sh: $target ended without a finding:" >&2; tail -n 5 "$log" >&2; exit 2; }
    done
    child=
    trap - INT TERM
    finish "$target"
    [ "$found" = 0 ] || bad=1
done
exit $bad

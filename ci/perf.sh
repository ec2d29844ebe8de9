#!/bin/sh
# Counts what the layers of a start and an inference cost, and compares it with ci/perf-baseline.tsv:
#     perf.sh BUILD_DIRECTORY           exit status 1 when a figure grew by more than 2 %
#     perf.sh BUILD_DIRECTORY accept    makes the last figures the baseline
# callgrind counts instructions, which repeat where times do not; massif measures the heap.  Where the
# kernel lets perf sample, it also draws where the time goes.  CC, OPT, CFLAGS as make has them.
set -eu
b=$1
out=$b/perf
baseline=ci/perf-baseline.tsv
begin=$(date +%s)

fail()
{
    echo "perf: FAILED: $*" >&2
    exit 1
}

# Nothing is written beside the scripts.
export PYTHONDONTWRITEBYTECODE=1
compare()
{
    python3 ci/perf_figures.py compare "$baseline" "$out/figures.tsv" 2
}

if [ "${2:-}" = accept ]; then
    [ -s "$out/figures.tsv" ] || fail "no figures in $out: run make perf first"
    for part in assay libassay_delegate.so; do
        [ "$out/figures.tsv" -nt "$b/$part" ] || fail "$b/$part is newer than the figures: run make perf first"
    done
    [ ! -f "$baseline" ] || compare || true
    cp "$out/figures.tsv" "$baseline"
    echo "perf: $baseline has these figures now"
    exit 0
fi

mkdir -p "$out"
# One worker, compiled shaders kept, without LLVM's optimization, which takes minutes under valgrind;
# no symbol is bound within a count.  Of the driver nothing is counted.
export MESA_SHADER_CACHE_DIR="$out/shader-cache" GALLIVM_PERF=nopt LP_NUM_THREADS=1 LD_BIND_NOW=1

# timed WHAT COMMAND...: says what runs, and how long it took.
timed()
{
    what=$1
    before=$(date +%s)
    shift
    echo "perf: $what ..."
    code=0
    "$@" >"$out/log" 2>&1 || code=$?
    if [ $code != 0 ]; then
        cat "$out/log" >&2
        fail "$what: exit status $code"
    fi
    echo "perf: $what: $(($(date +%s) - before)) s"
}

"$b/assay" zoo mobilenet_v1 --width=0.25 --res=96 -o "$out/mobilenet.tflite" --quiet >/dev/null
models="digits_f32 golden/digits/digits_f32.tflite
digits_i8 golden/digits/digits_i8.tflite
mobilenet_0.25_96 $out/mobilenet.tflite"

# ---- counts ----
layers=
for function in $(python3 -c 'import sys
sys.path.insert(0, "ci")
import perf_figures
print(*perf_figures.LAYERS.values())'); do
    layers="$layers --zero-before=$function --dump-after=$function"
done
rm -rf "$out"/callgrind.* "$out"/massif.* "$out/rows"
: >"$out/rows"
echo "$models" | while read -r name model; do
    run="$b/assay endurance $model --starts=0 --quiet"
    if [ ! -f "$out/warm.$name" ]; then
        # shellcheck disable=SC2086 # words on purpose, here and below
        timed "$name: the driver compiles its shaders, once" valgrind --tool=none $run --runs=1
        : >"$out/warm.$name"
    fi
    # shellcheck disable=SC2086
    timed "$name: massif" valgrind --tool=massif --threshold=0.1 --depth=40 --detailed-freq=1 \
        --max-snapshots=200 --massif-out-file="$out/massif.$name" $run --runs=1
    # shellcheck disable=SC2086
    timed "$name: callgrind" valgrind --tool=callgrind $layers \
        --callgrind-out-file="$out/callgrind.$name" $run --runs=5
    sed -n 's/^run by *[^ ]* on //p' "$out/log" >"$out/driver"
    python3 ci/perf_figures.py collect "$b" "$name" "$out/callgrind.$name" "$out/massif.$name" \
        >>"$out/rows"
    python3 ci/perf_flame.py callgrind "$b" "$out/callgrind.$name" \
        "$name: instructions of our objects, by callgrind" >"$out/$name.callgrind.svg"
done
vectors=$(grep -qw avx2 /proc/cpuinfo 2>/dev/null && echo ' with avx2' || true)
{
    echo "# Model, figure, instructions or bytes, as make perf counts them; make perf-accept writes this file."
    # shellcheck disable=SC2086
    echo "# compiler: $(${CC:-cc} --version | head -n 1 | sed 's/^[^ ]*cc /cc /') ${OPT:-}${CFLAGS:+ $CFLAGS}"
    echo "# libc: $(getconf GNU_LIBC_VERSION 2>/dev/null || echo unknown)"
    echo "# machine: $(uname -m)$vectors"
    echo "# valgrind: $(valgrind --version)"
    echo "# driver: $(cat "$out/driver")"
    cat "$out/rows"
} >"$out/figures.tsv"
rm -f "$out/rows"

# ---- times ----
unset GALLIVM_PERF LP_NUM_THREADS
export MESA_SHADER_CACHE_DIR="$b/shader-cache"
events=
if ! command -v perf >/dev/null; then
    echo 'perf: no perf here (Debian package linux-perf): no times'
elif perf stat -x, -e instructions:u true 2>&1 | grep -q '^[0-9][0-9]*,'; then
    echo 'perf: hardware counters work: instructions, cycles'
    events=instructions:u,cycles:u,task-clock sample=cycles:u
elif perf stat -x, -e task-clock true 2>&1 | grep -q '^[0-9.][0-9.]*,'; then
    echo 'perf: no hardware counters here: software events alone'
    events=task-clock sample=cpu-clock:u
else
    echo 'perf: the kernel lets perf count nothing (see /proc/sys/kernel/perf_event_paranoid): no times'
fi
[ -z "$events" ] || echo "$models" | while read -r name model; do
    run="$b/assay endurance $model --starts=0 --runs=20 --quiet"
    # shellcheck disable=SC2086
    timed "$name: perf stat" perf stat -o "$out/$name.stat" \
        -e "$events",page-faults,context-switches $run
    sed -n 's/^ *\([0-9.,]\{1,\}\) *\(msec \)\{0,1\}\([a-z][a-z:-]*\).*/\3 \1 \2/p' "$out/$name.stat" |
        awk -v name="$name" '/^seconds/ { next }
                             { line = line "  " $1 " " $2 (NF > 2 ? " " $3 : "") }
                             END { print "perf: " name ": 20 inferences:" line }'
    # shellcheck disable=SC2086
    timed "$name: perf record" perf record -q -e "$sample" -F 499 --call-graph dwarf,8192 \
        -o "$out/data" $run
    perf script --no-inline -i "$out/data" -F comm,ip,sym,dso 2>/dev/null |
        python3 ci/perf_flame.py perf "$name: time of 20 inferences, by perf ($sample)" \
            >"$out/$name.perf.svg"
    rm -f "$out/data"
done
echo "perf: flame graphs: $(echo "$out"/*.svg)"
echo "perf: took $(($(date +%s) - begin)) s"
[ -f "$baseline" ] || fail "no $baseline: make perf-accept writes it from $out/figures.tsv"
compare

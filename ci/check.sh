#!/bin/sh
# Runs what `make check` consists of, and counts it: check.sh BUILD_DIRECTORY.  With a pattern of case
# names in T, only these cases run.
set -eu
b=$1
log=$b/check
mkdir -p "$log"
total=0
# What runs make here has no part in the jobs of the make that runs this.
MAKEFLAGS=$(printf '%s' "${MAKEFLAGS:-}" | sed 's/ *--jobserver-[a-z]*=[^ ]*//g; s/ *-j[0-9]*//g')
export MAKEFLAGS

fail()
{
    echo "check: FAILED: $*" >&2
    exit 1
}

# note NAME: the seconds since the last note were those of NAME; the table at the end has them.
rm -f "$log/seconds"
noted=$(date +%s)
note()
{
    now=$(date +%s)
    echo "$((now - noted)) $1" >>"$log/seconds"
    noted=$now
}

# run NAME COMMAND...: writes the output to a log, and shows it only when the command fails.
run()
{
    label=$1
    shift
    "$@" >"$log/$label.log" 2>&1 || { cat "$log/$label.log" >&2; fail "$label ($*)"; }
    note "$label"
}

# queue NAME COMMAND...: runs with all that is queued, as many at a time as there are processors, and
# leaves NAME.log and NAME.code, which begins with the exit status.
rm -f "$log"/*.code "$log/queue" "$log/units"
queue()
{
    echo "$*" >>"$log/queue"
}

# count NAME NUMBER: of tests, at least one.
count()
{
    [ "${2:-0}" -gt 0 ] || fail "$1: nothing was tested"
    total=$((total + $2))
}

# says NAME: the last line of its log.
says()
{
    tail -n 1 "$log/$1.log"
}

# Where the validation layer is installed, it checks all that runs on the device.
validation=
for dir in /usr/share/vulkan /usr/local/share/vulkan /etc/vulkan; do
    [ ! -f $dir/explicit_layer.d/VkLayer_khronos_validation.json ] || validation=1
done
[ -n "$validation" ] || echo 'check: no Khronos validation layer here: cases run without it'
sanitized=
if grep -q -- -fsanitize= "$b/flags"; then
    sanitized=1
    # The layer leaks a little, and is unloaded before a suppression could name it.
    validation=
    echo 'check: under sanitizers the cases run without the validation layer'
fi

cases()
{
    run cases env ${validation:+ASSAY_VK_VALIDATION=1} "$b/assay" conformance --no-models --quiet "$@"
    echo "cases: $(says cases)${validation:+, under the validation layer}"
    count cases "$(says cases | sed -n 's/.* \([0-9][0-9]*\) passed.*/\1/p')"
}

if [ -n "${T:-}" ]; then
    cases --filter="$T"
    exit 0
fi

# Commands mostly wait, one after the other; they write in $log/commands alone.
sh ci/commands.sh "$b" "$log" >"$log/commands.log" 2>&1 &
commands=$!
trap 'kill $commands 2>/dev/null || true' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Files of tests, a process each.  Those that take longest begin, so that none of them is left alone at
# the end.
long='test_(verdicts|faults|hostile_models|exact_dots|tail|gemm_int8|serialize|tune|transform_.*|runner_stop|digits|cases|image|model_text|quant_models|packed|prefetch|scale|gemm|run_log|hostile_files)'
for layer in reference delegate conformance; do
    "$b/tests/$layer" --list >"$log/$layer.files" || fail "$b/tests/$layer --list"
    sed "s,.*,$layer.& $b/tests/$layer &," "$log/$layer.files"
done >"$log/files"
# Whole models take a minute under sanitizers, and run what the tests of ops do.
[ -z "$sanitized" ] || sed -i -E '/ test_(zoo_topologies|transformers)$/d' "$log/files"
grep -E " $long\$" "$log/files" >"$log/queue"

# Under sanitizers a third of the goldens, those whose names end so: some of each op.
queue golden "$b/assay" golden check --quiet ${sanitized:+"--filter=*[0-2a-c]"}
# The fuzz targets are given the hostile models too.
run hostile "$b/tests/delegate" test_hostile_models --write "$b/hostile"
targets=$("$b/fuzz/replay" --list)
for target in $targets; do
    queue "replay_$target" "$b/fuzz/replay" "$target" "fuzz/corpus/$target" "$b/hostile"
done
# What runs no code of a sanitizer, or prints the same under one.
if [ -z "$sanitized" ]; then
    # A part of what `make torture` tries; a sanitizer has a malloc of its own.
    queue torture "$b/torture/torture" --every=61 "$b/torture/files"
    # What counts lines for make coverage allocates, too, when a program ends, and has no word for it.
    grep -q -- --coverage "$b/flags" || queue programs sh conformance/tests/torture/programs.sh "$b" 61
    queue soak "$b/torture/soak" "$b/torture/files" 1
    queue json sh ci/json.sh "$b" "$log"
    # The agent as Android's tools see it, where there are clang and lld.
    queue agents sh ci/agents.sh android "$b"
    queue layers sh ci/layers-test.sh "$log"
    queue missing sh ci/missing.sh "$log"
    queue docs sh ci/docs.sh "$b"
    queue faults sh ci/mutants.sh check
    # A short run of `make endurance`; sanitizers keep freed memory.
    queue endurance "$b/assay" endurance --starts=25 --runs=2000 --quiet
    queue byte-order sh ci/byte-order.sh "$b"
    # Scripts of make perf, make peers, make coverage and make needed.
    if command -v python3 >/dev/null; then
        queue perf python3 -B ci/perf_test.py
        queue peers env "ASSAY=$b/assay" python3 -B ci/peers/peers_test.py
        queue coverage python3 -B coverage/figures_test.py
    fi
    ! command -v bash >/dev/null || queue completion bash ci/completion.sh "$b" "$log"
    # The layer checks calls from several threads; make tsan checks memory.
    [ -z "$validation" ] || queue threads env ASSAY_VK_VALIDATION=1 "$b/tests/delegate" test_threads
fi
grep -vE " $long\$" "$log/files" >>"$log/queue"
xargs -P "$(nproc)" -L 1 sh -c '
    log=$1 name=$2 code=0 start=$(date +%s)
    shift 2
    "$@" >"$log/$name.log" 2>&1 || code=$?
    echo "$(($(date +%s) - start)) $name" >>"$log/units"
    echo "$code $*" >"$log/$name.code"' sh "$log" <"$log/queue"
note queue
# Whatever failed shows its log.
while read -r name command; do
    read -r code _ <"$log/$name.code"
    [ "$code" = 0 ] || { cat "$log/$name.log" >&2; fail "$name ($command, exit status $code)"; }
done <"$log/queue"

# What runs no test of cmocka exits 0, hence the count of passed tests.
units=0
while read -r name _; do
    passed=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log/$name.log" |
        awk '{ s += $1 } END { print s + 0 }')
    # A file may skip all of its tests, which it says: no device, or models that are not here.
    [ "$passed" -gt 0 ] || grep -q '^\[  SKIPPED \]' "$log/$name.log" ||
        { cat "$log/$name.log" >&2; fail "$name: no test ran"; }
    grep -h '^skipped' "$log/$name.log" || true
    units=$((units + passed))
done <"$log/files"
longest=$(sort -rn "$log/units" | head -n 8 | awk '{ printf "%s%s %d", (NR > 1 ? ", " : ""), $2, $1 }')
echo "unit: $units tests passed; seconds of what took longest: $longest"
count unit "$units"

echo "golden: $(says golden)"
count golden "$(sed -n 's/.* \([0-9][0-9]*\) passed.*/\1/p' "$log/golden.log" | tail -n 1)"
for target in $targets; do
    echo "corpus: $(says "replay_$target")"
    count "replay_$target" "$(sed -n 's/.*: \([0-9][0-9]*\) inputs.*/\1/p' "$log/replay_$target.log" | tail -n 1)"
done
if [ -z "$sanitized" ]; then
    says torture
    points=$(sed -n 's/^torture: \([0-9]*\) points.*/\1/p' "$log/torture.log")
    [ "${points:-0}" -gt 50 ] || fail 'torture: no point was tried'
    total=$((total + points))
    [ ! -f "$log/programs.code" ] || says programs
    says soak
    says json
    total=$((total + $(cat "$log/json.count")))
    run install sh ci/install.sh "$b" "$log"
    says install
    cat "$log/agents.log"
    says layers
    count layers "$(sed -n 's/^layers-test: \([0-9]*\) .*/\1/p' "$log/layers.log")"
    says missing
    says docs
    says faults
    sed -n 's/^  \(host\|device\) */endurance: /p' "$log/endurance.log"
    says byte-order
    count byte-order "$(sed -n 's/^byte-order: \([0-9]*\) .*/\1/p' "$log/byte-order.log")"
    if [ -f "$log/perf.code" ]; then
        for name in perf peers coverage; do
            count "$name" "$(sed -n 's/^Ran \([0-9]*\) tests.*/\1/p' "$log/$name.log")"
            echo "$name: its scripts, $(grep '^Ran ' "$log/$name.log")"
        done
    else
        echo 'perf: no python3 here: its scripts are not tested'
    fi
    if [ -f "$log/completion.code" ]; then
        says completion
        total=$((total + 1))
    fi
    if [ -f "$log/threads.code" ]; then
        echo 'threads: clean under the validation layer'
        total=$((total + 1))
    fi
    total=$((total + 4)) # missing, install, and the two of endurance

    run size sh ci/size.sh "$b"
    says size
    run harden sh ci/harden.sh check "$b"
    says harden
    run ops-table sh ci/ops-table.sh check
    says ops-table

    # Manual pages as their readers parse them.
    pages=0
    for page in '' $(sed -n 's/^COMMAND(\(.*\))$/\1/p' conformance/tools/cli/commands.def); do
        "$b/assay" --print-man="$page" >"$log/page.1" || fail "man page $page"
        if command -v groff >/dev/null && [ -n "$(groff -man -ww -z "$log/page.1" 2>&1)" ]; then
            groff -man -ww -z "$log/page.1" >&2
            fail "groff: page $page"
        fi
        if command -v mandoc >/dev/null; then run mandoc mandoc -Tlint -Wstyle "$log/page.1"; fi
        pages=$((pages + 1))
    done
    echo "man: $pages pages are clean"
    total=$((total + pages))

    # Every shader is valid SPIR-V for Vulkan 1.1.
    if command -v spirv-val >/dev/null; then
        shaders=0
        for shader in $(find "$b/delegate" -name '*.spv'); do
            run spirv-val spirv-val --target-env vulkan1.1 "$shader"
            shaders=$((shaders + 1))
        done
        echo "shaders: $shaders valid"
        count shaders "$shaders"
    fi
fi

# At most 3 cases of each op, and one under sanitizers; `make conformance` runs all.
if [ -n "$sanitized" ]; then
    cases --limit=1
else
    cases --limit=3
fi

# Programs for the TensorFlow Lite C API find the same class on the CPU and with the delegate.
for program in "$b"/examples/*; do
    [ -f "$program" ] && [ -x "$program" ] || continue
    name=$(basename "$program")
    run "example_$name.cpu" "$program" golden/digits/digits_f32.tflite
    run "example_$name" "$program" golden/digits/digits_f32.tflite - "$b/libassay_delegate.so"
    best=$(awk 'NR == 2 { print $1 }' "$log/example_$name.cpu.log")
    [ -n "$best" ] && [ "$best" = "$(awk 'NR == 2 { print $1 }' "$log/example_$name.log")" ] ||
        { cat "$log/example_$name".*; fail "example $name: another class with the delegate"; }
    echo "example: $name: class $best, with the delegate too"
    total=$((total + 1))
done

for program in "$b"/gpu_examples/*; do
    [ -f "$program" ] && [ -x "$program" ] || continue
    name=$(basename "$program")
    run "example_$name" "$program" golden/digits/digits_f32.tflite
    [ -s "$log/example_$name.log" ] || fail "example $name: no output"
    echo "example: $name: $(says "example_$name")"
    total=$((total + 1))
done
wait "$commands" || { cat "$log/commands.log" >&2; fail commands; }
note 'commands, the rest'
says commands
total=$((total + $(cat "$log/commands.count")))
echo "check: seconds:$(awk '{ seconds[substr($0, index($0, " ") + 1)] += $1 }
    END { for (name in seconds) if (seconds[name] >= 2) printf "%d %s\n", seconds[name], name }' "$log/seconds" |
    sort -rn | awk '{ s = $1; $1 = ""; printf "%s%s %d", (NR > 1 ? "," : ""), $0, s }')"
echo "check: all passed: $total tests" | tee "$log/summary"

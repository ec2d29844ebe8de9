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

# start NAME COMMAND...: like run, beside what follows, for what uses one processor for a minute;
# finish NAME waits for it.
background=''
pid=''
trap 'kill $background 2>/dev/null || true' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
start()
{
    label=$1
    shift
    "$@" >"$log/$label.log" 2>&1 &
    eval "pid_$label=$!"
    background="$background $!"
}

finish()
{
    eval "pid=\$pid_$1"
    background=$(echo "$background " | sed "s/ $pid / /")
    wait "$pid" || { cat "$log/$1.log" >&2; fail "$1"; }
    note "$1, the rest"
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
    last=$(tail -n 1 "$log/cases.log")
    count=$(echo "$last" | sed -n 's/.* \([0-9][0-9]*\) passed.*/\1/p')
    [ "${count:-0}" -gt 0 ] || fail "no case passed: $last"
    total=$((total + count))
    echo "cases: $last${validation:+, under the validation layer}"
}

if [ -n "${T:-}" ]; then
    cases --filter="$T"
    exit 0
fi

# Commands mostly wait, one after the other; they write in $log/commands alone.
start commands sh ci/commands.sh "$b" "$log"

# Files of tests, a process each, as many at a time as there are processors; each leaves its log and
# exit status.  Those that take longest begin, so that none of them is left alone at the end.
long='test_(faults|hostile_models|exact_dots|tail|gemm_int8|serialize|tune|transform_.*|runner_stop|digits|cases|image|model_text|quant_models|packed|prefetch|scale|gemm|run_log|hostile_files)'
rm -f "$log"/*.code "$log/units"
for layer in reference delegate conformance; do
    "$b/tests/$layer" --list >"$log/$layer.files" || fail "$b/tests/$layer --list"
    sed "s/^/$layer /" "$log/$layer.files"
done >"$log/all"
# Whole models take a minute under sanitizers, and run what the tests of ops do.
[ -z "$sanitized" ] || sed -i -E '/ test_(zoo_topologies|transformers)$/d' "$log/all"
{ grep -E " $long\$" "$log/all"; grep -vE " $long\$" "$log/all"; } >"$log/files"
xargs -P "$(nproc)" -L 1 sh -c '
    name=$3.$4 code=0 start=$(date +%s)
    "$1/tests/$3" "$4" >"$2/$name.log" 2>&1 || code=$?
    echo "$(($(date +%s) - start)) $name" >>"$2/units"
    echo "$code $1/tests/$3 $4" >"$2/$name.code"' sh "$b" "$log" <"$log/files"

# What runs no test of cmocka exits 0, hence the count of passed tests.
units=0
for result in "$log"/*.code; do
    name=$(basename "$result" .code)
    read -r code program <"$result"
    [ "$code" = 0 ] || { cat "$log/$name.log" >&2; fail "$name ($program, exit status $code)"; }
    count=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log/$name.log" |
        awk '{ s += $1 } END { print s + 0 }')
    # A file may skip all of its tests, which it says: no device, or models that are not here.
    [ "$count" -gt 0 ] || grep -q '^\[  SKIPPED \]' "$log/$name.log" ||
        { cat "$log/$name.log" >&2; fail "$name: no test ran"; }
    grep -h '^skipped' "$log/$name.log" || true
    units=$((units + count))
done
note unit
longest=$(sort -rn "$log/units" | head -n 5 | awk '{ printf "%s%s %d", (NR > 1 ? ", " : ""), $2, $1 }')
echo "unit: $units tests passed; seconds of the longest files: $longest"
total=$((total + units))

# A part of what `make torture` tries; not with sanitizers, which have a malloc of their own.
if [ -z "$sanitized" ]; then
    start torture "$b/torture/torture" --every=20 "$b/torture/files"
    # What counts lines for make coverage allocates, too, when a program ends, and has no word for it.
    if ! grep -q -- --coverage "$b/flags"; then
        run programs sh conformance/tests/torture/programs.sh "$b" 20
        tail -n 1 "$log/programs.log"
    fi
    run soak "$b/torture/soak" "$b/torture/files" 1
    tail -n 1 "$log/soak.log"
fi
start golden "$b/assay" golden check --quiet

# The fuzz targets are given the hostile models too.
run hostile "$b/tests/delegate" test_hostile_models --write "$b/hostile"
for target in $("$b/fuzz/replay" --list); do
    name=replay_$target
    run "$name" "$b/fuzz/replay" "$target" "fuzz/corpus/$target" "$b/hostile"
    echo "corpus: $(tail -n 1 "$log/$name.log")"
    count=$(sed -n 's/.*: \([0-9][0-9]*\) inputs.*/\1/p' "$log/$name.log" | tail -n 1)
    [ "${count:-0}" -gt 0 ] || fail "$name: no input was replayed"
    total=$((total + count))
done

# What runs no code of a sanitizer, or prints the same under one.
if [ -z "$sanitized" ]; then
    run layers sh ci/layers-test.sh "$log"
    tail -n 1 "$log/layers.log"
    total=$((total + $(sed -n 's/^layers-test: \([0-9]*\) .*/\1/p' "$log/layers.log")))

    run byte-order sh ci/byte-order.sh "$b"
    tail -n 1 "$log/byte-order.log"
    total=$((total + $(sed -n 's/^byte-order: \([0-9]*\) .*/\1/p' "$log/byte-order.log")))

    # Scripts of make perf, make peers, make coverage and make needed.
    if command -v python3 >/dev/null; then
        run perf python3 -B ci/perf_test.py
        run peers env ASSAY="$b/assay" python3 -B ci/peers/peers_test.py
        run coverage python3 -B coverage/figures_test.py
        for name in perf peers coverage; do
            count=$(sed -n 's/^Ran \([0-9]*\) tests.*/\1/p' "$log/$name.log")
            [ "${count:-0}" -gt 0 ] || fail "$name: no test ran"
            echo "$name: $count tests of its scripts"
            total=$((total + count))
        done
    else
        echo 'perf: no python3 here: its scripts are not tested'
    fi

    run size sh ci/size.sh "$b"
    tail -n 1 "$log/size.log"

    run harden sh ci/harden.sh check "$b"
    tail -n 1 "$log/harden.log"

    run ops-table sh ci/ops-table.sh check
    tail -n 1 "$log/ops-table.log"
    run docs sh ci/docs.sh "$b"
    tail -n 1 "$log/docs.log"
    run faults sh ci/mutants.sh check
    tail -n 1 "$log/faults.log"

    # Manual pages as their readers parse them, and completion as bash does.
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
    if command -v bash >/dev/null; then
        run completion bash ci/completion.sh "$b" "$log"
        tail -n 1 "$log/completion.log"
        total=$((total + 1))
    fi
    run missing sh ci/missing.sh "$log"
    tail -n 1 "$log/missing.log"
    total=$((total + 1))

    run install sh ci/install.sh "$b" "$log"
    tail -n 1 "$log/install.log"
    total=$((total + 1))

    # Every shader is valid SPIR-V for Vulkan 1.1.
    if command -v spirv-val >/dev/null; then
        count=0
        for shader in $(find "$b/delegate" -name '*.spv'); do
            run spirv-val spirv-val --target-env vulkan1.1 "$shader"
            count=$((count + 1))
        done
        [ "$count" -gt 0 ] || fail 'no shader was found'
        echo "shaders: $count valid"
        total=$((total + count))
    fi

    sh ci/json.sh "$b" "$log" || fail 'json'
    total=$((total + $(cat "$log/json.count")))
    note json
fi

# At most 3 cases of each op, and one under sanitizers; `make conformance` runs all.
if [ -n "$sanitized" ]; then
    cases --limit=1
else
    cases --limit=3
fi

# The layer checks calls from several threads; make tsan checks memory.
if [ -n "$validation" ]; then
    run threads env ASSAY_VK_VALIDATION=1 "$b/tests/delegate" test_threads
    echo 'threads: clean under the validation layer'
    total=$((total + 1))
fi

# A short run of `make endurance`; not with sanitizers, which keep freed memory.
if [ -z "$sanitized" ]; then
    run endurance "$b/assay" endurance --starts=25 --runs=2000 --quiet
    sed -n 's/^  \(host\|device\) */endurance: /p' "$log/endurance.log"
    total=$((total + 2))
fi

# The agent as Android's tools see it, where there are clang and lld.
if [ -z "$sanitized" ]; then
    run agents sh ci/agents.sh android "$b"
    cat "$log/agents.log"
fi

finish golden
echo "golden: $(tail -n 1 "$log/golden.log")"
count=$(sed -n 's/.* \([0-9][0-9]*\) passed.*/\1/p' "$log/golden.log" | tail -n 1)
[ "${count:-0}" -gt 0 ] || fail 'golden: nothing was checked'
total=$((total + count))

if [ -z "$sanitized" ]; then
    finish torture
    tail -n 1 "$log/torture.log"
    count=$(sed -n 's/^torture: \([0-9]*\) points.*/\1/p' "$log/torture.log")
    [ "${count:-0}" -gt 50 ] || fail 'torture: no point was tried'
    total=$((total + count))
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
    echo "example: $name: $(tail -n 1 "$log/example_$name.log")"
    total=$((total + 1))
done
finish commands
tail -n 1 "$log/commands.log"
count=$(cat "$log/commands.count")
total=$((total + count))
echo "check: seconds:$(awk '{ seconds[substr($0, index($0, " ") + 1)] += $1 }
    END { for (name in seconds) if (seconds[name] >= 2) printf "%d %s\n", seconds[name], name }' "$log/seconds" |
    sort -rn | awk '{ s = $1; $1 = ""; printf "%s%s %d", (NR > 1 ? "," : ""), $0, s }')"
echo "check: all passed: $total tests" | tee "$log/summary"

#!/bin/sh
# Runs commands with good and bad input, and checks exit codes and the one line on stderr that an error
# has: commands.sh BUILD_DIRECTORY WORK_DIRECTORY
set -u
b=$1
work=$2/commands
rm -rf "$work"
mkdir -p "$work"
count=0
control=$(printf '[\001-\010\013\014\016-\037\177]')
model=golden/digits/digits_f32.tflite
image=golden/digits/7.png

# progress: "assay: cases: 2 min 10 s left: relu.f32.c1"
progress='^assay: [a-z ]+: ([0-9]+ (h|min|s) ?)+(left)?: '

# expect CODE WORDS COMMAND...: exit code, and an extended regular expression that one line of
# stderr (CODE not 0) or stdout (CODE 0) matches.
expect()
{
    code=$1 words=$2
    shift 2
    "$@" >"$work/out" 2>"$work/err"
    got=$?
    if [ "$code" = 0 ]; then text=$work/out; else text=$work/err; fi
    if [ "$got" != "$code" ] || ! grep -qE -- "$words" "$text"; then
        echo "commands: $*: exit $got, expected $code, and \"$words\" in" >&2
        cat "$text" >&2
        exit 1
    fi
    # No terminal is told anything: control characters of names and paths are printed as \xNN.
    if LC_ALL=C grep -q "$control" "$work/out" "$work/err"; then
        echo "commands: $*: a control character in" >&2
        cat -v "$work/out" "$work/err" >&2
        exit 1
    fi
    # An error is one line; the Vulkan loader may add lines of its own, and so does progress after ten seconds.
    if [ "$code" != 0 ] && [ "$code" != 1 ] && [ "$(grep '^assay: ' "$work/err" | grep -vcE "$progress")" != 1 ]; then
        echo "commands: $*: not one line of error:" >&2
        cat "$work/err" >&2
        exit 1
    fi
    count=$((count + 1))
}

assay=$b/assay
head -c 1000 $model >"$work/truncated.tflite"
printf 'aaaaTFL2bbbbccccdddd' >"$work/wrong.tflite"
: >"$work/empty.tflite"
echo not a library >"$work/bad.so"

expect 0 'conformance' $assay --help
expect 0 '^assay [0-9.]+( \([0-9a-f]{7,}(-dirty)?\))?$' $assay --version
expect 0 '^folded_bytes +[0-9]+  bytes of ' $assay --limits
expect 0 '"standard": 1073741824' $assay --limits --format=json
expect 0 '^rank +7 .*standard 255' env ASSAY_LIMITS=rank=7 $assay --limits
expect 2 'found .--frmat=json' $assay --limits --frmat=json
expect 2 'ASSAY_LIMITS: .rank=x' env ASSAY_LIMITS=rank=x $assay --limits
expect 2 'no such limit; `assay --limits` lists them' $assay inspect $model --limit=ranks=7
expect 2 'at most 1 \(limit rank; --limit=rank=VALUE' $assay inspect $model --limit=rank=1
expect 0 '^hostile: 4 models, 0 of them with a bad end$' $assay hostile --subject=reference --filter='whole.*' --quiet
expect 0 '^flip.dense.7.80$' $assay hostile --list --limit=0 --filter='flip.dense.7.*'
expect 0 '^written$' sh -c '"$@" && echo written' - $assay hostile --write="$work/hostile" --filter='whole.*'
expect 0 '^output   0  y  f32' $assay run "$work/hostile/whole.dense.tflite" --delegate=none
expect 2 'filter=none matches none of the 1[0-9]* cases' $assay hostile --filter=none
# Models as text: both ways, in the place of a model, and an error that leaves nothing behind.
softmax='SOFTMAX {beta=1} x:f32[1,4] -> y'
$assay model --model="$softmax" -o "$work/softmax.tflite"
expect 0 '^SOFTMAX \{beta=1\} x:f32\[1,4\] -> y:f32\[1,4\]$' $assay model "$work/softmax.tflite"
expect 0 'SOFTMAX' $assay inspect --model="$softmax" --delegate=none
expect 0 'text:SOFTMAX' $assay run --model="$softmax" --delegate=none
$assay model $model -o "$work/digits.txt"
expect 0 'f32 \[1, 10\]' $assay run "$work/digits.txt" --delegate=none
printf 'RELU x:f32[1,4] -> y\nSOFTMAX {bta=1} y -> z\n' >"$work/wrong.txt"
expect 2 'wrong.txt: line 2, column 10: expected a field of SoftmaxOptions, or \}, found .bta=1' \
    $assay model "$work/wrong.txt" -o "$work/none.tflite"
expect 2 'line 2, column 10' $assay run "$work/wrong.txt"
[ ! -e "$work/none.tflite" ] || { echo 'commands: assay model wrote what is wrong' >&2; exit 1; }
# A census goes on behind what it cannot read: corrupt files, pipes, links to nothing and in circles.
# Each builds all cases, under sanitizers for eight seconds: there the last one does it for all.
if [ -z "${SANITIZE:-}" ]; then
    expect 0 '^19240 nodes of 357 models, ' $assay census
    expect 0 ' share op, operands, options with a case$' $assay census golden/digits
    expect 0 '^ +10 +1  options +CONV_2D$' $assay census $model --by=op
    expect 0 '^10,1,options,CONV_2D,' $assay census $model --by=op --format=csv
fi
mkdir -p "$work/census/deeper"
expect 2 'census: expected models' $assay census "$work/census"
cp $model "$work/truncated.tflite" "$work/census/deeper"
mkfifo "$work/census/pipe.tflite"
ln -s nowhere "$work/census/link.tflite"
ln -s .. "$work/census/deeper/loop"
expect 2 'not read: 3 of 4 models; the first is .*: ' $assay census "$work/census" --out="$work/census.txt"
grep -q '^30 nodes of 1 models, ' "$work/census.txt" || { echo 'commands: assay census stopped' >&2; exit 1; }
# A node that nobody knows: it is named, the others are decided, compared and run.
unknown="RELU x:f32[1,4] -> a
CUSTOM(NoSuchOp) a -> b:f32[1,4]
NEG b -> y"
expect 0 'unknown +node 1: the custom op "NoSuchOp" version 1 is not known' $assay inspect --model="$unknown" --wide
expect 0 '^ +0  RELU v1 .* taken, partition 0' $assay inspect --model="$unknown" --wide
for command in run 'diff --runs=1' 'bench --num_runs=1 --min_secs=0 --warmup_min_secs=0 --quiet'; do
    # shellcheck disable=SC2086
    expect 0 '^not run +node 1: the custom op "NoSuchOp"' sh -c '"$@"; [ $? = 1 ]' - $assay $command --model="$unknown"
    # shellcheck disable=SC2086
    expect 0 '"op": "NoSuchOp"' sh -c '"$@"; [ $? = 1 ]' - $assay $command --model="$unknown" --format=json
done
expect 0 '^diff: missing: 1 of 3 nodes was not run: node 1, NoSuchOp; the others pass' \
    sh -c '"$@"; [ $? = 1 ]' - $assay diff --runs=1 --model="$unknown" --per-node
# Three faults, each in many cases and in graphs that contain its op, are three findings; a fourth of the
# cases shows it.
expect 0 . sh -c '"$@"; [ $? = 1 ]' - $assay conformance --delegate="$b/mock/delegate.so" \
    --delegate-option=fault=three --filter='conv_2d.f32.*' --filter='mul.f32.*' --filter='add.f32.*' \
    --filter='gap.f32.*' --shard=1/4 --format=json --out="$work/three.json"
for words in '^findings: [0-9]+ failed checks, 3 kinds of failure' 'none of the [0-9]+ that pass: a fused activation$' \
    '^     right in frame A, wrong in frame B$' 'that pass: output channels % 4 != 0$'; do
    expect 0 "$words" sh -c '"$@"; [ $? = 1 ]' - $assay report show "$work/three.json"
done
# A directory for each finding: a case, its minimal form, and programs that show the fault without Assay.
expect 0 . sh -c '"$@"; [ $? = 1 ]' - $assay conformance --delegate="$b/mock/delegate.so" \
    --delegate-option=fault=three --filter='mul.f32.*' --repro-dir="$work/repro" --minimize-steps=20 \
    --format=json --out="$work/repro.json"
expect 0 '^1$' sh -c 'ls "$1" | wc -l' - "$work/repro"
expect 0 'minimized": "    minimal form after' cat "$work/repro.json"
built=$(cd "$b" && pwd)
# The programs end without giving back what they have.
for dir in "$work"/repro/*/ "$work"/repro/*/minimal/; do
    ${CC:-cc} -std=c11 ${SANITIZE:+-fsanitize=$SANITIZE} -D_GNU_SOURCE -I reference/include "$dir/again.c" -o "$dir/again" -L "$built" -lassay -ldl -lm || exit 1
    expect 0 '^frame A, output 0, element .*expected ' sh -c 'cd "$1" && ASAN_OPTIONS=detect_leaks=0 LD_LIBRARY_PATH="$2" ./again; [ $? = 1 ]' - \
        "$dir" "$built"
    expect 0 '^read$' python3 -c "import ast, sys; ast.parse(open(sys.argv[1]).read()); print('read')" "$dir/again.py"
done
expect 2 '^assay: conformance: /dev/full/x: Not a directory' $assay conformance --filter=mul.f32.v1 --repro-dir=/dev/full/x
expect 2 'repro=all needs --repro-dir' $assay conformance --filter=mul.f32.v1 --repro=all
# Nodes behind it keep the numbers that they have in the file.
large='CUSTOM(NoSuchOp) x:f32[1,4] -> a:f32[1,4]
MUL {} a f32[1,4]=900000,1,2,3 -> y'
expect 0 '^beyond f16: node 1, MUL, gives ' sh -c '"$@"; [ $? = 1 ]' - $assay diff --runs=1 --model="$large" \
    --delegate="$b/mock/delegate.so" --delegate-option=fault=swap --bounds=fp16
expect 2 'custom op "NoSuchOp" version 1 is not known' $assay run --model='CUSTOM(NoSuchOp) x:f32[1] -> y:f32[1]'
host="--host=litert:cpu?library=$b/mock/litert.so"
for command in run 'diff --runs=2 --per-node' 'bench --num_runs=1 --min_secs=0 --warmup_min_secs=0 --quiet'; do
    # shellcheck disable=SC2086
    expect 0 '^host +litert:cpu.library=.* runs node 1' $assay $command --model="$unknown" "$host"
    # shellcheck disable=SC2086
    expect 0 '"nodes_of_host": ' $assay $command --model="$unknown" "$host" --format=json
done
expect 0 '^diff: pass$' $assay diff --runs=1 --model="$unknown" "$host" --input-shape=x:3,4
expect 2 'NoSuchOp: node 1: litert:cpu.*: crash: SIGABRT' env MOCK_LITERT=abort_compile $assay run \
    --model="$unknown" "$host"
expect 2 'expected a runtime of its own' $assay diff --model="$unknown" --host=reference
expect 2 'SPEC|litert:npx|expected litert:cpu' $assay run --model="$unknown" --host=litert:npx
expect 2 'none.so' $assay bench --model="$unknown" --host="litert:cpu?library=$work/none.so"
expect 2 'run one at a time' $assay bench --model="$unknown" "$host" --threads=2
# Signatures, and inputs whose sizes the file leaves open.
several="RELU x:f32[1,4] -> y
signature prefill in=x -> out=y
graph
NEG ids:f32[1,4]~[1,-1] -> z
signature decode in=ids -> out=z"
expect 0 '^signature +prefill, of prefill, decode' $assay diff --runs=1 --model="$several"
expect 0 '^sizes +input ids is .1, -1. in the file, and .1, 4. here; --input-shape=ids:DIMS' \
    $assay diff --runs=1 --model="$several" --signature=decode
for command in inspect run 'diff --runs=1' 'bench --num_runs=1 --min_secs=0 --warmup_min_secs=0 --no-starts --quiet'; do
    # shellcheck disable=SC2086
    expect 0 '^signature +decode' $assay $command --model="$several" --signature=decode
    # shellcheck disable=SC2086
    expect 0 'and .1, 9. here' $assay $command --model="$several" --signature=decode --input-shape=ids:1,9
    # shellcheck disable=SC2086
    expect 2 'the model has the signatures prefill, decode' $assay $command --model="$several" --signature=train
    # shellcheck disable=SC2086
    expect 2 'expected NAME:DIMS' $assay $command --model="$several" --input-shape=x
    # shellcheck disable=SC2086
    expect 2 'the model has the inputs x' $assay $command --model="$several" --input-shape=ids:1,9
    # shellcheck disable=SC2086
    expect 2 'limit tensor_elements' $assay $command --model="$several" --input-shape=x:99999,99999
done
expect 0 '^signature +decode' $assay endurance --starts=50 --runs=400 --quiet --model="$several" --signature=decode
expect 2 'the model has the signatures prefill, decode' $assay endurance --model="$several" --signature=train
expect 2 'expected a model for --signature' $assay endurance --signature=decode
expect 2 'expected --subject or a delegate, found both' $assay endurance --subject=reference --delegate=none
$assay run --model="NEG x:f32[1,9] -> y" --delegate=none --output="$work/nine.npy" >"$work/out"
expect 2 'array f32 .1, 9. for the tensor .* .1, 4.; --input-shape=ids:DIMS gives' $assay run \
    --model="$several" --signature=decode --input="$work/nine.npy" --delegate=none
expect 0 '^  from .*nine.npy|^input .*nine.npy' $assay run --model="$several" --signature=decode \
    --input="$work/nine.npy" --delegate=none --input-shape=ids:1,9
# Random ids stay inside the tables that they index; where nothing is known of them the remedy is named.
ids='CAST {in_data_type=INT64 out_data_type=INT32} i:i64[64] -> a:i32[64]
GATHER {axis=0} t:f32[2,3] a -> y'
far='ADD {} i:i32[64] i32[1]=5 -> a
GATHER {axis=0} t:f32[6,3] a -> y'
expect 0 '^output ' $assay run --model="$ids" --delegate=none
# A delegate that takes no dynamic tensors leaves the graph to the CPU.
fill='FILL d:i32[1] f32[]=0 -> y:f32[4]'
expect 0 '^taken +0 of 1' $assay run --model="$fill" --delegate="$b/mock/delegate.so"
expect 0 '^diff: declined: not taken: WARNING: the delegate cannot take' sh -c '"$@"; [ $? = 1 ]' - \
    $assay diff --model="$fill" --delegate="$b/mock/delegate.so"
expect 0 '^diff: pass' $assay diff --runs=1 --model="$ids" --delegate=none
expect 2 'random integers of i may not be what the model takes: give --input=FILE' $assay run --model="$far" \
    --delegate=none
expect 2 'of i may not .*: give --input=FILE' $assay diff --model="$far" --delegate=none
expect 2 'give --input_layer_value_range=NAME,LOW,HIGH' $assay bench --model="$far" --delegate=none --no-starts
escape=$work/$(printf '\033[2J')
cp $model "$escape.tflite"
expect 0 'x1b\[2J\.tflite' $assay inspect "$escape.tflite"
expect 0 'x1b\[2J' $assay zoo mobilenet_v1 --res=32 --output="$escape"
rm "$escape"
mkfifo "$work/pipe"
# Every file that a command is given is a regular one: none waits for a writer, or has no end.  A line
# is a command, @ the file.
while read -r line; do
    for file in "$work/pipe" /dev/zero; do
        expect 2 'a (named pipe|character device), expected a regular file' \
            timeout 60 $assay $(echo "$line" | sed "s|@|$file|g") </dev/null
    done
    expect 2 'x1b\[2J.*: No such file' $assay $(echo "$line" | sed "s|@|$escape|g")
done <<END
inspect @
model @
inspect $model --delegate=@
run @
run $model --delegate=@
run $model --delegate=none --input=@
run $model --delegate=none --input=@:x
run $model --delegate=none --labels=@
bench @ --delegate=none
bench $model --delegate=@
bench $model --subject=tflite-c:@
bench $model --delegate=none --versus=delegate:@
bench $model --delegate=none --input_layer_value_files=image:@
bench $model --delegate=none --compare-to=@
census @
endurance @
endurance $model --delegate=@
diff @ --delegate=none
diff $model --subject=tflite-c:@
diff $model --subject=tflite-c:$b/libassay.so?delegate=@
diff $model --subject=litert:gpu?library=@
diff $model --delegate=none --input=@
devices --delegate=@
conformance --filter=relu.f32.* --limit=1 --delegate=@
conformance --filter=relu.f32.* --limit=1 --subject=delegate:@
conformance --filter=relu.f32.* --limit=1 --delegate=none --waivers=@
conformance --filter=relu.f32.* --limit=1 --delegate=none --baseline=@
conformance --delegate=none --versions=@
conformance --filter=relu.f32.* --limit=1 --delegate=none --require-classes=@
conformance --filter=relu.f32.* --limit=1 --delegate=none --mutants=@
conformance --filter=relu.f32.* --limit=1 --delegate=none --resume=@
eval imagenet @ --ground-truth=$image --images=$b
eval imagenet $model --ground-truth=@ --images=golden/digits
eval imagenet $model --ground-truth=$image --labels=@ --images=golden/digits
eval coco --ground-truth=@ --detections=$image
report show @
report merge @
report compare @ $model
report accept $model --baseline=@ --out=$work/next
report statement --out=$work/s @
END
expect 2 'a directory' $assay inspect "$work"
expect 0 'Examples' $assay run --help
expect 0 'Examples' $assay help bench
# Help fits a terminal of 80 columns, and ends no line in blanks.
for command in $($assay --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    expect 0 '^Usage: ' $assay help "$command"
    cat "$work/out"
    for part in $(sed -n "s/^  assay $command \([a-z]*\)   .*/\1/p" "$work/out"); do
        expect 0 '^Usage: ' $assay help "$command" "$part"
        cat "$work/out"
    done
done >"$work/help"
$assay --help >>"$work/help"
expect 0 '^0$' sh -c 'grep -cE "^.{81}| $" "$1"; [ $? = 1 ]' - "$work/help"
expect 2 'did you mean conformance' $assay help conformence
expect 0 '^\.TH "ASSAY' $assay --print-man
expect 0 '^\.TH "ASSAY.-RUN"' $assay --print-man=run
expect 2 'frobnicate' $assay --print-man=frobnicate
expect 0 '^complete -F' $assay --print-completion=bash
expect 2 'expected bash, found .fish' $assay --print-completion=fish
expect 0 '^Usage: assay golden check' $assay help golden check
expect 2 'did you mean check' $assay help golden chek
expect 2 'no parts' $assay help run check
expect 2 'did you mean check' $assay golden chek
expect 2 'colour' $assay conformance --colour=blue
expect 2 'frobnicate' $assay frobnicate
expect 0 'llvmpipe|[A-Za-z]' $assay devices
expect 3 'driver' env VK_DRIVER_FILES="$work/none.json" VK_ICD_FILENAMES="$work/none.json" \
    $assay devices
echo '{"file_format_version":"1.0.0","ICD":{"library_path":"./none.so","api_version":"1.3.0"}}' \
    >"$work/broken.json"
expect 3 'driver' env VK_DRIVER_FILES="$work/broken.json" VK_ICD_FILENAMES="$work/broken.json" \
    $assay devices
expect 3 'no device can be used' env VK_DRIVER_FILES="$work/broken.json" \
    VK_ICD_FILENAMES="$work/broken.json" $assay doctor
expect 0 'fp32: 9 of 9 right' $assay doctor --quiet
expect 3 'driver' env VK_DRIVER_FILES="$work/broken.json" VK_ICD_FILENAMES="$work/broken.json" \
    $assay conformance --filter='relu.*'
expect 3 'driver' env VK_DRIVER_FILES="$work/broken.json" VK_ICD_FILENAMES="$work/broken.json" \
    $assay run $model --input=$image
# A device without 16-bit storage: the default subject that needs it is listed, in every form, and is
# no failure; by name it is.
without16()
{
    code=$1 words=$2
    shift 2
    expect "$code" "$words" env ASSAY_HIDDEN_FEATURES=storage16 ASAN_OPTIONS=verify_asan_link_order=0 \
        LD_PRELOAD="$(realpath "$b")/mock/features.so" $assay conformance --filter='add.f32.c[12]' "$@"
}
without16 0 'precision=fp16: not run, device 0 ' --quiet
without16 0 ': 2 passed, 0 failed, 0 declined; 1 of 2 subjects not run$' --format=json --out="$work/without.json"
lacks='device 0 .* lacks storageBuffer16BitAccess'
expect 0 "\"not_run\": \"$lacks" cat "$work/without.json"
expect 0 "precision=fp16,,.*,not_run,0,.*$lacks" $assay report show "$work/without.json" --format=csv
expect 0 "<skipped type=.not_run. message=.$lacks" $assay report show "$work/without.json" --format=junit
expect 0 "not run: $lacks" $assay report show "$work/without.json" --format=html
expect 0 '"not_run"' $assay report merge "$work/without.json"
without16 3 "precision=fp16: $lacks" --delegate-option=precision=fp16
without16 3 "precision=fp16: $lacks" --subject="delegate:$b/libassay_delegate.so?precision=fp16"
without16 3 'nowhere' --device=nowhere
expect 2 'none.tflite' $assay run "$work/none.tflite"
expect 2 'truncated.tflite.*offset' $assay run "$work/truncated.tflite"
expect 2 'identifier' $assay inspect "$work/wrong.tflite"
expect 2 'empty.tflite' $assay inspect "$work/empty.tflite"
expect 2 'bad.so' $assay run $model --delegate="$work/bad.so"
expect 2 'missing.so' $assay conformance --delegate="$work/missing.so" --filter='relu.*'
expect 2 'none.png' $assay run $model --input="$work/none.png"
expect 2 'no_such_op' $assay conformance --filter='no_such_op.*'
# MINIMUM of one tensor twice, with denormals of f16: the judge reads its inputs back as they were.
expect 0 ' 1 passed, 0 failed' $assay conformance --subject='reference?bounds=fp16' --graphs=5301 \
    --seed=20261127 --filter=graph.f32.s20261127_5300
expect 0 '^quick run: a sample of [0-9]+ of [0-9]+ cases$' $assay conformance --quick --filter='relu.*' \
    --no-models --subject=reference --quiet --format=json --out="$work/quick.json"
expect 0 '"quick_of": [1-9]' cat "$work/quick.json"
expect 0 'name="quick_of"' $assay report show "$work/quick.json" --format=junit
expect 0 'Quick run.*a sample of' $assay report show "$work/quick.json" --format=html
expect 2 'needs all cases' $assay conformance --quick --versions=conformance/versions.tsv
expect 0 '' $assay conformance --filter='relu.f32.*' --delegate=none --require-classes='relu.f32:rank4,*.*:batch'
expect 1 'relu.f32:rank8 on reference: expected to be taken, found no case' $assay conformance \
    --filter='relu.f32.*' --delegate=none --require-classes='relu.f32:rank8'
expect 2 "strided_slice.f32: expected a class .* did you mean 'offset'" $assay conformance --delegate=none \
    --require-classes='strided_slice.f32:ofset'
expect 0 'repeated: 1 cases, 20 runs of each: wrong runs in 0' $assay conformance --filter=relu.f32.c5 \
    --delegate=none --repeat=20
expect 0 'relu.f32.c5 0 of 459 runs wrong' $assay conformance --filter=relu.f32.c5 --delegate=none --statistics
expect 0 'cut before the last run: 1' $assay conformance --filter=relu.f32.c5 --delegate=none \
    --repeat=1000000000 --time-limit=0.1
expect 2 'do not mix' $assay conformance --models --limit=1
expect 2 'digits_i9 matches none' $assay conformance --models --filter='digits_i9'
expect 2 'digits_i8 matches none' $assay conformance --filter='digits_i8'
expect 2 'cannot|directory' $assay conformance --filter='relu.*' --out="$work/no/such/dir.json"
expect 2 'cannot|directory' $assay zoo mobilenet_v1 --width=0.25 --res=32 -o "$work/no/m.tflite"
expect 2 'bench: .*no.t.json: No such' $assay bench $model --trace="$work/no/t.json"
expect 2 'precision' $assay run $model --input=$image --delegate-option=precision=fp64
expect 2 'colour' $assay run $model --input=$image --delegate-option=colour=blue
expect 3 'nowhere' $assay run $model --input=$image --device=nowhere
expect 0 '^ *1 .* 7' $assay run $model --input=$image --labels=golden/digits/labels.txt
expect 0 '^ *1 .* 7' $assay run $model --input=$image --labels=golden/digits/labels.txt \
    --delegate=none
for kind in dynamic i8 u8; do
    expect 0 '^ *1 .* 7' $assay run golden/digits/digits_$kind.tflite --input=$image \
        --labels=golden/digits/labels.txt --delegate=none
done
expect 0 'output .* u8 \[1, 10\]  scale 0.00390625 zero point 0' $assay run \
    golden/digits/digits_u8.tflite --delegate=none
expect 0 '"zero_point": -128' $assay run golden/digits/digits_i8.tflite --delegate=none --format=json
digits="--images=golden/digits --ground-truth=golden/digits/labels.txt --preprocess=whole --crop=0"
# shellcheck disable=SC2086
{
    expect 0 '^Top-1 Accuracy: +1.0000$' $assay eval imagenet $model $digits --delegate=none \
        --results="$work/rows.csv"
    expect 0 '^7.png,answered,,7,7,1$' cat "$work/rows.csv"
    expect 0 '^same best class on 10 of 10 images' $assay eval imagenet --model_file=$model $digits \
        --delegate="$b/mock/delegate.so" --max-drop=0
    expect 0 '^fail: top_1 dropped by [0-9.]+ %, expected at most 5 %$' sh -c '"$@"; [ $? = 1 ]' - $assay eval \
        imagenet $model $digits --delegate="$b/mock/delegate.so" --delegate-option=fault=swap --max-drop=5%
    expect 2 'signature=decode: the model has no signatures' $assay eval imagenet $model $digits --signature=decode
    $assay model $model -o "$work/signed.txt"
    echo "signature digits in=image -> out=Identity" >>"$work/signed.txt"
    expect 2 'signature=decode: the model has the signatures digits' $assay eval imagenet \
        "$work/signed.txt" $digits --signature=decode
    expect 0 '^signature +digits' $assay eval imagenet "$work/signed.txt" $digits --signature=digits --delegate=none
    expect 2 'max-drop=much: expected percentage points' $assay eval imagenet $model $digits --max-drop=much
    expect 2 'max-drop=1%: there is no reference' $assay eval imagenet $model $digits --delegate=none --max-drop=1
    expect 2 'labels, the model .* has 10 classes' $assay eval imagenet $model $digits --labels=ci/rooms.txt
    expect 2 'output_file_path=x: protocol buffers' $assay eval imagenet $model $digits --output_file_path=x
    expect 2 'expected one of --delegate' $assay eval imagenet $model $digits --delegate=none \
        --external_delegate_path=x.so
}
# The mock sends SIGTERM to the command at its fourth invoke.  What was done is printed and
# written.  cut WORDS COMMAND...
cut()
{
    words=$1
    shift
    expect 0 "$words" sh -c 'sh -c '\''exec "$@" --delegate-option=interrupt=$$'\'' - "$@"; [ $? = 1 ]' \
        - "$@" --delegate="$b/mock/delegate.so" --delegate-option=node=4 --quiet
}
cut '^interrupted: SIGTERM$' $assay conformance --jobs=1 --models --filter=digits_f32 --format=json --out="$work/cut.json"
expect 0 ' missing: the run was cut before its end$' sh -c '"$@"; [ $? = 1 ]' - $assay report show "$work/cut.json"
cut '^interrupted: SIGTERM: 7[0-9] models are missing$' $assay hostile --jobs=1 --filter='base.*'
cut '^interrupted: SIGTERM: 0 of 10 runs were made$' $assay diff $model --per-node
# shellcheck disable=SC2086
cut '^interrupted: SIGTERM: 7 images are missing' $assay eval imagenet $model $digits --jobs=1
cut '^interrupted: SIGTERM: ' $assay bench $model --no-starts --warmup_min_secs=0
cut '^interrupted: SIGTERM$' $assay endurance --starts=0
expect 2 'found [0-9]+ lines, golden/digits has 10 images' $assay eval imagenet $model \
    --images=golden/digits --ground-truth=ci/rooms.txt
expect 2 'no images; --images=DIR' $assay eval imagenet $model --ground-truth=golden/digits/labels.txt
expect 2 'expected MODEL, --images' $assay eval imagenet
expect 2 'not a segmentation model' $assay eval segmentation $model --images=golden/digits --masks=golden/digits
expect 2 'either MODEL' $assay eval coco --ground-truth=none.json
expect 2 'none.json' $assay eval coco --ground-truth="$work/none.json" --detections="$work/none.json"
expect 2 'ground_truth_proto=x: protocol buffers' $assay eval coco --ground_truth_proto=x
expect 2 'did you mean imagenet' $assay eval imagnet
expect 0 'CONV_2D' $assay inspect $model
expect 0 'scale 0.00784314 zero point -1  image' $assay inspect --wide golden/digits/digits_i8.tflite
expect 0 '' $assay zoo mobilenet_v1 --width=0.25 --res=32 --classes=10 -o "$work/m.tflite"
expect 0 'SOFTMAX' $assay inspect "$work/m.tflite"
expect 0 '' $assay zoo mobilenet_v1 --width=0.25 --res=32 --classes=10 --type=i8 -o "$work/i8.tflite"
expect 0 '' $assay zoo mobilenet_v1 --width=0.25 --res=32 --channels=4 -o "$work/rgba.tflite"
expect 0 '32, 4\]' $assay inspect "$work/rgba.tflite"
expect 0 'CONV_2D version 3: 15' $assay inspect "$work/i8.tflite"
expect 0 '^deeplab_mnv2 .* 2.1 M parameters, .*--res=257' $assay zoo --list
expect 0 '' $assay zoo mobilenet_v2 --width=0.25 --res=32 --batch=3 -o "$work/batch.tflite"
expect 0 '\[3, 32, 32, 3\]' $assay inspect "$work/batch.tflite"
expect 0 '' $assay zoo deeplab_mnv2 --width=0.25 --res=33 -o "$work/mask.tflite"
expect 0 '' $assay zoo decoder --res=64 -o "$work/decoder.tflite"
expect 0 '^generated   234 234 234 234 215 215$' $assay run "$work/decoder.tflite" --tokens=1 --steps=6
expect 0 '' $assay zoo whisper --type=i4 -o "$work/whisper.tflite"
expect 0 '^output   0  norm' $assay run "$work/whisper.tflite" --signature=encode --output="$work/sound.npy"
expect 0 'sound.npy$' $assay run "$work/whisper.tflite" --tokens=1 --steps=2 \
    --input="$work/sound.npy"
expect 2 'expected at most 1 inputs beside tokens' $assay run "$work/whisper.tflite" --tokens=1 --input=a --input=b
expect 0 '' $assay zoo decoder --res=64 --type=i2_block -o "$work/blocks.tflite"
expect 0 '^generated   165 165 92 92 92 92$' $assay run "$work/blocks.tflite" --tokens=1 --steps=6
expect 2 'type INT4, expected f32, f16, i8 or u8' $assay zoo kwt1 --type=i4 -o "$work/kwt1.tflite"
expect 2 'token number 65, expected at most 64' $assay run "$work/decoder.tflite" --tokens=1 --steps=65 \
    --delegate=none
expect 2 'token number 2: expected numbers from 0' $assay run "$work/decoder.tflite" --tokens=1,x
expect 2 'signature prefill_32 has no logits' $assay run "$work/decoder.tflite" --tokens=1 --signature=prefill_32
expect 2 'runs: expected only without --tokens' $assay run "$work/decoder.tflite" --tokens=1 --runs=1
expect 2 'steps: expected only with --tokens' $assay run "$work/decoder.tflite" --steps=16
# A model inside of a bundle.
expect 0 '^ABS x:f32' $assay model 'fuzz/corpus/bundles/two.litertlm#tf_lite_embedder'
expect 0 'tf_lite_embedder, model, 316 bytes \(this one\)' $assay inspect --delegate=none \
    'fuzz/corpus/bundles/two.litertlm#tf_lite_embedder'
expect 2 'has 2 models, expected FILE#NAME' $assay run fuzz/corpus/bundles/two.task
# A text through a language model; a fault is named by its node, what was done is kept.
printf '1 2 3, 4\n5 # the rest is left out\n6' >"$work/text"
llm="eval llm $work/decoder.tflite --tokens=$work/text --delegate=$b/mock/delegate.so --quiet"
# shellcheck disable=SC2086
{
    expect 0 '^top-1 +6 of 6 agree' $assay $llm --resume="$work/rows.jsonl"
    expect 0 '^positions +6 of 6, 6 of them from the log' $assay $llm --resume="$work/rows.jsonl"
    expect 2 'rows.jsonl: .*of another run: window: expected "9", found "0"' $assay $llm --window=9 \
        --resume="$work/rows.jsonl"
    expect 2 'rows.jsonl: .*of another run: seed: expected "9", found "1"' $assay $llm --seed=9 \
        --resume="$work/rows.jsonl"
    expect 2 'rows.jsonl: .*of another run: bounds: expected "fp16' $assay $llm --bounds=fp16 \
        --resume="$work/rows.jsonl"
    cut '^verdict     missing: 3 of 6 positions were not run, interrupted by SIGTERM' $assay $llm
    expect 0 '^node        45, TRANSPOSE, layer_0/attention/values_by_group, fails in its place' \
        sh -c '"$@"; [ $? = 1 ]' - $assay $llm --delegate-option=fault=place --delegate-option=node=45
    expect 0 '^node        8, EMBEDDING_LOOKUP, embedding, fails alone, as 108 of 139 do' \
        sh -c '"$@"; [ $? = 1 ]' - $assay $llm --delegate-option=fault=swap
    expect 0 '^verdict     crash: position 0: SIG' env ASAN_OPTIONS=handle_segv=0:handle_abort=0 sh -c '"$@"; [ $? = 1 ]' - $assay $llm --no-nodes \
        --delegate-option=fault=crash
    expect 0 '^verdict     declined' sh -c '"$@"; [ $? = 1 ]' - $assay $llm --delegate-option=fault=decline
    echo 1 x >"$work/text"
    expect 2 'text: line 1, token number 2: expected numbers' $assay $llm
    echo 256 >"$work/text"
    expect 2 'token 1: token 256, expected 0 to 255' $assay $llm
    : >"$work/text"
    expect 2 'text: expected token numbers, found none' $assay $llm
    # What f16 does not hold is told, though a later op absorbs it.
    echo 1 2 >"$work/text"
    $assay model --model='CAST {in_data_type=INT32 out_data_type=FLOAT32} tokens:i32[1,1] -> t:f32[1,1]
MUL {} t f32[1,4]=1,2,3,60000 -> large
MINIMUM large f32[]=9 -> logits
signature decode tokens=tokens -> logits=logits' -o "$work/large.tflite"
    expect 0 '^beyond f16  node 1, MUL, large, gives 120000 at position 1, f16 holds 65504' $assay eval llm \
        "$work/large.tflite" --tokens="$work/text" --delegate="$b/mock/delegate.so" --bounds=fp16 --quiet
    expect 2 'expected MODEL and --tokens=FILE' $assay eval llm "$work/decoder.tflite"
    echo 1 >"$work/text"
    expect 2 'signature=decode: the model has no signatures' $assay eval llm $model --tokens="$work/text"
}
expect 2 'from 2 to 262144' $assay zoo decoder --classes=262145 -o "$work/wide.tflite"
expect 2 'expected weights only' $assay zoo decoder --type=i8 -o "$work/decoder_i8.tflite"
expect 2 'in steps of 16' $assay zoo posenet --res=256 -o "$work/pose.tflite"
expect 2 'i16' $assay zoo mobilenet_v1 --type=i16 -o "$work/i16.tflite"
expect 0 '^latency .*median' $assay bench $model --num_runs=2 --min_secs=0 --warmup_min_secs=0 \
    --no-starts --profile --quiet
expect 0 '^ +[0-9.]+ +[0-9.]+ +[0-9]+% +total; of it bound by:' $assay bench $model --num_runs=2 --min_secs=0 --warmup_min_secs=0 \
    --no-starts --roofline --quiet
expect 2 'serve runs inferences alone' $assay bench $model --serve --roofline
expect 0 '^[0-9.]+ [0-9.]+ [0-9.]+$' sh -c 'echo 3 | "$@"' - $assay bench $model --serve --warmup_min_secs=0 \
    --delegate=none
expect 2 'expected a number of inferences .* found 3 4' sh -c 'echo 3 4 | "$@"' - $assay bench $model --serve \
    --warmup_min_secs=0 --delegate=none
expect 0 '^copies .*: 2 by the host, 1 by the device' $assay bench $model --num_runs=2 --min_secs=0 \
    --no-starts --warmup_min_secs=0 --quiet
expect 0 '^cold start .*init' $assay bench --model="$softmax" --num_runs=1 --min_secs=0 --warmup_min_secs=0 --quiet
expect 0 '"device_lower_bound"' $assay bench --graph=$model --num_runs=2 --min_secs=0 --no-starts \
    --warmup_min_secs=0 --quiet --format=json
expect 0 '^split .*on the CPU' $assay bench $model --num_runs=2 --min_secs=0 --warmup_min_secs=0 --no-starts \
    --delegate-option=exclude=SOFTMAX --quiet
expect 0 '"copied_in_bytes": [1-9]' $assay bench $model --num_runs=2 --min_secs=0 --warmup_min_secs=0 --no-starts \
    --format=json --quiet
# A delegate that ends or stops the process is a result, with its place; a sanitizer would make an
# exit of its signals.
ends()
{
    words=$1 fault=$2
    shift 2
    expect 0 "$words" env ASAN_OPTIONS=handle_segv=0:handle_abort=0 \
        sh -c '"$@"; [ $? = 1 ]' - $assay "$@" --delegate="$b/mock/delegate.so" \
        --delegate-option=fault="$fault" --quiet
}
ends '^outputs +WRONG: output 0: SNR' swap bench --model="$softmax" --no-starts
expect 0 '^outputs +not checked: --no-check$' $assay bench --model="$softmax" --no-starts --no-check --quiet \
    --delegate="$b/mock/delegate.so" --delegate-option=fault=swap --num_runs=2 --min_secs=0 --warmup_min_secs=0
ends '^bench: crash: SIGABRT in inference 1 of a start$' abort bench --model="$softmax"
ends '^bench: crash: SIGSEGV in inference 3$' crash bench --model="$softmax" --no-starts --delegate-option=node=3
ends '^bench: crash: exit status 0 in inference 1$' exit bench --model="$softmax" --no-starts
ends '^bench: crash: SIGSEGV in preparing the graph$' crash_prepare bench --model="$softmax" --no-starts
ends '^bench: timeout: nothing moved for 1 s in inference 1$' hang bench --model="$softmax" --no-starts --timeout=1
expect 1 'bench: --ops: crash: SIGSEGV in inference 1$' env ASAN_OPTIONS=handle_segv=0 $assay bench --ops='mean.f32.*' --quiet \
    --delegate="$b/mock/delegate.so" --delegate-option=fault=crash
ends '^endurance: FAILED: crash: SIGSEGV in start 7$' crash endurance --delegate-option=node=7
ends '^endurance: FAILED: crash: SIGSEGV in inference 2$' crash endurance --starts=0 --runs=9 --delegate-option=node=2
ends '"reason": "SIGSEGV in inference 2",' crash endurance --starts=0 --delegate-option=node=2 --format=json
short='--num_runs=30 --min_secs=0 --warmup_min_secs=0 --no-starts --quiet --delegate=none'
# shellcheck disable=SC2086
{
    expect 0 '"samples_every": 1' $assay bench "$work/m.tflite" $short --format=json
    cp "$work/out" "$work/bench.json"
    expect 0 '^compare: no regression' $assay bench "$work/m.tflite" $short \
        --compare-to="$work/bench.json" --max-regression=10000%
    expect 2 'measured another model' $assay bench $model $short --compare-to="$work/bench.json"
    expect 2 'expected a percentage' $assay bench $model $short --compare-to=x --max-regression=5
    expect 0 '^  ratio     subject / versus = [0-9.]* .(99 %|too few)' $assay bench "$work/m.tflite" $short --versus=none
    expect 0 '^throughput  2 threads' $assay bench "$work/m.tflite" $short --threads=2
    expect 0 '^latency_ms.samples.29,' $assay bench "$work/m.tflite" $short --format=csv
}
expect 1 'left to the CPU' $assay bench "$work/m.tflite" --use_gpu=false --require_full_delegation=true \
    --dry_run=true
expect 2 'use_nnapi=true: NNAPI is' $assay bench $model --use_nnapi=true
expect 2 'expected one model' $assay bench $model --graph=$model
expect 2 'min_secs=10 is more than --max_secs=1' $assay bench $model --min_secs=10 --max_secs=1
expect 2 'no model' $assay bench
expect 2 'none.tflite' $assay bench "$work/none.tflite"
expect 2 'none.tflite' $assay endurance "$work/none.tflite"
expect 2 'a-few' $assay endurance --runs=a-few
expect 0 '^at most 80 columns$' sh -c "$assay conformance --filter='softmax.*.rank*' --filter='relu.f32.c?' |
    awk 'length > 80 && !/rerun:/ { print; wide = 1 } END { if (!wide) print \"at most 80 columns\" }'"
# Waivers, baselines and statements: a delegate that swaps two elements, and one that does not.
relu="--filter=relu.f32.c? --delegate=$b/mock/delegate.so"
swap="$relu --delegate-option=fault=swap"
printf 'relu.f32.c?|*|as if\n' >"$work/all.tsv"
printf 'relu.f32.c1|*|why\nrelu.f32.c77|*|why\n' >"$work/stale.tsv"
printf '# none\nrelu.f32.c1 | * | link=#12\n' >"$work/bad.tsv"
# verdict CODE WORDS COMMAND...: as expect, where the report on stdout says what fails.
verdict()
{
    code=$1 words=$2
    shift 2
    expect "$code" "$words" sh -c '"$@" >&2' sh "$@"
}
# shellcheck disable=SC2086
{
    expect 0 ' 9 passed, 0 failed' $assay conformance $relu --format=json --out="$work/right.json"
    expect 2 'nothing would be compared' $assay conformance $swap --baseline="$work/right.json"
    verdict 1 ' 9 failed' $assay conformance $swap --write-waivers="$work/new.tsv"
    sed '/^[^#]/s/$/|link=#12|expires=2099-12-31/; /^[^#]/s/\t/|/g' "$work/new.tsv" >"$work/known.tsv"
    expect 0 ' 9 waived' $assay conformance $swap --waivers="$work/known.tsv" --format=json \
        --out="$work/wrong.json"
    verdict 1 'the waiver of line 3 expired on 2099-12-31' $assay conformance $swap \
        --waivers="$work/known.tsv" --today=2100-01-01
    verdict 1 'waived in line 1 as: as if' $assay conformance $relu --waivers="$work/all.tsv"
    expect 2 'stale.tsv:2: relu.f32.c77 matches none of the [0-9]+ cases' $assay conformance $relu \
        --waivers="$work/stale.tsv" --strict-waivers
    verdict 1 'stale.tsv:2: relu.f32.c77 matches none' $assay conformance $relu --waivers="$work/stale.tsv"
    expect 2 'bad.tsv:2: .*found no cause' $assay conformance $relu --waivers="$work/bad.tsv"
    expect 2 'expected YYYY-MM-DD' $assay conformance $relu --waivers="$work/all.tsv" --today=tomorrow
}
# The same subject, once right: a baseline that the waived report would give up.
sed 's/"waived": 9/"waived": 0/; s/"pass": 0/"pass": 9/; s/: "waived"/: "pass"/' "$work/wrong.json" \
    >"$work/before.json"
verdict 1 'accept: 9 would be given up' $assay report accept "$work/wrong.json" \
    --baseline="$work/before.json" --out="$work/next.json"
expect 0 'none' sh -c 'test -e "$1" || echo none' sh "$work/next.json"
expect 0 '9 given up, all of it as asked for' $assay report accept "$work/wrong.json" \
    --baseline="$work/before.json" --out="$work/next.json" --give-up='relu.*'
expect 0 'nothing is given up' $assay report accept "$work/wrong.json" --baseline="$work/next.json" --dry-run
expect 2 'cannot write' $assay report accept "$work/wrong.json" --baseline="$work/next.json" \
    --out="$work/no/such/next.json"
expect 2 'expected --baseline' $assay report accept "$work/wrong.json" --out="$work/next.json"
expect 2 'none.json' $assay report accept "$work/wrong.json" --baseline="$work/none.json" --dry-run
mkdir "$work/board"
expect 0 '"is":' $assay report show "$work/right.json" --format=summary
$assay report show "$work/right.json" --format=summary --out="$work/board/a.json"
expect 0 'board/site/index.html: 1 subject, 1 run$' $assay report site "$work/board" -o "$work/board/site"
expect 0 'JSON feed' cat "$work/board/site/index.html"
cp "$work/wrong.json" "$work/board/b.json" && echo '{' >"$work/board/c.json"
expect 1 'board/c.json: line 2' $assay report site "$work/board" "$work/board/site" --out="$work/board/site"
expect 1 'board/c.json: line 2' $assay report site "$work/board/c.json" "$work/right.json" -o "$work/board/site"
expect 2 'found none that can be read, such as .*c.json: line 2' $assay report site "$work/board/c.json"
expect 2 'found none$' $assay report site "$work/board/site" -o "$work/board/none"
expect 2 'none/site: No such' $assay report site "$work/right.json" -o "$work/none/site"
expect 2 'a.json' $assay report site "$work/right.json" -o "$work/board/a.json"
expect 2 'no.json: No such' $assay report site "$work/no.json" -o "$work/board/none"
expect 2 'no waiver of that cause' $assay report statement --out="$work/s" "$work/wrong.json"
expect 0 'x1b\[2J: 1 report' $assay report statement --out="$escape" "$work/right.json"
expect 0 'x1b\[2J: verified' $assay report statement --verify "$escape"
expect 0 '1 report' $assay report statement --out="$work/s" "$work/wrong.json" \
    --waivers="$work/known.tsv" --log="$work/out"
expect 2 'report-2.json: it is report-1.json once more' $assay report statement --out="$work/t" \
    "$work/right.json" "$work/right.json"
expect 2 'is not empty' $assay report statement --out="$work/s" "$work/right.json"
expect 0 'verified: 3 files, 1 report, 9 results, verdict pass' $assay report statement --verify "$work/s"
expect 0 'report.json: OK' sh -c 'cd "$1" && sha256sum --strict -c SHA256SUMS' sh "$work/s"
echo >>"$work/s/report.json"
verdict 1 'report.json: its SHA-256 is' $assay report statement --verify "$work/s"
expect 2 'is no statement' $assay report statement --verify "$work"
expect 2 'expected --out=DIR' $assay report statement "$work/right.json"
expect 2 'takes one directory' $assay report statement --verify "$work/s" --out="$work/t"
echo $count >"$2/commands.count"
echo "commands: $count as expected"

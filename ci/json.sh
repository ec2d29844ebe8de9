#!/bin/sh
# Holds what commands print with --format=json to conformance/tools/cli/schemas: json.sh BUILD WORK.  A key
# that its schema does not have is a fault, too, so that each is documented.
set -eu
b=$1
work=$2/json
python=
for one in python3 /usr/bin/python3; do
    [ -n "$python" ] || ! "$one" -c 'import jsonschema' 2>/dev/null || python=$one
done
if [ -z "$python" ]; then
    echo 'json: skipped: no jsonschema for python3 here (Debian package python3-jsonschema)'
    echo 0 >"$2/json.count"
    exit 0
fi
rm -rf "$work"
mkdir -p "$work"
digits=golden/digits
# prints SCHEMA COMMAND...: its output is kept; it may fail as a verdict, with exit code 1.
number=0
prints()
{
    schema=$1
    shift
    number=$((number + 1))
    "$b/assay" "$@" --format=json >"$work/$schema.$number.json" 2>"$work/log" || [ $? = 1 ] ||
        { cat "$work/log" >&2; echo "json: assay $*: failed" >&2; exit 1; }
}
prints devices devices
prints report hostile --subject=reference --filter='whole.*' --filter='reader.*' --quiet
prints doctor doctor --quiet
prints inspect inspect $digits/digits_i8.tflite --plan
prints inspect inspect fuzz/corpus/bundles/one.litertlm --delegate=none
prints inspect inspect $digits/digits_f32.tflite --delegate=none
prints inspect inspect $digits/digits_f32.tflite --delegate="$b/mock/gpu.so" --delegate-option=fault=decline
# Signatures, sizes that the file leaves open, and a node that the reference does not know.
unknown='CUSTOM(NoSuchOp) x:f32[1,4]~[-1,4] -> a:f32[1,4]
NEG a -> y
signature one in=x -> out=y'
for command in inspect run "diff --runs=1" "bench --no-starts --num_runs=1 --min_secs=0 --warmup_min_secs=0 --quiet"; do
    # shellcheck disable=SC2086
    prints "${command%% *}" $command --model="$unknown"
    # shellcheck disable=SC2086
    [ "$command" = inspect ] || prints "${command%% *}" $command --model="$unknown" --host="litert:cpu?library=$b/mock/litert.so"
done
prints census census --by=options --missing
prints census census $digits
prints run run $digits/digits_i8.tflite
prints run run $digits/digits_f32.tflite --input=$digits/7.png --labels=$digits/labels.txt --delegate=none
"$b/assay" zoo decoder --res=64 --quiet -o "$b/decoder.tflite" >/dev/null
prints run run "$b/decoder.tflite" --tokens=1,2 --steps=3
echo 1 2 3 >"$work/text"
prints eval-llm eval llm "$b/decoder.tflite" --tokens="$work/text" --delegate="$b/mock/delegate.so"
prints eval-llm eval llm "$b/decoder.tflite" --tokens="$work/text" --delegate="$b/mock/delegate.so" \
    --delegate-option=fault=place --delegate-option=node=45
# What f16 does not hold, in a tensor whose name is no UTF-8.
large='CAST {in_data_type=INT32 out_data_type=FLOAT32} tokens:i32[1,1] -> t:f32[1,1]
MUL {} t f32[1,4]=60000,-1,2,3 -> large
MINIMUM large f32[]=9 -> logits
signature decode tokens=tokens -> logits=logits'
"$b/assay" model --model="$large" -o "$work/large.tflite"
LC_ALL=C sed 's/large/l\xffrge/' "$work/large.tflite" >"$work/bytes.tflite"
prints eval-llm eval llm "$work/bytes.tflite" --tokens="$work/text" --delegate="$b/mock/delegate.so" --bounds=fp16
prints diff diff "$work/bytes.tflite" --runs=1 --delegate="$b/mock/delegate.so" --delegate-option=fault=swap --bounds=fp16
prints diff diff $digits/digits_f32.tflite --num_runs=1
prints diff diff $digits/digits_f32.tflite --num_runs=1 --per-node --delegate="$b/mock/delegate.so" \
    --delegate-option=fault=place --delegate-option=node=5
classify="eval imagenet $digits/digits_i8.tflite --images=$digits --ground-truth=$digits/labels.txt --preprocess=whole --crop=0"
mkdir -p "$work/coco"
echo '{"images": [{"id": 1}, {"id": 2}], "categories": [{"id": 1, "name": "one"}], "annotations":
 [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9]}, {"id": 2, "image_id": 2, "category_id": 1, "bbox": [0, 0, 9, 9]}]}' \
    >"$work/coco/truth"
echo '[{"image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 8], "score": 0.5}]' >"$work/coco/found"
# shellcheck disable=SC2086
{
    prints eval $classify --delegate=none
    prints eval $classify --delegate="$b/mock/delegate.so" --max-drop=1%
    prints eval $classify --delegate="$b/mock/delegate.so" --delegate-option=fault=crash --num_images=1
}
prints eval eval coco --ground-truth="$work/coco/truth" --detections="$work/coco/found"
prints eval eval coco --ground-truth="$work/coco/truth" --detections="$work/coco/found" \
    --reference-detections="$work/coco/found" --max-drop=0
prints endurance endurance --starts=2 --runs=10
prints bench-ops bench --ops='add.?8.1x16*' --quiet
short='--num_runs=30 --min_secs=0 --warmup_min_secs=0 --quiet'
prints endurance endurance --starts=2 --runs=10 --delegate="$b/mock/delegate.so" --delegate-option=fault=abort
prints bench bench $digits/digits_f32.tflite --no-starts --delegate="$b/mock/delegate.so" --delegate-option=fault=abort
# shellcheck disable=SC2086
{
    # Starts in other processes, of a small model: those of another take 17 s.
    prints bench bench --model="SOFTMAX {beta=1} x:f32[1,4] -> y" $short
    prints bench bench $digits/digits_f32.tflite $short --no-starts --roofline
    prints bench bench $digits/digits_f32.tflite $short --no-starts --delegate=none --dry_run=true
    prints bench bench $digits/digits_f32.tflite $short --no-starts --delegate="$b/mock/delegate.so" \
        --versus=none --threads=2
    prints bench bench $digits/digits_f32.tflite $short --no-starts --delegate="$b/mock/delegate.so" \
        --compare-to="$work/bench.$number.json"
}
prints golden-check golden check --filter='relu.f32.*'
prints golden-list golden list --filter='relu.f32.*'
# Two reports, of which the second gives something up, a shard of another, and a statement.
reports=$work/reports
mkdir -p "$reports"
for fault in none swap; do
    "$b/assay" conformance --filter='relu.f32.c?' --delegate="$b/mock/delegate.so" \
        --delegate-option=fault=$fault --delegate-option=ulps=1 --format=json \
        --out="$reports/$fault.json" >"$work/log" || [ $? = 1 ]
done
number=$((number + 3))
cp "$reports/none.json" "$work/report.1.json"
cp "$reports/swap.json" "$work/report.2.json"
"$b/assay" conformance --filter='relu.*.c?' --graphs=2 --filter='graph.*' --delegate-option=quantized=exact \
    --shard=0/2 --format=json --out="$reports/shard.json" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
"$b/assay" report merge --partial "$reports/shard.json" >"$work/report.3.json"
sed 's/fault=none/fault=swap/g; s/"fault": "none"/"fault": "swap"/' "$reports/none.json" >"$reports/before.json"
prints report-compare report compare "$reports/none.json" "$reports/swap.json" --pair=0:0
prints report-compare report compare "$reports/swap.json" "$reports/none.json" --pair=0:0
prints report-accept report accept "$reports/swap.json" --baseline="$reports/before.json" --dry-run
"$b/assay" report statement --out="$reports/statement" "$reports/none.json" >"$work/log"
prints report-statement report statement --verify "$reports/statement"
"$python" - "$work" <<'PYTHON'
import glob, json, os, sys
import jsonschema

def strict(schema):
    """The schema with unknown keys refused wherever it lists the keys of an object."""
    if isinstance(schema, dict):
        if "properties" in schema:
            schema.setdefault("additionalProperties", False)
        for value in schema.values():
            strict(value)
    elif isinstance(schema, list):
        for value in schema:
            strict(value)
    return schema

def whole(value):
    raise ValueError(f"{value} is no JSON")

for path in sorted(glob.glob(sys.argv[1] + "/*.json")):
    name = os.path.basename(path).split(".")[0]
    room = "conformance/report" if name == "report" else "conformance/tools/cli/schemas"
    with open(f"{room}/{name}.schema.json") as f:
        schema = strict(json.load(f))
    with open(path) as f:
        value = json.load(f, parse_constant=whole)
    jsonschema.Draft7Validator.check_schema(schema)
    for error in jsonschema.Draft7Validator(schema).iter_errors(value):
        where = "/".join(str(p) for p in error.absolute_path)
        sys.exit(f"json: {name}: at /{where}: {error.message[:300]}")
PYTHON
echo $number >"$2/json.count"
echo "json: $number outputs are as their schemas say"

#!/bin/bash
# Completes command lines as bash would, with the script that `assay` prints: completion.sh BUILD
# WORK, a directory to write to.
set -u
work=$2/completion
rm -rf "$work"
mkdir -p "$work/models"
assay=$(cd "$1" && pwd)/assay
"$assay" --print-completion=bash >"$work/assay.bash" || exit 1
# shellcheck disable=SC1091
. "$work/assay.bash" || exit 1
cd "$work" || exit 1
touch one.tflite two.txt three.h5
count=0

# completes 'WORD WORD...' EXPECTED...: the line's words, the last of which is completed, parted by
# bars as COMP_WORDBREAKS parts them; the replies in any order.
completes()
{
    local line=$1 found expected
    shift
    IFS='|' read -ra COMP_WORDS <<<"$line|end"
    unset 'COMP_WORDS[-1]'
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _assay
    found=$(printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' ')
    expected=$(printf '%s\n' "$@" | sort | tr '\n' ' ')
    if [ "$found" != "$expected" ]; then
        echo "completion: $line: expected '$expected', found '$found'" >&2
        exit 1
    fi
    count=$((count + 1))
}

completes 'assay|con' conformance
completes 'assay|--v' --version
completes 'assay|--l' --limits
completes 'assay|inspect|--li' --limit=
completes 'assay|help|in' inspect
completes 'assay|golden|ch' check
completes 'assay|eval|se' segmentation
completes 'assay|eval|coco|--reference-d' --reference-detections=
completes 'assay|golden|check|--b' --bounds=
completes 'assay|golden|export|' models three.h5
completes 'assay|golden|check|--f' --filter= --format=
completes 'assay|conformance|--repr' --repro= --repro-dir=
completes 'assay|conformance|--format' --format=
completes 'assay|conformance|--format|=' text json junit csv html summary
completes 'assay|inspect|--format|=' text json
completes 'assay|report|sh' show
completes 'assay|conformance|--format|=|j' json junit
completes 'assay|conformance|--format=js' --format=json
completes 'assay|conformance|--format|ju' junit
completes 'assay|conformance|--filter|=|x' ''
completes 'assay|conformance|--list|--quie' --quiet
completes 'assay|inspect|o' one.tflite
completes 'assay|inspect|' models one.tflite
completes 'assay|run|one.tflite|--labels|=|t' two.txt three.h5
completes 'assay|run|one.tflite|--inp' --input-shape= --input=
completes 'assay|zoo|resn' resnet50
completes 'assay|zoo|mobilenet_v1|-o|tw' two.txt
completes 'assay|zoo|mobilenet_v1|--type|=|i' i2 i2_block i4 i4_block i8
completes 'assay|frobnicate|--x' ''
completes 'assay-agent|--s' --secret-file= --subject=
completes './assay-agent|--listen|=|x' ''
completes 'assay-agent|--subject|=|reference|--secret-file|=|tw' two.txt
complete -p assay | grep -q -- '-F _assay assay' || { echo 'completion: not registered' >&2; exit 1; }
count=$((count + 1))
echo "completion: $count lines as expected"

#!/bin/sh
# Measures what conformance/doc/results/board holds, and sums it up there: board.sh BUILD [NAME]..., ARGS
# more flags for each run.  What needs a GPU, or a runtime that pip does not install beside others, is
# run by hand: assay conformance FLAGS --format=summary --out=conformance/doc/results/board/NAME.json
set -eu
b=$1
shift
names=$*
python=$b/venv/bin/python
interpreter="exec:$python conformance/adapters/interpreter.py?package=ai_edge_litert"

# row NAME FLAG...: failures are what a board is for, so exit code 1 is none of its own.
row()
{
    name=$1
    shift
    case " ${names:-$name} " in *" $name "*) ;; *) return 0 ;; esac
    echo "board: $name"
    # shellcheck disable=SC2086 # flags are words
    LITERT_LIBRARY=$b/litert-venv/libLiteRt.so "$b/assay" conformance "$@" --no-models --quiet ${ARGS:-} \
        --format=summary --out="conformance/doc/results/board/$name.json" >"$b/board-$name.log" || [ $? = 1 ]
}

row assay-lavapipe
row litert-cpu-2.3.0 --subject='litert:cpu?bounds=fp32,hybrid,one_step'
for version in 1.1.2 1.2.0 1.4.0 2.0.3 2.1.6 2.2.0 2.3.0; do
    name=litert-interpreter-$version
    case " ${names:-$name} " in *" $name "*) ;; *) continue ;; esac
    [ -d "$b/board-python/$version" ] || "$python" -m pip install --quiet --no-deps \
        --target "$b/board-python/$version" "ai-edge-litert==$version"
    export PYTHONPATH="$b/board-python/$version"
    row "$name" --subject="$interpreter" --bounds=fp32,hybrid,one_step
done

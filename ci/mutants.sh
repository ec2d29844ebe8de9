#!/bin/sh
# Tests the suite: plants the faults of conformance/mutants.tsv, one at a time, in a copy of the
# source, and runs the cases that should notice.  mutants.sh BUILD_DIRECTORY; T is a pattern of names
# of faults.  mutants.sh check: only whether the text of each fault is still in its file, once.
#
# Columns, separated by tabs: name, file, judge, filter, the text to replace (once in the file), its
# replacement, what is wrong then.  Judges:
#     golden      assay golden check --filter=FILTER     the reference against the real runtime
#     suite       assay conformance --filter=FILTER      the delegate against the reference; with
#                                                        a filter of graph.* on 500 random graphs
#     validation  the same under the Vulkan validation layer
#     unit        the tests of the file FILTER: delegate/test_plan
#     llm         assay eval llm on the zoo's decoder; FILTER is TYPE:NODE, the type of its weights and
#                 the node that is named as the first one out of bounds
set -eu
tab=$(printf '\t')
total=0
lost=0
while IFS=$tab read -r name file judge filter from to what; do
    case $name in
    '' | \#*) continue ;;
    esac
    total=$((total + 1))
    count=$(grep -cF -- "$from" "$file" || true)
    [ "$count" = 1 ] || {
        echo "mutants: $name: \"$from\" is on $count lines of $file, not on one" >&2
        lost=$((lost + 1))
    }
done <conformance/mutants.tsv
[ "$lost" = 0 ] || exit 1
if [ "$1" = check ]; then
    echo "mutants: $total faults have their places"
    exit 0
fi
b=$1
pattern=${T:-*}
here=$(pwd)
tree=$here/$b/mutants/tree
table=$here/$b/mutants/mutants.tsv
mkdir -p "$tree"
# New times make objects stale that an earlier run left with a fault in them.
sh ci/tracked.sh | xargs -0 tar -cf - | tar -xmf - -C "$tree"
export MESA_SHADER_CACHE_DIR="$here/$b/mutants/shader-cache"
printf 'name\tfile\tcaught\tby\twhat\n' >"$table"

build()
{
    make -s -C "$tree" B=build all "$@" >"$tree/../build.log" 2>&1
}

echo 'mutants: building without faults'
build || { cat "$tree/../build.log" >&2; exit 1; }
planted=0
caught=0
while IFS=$tab read -r name file judge filter from to what; do
    case $name in
    '' | \#*) continue ;;
    esac
    # shellcheck disable=SC2254 # a pattern on purpose
    case $name in
    $pattern) ;;
    *) continue ;;
    esac
    planted=$((planted + 1))
    FROM=$from TO=$to awk '{ i = index($0, ENVIRON["FROM"])
        if (i) $0 = substr($0, 1, i - 1) ENVIRON["TO"] substr($0, i + length(ENVIRON["FROM"]))
        print }' "$file" >"$tree/$file"
    log=$tree/../$name.log
    extra=
    [ "$judge" != unit ] || extra=build/tests/${filter%/*}
    # shellcheck disable=SC2086 # empty or one word
    if ! build $extra; then
        echo "mutants: $name: does not compile" >&2
        tail -n 20 "$tree/../build.log" >&2
        exit 1
    fi
    code=0
    case $judge in
    golden) (cd "$tree" && build/assay golden check --quiet --filter="$filter") >"$log" 2>&1 || code=$? ;;
    suite)
        graphs=0
        case $filter in graph.*) graphs=500 ;; esac
        (cd "$tree" && build/assay conformance --quiet --timeout=120 --graphs=$graphs \
            --filter="$filter") \
            >"$log" 2>&1 || code=$?
        ;;
    validation)
        (cd "$tree" && ASSAY_VK_VALIDATION=1 build/assay conformance --quiet \
            --delegate-option=precision=fp32 --filter="$filter") >"$log" 2>&1 || code=$?
        ;;
    llm)
        (cd "$tree/build" && ./assay zoo decoder --res=64 --type="${filter%%:*}" -o decoder.tflite &&
            echo 1 2 3 4 >tokens && ./assay eval llm decoder.tflite --tokens=tokens --quiet) \
            >"$log" 2>&1 || code=$?
        ;;
    unit) (cd "$tree" && "build/tests/${filter%/*}" "${filter#*/}") >"$log" 2>&1 || code=$? ;;
    *)
        echo "mutants: $name: no judge $judge" >&2
        exit 1
        ;;
    esac
    cp "$file" "$tree/$file"
    # The first case, or unit test, that failed or was declined where it is
    # required, or that of the first finding.  A timeout is none: an
    # honest case on a machine with much load looks the same.
    by=$(sed -n '/^ *[0-9]*\. timeout: /,/rerun:/d; s/^     rerun: .*--filter=\([a-z0-9_.]*\).*$/\1/p; s/^\(fail\|crash\|declined\) \([a-z0-9_.]*\).*/\2/p; s/^\([a-z0-9_]*\.[a-z0-9]*\.[a-z0-9_]*\): .*/\1/p; s/^\[  FAILED  \] \([a-z_]*\)$/\1/p' \
        "$log" | head -n 1)
    if [ "$judge" = llm ]; then
        by=
        ! grep -qF ", ${filter#*:}, fails" "$log" || by=${filter#*:}
    fi
    if [ "$code" = 1 ] && [ -n "$by" ] || { [ "$judge" = unit ] && [ "$code" != 0 ]; }; then
        caught=$((caught + 1))
        printf '%s\t%s\tyes\t%s\t%s\n' "$name" "$file" "${by:-$filter}" "$what" >>"$table"
        echo "mutants: $name: caught by ${by:-$filter}"
    else
        printf '%s\t%s\tNO\t-\t%s\n' "$name" "$file" "$what" >>"$table"
        echo "mutants: $name: NOT CAUGHT (exit $code): $what" >&2
    fi
done <conformance/mutants.tsv
[ "$planted" -gt 0 ] || { echo "mutants: no name matches $pattern" >&2; exit 2; }
echo "mutants: $caught of $planted caught (of $total in the table); $b/mutants/mutants.tsv"
[ "$caught" = "$planted" ]

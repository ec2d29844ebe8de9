#!/bin/sh
# Judges other runtimes, those of conformance/adapters/runtimes.tsv, each with its own bounds and what is
# known of it: runtimes.sh BUILD FLAG...; without a --filter a part of the suite.  RUNTIMES picks some by patterns of their names.  What cannot
# be fetched is named and skipped; a failure that is not known fails.
set -eu
b=$1
shift
tab=$(printf '\t')
failed=
skipped=
picked=
lines=

# fetch FOLDER PACKAGE...
fetch()
(
    folder=$1
    shift
    set +f
    rm -rf "$folder"
    python3 -m venv "$folder" || exit 1
    pypi=
    for package; do
        case $package in
        deb:*)
            mkdir -p "$folder/deb"
            (cd "$folder/deb" && apt-get download -qq "${package#deb:}" && dpkg -x ./*.deb .. && rm ./*.deb) ||
                exit 1
            ;;
        *) pypi="$pypi $package" ;;
        esac
    done
    # shellcheck disable=SC2086 # words on purpose
    "$folder/bin/pip" install --quiet --disable-pip-version-check --no-deps $pypi || exit 1
    (cd "$folder" && ln -s lib/python3*/site-packages wheels) || exit 1
    echo "$*" >"$folder/ready"
)

is_picked()
{
    [ "${RUNTIMES:-}" ] || { case $1 in *+) return 0 ;; *) return 1 ;; esac; }
    for pattern in $RUNTIMES; do
        # shellcheck disable=SC2254 # a pattern on purpose
        case ${1%+} in $pattern) return 0 ;; esac
    done
    return 1
}

set -f
case " $* " in *' --filter='*) whole=1 ;; *) whole= ;; esac
while IFS=$tab read -r name share subject packages; do
    case $name in '#'* | '') continue ;; esac
    is_picked "$name" || continue
    name=${name%+}
    picked=1
    folder=$b/runtimes/$name
    # shellcheck disable=SC2086 # words on purpose
    if [ "$(cat "$folder/ready" 2>/dev/null)" != "$packages" ] && ! fetch "$folder" $packages >&2; then
        skipped="$skipped $name"
        continue
    fi
    [ "$whole" ] && part= || part=--shard=1/$share
    echo "== $name"
    # With bf16 LiteRT's way to OpenVINO forgets the hint f32.
    # shellcheck disable=SC2086 # part may be nothing
    ONEDNN_MAX_CPU_ISA=AVX512_CORE_VNNI \
        LD_LIBRARY_PATH=$folder/wheels/openvino/libs:$folder/usr/lib/$(uname -m)-linux-gnu \
        PYTHONPATH=$folder/usr/lib/python3/dist-packages \
        "$b/assay" conformance --subject="$(echo "$subject" | sed "s|@|$folder|g")" \
        --bounds=fp32,hybrid,one_step --waivers="conformance/known/$name.tsv" --no-models \
        $part "$@" </dev/null >"$folder.txt" || failed="$failed $name"
    cat "$folder.txt"
    lines="$lines$name: $(tail -n 1 "$folder.txt")
"
done <conformance/adapters/runtimes.tsv
[ "$picked" ] || { echo "runtimes: none is called $RUNTIMES" >&2; exit 1; }
printf %s "$lines"
[ -z "$skipped" ] || echo "runtimes: skipped, since their packages could not be fetched:$skipped" >&2
[ -z "$failed" ] || { echo "runtimes: failed:$failed" >&2; exit 1; }

#!/bin/sh
# Runs the analysers over the C files that are arguments: analyse.sh BUILD_DIRECTORY FLAGS FILE...
# FLAGS: what the compiler is given, as one word.  A file is looked at again when it, or a header,
# is newer than what was said of it in BUILD_DIRECTORY/analyse; so an interrupted run goes on.
#     gcc -fanalyzer    paths through a function: leaks, double frees, NULL
#     clang-tidy        the checks of .clang-tidy
#     cppcheck          all files at once, but for ci/cppcheck.supp
# Each finding is fixed, or has its reason beside its suppression.
set -eu
b=$1 flags=$2
shift 2
out=$b/analyse
mkdir -p "$out/cppcheck"
export out flags
# The newest header makes what was said before stale.
newest=$(find reference delegate conformance fuzz -name '*.h' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d' ' -f2)
export newest

# What gcc 12 says of C that is right, by the names of its warnings:
#     malloc-leak, use-of-uninitialized-value, null-dereference, possible-null-argument
#                   on paths through arenas and functions of other files, which it cannot see
printf '%s\n' "$@" | xargs -P "${JOBS:-$(nproc)}" -I FILE sh -c '
    said=$out/$(echo "$1" | tr / .)
    if [ -f "$said.ok" ] && [ "$said.ok" -nt "$1" ] && [ "$said.ok" -nt "$newest" ] &&
        [ "$said.ok" -nt .clang-tidy ]; then exit 0; fi
    rm -f "$said.ok"
    # shellcheck disable=SC2086 # words on purpose
    gcc $flags -O1 -g0 -fanalyzer -Wno-analyzer-malloc-leak -Wno-analyzer-null-dereference \
        -Wno-analyzer-use-of-uninitialized-value -Wno-analyzer-possible-null-argument \
        -c -o /dev/null "$1" 2>"$said.gcc"
    # shellcheck disable=SC2086
    clang-tidy --quiet "$1" -- $flags -O1 >"$said.tidy" 2>"$said.tidy.err" || echo "$1" >>"$said.tidy"
    if [ ! -s "$said.gcc" ] && [ ! -s "$said.tidy" ]; then touch "$said.ok"; else
        cat "$said.gcc" "$said.tidy" >&2; fi' sh FILE || true
bad=0
for file; do
    [ -f "$out/$(echo "$file" | tr / .).ok" ] || { bad=$((bad + 1)); echo "analyse: $file: findings" >&2; }
done
includes=$(echo "$flags" | tr ' ' '\n' | grep '^-[ID]' | grep -v '^-I/' | tr '\n' ' ')
# shellcheck disable=SC2086
printf '%s\n' "$@" >"$out/files"
# shellcheck disable=SC2086
cppcheck --quiet --enable=warning,performance,portability --std=c11 --inline-suppr \
    --error-exitcode=1 --suppressions-list=ci/cppcheck.supp --cppcheck-build-dir="$out/cppcheck" \
    -j "${JOBS:-$(nproc)}" $includes --template='{file}:{line}: {severity}: {message} [{id}]' \
    --file-list="$out/files" || bad=$((bad + 1))
[ "$bad" = 0 ] || { echo "analyse: FAILED: $bad" >&2; exit 1; }
echo "analyse: $# files without a finding"

#!/bin/sh
# Pages are true where a script can tell: links lead to files, README.md has at most 150 lines, the
# version is the same everywhere, CONTRIBUTING.md has the rooms of ci/rooms.txt, SECURITY.md has the
# limits of limits.def, and pages name only
# targets and flags that exist, and PERFORMANCE.md and README.md have the figures of
# ci/peers/kept.json.
# docs.sh BUILD_DIRECTORY
set -u
b=$1
bad=0
links=0
pages=$(sh ci/tracked.sh '*.md' | tr '\0' '\n')

wrong()
{
    echo "docs: $*" >&2
    bad=1
}

for page in $pages; do
    folder=$(dirname "$page")
    for link in $(grep -oE '\]\([^)]+\)' "$page" | sed 's/^](//; s/)$//; s/#.*//' | sort -u); do
        case $link in
        http*) continue ;;
        esac
        [ -e "$folder/$link" ] || wrong "$page: there is no $link"
        links=$((links + 1))
    done
    for target in $(grep -oE '(ci/bootstrap|`make|^ +make) [a-z][a-z-]*' "$page" | awk '{ print $NF }' | sort -u); do
        [ "$target" = build ] || grep -qE "^$target:" Makefile || wrong "$page: make has no target $target"
    done
done
for layer in reference delegate conformance conformance/suite conformance/report conformance/tools; do
    rooms=$(sed -n "s|^rooms $layer: ||p" ci/rooms.txt)
    grep -qF -- "$rooms" CONTRIBUTING.md || wrong "CONTRIBUTING.md: expected the rooms of $layer/: $rooms"
done
for limit in $(sed -n 's/^LIMIT([A-Z_]*, \([a-z_]*\),.*/\1/p' reference/base/limits.def); do
    grep -qE "^\|( [a-z_]+,)* $limit[ ,].*\|" SECURITY.md || wrong "SECURITY.md: expected the limit $limit"
done
[ "$(wc -l <README.md)" -le 150 ] || wrong 'README.md has more than 150 lines'

version=$(sed -n 's/^VERSION := //p' Makefile)
date=$(sed -n "s/^## $version (\(.*\))$/\1/p" CHANGELOG.md)
[ -n "$date" ] || wrong "CHANGELOG.md has no heading for version $version with a date"
"$b/assay" --print-man | grep -qF "\"$date\" \"assay $version\"" ||
    wrong "manual pages: expected version $version of $date"
for page in README.md conformance/doc/CASES.md conformance/doc/REPORTS.md; do
    for flag in $(grep -oE -- '--[a-z][a-z-]+' "$page" | sort -u); do
        "$b/assay" --print-completion=bash | grep -qF -- "$flag" || [ "$flag" = --print-man ] ||
            wrong "$page: no command has the flag $flag"
    done
done
# The tables of PERFORMANCE.md and README.md are what the script prints from the figures.
table()
{
    written=$(sed -n "/^<!-- $2 -->\$/,/^<!-- end -->\$/p" "$1" | sed '1d;$d')
    printed=$(python3 -B ci/peers/peers.py --table=ci/peers/kept.json $3)
    [ "$written" = "$printed" ] || wrong "$1: expected the table of ci/peers/kept.json: peers.py --accept writes it"
}
if command -v python3 >/dev/null; then
    table PERFORMANCE.md 'make peers-table' ''
    table README.md 'short table of make peers' --short
fi
[ "$bad" = 0 ] || exit 1
echo "docs: $links links lead somewhere; version $version of $date"

#!/bin/sh
# Lists the files of the source, each with a NUL behind it: tracked.sh [PATTERN...].  In a tarball that
# is all but what was built; a .git above this directory is another project's.
set -eu
if [ -e .git ]; then
    exec git ls-files -z -- "$@"
fi
[ $# -gt 0 ] || set -- '*'
for pattern; do
    find . -path './build*' -prune -o -type f -name "$pattern" -print0
done

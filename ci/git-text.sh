#!/bin/sh
# Prints a C file with the commit that this tree is at, for reports and `assay --version`: git-text.sh.
# In a tarball of git the commit stands in ci/package/commit.txt; elsewhere, also in a tree inside of
# another checkout, it is not known, and the text is empty.
set -eu
state=
if [ -e .git ]; then
    state=$(git --no-optional-locks describe --always --abbrev=7 --exclude='*' --dirty 2>/dev/null) || state=
elif [ -r ci/package/commit.txt ]; then
    state=$(cut -c1-7 ci/package/commit.txt)
    case $state in *[!0-9a-f]*) state= ;; esac
fi
printf '#include "conformance/tools/cli/git_text.h"\n\nconst char git_text[] = "%s";\n' "$state"

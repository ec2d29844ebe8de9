#!/bin/sh
# Writes the lcov report of a build with --coverage whose tests have run: report.sh BUILD_DIRECTORY
set -eu
b=$1
branches='--rc lcov_branch_coverage=1 --rc genhtml_branch_coverage=1'
# Mocks are tests, too, and counters of one that was linked again do not fit its notes.
rm -f "$b"/mock/*.gcda
# shellcheck disable=SC2086 # words on purpose
{
    lcov --quiet $branches --capture --directory "$b" --base-directory . --output-file "$b/coverage.info"
    lcov --quiet $branches --extract "$b/coverage.info" "$(pwd)/reference/*" "$(pwd)/delegate/*" \
        "$(pwd)/conformance/*" --output-file "$b/coverage.info"
    lcov --quiet $branches --remove "$b/coverage.info" '*/tests/*' '*/examples/*' \
        --output-file "$b/coverage.info"
    genhtml --quiet $branches --prefix "$(pwd)" --output-directory "$b/coverage" "$b/coverage.info"
}
python3 -B coverage/shaders.py "$b" >"$b/shaders.tsv"
tail -n 1 "$b/shaders.tsv"
echo "coverage: $b/coverage/index.html, shaders in $b/shaders.tsv"
python3 -B coverage/figures.py "$b"

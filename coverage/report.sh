#!/bin/sh
# Writes the lcov report of a build with --coverage whose tests have run: report.sh BUILD_DIRECTORY
set -eu
b=$1
lcov --quiet --capture --directory "$b" --base-directory . --output-file "$b/coverage.info"
lcov --quiet --extract "$b/coverage.info" "$(pwd)/reference/*" "$(pwd)/delegate/*" \
    "$(pwd)/conformance/*" --output-file "$b/coverage.info"
lcov --quiet --remove "$b/coverage.info" '*/conformance/unit/*' --output-file "$b/coverage.info"
genhtml --quiet --prefix "$(pwd)" --output-directory "$b/coverage" "$b/coverage.info"
lcov --summary "$b/coverage.info" 2>&1 | grep -E 'lines|functions'
echo "coverage: $b/coverage/index.html"

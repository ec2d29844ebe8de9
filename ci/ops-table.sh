#!/bin/sh
# The README's table of ops, made of the version ledger: ops-table.sh print | write | check.
set -eu
ledger=conformance/versions.tsv

table()
{
    awk -F '\t' '
    function flush() {
        if (op == "")
            return
        printf "| %s | %s | %s | %s |\n", toupper(op), first == last ? first : first "-" last,
            full == "" ? "-" : full, partly == "" ? "-" : partly
    }
    BEGIN {
        print "| op | versions | with what they brought | without it: refused by a rule |"
        print "|---|---|---|---|"
    }
    /^#/ || $1 == "op" || NF < 6 { next }
    $5 ~ /^refused by/ { next }
    $1 != op { flush(); op = $1; first = $2; full = partly = "" }
    { last = $2 }
    $5 == "supported" { full = full (full == "" ? "" : "; ") $2 ": " $3; next }
    { partly = partly (partly == "" ? "" : "; ") $2 ": " $3 }
    END { flush() }' "$ledger"
}

# The README with a fresh table between its marks.
readme()
{
    table >"$1.table"
    awk -v table="$1.table" '
    /^<!-- \/ops -->$/ { inside = 0 }
    !inside { print }
    /^<!-- ops -->$/ { inside = 1; while ((getline line < table) > 0) print line }' README.md >"$1"
    rm -f "$1.table"
}

case ${1:-} in
print) table ;;
write)
    readme README.md.new
    mv README.md.new README.md
    ;;
check)
    fresh=$(mktemp)
    trap 'rm -f "$fresh"' EXIT
    readme "$fresh"
    grep -q '^<!-- ops -->$' README.md || { echo 'ops-table: README.md has no <!-- ops -->' >&2; exit 1; }
    cmp -s "$fresh" README.md || {
        echo 'ops-table: README.md is not what the ledger says: make ops-table' >&2
        exit 1
    }
    echo "ops-table: $(table | grep -c '^| [A-Z]') ops, as the ledger says"
    ;;
*)
    echo 'usage: ops-table.sh print|write|check' >&2
    exit 2
    ;;
esac

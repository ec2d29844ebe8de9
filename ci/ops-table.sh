#!/bin/sh
# The table of delegate/OPS_SUPPORT.md, made from the ledgers of versions and of classes: ops-table.sh print|write|check.
set -eu
page=delegate/OPS_SUPPORT.md
ledger=conformance/versions.tsv
classes=conformance/classes.tsv

table()
{
    awk -F '\t' '
    function flush() {
        if (op == "")
            return
        printf "| %s | %s | %s | %s | %s |\n", toupper(op), first == last ? first : first "-" last,
            full == "" ? "-" : full, partly == "" ? "-" : partly, op in left ? left[op] : "-"
    }
    BEGIN {
        print "| op | versions | taken | refused by a rule | classes left to the CPU |"
        print "|---|---|---|---|---|"
    }
    # What no case has taken, where others of the op and type are; without tensors of no elements.
    FILENAME == classes {
        if (/^#/ || $1 == "op" || $4 == "" || $5 == "" || $5 == "empty")
            next
        gsub(/(^| )empty( |$)/, " ", $5)
        gsub(/^ | $/, "", $5)
        left[$1] = left[$1] (left[$1] == "" ? "" : "; ") $2 ($3 == "*" ? "" : " " $3) ": `" $5 "`"
        next
    }
    /^#/ || $1 == "op" || NF < 6 { next }
    $5 ~ /^refused by/ { next }
    $1 != op { flush(); op = $1; first = $2; full = partly = "" }
    { last = $2 }
    $5 == "supported" { full = full (full == "" ? "" : "; ") $2 ": " $3; next }
    { partly = partly (partly == "" ? "" : "; ") $2 ": " $3 }
    END { flush() }' classes="$classes" "$classes" "$ledger"
}

# The page with a fresh table between its marks.
fresh()
{
    table >"$1.table"
    awk -v table="$1.table" '
    /^<!-- \/ops -->$/ { inside = 0 }
    !inside { print }
    /^<!-- ops -->$/ { inside = 1; while ((getline line < table) > 0) print line }' "$page" >"$1"
    rm -f "$1.table"
}

case ${1:-} in
print) table ;;
write)
    fresh "$page.new"
    mv "$page.new" "$page"
    ;;
check)
    wanted=$(mktemp)
    trap 'rm -f "$wanted"' EXIT
    fresh "$wanted"
    grep -q '^<!-- ops -->$' "$page" || { echo "ops-table: $page: expected a line <!-- ops -->" >&2; exit 1; }
    cmp -s "$wanted" "$page" || {
        echo "ops-table: $page differs from the ledger $ledger; make ops-table writes it again" >&2
        exit 1
    }
    echo "ops-table: $(table | grep -c '^| [A-Z]') ops, as the ledger says"
    ;;
*)
    echo 'usage: ops-table.sh print|write|check' >&2
    exit 2
    ;;
esac

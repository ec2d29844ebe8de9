#!/bin/sh
# Prints what the bytes of the stripped delegate are, as packages have it, and fails when they are more
# than 715,000: size.sh BUILD_DIRECTORY.  A build for sanitizers, coverage or debugging may be larger.
set -eu
b=$1
limit=715000
library=$b/shipped/libassay_delegate.so
strip -o "$b/size.so" "$library"
bytes=$(wc -c <"$b/size.so")
packed=$(nm -S "$library" | awk '$4 == "spirv_packed" { print $2 }')
[ -n "$packed" ] || { echo "size: $library: no table of shaders" >&2; exit 1; }
size -A "$b/size.so" | awk -v bytes="$bytes" -v packed=$((0x$packed)) '
    $1 == ".bss" || $1 == "Total" || $1 == "section" || NF < 3 { next }
    $1 ~ /^\.(text|plt|init|fini)/ { part["code"] += $2; next }
    $1 ~ /^\.rodata/ { part["tables and texts"] += $2 - packed; part["shaders, packed"] = packed; next }
    $1 ~ /^\.eh_frame/ { part["unwinding tables"] += $2; next }
    $1 ~ /^\.(dyn|gnu|rel|got)/ { part["symbols and relocations"] += $2; next }
    $1 !~ /comment/ { part["data"] += $2 }
    END {
        for (name in part) {
            printf "%8d  %s\n", part[name], name
            rest += part[name]
        }
        printf "%8d  headers and gaps\n", bytes - rest
    }' | sort -rn
echo "size: $bytes bytes stripped, at most $limit"
rm "$b/size.so"
if grep -qE -- '-fsanitize=|--coverage|-O0' "$b/flags"; then
    exit 0
fi
[ "$bytes" -le $limit ]

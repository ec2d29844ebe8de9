#!/bin/sh
# Every library, and the program, has a file that a compiler for a big-endian host refuses with that
# word: byte-order.sh BUILD_DIRECTORY, with CC as make has it.  A cross compiler for s390x is asked
# too, where there is one.
set -eu
b=$1
cc=${CC:-cc}
count=0

# preprocess COMPILER FLAGS: a header that the cross compiler lacks does not hide the error.
preprocess()
{
    # shellcheck disable=SC2086,SC2069 # a compiler with its flags; messages alone are wanted
    $1 -std=c11 -D_GNU_SOURCE -I. -I"$b" -Ireference/include -Idelegate/include -E $2 "$source" 2>&1 >/dev/null
}

# refused COMPILER FLAGS
refused()
{
    if log=$(preprocess "$1" "$2"); then
        echo "byte-order: $source: taken by $1 $2, expected an error that says big-endian" >&2
        exit 1
    fi
    case $log in
    *'#error'*big-endian* | *error:*big-endian*) count=$((count + 1)) ;;
    *)
        echo "byte-order: $source: $1 $2: expected an error that says big-endian, found: $log" >&2
        exit 1
        ;;
    esac
}

for source in reference/format/read.c delegate/shaders/spirv.c conformance/suite/io/npy.c; do
    preprocess "$cc" '' >/dev/null || { echo "byte-order: $source: $cc refuses it" >&2; exit 1; }
    refused "$cc" '-U__BYTE_ORDER__ -D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__'
    if command -v s390x-linux-gnu-gcc >/dev/null; then refused s390x-linux-gnu-gcc ''; fi
done
echo "byte-order: $count refusals of a big-endian host"

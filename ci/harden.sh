#!/bin/sh
# Prints the hardening flags that the toolchain has: harden.sh cflags|ldflags CC [FLAGS].
#     harden.sh check BUILD_DIRECTORY   checks the program and the libraries of a build with readelf
set -eu

# The compiler takes all of the arguments, without a warning.
takes()
{
    echo '#include <string.h>
int main(int argc, char **argv) { char a[8]; strcpy(a, argv[argc - 1]); return a[0]; }' |
        $cc "$@" -Werror -x c -o /dev/null - 2>/dev/null
}

fail()
{
    echo "harden: $*" >&2
    exit 1
}

# has FILE WHAT PATTERN: standard input has a line with the pattern.
has()
{
    grep -qE -e "$3" || fail "$1: no $2"
}

check_file()
{
    readelf -lW "$1" | has "$1" 'segment that is read-only after relocation (-z relro)' GNU_RELRO
    readelf -dW "$1" | has "$1" 'binding at start (-z now)' 'BIND_NOW|FLAGS_1.* NOW'
    readelf -lW "$1" | grep GNU_STACK | has "$1" 'stack without execution' ' RW +0x'
    case $cflags in
    *-fstack-protector-strong*)
        readelf -sW --dyn-syms "$1" | has "$1" 'stack protector' '__stack_chk_fail' ;;
    esac
    case $cflags in
    *_FORTIFY_SOURCE=*)
        readelf -sW --dyn-syms "$1" |
            has "$1" 'fortified function' '__(memcpy|memset|snprintf|vsnprintf|fprintf)_chk' ;;
    esac
    # The property of the whole file is lost to objects of other packages, such as libz.a.
    case $cflags in
    *-fcf-protection*)
        objdump -d --no-show-raw-insn "$1" | grep -cE 'endbr(32|64)' | awk '$1 < 100 { exit 1 }' ||
            fail "$1: no landing pads of -fcf-protection" ;;
    esac
}

case $1 in
cflags)
    cc=$2 flags=
    for flag in -fstack-protector-strong -fcf-protection=full; do
        if takes $flag; then flags="$flags $flag"; fi
    done
    # FORTIFY needs optimization, and a packager may have chosen a level.
    case ${3:-} in
    *FORTIFY_SOURCE* | *-O0*) ;;
    *-O*)
        for level in 3 2; do
            if takes -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$level; then
                flags="$flags -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$level"
                break
            fi
        done ;;
    esac
    echo "${flags# }" ;;
ldflags)
    cc=$2 flags=
    for flag in -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack; do
        if takes $flag; then flags="$flags $flag"; fi
    done
    echo "${flags# }" ;;
check)
    b=$2
    cflags=$(cat "$b/flags")
    case $cflags in
    *-z,now*) ;;
    *) echo 'harden: this build goes without (HARDEN=no)'; exit 0 ;;
    esac
    for file in assay libassay.so shipped/libassay_delegate.so; do
        check_file "$b/$file"
    done
    readelf -hW "$b/assay" | has "$b/assay" 'position-independent program' 'Type: +DYN'
    echo "harden: program and libraries have relro, now$(echo "$cflags" |
        grep -oE -e '-f(stack-protector-strong|cf-protection=full)|FORTIFY_SOURCE=[23]' |
        sed 's/^-f//' | awk '{ printf ", %s", $1 }'), pie" ;;
*) fail "expected cflags, ldflags or check, found $1" ;;
esac

#!/bin/sh
# Fails when an include points the wrong way.  Who may include whom:
#   reference/    libc and libm, itself
#   delegate/     itself, Vulkan, xxHash's header, and of reference/ what has no op in it
#   conformance/  reference/, libraries, the delegate's public header; unit tests also delegate/
#   fuzz/         reference/, delegate/
#   golden/, coverage/, ci/  no C
set -eu
bad=0

# check WHAT PATTERN FILE...: no include of the files may be other than PATTERN.
check()
{
    what=$1 allowed=$2
    shift 2
    [ $# -gt 0 ] || { echo "layers: $what: no files" >&2; exit 1; }
    found=$(grep -nHoE '^[[:space:]]*#[[:space:]]*include[[:space:]]+["<][^">]+[">]' "$@" |
        grep -vE "include[[:space:]]+($allowed)\$" || true)
    if [ -n "$found" ]; then
        echo "layers: $what must not include:" >&2
        echo "$found" >&2
        bad=1
    fi
}

libc='<(assert|ctype|dirent|dlfcn|errno|fcntl|float|fnmatch|ftw|getopt|glob|inttypes|libgen|limits|locale|math|poll|pthread|sched|setjmp|signal|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn|string|strings|time|unistd|sys/[a-z]+)\.h>'
api='"tensorflow/lite/[a-z_/0-9]+\.h"'
reference='"reference/[a-z0-9_/]+\.(h|def)"'
shared='"reference/base/[a-z0-9_]+\.(h|def)"|"reference/ops\.def"'
delegate='"delegate/[a-z0-9_/.]+\.(h|def)"'
libraries='<(hdf5|jansson|jerror|jpeglib|png|sha2|xxhash)\.h>'
conformance="$reference|\"conformance/[a-z0-9_/]+\\.(h|def)\"|\"assay_gpu\\.h\""

check 'reference/' "$libc|$reference|$api" \
    $(find reference -name '*.[ch]' ! -path 'reference/examples/*')
check 'reference/examples/' "$libc|$api" $(find reference/examples -name '*.c')
check 'delegate/' "$libc|<vulkan/vulkan\\.h>|<xxhash\\.h>|$delegate|\"assay_gpu\\.h\"|$shared|$api" \
    $(find delegate -name '*.[ch]' ! -path 'delegate/examples/*')
check 'delegate/examples/' "$libc|$api|<vulkan/vulkan\\.h>|\"assay_gpu\\.h\"" \
    $(find delegate/examples -name '*.c')
check 'conformance/' "$libc|$libraries|$conformance|$api" \
    $(find conformance -name '*.[ch]' ! -path 'conformance/unit/*')
check 'conformance/unit/' \
    "$libc|$libraries|<cmocka\\.h>|<vulkan/vulkan\\.h>|$conformance|$delegate|$api" \
    $(find conformance/unit -name '*.[ch]')
check 'fuzz/' "$libc|$reference|$delegate|\"fuzz/[a-z0-9_]+\\.h\"|$api" $(find fuzz -name '*.[ch]')
found=$(find golden coverage ci -name '*.[ch]')
if [ -n "$found" ]; then
    echo "layers: no C belongs here: $found" >&2
    bad=1
fi
[ "$bad" = 0 ] || exit 1
echo 'layers: every include points the right way'

#!/bin/sh
# Says which package is missing, and how to get it, where a compiler would say less: need.sh GROUP,
# with CC, CFLAGS and PKG_CONFIG as make has them.  A group is what one kind of target needs.
set -u
cc=${CC:-cc}
pkg=${PKG_CONFIG:-pkg-config}
target=all
bad=0

# missing WHAT PACKAGE: PACKAGE is Debian's, as in ci/bootstrap.
missing()
{
    echo "make: missing: $1 (Debian package $2)" >&2
    bad=1
}

tool()
{
    command -v "$1" >/dev/null 2>&1 || missing "$1" "$2"
}

# header NAME PACKAGE: of a library that comes without a pkg-config module everywhere.
header()
{
    # shellcheck disable=SC2086 # words on purpose
    $cc ${CFLAGS:-} -E -include "$1" -x c /dev/null >/dev/null 2>&1 || missing "$1" "$2"
}

# module PACKAGE NAME...: one of the pkg-config modules.
module()
{
    package=$1
    shift
    for name; do
        if $pkg --exists "$name" 2>/dev/null; then return; fi
    done
    missing "pkg-config module $1" "$package"
}

compiler()
{
    # shellcheck disable=SC2086
    $cc --version >/dev/null 2>&1 || missing "the C compiler $cc" gcc
}

case ${1:-} in
delegate)
    compiler
    tool glslangValidator glslang-tools
    tool spirv-opt spirv-tools
    header vulkan/vulkan.h libvulkan-dev
    header xxhash.h libxxhash-dev
    header zlib.h zlib1g-dev
    ;;
conformance)
    compiler
    tool "${pkg%% *}" pkg-config
    module libhdf5-dev hdf5-serial hdf5
    module libjansson-dev jansson
    module libjpeg-dev libjpeg
    module libpng-dev libpng
    module libmd-dev libmd
    ;;
unit)
    compiler
    # cmocka.h wants these before it.
    CFLAGS="${CFLAGS:-} -include stdarg.h -include stddef.h -include setjmp.h -include stdint.h"
    header cmocka.h libcmocka-dev
    ;;
format) target=format && tool clang-format clang-format ;;
headers) target=headers && tool c++ g++ ;;
fuzz) target=fuzz && tool clang clang ;;
fuzz-official)
    target=fuzz
    tool flatc flatbuffers-compiler
    [ -f /usr/include/flatbuffers/flatbuffers.h ] || missing 'the header flatbuffers/flatbuffers.h' libflatbuffers-dev
    ;;
coverage) target=coverage && tool lcov lcov && tool python3 python3 ;;
analyse)
    target=analyse
    tool gcc gcc && tool clang-tidy clang-tidy && tool cppcheck cppcheck
    ;;
slurm-test) target=slurm-test && tool slurmctld slurmctld && tool slurmd slurmd && tool sbatch slurm-client && tool munged munge ;;
kubernetes-test)
    target=kubernetes-test
    python3 -c 'import yaml' 2>/dev/null || missing "Python's yaml" python3-yaml
    ;;
valgrind) target=valgrind && tool valgrind valgrind ;;
html-test)
    target=html-test
    tool chromium chromium
    tool chromedriver chromium-driver
    tool tidy tidy
    /usr/bin/python3 -c 'import selenium' 2>/dev/null || missing "Python's selenium" python3-selenium
    ;;
perf) target=perf && tool valgrind valgrind && tool python3 python3 ;;
python) target=cross-check && tool python3 python3 ;;
dist) target=dist && tool git git && tool xz xz-utils ;;
deb) target=deb && tool dh debhelper && tool dpkg-buildpackage dpkg-dev ;;
deb-test) target=deb-test && tool lintian lintian && tool mmdebstrap mmdebstrap ;;
wheel) target=wheel && tool python3 python3 && tool objdump binutils ;;
*)
    echo 'usage: need.sh GROUP, one of those in this file' >&2
    exit 2
    ;;
esac
[ "$bad" = 0 ] || echo "make: to install what is missing and go on: ci/bootstrap $target" >&2
exit $bad

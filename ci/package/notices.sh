#!/bin/sh
# Collects the licences that travel with programs which are linked statically: notices.sh DIRECTORY,
# with CC and STATIC_LIBS as make has them.  Debian keeps the notice of each library beside it; on
# other systems the library is named, and the exit status is 3.
set -eu
to=$1
missing=
mkdir -p "$to"
install -m 644 LICENSE NOTICE "$to/"

# notice NAME FILE: of the package that FILE belongs to.
notice()
{
    package=$(dpkg-query -S "$(realpath "$2")" 2>/dev/null | sed 's/:.*//' | head -n 1) || package=
    if [ -n "$package" ] && [ -s "/usr/share/doc/$package/copyright" ]; then
        {
            echo "$1, as in Debian's $package $(dpkg-query -W -f '${Version}' "$package" | head -n 1)"
            echo
            cat "/usr/share/doc/$package/copyright"
        } >"$to/$1.txt"
    else
        missing="$missing $1"
    fi
}

# library NAME FILE: found as the compiler finds it, or in a directory of STATIC_LIBS.
library()
{
    file=$(${CC:-cc} -print-file-name="$2")
    for word in ${STATIC_LIBS:-}; do
        case $word in -L*) [ ! -e "${word#-L}/$2" ] || file=${word#-L}/$2 ;; esac
    done
    notice "$1" "$file"
}

library HDF5 libhdf5.a
library libaec libaec.a
library Jansson libjansson.a
library libjpeg-turbo libjpeg.a
library libpng libpng16.a
library libmd libmd.a
library zlib libz.a
# Headers that are compiled in.
notice xxHash "$(echo '#include <xxhash.h>' | ${CC:-cc} ${CFLAGS:-} -E -x c - |
    sed -n 's/^# [0-9]* "\([^"]*xxhash.h\)".*/\1/p' | head -n 1)"

if [ -n "$missing" ]; then
    echo "notices: no notice found of:$missing; whoever hands the files on adds them" >&2
    exit 3
fi

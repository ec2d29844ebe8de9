#!/bin/sh
# Installs what make has built, or removes it again: files.sh install|uninstall, with B, PREFIX,
# LIBDIR, DESTDIR, VERSION, SOVERSION and TFLITE_HEADERS as make has them.
#
# PREFIX/share/assay/installed lists what was installed, a line each, the last field a path:
#     file SHA256 PATH | link TARGET PATH | dir - PATH
# Only what is still as listed is removed, so that a file which another package has put in place of
# ours stays.
set -eu
root=${DESTDIR:-}
list=$PREFIX/share/assay/installed
plugins=$LIBDIR/assay
new=
mkdir -p "$root/"

say()
{
    echo "$ACTION: $*" >&2
}

hash()
{
    sha256sum <"$1" | cut -d ' ' -f 1
}

# remove LIST: what an earlier installation has listed; its directories when nothing is left in them.
remove()
{
    while read -r kind value path; do
        at=$root$path
        case $kind in
        file)
            [ -e "$at" ] || [ -L "$at" ] || continue
            if [ ! -L "$at" ] && [ "$(hash "$at")" = "$value" ]; then
                rm "$at"
            else
                say "$at: changed since it was installed: left there"
            fi
            ;;
        link) if [ "$(readlink "$at")" = "$value" ]; then rm "$at"; fi ;;
        esac
    done <"$1"
    rm -f "$root$list"
    sed -n 's/^dir - //p' "$1" | LC_ALL=C sort -r | while read -r path; do
        rmdir "$root$path" 2>/dev/null || true
    done
}

directory()
{
    if [ -d "$root$1" ]; then return; fi
    directory "$(dirname "$1")"
    mkdir -m 755 "$root$1"
    # Directories below DESTDIR alone are no part of what is installed.
    case $1/ in "$PREFIX"/?* | "$LIBDIR"/?*) echo "dir - $1" >>"$new" ;; esac
}

# put MODE FILE PATH
put()
{
    directory "$(dirname "$3")"
    install -m "$1" "$2" "$root$3"
    echo "file $(hash "$2") $3" >>"$new"
}

# put_all DIRECTORY FILE...
put_all()
{
    into=$1
    shift
    for file; do put 644 "$file" "$into/$(basename "$file")"; done
}

# link TARGET PATH
link()
{
    directory "$(dirname "$2")"
    ln -sfn "$1" "$root$2"
    echo "link $1 $2" >>"$new"
}

# headers DIRECTORY-OF-LAYER INTO
headers()
{
    (cd "$1" && find . -name '*.h' | LC_ALL=C sort) | while read -r file; do
        put 644 "$1/$file" "$2/${file#./}"
    done
}

# A file there now is not ours: an earlier installation of ours has just been removed.
foreign_header()
{
    for layer in reference delegate; do
        (cd $layer/include && find . -name '*.h') | while read -r file; do
            [ ! -e "$root$PREFIX/include/${file#./}" ] || echo "$root$PREFIX/include/${file#./}"
        done
    done | head -n 1
}

libraries()
{
    put 755 "$B/libassay.so" "$LIBDIR/libassay.so.$VERSION"
    link "libassay.so.$VERSION" "$LIBDIR/libassay.so.$SOVERSION"
    link "libassay.so.$SOVERSION" "$LIBDIR/libassay.so"
    # A plug-in first of all: hosts load it by this name, and reports call it by it.
    put 755 "$B/shipped/libassay_delegate.so" "$plugins/libassay_delegate.so"
    link assay/libassay_delegate.so "$LIBDIR/libassay_delegate.so.$SOVERSION"
    link "libassay_delegate.so.$SOVERSION" "$LIBDIR/libassay_delegate.so"
    link ../libassay_delegate.so "$plugins/litert/libLiteRtGpuAccelerator.so"
    # The program looks for the delegate in ../lib/assay.
    if [ "$plugins" != "$PREFIX/lib/assay" ]; then
        directory "$PREFIX/lib"
        link "$(realpath -m --relative-to="$PREFIX/lib" "$plugins")" "$PREFIX/lib/assay"
    fi
}

pkgconfig()
{
    for name in assay assay-delegate; do
        sed -e "s,@PREFIX@,$PREFIX," -e "s,@LIBDIR@,$LIBDIR," -e "s,@VERSION@,$VERSION," ci/package/$name.pc.in \
            >"$new.pc"
        put 644 "$new.pc" "$LIBDIR/pkgconfig/$name.pc"
    done
    rm "$new.pc"
}

documents()
{
    put_all "$PREFIX/share/doc/assay" LICENSE NOTICE ./*.md
    for layer in reference delegate conformance conformance/doc conformance/doc/results golden; do
        put_all "$PREFIX/share/doc/assay/$layer" $layer/*.md
    done
    put_all "$PREFIX/share/doc/assay/examples" reference/examples/*.c delegate/examples/*.c
    put_all "$PREFIX/share/man/man1" "$B"/man/assay*.1
    put 644 "$B/man/assay.bash" "$PREFIX/share/bash-completion/completions/assay"
    link assay "$PREFIX/share/bash-completion/completions/assay-agent"
}

install_all()
{
    put 755 "$B/assay" "$PREFIX/bin/assay"
    put 755 "$B/assay-agent" "$PREFIX/bin/assay-agent"
    libraries
    headers reference/include "$PREFIX/include/assay/runtime"
    headers delegate/include "$PREFIX/include/assay/delegate"
    if [ "${TFLITE_HEADERS:-yes}" = yes ]; then
        foreign=$(foreign_header)
        if [ -z "$foreign" ]; then
            headers reference/include "$PREFIX/include"
            headers delegate/include "$PREFIX/include"
        else
            say "$foreign is not Assay's: left as it is; Assay's headers are in $PREFIX/include/assay"
        fi
    fi
    pkgconfig
    put_all "$PREFIX/share/assay/golden" golden/*.h5
    put_all "$PREFIX/share/assay/golden/digits" golden/digits/*
    put_all "$PREFIX/share/assay" conformance/versions.tsv conformance/classes.tsv
    put_all "$PREFIX/share/assay/known" conformance/known/*
    put_all "$PREFIX/share/assay/adapters" conformance/adapters/*.py
    put_all "$PREFIX/share/assay/schemas" conformance/report/*.schema.json conformance/report/junit.xsd \
        conformance/tools/cli/schemas/*.json
    documents
}

ACTION=${1:-}
case $ACTION in
install)
    new=$B/installed
    # An earlier installation may have files that this one lacks.
    if [ -f "$root$list" ]; then
        cp "$root$list" "$new.old"
        remove "$new.old"
        rm "$new.old"
    fi
    : >"$new"
    install_all
    directory "$(dirname "$list")"
    install -m 644 "$new" "$root$list"
    echo "install: $(grep -c '^file' "$new") files in $root$PREFIX; make uninstall PREFIX=$PREFIX removes them"
    ;;
uninstall)
    if [ ! -f "$root$list" ]; then
        say "$root$list: no such file: nothing of Assay is installed in $root$PREFIX"
        exit 2
    fi
    listed=$(mktemp)
    trap 'rm -f "$listed"' EXIT
    cp "$root$list" "$listed"
    remove "$listed"
    ;;
*)
    echo 'usage: files.sh install|uninstall' >&2
    exit 2
    ;;
esac

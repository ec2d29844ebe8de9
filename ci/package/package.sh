#!/bin/sh
# Builds what people install: package.sh dist|deb|wheel|version, with B, CC, MAKE, VERSION and RELEASE
# as make has them.
set -eu

fail()
{
    echo "$action: $*" >&2
    exit 2
}

# Commit and time come from git, or from what `git archive` has written into the tarball.  A .git
# above this directory is another project's.
state()
{
    dirty=
    if [ -e .git ]; then
        commit=$(git rev-parse HEAD) epoch=$(git log -1 --format=%ct)
        [ -z "$(git status --porcelain)" ] || dirty=1
    else
        read -r commit epoch <ci/package/commit.txt
        case $commit in
        *Format*) commit=unknown epoch=$(date -u -d "$(sed -n 's/^## .*(\(.*\))$/\1/p' CHANGELOG.md | head -n 1)" +%s) ;;
        esac
    fi
    version=$VERSION
    [ -n "$RELEASE" ] ||
        version=$VERSION+git$(date -u -d "@$epoch" +%Y%m%d%H%M).$(printf %.7s "$commit")
    SOURCE_DATE_EPOCH=$epoch
    export SOURCE_DATE_EPOCH
}

# tarball DIRECTORY: sets $tarball.  git writes the files in the order of their names, with the
# commit's time and no owner.
tarball()
{
    [ -e .git ] || fail 'a tarball is made of a commit, and there is no .git here'
    [ -z "$dirty" ] || echo "$action: the work tree has changes; the tarball holds the commit" >&2
    tarball=$1/assay-$version.tar.xz
    mkdir -p "$1"
    git -c tar.umask=0022 archive --format=tar --prefix="assay-$version/" -o "$tarball.tar" HEAD
    xz -6 -T1 --stdout "$tarball.tar" >"$tarball.new"
    rm "$tarball.tar"
    mv "$tarball.new" "$tarball"
}

size()
{
    du -k "$@" | awk '{ s += $1 } END { printf "%.1f MB", s / 1024 }'
}

dist()
{
    rm -f "$B"/dist/assay-*.tar.xz "$B"/dist/assay-*.sha256
    tarball "$B/dist"
    sha256=$(sha256sum <"$tarball" | cut -d ' ' -f 1)
    echo "$sha256  assay-$version.tar.xz" >"$tarball.sha256"
    echo "dist: $tarball: $(size "$tarball"), sha256 $sha256"
}

# The source tree, with debian/ where dpkg looks for it.
deb()
{
    work=$B/deb-work
    rm -rf "$work" "$B/deb"
    mkdir -p "$work" "$B/deb"
    source=$work/assay-$version
    if [ -e .git ]; then
        tarball "$work"
        mv "$tarball" "$work/assay_$version.orig.tar.xz"
        tar -xf "$work/assay_$version.orig.tar.xz" -C "$work"
        kind=full
    else
        mkdir "$source"
        tar -cf - --exclude='./build*' . | tar -xf - -C "$source"
        kind=binary
    fi
    cp -R "$source/ci/package/debian" "$source/debian"
    cat >"$source/debian/changelog" <<END
assay ($version-1) unstable; urgency=medium

  * Commit $commit.
    CHANGELOG.md of the source says what is new.

 -- ${DEBFULLNAME:-Assay maintainers} <${DEBEMAIL:-maintainers@assay.example}>  $(LC_ALL=C date -u -R -d "@$epoch")
END
    (
        cd "$source"
        unset MAKEFLAGS MFLAGS MAKELEVEL B VERSION RELEASE PREFIX DESTDIR LIBDIR
        DEB_BUILD_OPTIONS="parallel=$(nproc) ${DEB_BUILD_OPTIONS:-}" dpkg-buildpackage -us -uc \
            --build=$kind
    ) >"$B/deb.log" 2>&1 || { tail -n 40 "$B/deb.log" >&2; fail "dpkg-buildpackage failed: $B/deb.log"; }
    find "$work" -maxdepth 1 -type f -exec mv {} "$B/deb/" \;
    rm -rf "$work"
    for file in "$B"/deb/*.deb; do echo "deb: $file: $(size "$file")"; done
}

wheel()
{
    venv=$B/package-venv
    if ! cmp -s ci/package/requirements.txt "$venv/installed.txt"; then
        rm -rf "$venv"
        python3 -m venv "$venv"
        "$venv/bin/pip" install --quiet --disable-pip-version-check -r ci/package/requirements.txt
        cp ci/package/requirements.txt "$venv/installed.txt"
    fi
    # What runs is of the work tree, changes and all.
    [ -z "$dirty" ] || version=$VERSION+git$(date -u -d "@$epoch" +%Y%m%d%H%M).$(printf %.7s "$commit").dirty
    rm -rf "$B/wheel" "$B/wheel-work"
    mkdir -p "$B/wheel"
    "$venv/bin/python" ci/package/python/stage.py "$B/portable" "$B/wheel-work" "$version"
    "$venv/bin/python" -m build --wheel --no-isolation --outdir "$B/wheel" "$B/wheel-work" \
        >"$B/wheel.log" 2>&1 || { tail -n 20 "$B/wheel.log" >&2; fail "build failed: $B/wheel.log"; }
    rm -rf "$B/wheel-work"
    for file in "$B"/wheel/*.whl; do echo "wheel: $file: $(size "$file")"; done
}

action=${1:-}
case $action in
dist | deb | wheel) state; $action ;;
version) state; echo "$version" ;;
*) echo 'usage: package.sh dist|deb|wheel|version' >&2; exit 2 ;;
esac

#!/bin/sh
# Packs the commit twice, in different places, and builds the program from the tarball where there is
# no git: dist-test.sh, with B, CC and MAKE as make has them.
set -eu
[ -e .git ] || { echo 'dist-test: needs a git clone: there is no .git here' >&2; exit 2; }
# A make with jobs hands its flags down, and the make below would warn of them.
unset MAKEFLAGS MFLAGS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail()
{
    tail -n 20 "$work"/*.log >&2
    echo "dist-test: FAILED: $*" >&2
    exit 1
}

${MAKE:-make} --no-print-directory B="$B" dist >"$work/first.log" 2>&1 || fail 'make dist'
tarball=$(sed -n 's/^dist: \(.*\.tar\.xz\):.*/\1/p' "$work/first.log")
git clone --quiet . "$work/clone"
(
    cd "$work/clone"
    umask 077
    TZ=Asia/Tokyo LC_ALL=C ${MAKE:-make} --no-print-directory dist >"$work/second.log" 2>&1
) || fail 'make dist in another clone'
cmp "$tarball" "$work/clone/build/dist/$(basename "$tarball")" || fail 'two tarballs of one commit differ'

# All tracked files, nothing else; of nobody, at one time.
name=$(basename "$tarball" .tar.xz)
git ls-tree -r --name-only HEAD | sed "s,^,$name/," | LC_ALL=C sort >"$work/tracked"
tar -tf "$tarball" | grep -v '/$' | LC_ALL=C sort >"$work/packed"
cmp "$work/tracked" "$work/packed" >&2 || fail 'other files than those of the commit'
[ "$(tar --numeric-owner --utc -tvf "$tarball" | awk '{ print $2, $4, $5 }' | sort -u | wc -l)" = 1 ] ||
    fail 'files of several owners or times'

# A git that fails stands for none.
mkdir "$work/bin" "$work/tree"
printf '#!/bin/sh\necho no git here >&2\nexit 127\n' >"$work/bin/git"
chmod +x "$work/bin/git"
PATH=$work/bin:$PATH
export PATH
tar -xf "$tarball" -C "$work/tree"
cd "$work/tree/$name"
${MAKE:-make} --no-print-directory -j"$(nproc)" all man >"$work/build.log" 2>&1 || fail 'make in the tarball'
if grep -qiE '(^|[^a-z/])git|warning' "$work/build.log"; then fail 'make says something'; fi
version=$(VERSION=$(sed -n 's/^VERSION := //p' Makefile) RELEASE='' B=build sh ci/package/package.sh version)
[ "assay-$version" = "$name" ] || fail "the tarball's version is $version, expected $name"
[ "$(sh ci/tracked.sh | tr -cd '\000' | wc -c)" = "$(wc -l <"$work/packed")" ] ||
    fail 'ci/tracked.sh lists other files than those of the commit'
build/assay golden check --filter='add.*' >"$work/golden.log" 2>&1 || fail 'golden check'
build/assay conformance --filter='add.*' --quiet >"$work/cases.log" 2>&1 || fail 'conformance'
if ${MAKE:-make} --no-print-directory dist >"$work/none.log" 2>&1; then fail 'make dist without git'; fi
grep -q 'there is no .git here' "$work/none.log" || fail 'make dist without git: no reason'
echo "dist-test: $name.tar.xz: reproducible, $(wc -l <"$work/packed") files; built without git:" \
    "$(tail -n 1 "$work/cases.log")"

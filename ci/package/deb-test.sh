#!/bin/sh
# Builds the Debian packages twice, and installs, uses and removes them on a bare Debian:
# deb-test.sh, with B, CC and MAKE as make has them.  Root, network.  With BUILT=1 it builds none, and
# takes those in B/deb.
set -eu
work=$(pwd)/$B/deb-test
# A chroot in a directory that others could not read would be of no use to nobody.
root=$(mktemp -d)
chmod 755 "$root"
fail()
{
    echo "deb-test: FAILED: $*" >&2
    exit 1
}

# run NAME COMMAND...: the output goes to a log, and is shown when the command fails.
run()
{
    log=$work/$1.log
    shift
    "$@" >"$log" 2>&1 || { tail -n 40 "$log" >&2; fail "$*"; }
}

leave()
{
    umount "$root/proc" 2>/dev/null || true
    mountpoint -q "$root/proc" || rm -rf "$root"
}
trap leave EXIT
trap 'exit 130' INT TERM

inside()
{
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
        chroot "$root" "$@"
}

user()
{
    inside setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# All of the system but what apt and dpkg write about themselves.
files()
{
    inside find / -xdev ! -path '/proc/*' ! -path '/tmp/*' ! -path '/var/lib/dpkg/*' \
        ! -path '/var/lib/apt/*' ! -path '/var/cache/*' ! -path '/var/log/*' ! -path '/etc/ld.so.cache' |
        LC_ALL=C sort
}

[ "$(id -u)" = 0 ] || fail 'needs root, for a chroot'
rm -rf "$work"
mkdir -p "$work"
built="as they were"
if [ -z "${BUILT:-}" ]; then
    built=reproducible
    run build ${MAKE:-make} --no-print-directory B="$B" deb
    # The second time in another place, without git.
    mkdir "$root/second"
    tar -xf "$B"/deb/*.orig.tar.xz -C "$root/second" --strip-components=1
    (cd "$root/second" && run build-again ${MAKE:-make} --no-print-directory B=build deb)
    for package in "$B"/deb/*.deb; do
        cmp "$package" "$root/second/build/deb/$(basename "$package")" || fail 'two builds differ'
    done
    rm -rf "$root/second"
fi
rm -f "$B"/deb/*-dbgsym_*.deb
run lintian lintian --allow-root --fail-on error,warning --suppress-tags bad-distribution-in-changes-file \
    "$B"/deb/*.deb "$B"/deb/*.dsc
for package in "$B"/deb/*.deb; do dpkg-deb --extract "$package" "$work/unpacked"; done
sh ci/package/manifest.sh ci/package/deb-files.txt "$work/unpacked" || fail 'files of the packages'

# A system with apt and little else, and what the packages recommend.
if [ ! -s "$B/deb-base.tar" ]; then
    run base mmdebstrap --variant=minbase --include=mesa-vulkan-drivers,gcc,libc6-dev,pkg-config \
        "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" "$B/deb-base.new.tar"
    mv "$B/deb-base.new.tar" "$B/deb-base.tar"
fi
tar -xf "$B/deb-base.tar" -C "$root" --exclude='./dev/*'
mknod "$root/dev/null" c 1 3
chmod 666 "$root/dev/null"
mount -t proc proc "$root/proc"
files >"$work/before"
mkdir "$root/tmp/deb"
cp "$B"/deb/*.deb "$root/tmp/deb/"
[ -s "$root/etc/resolv.conf" ] || cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
run apt-update inside apt-get update
run apt-install inside sh -c 'apt-get install -y --no-install-recommends /tmp/deb/*.deb'

# As a user who is nobody.
run devices user assay devices
run conformance user assay conformance --filter='add.*' --quiet
cases=$(sed -n 's/^conformance: \([0-9]*\) checks: .* 0 failed.*/\1/p' "$work/conformance.log")
[ "${cases:-0}" -gt 0 ] || fail "conformance: $(tail -n 1 "$work/conformance.log")"
run golden user assay golden check --filter='add.*'
grep -q ' 0 failed' "$work/golden.log" || fail 'golden check'
run digits user assay conformance --models --filter='digits_f32'
! grep -q 'models: skipped' "$work/digits.log" || fail 'the digit models are not found'
cp golden/digits/digits_f32.tflite "$root/tmp/"
for example in gpu_v2 classify; do
    run "cc-$example" inside sh -c "cc -Wall -Werror -o /tmp/$example \
        /usr/share/doc/libassay-dev/examples/$example.c \$(pkg-config --cflags --libs assay)"
    run "$example" user "/tmp/$example" /tmp/digits_f32.tflite
done
library=$(inside pkg-config --variable=accelerator_dir assay)/libLiteRtGpuAccelerator.so
inside readlink -e "$library" | grep -q '/assay/libassay_delegate.so$' || fail "$library is not the delegate"

run apt-purge inside sh -c 'apt-get purge -y assay assay-data libassay0 libassay-delegate0 libassay-dev &&
    apt-get autoremove --purge -y'
files >"$work/after"
comm -13 "$work/before" "$work/after" >"$work/left"
[ ! -s "$work/left" ] || fail "left after purge: $(head -n 5 "$work/left")"
echo "deb-test: $(find "$B/deb" -name '*.deb' | wc -l) packages: $built, lintian clean; on a bare Debian" \
    "$cases checks without a failure; nothing is left after purge"

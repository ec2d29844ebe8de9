#!/bin/sh
# Builds and tests on other machines, and writes a table: architectures, compilers, drivers, and
# devices that lack features.  Root, network, an hour each; processors other than this one's are
# qemu's: install qemu-user-static, and the cross compiler; binfmt_misc must know qemu.
#     ci/ports.sh             all ports that are not done
#     ci/ports.sh NAME...     these; ports.sh list names them
#     ci/ports.sh again NAME  forgets what NAME has come to, but not its system
#     ci/ports.sh table       the table of what has been run, for PORTS.md
# Each step that is done leaves a file in $PORTS (~/.cache/assay-ports), and an interrupted run goes
# on with the next one.  MIRROR is a Debian mirror; without it, that of this system.  SHARE=10 runs a
# tenth of the cases, JOBS=2 is how many processes, UNIT_SECONDS=1800 what a unit program may take.
set -eu
cd "$(dirname "$0")/.."
here=$PWD
ports=${PORTS:-${XDG_CACHE_HOME:-$HOME/.cache}/assay-ports}
share=${SHARE:-10}
jobs=${JOBS:-2}
nice=${NICE:-19}

# name  architecture  suite of Debian  compiler  what is run  hidden features
#     all: make check and cases on the software device of that system; under qemu, unit programs
#         and goldens in place of make check, those of the reference first
#     f32: unit programs of the reference, goldens, cases in precision fp32 and none of f16 models:
#         the LLVM of that system stops the process at most shaders that read f16
#     refused: no system is made; the compiler must refuse what reads models
list()
{
    cat <<'ports'
i386-12         i386    bookworm    gcc      all
amd64-13        amd64   trixie      gcc      all
amd64-13-clang  amd64   trixie      clang    all
amd64-sid       amd64   sid         gcc      all
arm64-12        arm64   bookworm    gcc      f32
arm64-13        arm64   trixie      gcc      all
s390x-12        s390x   bookworm    gcc      refused
no-float16      here    -           -        cases      float16
no-storage16    here    -           -        cases      storage16
no-8bit         here    -           -        cases      storage8,int8
no-dot          here    -           -        cases      dot
no-subgroup     here    -           -        cases      subgroup
no-feature      here    -           -        cases      float16,int8,storage16,storage8,dot,subgroup
ports
}

say()
{
    echo "ports: $*" >&2
}

# The first mirror that apt uses here.
mirror()
{
    [ -z "${MIRROR:-}" ] || { echo "$MIRROR"; return; }
    apt-get indextargets --format '$(SITE)' 'Identifier: Packages' 2>/dev/null | head -n 1 | grep . ||
        { say 'set MIRROR to a mirror of Debian'; exit 2; }
}

# step NAME FUNCTION: calls it, once.
step()
{
    [ -e "$state/$1.done" ] && return
    say "$port: $1"
    start=$(date +%s)
    if ! "$2" >"$state/$1.log" 2>&1; then
        say "$port: $1 failed; $state/$1.log ends:"
        tail -n 5 "$state/$1.log" >&2
        return 1
    fi
    echo $(($(date +%s) - start)) >"$state/$1.done"
}

inside()
{
    nice -n $nice chroot "$root" env $environment sh -c "cd /assay && $1"
}

native()
{
    [ "$arch" = amd64 ] || [ "$arch" = i386 ]
}

libraries='libc6-dev libhdf5-dev libjansson-dev libjpeg-dev libpng-dev libmd-dev libxxhash-dev zlib1g-dev
           libvulkan-dev mesa-vulkan-drivers libcmocka-dev'

# Of another processor the packages are unpacked and not configured, which qemu would do in twenty
# minutes; absolute links to libraries would lead the linker out of the root, to lib*.a instead.
make_foreign_root()
{
    [ -e /proc/sys/fs/binfmt_misc/qemu-$machine ] ||
        { say "binfmt_misc does not know qemu-$machine: mount it, and install qemu-user-static"; return 1; }
    nice -n $nice mmdebstrap --variant=extract --architectures=$arch \
        --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
        --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='APT::Install-Recommends "false"' \
        --include="$(echo dash coreutils sed grep findutils binutils $libraries | tr ' ' ',')" \
        $suite "$root" "deb $(mirror) $suite main" || return 1
    find "$root/usr/lib/$machine-linux-gnu" -maxdepth 1 -lname '/*' | while read -r link; do
        ln -sfr "$root$(readlink "$link")" "$link"
    done
    mkdir -p "$root/proc" "$root/sys" "$root/dev" "$root/tmp" "$root/root"
    chroot "$root" /bin/sh -c :
}

make_root()
{
    rm -rf --one-file-system "$root"
    if ! native; then
        make_foreign_root
        return
    fi
    packages="gcc make pkg-config git glslang-tools spirv-tools zopfli $libraries
              python3 python3-jsonschema libxml2-utils"
    [ $cc != clang ] || packages="$packages clang"
    nice -n $nice mmdebstrap --variant=apt --architectures=$arch \
        --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='APT::Install-Recommends "false"' \
        --include="$(echo $packages | tr ' ' ',')" $suite "$root" "deb $(mirror) $suite main"
}

# The source, and the shaders of this system: SPIR-V is the same everywhere.
put_source()
{
    make -j$jobs all
    mkdir -p "$root/assay"
    # What differs gets the time of now: make compares times.
    sh ci/tracked.sh '*' | rsync -rlp --checksum --from0 --files-from=- . "$root/assay/"
    rsync -a --include='*/' --include='*.spv' --include='glslang_flags' --include='spirv_data.c' \
        --exclude='*' build/ "$root/assay/build/"
}

# Shaders are not compiled again under qemu: they are newer than their sources.
no_shaders()
{
    find "$root/assay/build" -name '*.spv' -exec touch {} +
    touch "$root/assay/build/delegate/spirv_data.c"
}

layers()
{
    [ $part = all ] && echo reference delegate conformance || echo reference
}

build()
{
    targets='all build/examples/classify'
    for layer in $(layers); do
        targets="$targets build/tests/$layer"
    done
    no_shaders
    if native; then
        inside "$cc --version" | head -n 1 >"$state/compiler.txt"
        inside "make -k -j$jobs CC=$cc $(echo $targets)"
    else # a cross compiler, and the libraries of the system
        triple=$machine-linux-gnu
        $triple-gcc --version | head -n 1 >"$state/compiler.txt"
        (cd "$root/assay" && PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$root/usr/lib/$triple/pkgconfig:$root/usr/share/pkgconfig \
            nice -n $nice make -k -j$jobs CC="$triple-gcc --sysroot=$root" $(echo $targets))
    fi
}

# The tests of a file, with a line in the result: kind, run, failed, name.  What has not ended in time is no
# failure, and is tried again when the step is.
unit_program()
{
    log=$state/unit.$(echo "$1" | tr / .).log
    timeout ${UNIT_SECONDS:-1800} nice -n $nice chroot "$root" env $environment sh -c \
        "cd /assay && build/tests/${1%/*} ${1#*/}" >"$log" 2>&1 && code=0 || code=$?
    passed=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log" | awk '{ s += $1 } END { print s + 0 }')
    failed=$(sed -n 's/^\[  FAILED  \] \([^ ]*: \)*\([0-9][0-9]*\) test.*/\2/p' "$log" | awk '{ s += $1 } END { print s + 0 }')
    if [ $code = 124 ]; then
        printf 'late\t1\t0\t%s\n' "$1" >>"$state/result.tsv"
        return
    fi
    [ $code = 0 ] || [ "$failed" -gt 0 ] || failed=1
    printf 'unit\t%d\t%d\t%s\n' $((passed + failed)) "$failed" "$1" >>"$state/result.tsv"
}

units_of()
{
    for layer; do
        for file in $(chroot "$root" sh -c "cd /assay && build/tests/$layer --list"); do
            name=$layer/$file
            case $name in
            # Of the host's own tools, and minutes long.
            conformance/test_litert_real | conformance/test_html | delegate/test_scale) continue ;;
            esac
            grep -q "^unit	.*	$name\$" "$state/result.tsv" 2>/dev/null || unit_program "$name"
        done
    done
}

reference_units()
{
    units_of reference
}

# What is left of the unit programs, those that compile many shaders last: hours under qemu.
other_units()
{
    [ $part != all ] || units_of conformance delegate
}

# Counted from its last lines; a failure is told at once, and ends the port.
check()
{
    inside "make -j$jobs CC=$cc check" || return 1
    passed=$(sed -n 's/^unit: \([0-9]*\) tests passed/\1/p' "$state/check.log")
    printf 'unit\t%d\t0\tmake check\n' "${passed:-0}" >>"$state/result.tsv"
    passed=$(sed -n 's/.* \([0-9][0-9]*\) passed.*/\1/p' "$root/assay/build/check/golden.log" | tail -n 1)
    printf 'goldens\t%d\t0\tmake check\n' "${passed:-0}" >>"$state/result.tsv"
    total=$(sed -n 's/^check: all passed: \([0-9]*\) tests/\1/p' "$state/check.log")
    printf 'check\t%d\t0\t\n' "$total" >>"$state/result.tsv"
}

goldens()
{
    # Under qemu, libhdf5 takes longer than a reader may otherwise.
    inside 'ASSAY_LIMITS=parser_seconds=1800 build/assay golden check' >"$state/goldens.txt" 2>&1 || true
    last=$(grep -E '[0-9] passed' "$state/goldens.txt" | tail -n 1)
    echo "$last"
    passed=$(echo "$last" | sed -n 's/.*[^0-9]\([0-9][0-9]*\) passed.*/\1/p')
    failed=$(echo "$last" | sed -n 's/.*[^0-9]\([0-9][0-9]*\) failed.*/\1/p')
    printf 'goldens\t%d\t%d\t\n' $((${passed:-0} + ${failed:-1})) "${failed:-1}" >>"$state/result.tsv"
}

# The last line of `assay conformance` in a file.
count_cases()
{
    only=
    [ $part != f32 ] || only=--delegate-option=precision=fp32
    last=$(tail -n 1 "$1")
    echo "$last"
    passed=$(echo "$last" | sed -n 's/.* \([0-9]*\) passed.*/\1/p')
    failed=$(echo "$last" | grep -oE '[0-9]+ (failed|crashed|timed out)' | awk '{ s += $1 } END { if (NR) print s }')
    printf 'cases\t%d\t%d\t%s\n' $((${passed:-0} + ${failed:-1})) "${failed:-1}" "$2" >>"$state/result.tsv"
}

device_of()
{
    sed -n 's/^ *\(.*llvmpipe.*\)/\1/p' "$1" | head -n 1
}

cases()
{
    only=
    [ $part != f32 ] || only=--delegate-option=precision=fp32
    inside 'build/assay devices' >"$state/devices.txt" 2>&1 || true
    inside "LP_NUM_THREADS=0 build/assay conformance --shard=1/$share --jobs=$jobs --timeout=$case_seconds --give-up=0 $only --out=build/ports.json --format=json --resume=auto" \
        >"$state/cases.txt" 2>&1 || true
    inside 'build/assay report show build/ports.json' >"$state/cases.txt" 2>&1 || true
    count_cases "$state/cases.txt" "1 of $share"
}

cases_without()
{
    make -j$jobs all build/mock/features.so
    ASSAY_HIDDEN_FEATURES=$hidden LD_PRELOAD=$here/build/mock/features.so nice -n $nice build/assay conformance \
        --shard=1/$share --jobs=$jobs >"$state/cases.txt" 2>&1 || true
    build/assay devices >"$state/devices.txt" 2>&1 || true
    count_cases "$state/cases.txt" "1 of $share"
}

# Every source of the reference compiles but that which reads models, and this is refused in words.
refused()
{
    $machine-linux-gnu-gcc --version | head -n 1 >"$state/compiler.txt"
    sh ci/byte-order.sh build || return 1
    compiled=0
    for source in reference/*/*.c; do
        if $machine-linux-gnu-gcc -std=c11 -O1 -D_GNU_SOURCE -DASSAY_VERSION='"0"' -I. -Ireference/include \
            -fsyntax-only "$source" 2>"$state/refusal.txt"; then
            compiled=$((compiled + 1))
        elif [ "$source" != reference/format/read.c ] || ! grep -q '#error "big-endian' "$state/refusal.txt"; then
            cat "$state/refusal.txt"
            return 1
        fi
    done
    echo "$compiled other sources of the reference compile"
    echo 'refused when compiled: big-endian' >"$state/note.txt"
}

run_port()
{
    port=$1 arch=$2 suite=$3 cc=$4 part=$5 hidden=${6:-}
    state=$ports/$port root=$ports/root-$suite-$arch
    mkdir -p "$state"
    machine=$([ $arch = arm64 ] && echo aarch64 || echo $arch)
    # qemu compiles shaders slowly, and five times as slowly where it computes pointer authentication.
    case_seconds=60 environment='LC_ALL=C.UTF-8 HOME=/root'
    native || case_seconds=600 environment="$environment QEMU_CPU=neoverse-n1"
    if [ $part = refused ]; then
        step refused refused
        return
    fi
    if [ $arch = here ]; then
        step cases cases_without
        return
    fi
    [ $cc != clang ] || root=$root-clang
    state_of_port=$state
    state=$ports/of-$(basename "$root")
    mkdir -p "$state"
    step root make_root || return 1
    state=$state_of_port
    roots="$roots $root"
    for folder in proc sys dev dev/pts; do
        mountpoint -q "$root/$folder" || mount --bind --make-private /$folder "$root/$folder"
    done
    mountpoint -q "$root/dev/shm" || mount -t tmpfs tmpfs "$root/dev/shm"
    step source put_source && step build build || return 1
    if native; then
        step check check && step cases cases
        return
    fi
    step unit reference_units && step goldens goldens && step cases cases && step other-units other_units
}

# Leaves nothing mounted behind; another run may have its own.
unmount()
{
    for folder in dev/shm dev/pts dev sys proc; do
        for root in $roots; do
            ! mountpoint -q "$root/$folder" 2>/dev/null || umount "$root/$folder" || true
        done
    done
}

sums()
{
    awk -F '\t' -v kind="$1" '$1 == kind { run += $2; failed += $3 }
        END { printf run ? (failed ? run ", " failed " failed" : run) : "-" }' "$2"
}

# Programs that never ended in time.
late()
{
    awk -F '\t' '$1 == "late" { late[$4] } $1 == "unit" { ended[$4] }
        END {
            for (name in ended)
                delete late[name]
            for (name in late)
                n++
            if (n) printf "; %d programs did not end", n
        }' "$1"
}

table()
{
    echo '| port | compiler | driver | make check | unit tests | goldens | cases |'
    echo '|---|---|---|---|---|---|---|'
    list | while read -r port arch suite cc part hidden; do
        state=$ports/$port
        [ -s "$state/result.tsv" ] || [ -s "$state/note.txt" ] || continue
        compiler=$(sed -n 1p "$state/compiler.txt" 2>/dev/null || echo "that of this system")
        driver=$(grep -oE 'llvmpipe \([^)]*\)' "$state/devices.txt" 2>/dev/null | head -n 1)
        if [ -s "$state/note.txt" ]; then
            echo "| $port | $compiler | none | $(cat "$state/note.txt") | - | - | - |"
            continue
        fi
        echo "| $port | $compiler | ${driver:-none} | $(sums check "$state/result.tsv") |" \
            "$(sums unit "$state/result.tsv")$(late "$state/result.tsv") | $(sums goldens "$state/result.tsv") | $(sums cases "$state/result.tsv") |"
    done
}

case ${1:-} in
list) list; exit ;;
table) table; exit ;;
again) shift; for port; do rm -rf "${ports:?}/$port"; done; exit ;;
esac
[ "$(id -u)" = 0 ] || { say 'run as root: it makes systems and enters them'; exit 2; }
for tool in mmdebstrap rsync; do
    command -v $tool >/dev/null || { say "install $tool"; exit 2; }
done
mkdir -p "$ports"
roots=
trap unmount EXIT
trap 'exit 130' INT TERM
[ $# -gt 0 ] || set -- $(list | awk '{ print $1 }')
bad=0
for name; do
    line=$(list | awk -v name="$name" '$1 == name')
    [ -n "$line" ] || { say "no port is named $name; ports.sh list names them"; exit 2; }
    run_port $line || bad=1
done
table
exit $bad

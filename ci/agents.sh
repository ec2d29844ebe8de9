#!/bin/sh
# assay-agent for other machines: agents.sh cross|android BUILD_DIRECTORY, with MAKE and WERROR as make has them.
#
# cross: builds it for aarch64, armhf and riscv64 (Debian's gcc-aarch64-linux-gnu, gcc-arm-linux-gnueabihf,
# gcc-riscv64-linux-gnu), and runs a sample of the suite and of the hostile models under qemu-user: the
# verdicts have to be those of the agent of this machine.  MACHINES='armhf' picks some.
#
# android: without the NDK, which has bionic's headers.  Debian's clang compiles every source for
# aarch64-linux-android30 with glibc's headers; what is then undefined has to stand in
# conformance/agent/bionic.txt; and lld links it as Android wants it, with stubs in the place of
# libraries.  It cannot be run here.
set -eu
what=$1
b=$2
here=$(cd "$(dirname "$0")/.." && pwd)
cd "$here"
work=$b/agents
mkdir -p "$work"
say()
{
    echo "agents: $*"
}
fail()
{
    say "FAILED: $*" >&2
    exit 1
}

# ---- other processors ----

# verdicts SUBJECT FILE: each case of the sample, with its status.
verdicts()
{
    "$b/assay" conformance --subject="$1" --limit=1 --no-models --habits=none --jobs=2 --quiet --format=csv \
        --filter='*.f32.*' --filter='*.i8.*' --filter='*.i16.*' --out="$2.csv" >"$2.log" 2>&1 || [ $? = 1 ]
    "$b/assay" hostile --subject="$1" --limit=100 --jobs=2 --quiet --format=csv --filter='reader.*' --filter='whole.*' \
        --filter='cut.*' --filter='flip.*' --out="$2.hostile.csv" >>"$2.log" 2>&1 || [ $? = 1 ]
    # Case and status; the subject and its figures are others.
    for csv in "$2.csv" "$2.hostile.csv"; do
        [ -s "$csv" ] || { cat "$2.log" >&2; fail "$1: no report"; }
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { print $at["case"], $at["status"] }' "$csv"
    done | grep -v '^reader.elements_at_limit ' >"$2" # a size that 32 bits do not hold
}

cross()
{
    checked=0
    verdicts "exec:$b/assay-agent --subject=reference" "$work/native"
    for machine in ${MACHINES:-aarch64 armhf riscv64}; do
        case $machine in
            armhf) triple=arm-linux-gnueabihf qemu=qemu-arm ;;
            *) triple=$machine-linux-gnu qemu=qemu-$machine ;;
        esac
        for tool in "$triple-gcc" "$qemu"; do
            command -v "$tool" >/dev/null || { say "$machine: not checked: no $tool"; continue 2; }
        done
        ${MAKE:-make} --no-print-directory CC="$triple-gcc" B="$work/$machine" "$work/$machine/assay-agent" \
            >"$work/$machine.log" 2>&1 || { cat "$work/$machine.log" >&2; fail "$machine: it is not built"; }
        verdicts "exec:$qemu -L /usr/$triple $work/$machine/assay-agent --subject=reference" "$work/$machine.txt"
        diff "$work/native" "$work/$machine.txt" >"$work/$machine.diff" ||
            { cat "$work/$machine.diff" >&2; fail "$machine: other verdicts"; }
        "$triple-strip" -o "$work/$machine/stripped" "$work/$machine/assay-agent"
        say "$machine: $(wc -l <"$work/native") verdicts as here," \
            "$(grep -c pass "$work/native") of them pass; $(wc -c <"$work/$machine/stripped") bytes"
        checked=$((checked + 1))
    done
    say "$checked machines"
}

# ---- Android ----

# What glibc's headers and the compiler name otherwise than the NDK's.
others='__assert_fail __isoc99_fscanf __isoc99_sscanf __emutls_get_address'

android()
{
    triple=aarch64-linux-android30
    nm=llvm-nm
    headers=/usr/aarch64-linux-gnu/include
    for tool in clang ld.lld $nm llvm-readelf; do
        command -v $tool >/dev/null || { say "android: not checked: no $tool"; return; }
    done
    [ -e $headers/stdio.h ] || { say "android: not checked: no $headers (libc6-dev-arm64-cross)"; return; }
    work=$work/android
    rm -rf "$work"
    mkdir -p "$work"
    cc="clang --target=$triple -std=c11 -O0 -fPIC -w -ffunction-sections -fdata-sections -D_GNU_SOURCE
        -D__errno_location=__errno -D__NO_CTYPE -DASSAY_VERSION=\"0\" -I. -Ireference/include -Idelegate/include -isystem $headers"
    for source in $(${MAKE:-make} --no-print-directory -s B="$b" agent-sources); do
        echo "$source $work/$(echo "$source" | tr / _).o"
    done | CC="$cc" xargs -P2 -n2 sh -c '$CC -c -o "$1" "$0"' || fail 'a source does not compile'
    ar rcs "$work/all.a" "$work"/*.o
    # bionic's own crt1 does this.
    cat >"$work/crt.c" <<'C'
int main(int argc, char **argv, char **envp);
_Noreturn void __libc_init(void *args, void (*unused)(void), int (*start)(int, char **, char **),
                           void *arrays);
static void *arrays[4];
void start_c(void *args)
{
    __libc_init(args, 0, main, arrays);
}
__asm__(".globl _start\n_start: mov x0, sp\n b start_c\n");
C
    $cc -c -o "$work/crt.o" "$work/crt.c"
    link="ld.lld -pie --gc-sections -z max-page-size=16384 -dynamic-linker /system/bin/linker64"
    $link --unresolved-symbols=ignore-all -o "$work/open" "$work/crt.o" "$work"/conformance_agent_*.o "$work/all.a"
    $nm -D -u "$work/open" | awk '{ print $NF }' | sort -u >"$work/undefined"
    for name in $(cat "$work/undefined"); do
        case " $others __libc_init " in *" $name "*) continue ;; esac
        grep -qx "$name" conformance/agent/bionic.txt ||
            fail "android: $name is not in conformance/agent/bionic.txt: has bionic had it since API 30?"
    done
    sed 's/.*/void &(void) {}/' "$work/undefined" >"$work/stubs.c"
    clang --target=$triple -w -ffreestanding -fno-builtin -shared -nostdlib -fuse-ld=lld -Wl,-soname,libc.so \
        -o "$work/libc.so" "$work/stubs.c"
    $link -o "$work/assay-agent" "$work/crt.o" "$work"/conformance_agent_*.o "$work/all.a" "$work/libc.so"
    llvm-readelf -hld --wide "$work/assay-agent" >"$work/elf"
    for words in 'Type: *DYN' 'Machine: *AArch64' '/system/bin/linker64' 'LOAD .* 0x4000$' 'NEEDED.*\[libc.so\]'; do
        grep -q "$words" "$work/elf" || { cat "$work/elf" >&2; fail "android: no $words"; }
    done
    say "android: $(ls "$work"/*.o | wc -l) objects for $triple, $(wc -l <"$work/undefined") names of bionic's"
}

case $what in
    cross | android) $what ;;
    *) fail "expected cross or android, found $what" ;;
esac

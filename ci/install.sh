#!/bin/sh
# Installs into an empty directory, then builds a program against it with pkg-config, as a user would:
# install.sh BUILD_DIRECTORY WORK_DIRECTORY, with CC and MAKE as make has them.
set -eu
b=$1
work=$2/install
root=$work/root
fail()
{
    cat "$work"/*.log >&2
    echo "install: FAILED: $*" >&2
    exit 1
}

rm -rf "$work"
mkdir -p "$work"
${MAKE:-make} --no-print-directory B="$b" DESTDIR="$root" PREFIX=/opt/assay install \
    >"$work/make.log" 2>&1 || fail 'make install'
for file in bin/assay bin/assay-agent lib/libassay.so lib/libassay_delegate.so lib/pkgconfig/assay.pc \
    lib/pkgconfig/assay-delegate.pc \
    lib/assay/libassay_delegate.so lib/assay/litert/libLiteRtGpuAccelerator.so \
    include/assay_gpu.h include/tensorflow/lite/c/c_api.h \
    include/assay/delegate/assay_gpu.h include/assay/runtime/tensorflow/lite/c/c_api.h \
    include/tensorflow/lite/builtin_ops.h include/tensorflow/lite/delegates/gpu/delegate.h share/assay/golden/digits/labels.txt \
    share/doc/assay/LICENSE share/doc/assay/conformance/doc/CASES.md share/assay/versions.tsv \
    share/assay/schemas/report.schema.json \
    share/man/man1/assay.1 share/man/man1/assay-agent.1 share/man/man1/assay-conformance.1 \
    share/bash-completion/completions/assay share/bash-completion/completions/assay-agent; do
    [ -s "$root/opt/assay/$file" ] || fail "$file is not there"
done
[ -z "$(find "$root" -type f ! -path "$root/opt/assay/*")" ] || fail 'something lies outside of PREFIX'

# pkg-config puts the sysroot before the paths of the .pc file, as if $root were the root.
top=$(cd "$root" && pwd)
PKG_CONFIG_LIBDIR=$top/opt/assay/lib/pkgconfig
export PKG_CONFIG_LIBDIR
[ "$(pkg-config --variable=delegate assay)" = /opt/assay/lib/assay/libassay_delegate.so ] ||
    fail 'pkg-config: where the delegate is'
# LiteRT's name for the library is the installed delegate, and has what LiteRT looks for.
litert=$(pkg-config --variable=accelerator_dir assay)
[ "$(readlink -f "$top$litert/libLiteRtGpuAccelerator.so")" = "$top/opt/assay/lib/assay/libassay_delegate.so" ] ||
    fail 'libLiteRtGpuAccelerator.so is not the delegate'
readelf --dyn-syms --wide "$top$litert/libLiteRtGpuAccelerator.so" >"$work/symbols.log"
grep -qE 'GLOBAL +DEFAULT +[0-9]+ LiteRtAcceleratorImpl' "$work/symbols.log" ||
    fail 'libLiteRtGpuAccelerator.so does not export LiteRtAcceleratorImpl'
if grep -q ' LiteRt[A-Z].* UND\|UND LiteRt' "$work/symbols.log"; then fail 'the delegate needs LiteRT'; fi
PKG_CONFIG_SYSROOT_DIR=$top
export PKG_CONFIG_SYSROOT_DIR
# shellcheck disable=SC2046 # words on purpose
${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror -o "$work/gpu_v2" delegate/examples/gpu_v2.c \
    $(pkg-config --cflags --libs assay) ${SANITIZE:+-fsanitize=$SANITIZE} \
    >"$work/cc.log" 2>&1 || fail 'the compiler'
# A delegate of one's own, from the installed headers, is judged by the installed program.
# shellcheck disable=SC2046
${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror -shared -fPIC -o "$work/own.so" \
    delegate/examples/own_delegate.c $(pkg-config --cflags --libs assay) ${SANITIZE:+-fsanitize=$SANITIZE} \
    >"$work/cc.log" 2>&1 || fail 'the compiler, of own_delegate.c'
LD_LIBRARY_PATH=$top/opt/assay/lib "$root/opt/assay/bin/assay" conformance --delegate="$work/own.so" \
    --filter='relu.f32.c*' --quiet >"$work/own.log" 2>&1 || fail 'own_delegate.c is wrong'
grep -q ' passed, 0 failed, 0 declined' "$work/own.log" || fail 'own_delegate.c does not take its op'

run()
{
    LD_LIBRARY_PATH=$top/opt/assay/lib "$work/gpu_v2" "$@" 2>"$work/run.log"
}

"$root/opt/assay/bin/assay" zoo mobilenet_v1 --width=0.25 --res=32 --classes=10 -o "$work/m.tflite" \
    >"$work/zoo.log" 2>&1 || fail 'zoo'
run "$work/m.tflite" >"$work/result" || fail 'gpu_v2 with MobileNet'
grep -qE '^[0-9] 0\.[0-9]+$' "$work/result" || { cat "$work/result" >&2; fail 'gpu_v2: no class'; }
if run "$work/none.tflite" >"$work/result"; then fail 'gpu_v2 without a model'; fi
files=$(find "$root" -type f | wc -l)

# Those who have another TensorFlow Lite C library get neither ours nor its headers.
case $(pkg-config --cflags --libs assay-delegate) in
*-lassay\ * | *-lassay | *runtime*) fail 'assay-delegate.pc names the runtime' ;;
*-lassay_delegate*) ;;
*) fail 'assay-delegate.pc does not name the delegate' ;;
esac

again()
{
    action=$1
    shift
    ${MAKE:-make} --no-print-directory B="$b" DESTDIR="$root" PREFIX=/opt/assay "$@" "$action" \
        >"$work/make.log" 2>&1 || fail "make $action $*"
}
# A second installation leaves out what it lacks; libraries may lie apart from the program.
again install LIBDIR=/opt/assay/lib/any-linux TFLITE_HEADERS=no
[ ! -e "$root/opt/assay/include/tensorflow" ] || fail 'TFLITE_HEADERS=no: headers are there'
[ ! -e "$root/opt/assay/lib/libassay.so" ] || fail 'LIBDIR: a library of the first installation is left'
"$root/opt/assay/bin/assay" inspect "$work/m.tflite" >"$work/result" || fail 'LIBDIR: assay finds no delegate'
again uninstall LIBDIR=/opt/assay/lib/any-linux
[ -z "$(find "$root" ! -type d)" ] || fail "uninstall: left is $(find "$root" ! -type d | head -n 1)"

# Headers of a real TensorFlow Lite, and files that others have changed since, stay as they are.
header=$root/opt/assay/include/tensorflow/lite/c/c_api.h
mkdir -p "$(dirname "$header")"
echo '/* the real one */' >"$header"
again install
grep -q "$header is not Assay's" "$work/make.log" || fail 'install: no word about headers of another'
[ ! -e "$root/opt/assay/include/tensorflow/lite/c/common.h" ] || fail 'headers of two projects are mixed'
echo 'changed' >>"$root/opt/assay/share/assay/versions.tsv"
again uninstall
[ "$(cat "$header")" = '/* the real one */' ] || fail 'uninstall: the header of another is gone'
[ "$(find "$root" ! -type d | wc -l)" = 2 ] || fail 'uninstall: expected two files of others'
if ${MAKE:-make} B="$b" DESTDIR="$root" PREFIX=/opt/assay uninstall >"$work/make.log" 2>&1; then
    fail 'uninstall of nothing'
fi
echo "install: a program built with pkg-config runs MobileNet: $files files; uninstall removes them"

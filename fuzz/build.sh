#!/bin/sh
# Builds all fuzz targets as OSS-Fuzz does: with $CC, $CXX, $CFLAGS, $CXXFLAGS and
# $LIB_FUZZING_ENGINE, into $OUT: a program, seeds (TARGET_seed_corpus.zip), words (TARGET.dict) and
# settings (TARGET.options) for each target.  Without these variables: clang and libFuzzer, with
# AddressSanitizer and UBSan, into build/oss-fuzz.
#
# For AFL++, whose driver has the same entry point:
#     CC=afl-clang-fast CXX=afl-clang-fast++ LIB_FUZZING_ENGINE=-fsanitize=fuzzer \
#         CFLAGS='-O1 -g' OUT=build/afl sh fuzz/build.sh
#     afl-fuzz -i SEEDS -o FOUND -x build/afl/models.dict -- build/afl/fuzz_models
# Any other program that runs files can be an engine, too: LIB_FUZZING_ENGINE=fuzz/replay.c is one
# without a fuzzer.
set -eu
cd "$(dirname "$0")/.."
: "${CC:=clang}" "${CXX:=clang++}" "${LIB_FUZZING_ENGINE:=-fsanitize=fuzzer}"
: "${CFLAGS=-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined}"
: "${OUT:=build/oss-fuzz}" "${WORK:=$OUT/work}"
mkdir -p "$OUT" "$WORK"

targets=$(for f in fuzz/*.c; do basename "$f" .c; done | grep -v '^replay$')
# The flags of the variables are those of the compiler and of the linker.
make -j"${JOBS:-$(nproc)}" B="$WORK" CC="$CC" OPT= HARDEN=no CFLAGS="$CFLAGS" LDFLAGS="$CFLAGS" \
    FUZZ_ENGINE="$LIB_FUZZING_ENGINE" $(for t in $targets; do echo "$WORK/fuzz/fuzz_$t"; done)

for t in $targets; do
    cp "$WORK/fuzz/fuzz_$t" "$OUT/fuzz_$t"
    if [ -d "fuzz/corpus/$t" ] && command -v zip >/dev/null; then
        rm -f "$OUT/fuzz_${t}_seed_corpus.zip"
        zip -q -j "$OUT/fuzz_${t}_seed_corpus.zip" "fuzz/corpus/$t"/*
    fi
    [ ! -f "fuzz/dict/$t.dict" ] || cp "fuzz/dict/$t.dict" "$OUT/fuzz_$t.dict"
    printf '[libfuzzer]\ntimeout = 10\nmalloc_limit_mb = 512\nrss_limit_mb = 2048\n' >"$OUT/fuzz_$t.options"
done
echo "build.sh: $(echo "$targets" | wc -l) targets in $OUT"

#!/bin/sh
# Builds the wheel twice, then installs and uses it in clean environments: wheel-test.sh, with B, CC and
# MAKE as make has them.  Python and network.
set -eu
work=$(pwd)/$B/wheel-test
fail()
{
    echo "wheel-test: FAILED: $*" >&2
    exit 1
}

# run NAME COMMAND...: the output goes to a log, and is shown when the command fails.
run()
{
    log=$work/$1.log
    shift
    "$@" >"$log" 2>&1 || { tail -n 40 "$log" >&2; fail "$*"; }
}

# environment NAME PACKAGE...: a venv with the wheel, and with PACKAGE... from PyPI.
environment()
{
    venv=$1
    shift
    python3 -m venv "$work/$venv"
    find "$work/$venv" | grep -v __pycache__ | LC_ALL=C sort >"$work/$venv.before"
    [ $# -eq 0 ] || run "$venv-pip" "$work/$venv/bin/pip" install --disable-pip-version-check "$@"
    run "$venv-wheel" "$work/$venv/bin/pip" install --disable-pip-version-check --no-index "$wheel"
}

rm -rf "$work"
mkdir -p "$work/first"
run build ${MAKE:-make} --no-print-directory B="$B" wheel
cp "$B"/wheel/*.whl "$work/first/"
run build-again ${MAKE:-make} --no-print-directory B="$B" wheel
wheel=$(echo "$(pwd)/$B"/wheel/*.whl)
cmp "$wheel" "$work"/first/*.whl || fail 'two builds differ'

# What is in it, as pip unpacks it; `wheel unpack` compares the hashes of RECORD.
run unpack "$B/package-venv/bin/wheel" unpack --dest "$work/unpacked" "$wheel"
sh ci/package/manifest.sh ci/package/wheel-files.txt "$work"/unpacked/* || fail 'files of the wheel'

# auditwheel knows what manylinux allows; libvulkan is the system's, like a driver.
tag=$(basename "$wheel" .whl | sed 's/.*-none-//')
run auditwheel env PATH="$(pwd)/$B/package-venv/bin:$PATH" auditwheel repair --plat "$tag" \
    --exclude libvulkan.so.1 --wheel-dir "$work/audited" "$wheel"
[ -f "$work/audited/$(basename "$wheel")" ] || fail "auditwheel has another tag than $tag"

# The wheel alone.
environment alone
cd /
version=$(sed -n 's/^Version: //p' "$work"/unpacked/*/*.dist-info/METADATA)
[ "$("$work/alone/bin/python" -c 'import assay; print(assay.__version__)')" = "$version" ] ||
    fail "assay.__version__ is not $version"
run conformance "$work/alone/bin/assay" conformance --filter='add.*' --quiet
cases=$(sed -n 's/^conformance: \([0-9]*\) checks: .* 0 failed.*/\1/p' "$work/conformance.log")
[ "${cases:-0}" -gt 0 ] || fail "conformance: $(tail -n 1 "$work/conformance.log")"
run devices "$work/alone/bin/python" -m assay devices
run digits "$work/alone/bin/assay" conformance --models --filter='digits_f32'
! grep -q 'models: skipped' "$work/digits.log" || fail 'the digit models are not found'
if "$work/alone/bin/python" -c 'import assay; assay.load_delegate()' >"$work/no-host.log" 2>&1; then
    fail 'load_delegate without a host'
fi
grep -q 'ImportError: assay.load_delegate: no TensorFlow Lite is installed' "$work/no-host.log" ||
    fail "$(cat "$work/no-host.log")"
run uninstall "$work/alone/bin/pip" uninstall --yes assay-tflite
find "$work/alone" | grep -v __pycache__ | LC_ALL=C sort | cmp - "$work/alone.before" ||
    fail 'pip uninstall leaves files'
cd - >/dev/null

# build/portable runs elsewhere, too, goldens and all.
run copy cp -R "$B/portable" "$work/portable"
(cd / && run portable "$work/portable/assay" golden check --filter='add.*')

export MESA_SHADER_CACHE_DIR="$work/shader-cache"
environment litert -r golden/requirements.txt
run litert "$work/litert/bin/python" ci/package/wheel_test.py ai_edge_litert "$work/add.tflite"
# The last tflite-runtime is for Python 3.8 to 3.11.
hosts='ai-edge-litert'
if python3 -c 'import sys; sys.exit(not (3, 8) <= sys.version_info[:2] <= (3, 11))'; then
    environment tflite tflite-runtime==2.14.0 'numpy<2'
    run tflite "$work/tflite/bin/python" ci/package/wheel_test.py tflite_runtime "$work/add.tflite"
    hosts="$hosts and tflite-runtime"
else
    echo 'wheel-test: skipped: tflite-runtime 2.14.0 is not for this Python'
fi
checks=$(sed -n 's/^wheel_test: .* \([0-9]*\) checks passed/\1/p' "$work/litert.log" "$work/tflite.log" 2>/dev/null |
    awk '{ s += $1 } END { print s }')
echo "wheel-test: $(basename "$wheel"): reproducible; $cases checks of the suite without a failure, $checks in $hosts"

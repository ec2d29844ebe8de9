#!/bin/sh
# A missing package is named, with the command that installs it, and no compiler speaks before:
# missing.sh WORK, a directory to write to.
set -u
work=$1/missing
rm -rf "$work"
mkdir -p "$work/empty" "$work/bin"
unset MAKEFLAGS MFLAGS MAKELEVEL
count=0

# names WORDS COMMAND...: the command fails, one line has the words, another the way out.
names()
{
    words=$1
    shift
    if "$@" >"$work/log" 2>&1 || ! grep -qF -- "$words" "$work/log" ||
        ! grep -q 'ci/bootstrap [a-z]' "$work/log" || grep -qE 'error:|undefined' "$work/log"; then
        echo "missing: $*: expected \"$words\", then ci/bootstrap; found:" >&2
        head -n 20 "$work/log" >&2
        exit 1
    fi
    count=$((count + 1))
}

build="make -s B=$work/build"
# Other flags make what was found be looked for again.
no_modules="env PKG_CONFIG_LIBDIR=$work/empty PKG_CONFIG_PATH="
names 'pkg-config module jansson (Debian package libjansson-dev)' $no_modules $build all
names 'pkg-config module hdf5-serial (Debian package libhdf5-dev)' $no_modules $build all

# A compiler that does not find one header.
for header in xxhash.h zlib.h vulkan/vulkan.h cmocka.h; do
    cat >"$work/cc" <<EOF
#!/bin/sh
case "\$*" in *'-include $header'*) exit 1 ;; esac
exec cc "\$@"
EOF
    chmod 755 "$work/cc"
    case $header in
    xxhash.h) names "$header (Debian package libxxhash-dev)" $build CC="$work/cc" all ;;
    zlib.h) names "$header (Debian package zlib1g-dev)" $build CC="$work/cc" all ;;
    vulkan/*) names "$header (Debian package libvulkan-dev)" $build CC="$work/cc" all ;;
    cmocka.h) names "$header (Debian package libcmocka-dev)" $build CC="$work/cc" "$work/build/has/unit" ;;
    esac
done

# All programs but one.
ln -s /usr/bin/* "$work/bin/" 2>/dev/null
for program in glslangValidator spirv-opt clang-format; do
    rm -f "$work/bin/$program"
    case $program in
    glslangValidator) names "$program (Debian package glslang-tools)" env PATH="$work/bin" $build all ;;
    spirv-opt) names "$program (Debian package spirv-tools)" env PATH="$work/bin" $build all ;;
    clang-format) names 'ci/bootstrap format' env PATH="$work/bin" $build format ;;
    esac
done
names 'the C compiler no-such-cc' $build CC=no-such-cc all

# What make names, bootstrap installs.
for package in $(grep -oE '(missing|tool|header|module) .*' ci/need.sh |
    grep -oE '\b((lib|zlib)[a-z0-9]+-dev|glslang-tools|spirv-tools|pkg-config|clang-format|valgrind|lcov|python3|xz-utils|debhelper|dpkg-dev|lintian|mmdebstrap|binutils|git|g\+\+|gcc)\b' | sort -u); do
    grep -qF -- "$package" ci/bootstrap || { echo "missing: ci/bootstrap has no $package" >&2; exit 1; }
    count=$((count + 1))
done
rm -rf "$work/bin"
echo "missing: $count checks: what is missing is named"

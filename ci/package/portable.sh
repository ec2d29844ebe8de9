#!/bin/sh
# Fills BUILD_DIRECTORY/portable, which runs from anywhere: program, libraries, goldens, licences.
# portable.sh BUILD_DIRECTORY, with CC, SOVERSION, GOLDEN and STATIC_LIBS as make has them.
set -eu
b=$1
to=$b/portable
rm -rf "$to.new"
mkdir -p "$to.new/litert"
strip -o "$to.new/assay" "$b/static/assay"
strip -o "$to.new/assay-agent" "$b/assay-agent"
for file in "$b/libassay.so" "$b/shipped/libassay_delegate.so"; do
    name=$(basename "$file" .so)
    strip -o "$to.new/$name.so" "$file"
    chmod 755 "$to.new/$name.so"
    ln -s "$name.so" "$to.new/$name.so.$SOVERSION"
done
chmod 755 "$to.new/assay" "$to.new/assay-agent"
ln -s ../libassay_delegate.so "$to.new/litert/libLiteRtGpuAccelerator.so"
for file in "$to.new/assay" "$to.new/assay-agent" "$to.new"/*.so; do
    others=$(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
        grep -vxE 'lib(c|m|dl|pthread)\.so\.[0-9]+|libvulkan\.so\.1|ld-linux.*|linux-vdso.*' || true)
    if [ -n "$others" ]; then
        echo "portable: $(basename "$file") needs" $others "which is not linked statically: is" \
            "there a static library (lib*.a) of it?" >&2
        exit 1
    fi
done
if [ "${GOLDEN:-yes}" = yes ]; then
    mkdir -p "$to.new/golden/digits"
    install -m 644 golden/*.h5 "$to.new/golden/"
    install -m 644 golden/digits/* "$to.new/golden/digits/"
fi
sh ci/package/notices.sh "$to.new/licenses" || [ $? = 3 ]
rm -rf "$to"
mv "$to.new" "$to"
echo "portable: $to: $(du -sk "$to" | awk '{ printf "%.1f MB", $1 / 1024 }'), of which goldens" \
    "$(du -sk "$to/golden" 2>/dev/null | awk '{ kib = $1 } END { printf "%.1f MB", kib / 1024 }')"

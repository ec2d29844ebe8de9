#!/bin/sh
# Every header compiles by itself: headers.sh 'COMPILE COMMAND' HEADER...
set -eu
compile=$1
shift
count=0
for header; do
    echo "#include \"$header\"" | $compile -Werror -x c -fsyntax-only - ||
        { echo "headers: $header does not compile by itself" >&2; exit 1; }
    case $header in
    */include/*) # public: C++ programs include it too
        echo "#include \"$header\"" | c++ -std=c++11 -Wall -Wextra -Werror -I. \
            -Ireference/include -Idelegate/include -x c++ -fsyntax-only - ||
            { echo "headers: $header does not compile as C++" >&2; exit 1; }
        # ... and each declaration of a function has a comment right before it.
        case $header in
        */assay_gpu.h | */gpu/delegate.h | */c_api.h | */c_api_experimental.h)
            awk -v header="$header" '
                /^(ASSAY_GPU_EXPORT|TFL_CAPI_EXPORT)/ && before !~ /\*\/$/ {
                    print "headers: " header ":" NR ": no comment before: " $0
                    bad = 1
                }
                { before = $0 }
                END { exit bad }' "$header" >&2 || exit 1 ;;
        esac ;;
    esac
    count=$((count + 1))
done
[ "$count" -gt 0 ] || { echo 'headers: none given' >&2; exit 1; }
echo "headers: $count compile by themselves"

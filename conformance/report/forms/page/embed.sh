#!/bin/sh
# Writes the sources of the HTML pages as one C file, for html_page.h; files behind one name become
# one text: embed.sh NAME FILE... [-- NAME FILE...]...
set -eu

# one NAME FILE...
one()
{
    name=$1
    shift
    echo "static const unsigned char ${name}_bytes[] = {"
    cat "$@" | od -An -v -tu1 | sed 's/ *\([0-9][0-9]*\)/\1,/g'
    echo '};'
    echo "const struct html_source html_$name = { (const char *)${name}_bytes, sizeof ${name}_bytes };"
}

echo '#include "conformance/report/forms/html_page.h"'
words=
for word in "$@" --; do
    if [ "$word" = -- ]; then
        # shellcheck disable=SC2086 # the files of this repository have no blanks in their names
        one $words
        words=
    else
        words="$words $word"
    fi
done

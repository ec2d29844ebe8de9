#!/bin/sh
# Compares the files below a directory with a list: manifest.sh LIST DIRECTORY.  A line of LIST is a
# pattern of the shell for paths, in which * stands for any text, slashes too,
# and ? for one character; # begins a comment.  Each
# line must match a file, and each file a line.
set -eu
list=$1
(cd "$2" && find . ! -type d | sed 's,^\./,,' | LC_ALL=C sort) | awk -v list="$list" '
    BEGIN {
        while ((getline line < list) > 0) {
            sub(/ *#.*/, "", line)
            if (line == "")
                continue
            name[++count] = line
            gsub(/[.+]/, "\\\\&", line)
            gsub(/\*/, ".*", line)
            gsub(/\?/, ".", line)
            pattern[count] = "^" line "$"
        }
        if (!count) {
            print "manifest: " list ": no line" > "/dev/stderr"
            exit bad = 1
        }
    }
    {
        for (i = 1; i <= count && $0 !~ pattern[i]; i++)
            ;
        if (i > count) {
            print "manifest: " $0 ": not in " list > "/dev/stderr"
            bad = 1
        }
        for (; i <= count; i++)
            if ($0 ~ pattern[i])
                seen[i] = 1
    }
    END {
        for (i = 1; i <= count; i++)
            if (!seen[i]) {
                print "manifest: " name[i] ": in " list ", but there is no such file" > "/dev/stderr"
                bad = 1
            }
        exit bad
    }'

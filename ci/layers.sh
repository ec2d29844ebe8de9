#!/bin/sh
# Fails when the source does not follow ci/rooms.txt: layers.sh [DIRECTORY].  Named are
#   - an include that points to a room on the right, into another layer, or to a foreign library;
#   - a file that lies in no room; a room without a README.md of at most 20 lines;
#   - a cycle of modules (a .c file and the .h file of its name are one module);
#   - code that asks for an op by its code outside of the files of the ops;
#   - code that asks for a class of devices where the table of costs knows;
#   - a case whose model depends on the order in which a compiler evaluates arguments.
set -eu
cd "${1:-.}"
[ -f ci/rooms.txt ] || { echo 'layers: no ci/rooms.txt here' >&2; exit 1; }
find reference delegate conformance fuzz golden coverage ci -type f \
    \( -name '*.[ch]' -o -name '*.def' -o -name '*.comp' -o -name '*.glsl' -o -name '*.md' \
    -o -name '*.tsv' -o -name '*.sh' -o -name '*.map' \) | LC_ALL=C sort >"${TMPDIR:-/tmp}/layers.$$"
trap 'rm -f "${TMPDIR:-/tmp}/layers.$$"' EXIT
awk '
function bad(text) { print "layers: " text > "/dev/stderr"; wrong++ }

function is_below(path, places, n, i, words) {
    n = split(places, words, " ")
    for (i = 1; i <= n; i++)
        if (index(path, words[i]) == 1)
            return 1
    return 0
}

# The layer of a file: the longest one of the rules that its path begins with.
function layer_of(path, l, best) {
    best = ""
    for (l in also)
        if (index(path, l "/") == 1 && length(l) > length(best))
            best = l
    return best
}
function room_of(path, layer, rest) {
    rest = substr(path, length(layer) + 2)
    return index(rest, "/") ? substr(rest, 1, index(rest, "/") - 1) : ""
}
function is_allowed(layer, what, n, i, word, words) {
    n = split(also[layer], words, " ")
    for (i = 1; i <= n; i++) {
        word = words[i]
        if (word in list) {
            if (in_list(word, what))
                return 1
        } else if (what == word || what == "\"" word "\"")
            return 1
        else if (word ~ /^[a-z].*\/$/ && index(what, "\"" word) == 1)
            return 1
    }
    return 0
}
function in_list(name, what, n, i, words) {
    n = split(list[name], words, " ")
    for (i = 1; i <= n; i++)
        if (what == words[i] || (words[i] ~ /\/$/ && index(what, words[i]) == 1))
            return 1
    return 0
}
function check_include(path, line, what, layer, room, target, theirs) {
    layer = layer_of(path)
    room = room_of(path, layer)
    target = what ~ /^"/ ? substr(what, 2, length(what) - 2) : ""
    if (target != "" && layer_of(target) == layer && (layer, room) in rank) {
        theirs = room_of(target, layer)
        if (theirs == "" || theirs == room || target ~ /\/include\//)
            return
        if (!((layer, theirs) in rank))
            bad(path ":" line ": includes " what ", which lies in no room of " layer)
        else if (rank[layer, theirs] > rank[layer, room])
            bad(path ":" line ": room " room " must not include " what ": " theirs " is to its right")
        else if (rank[layer, theirs] == rank[layer, room])
            bad(path ":" line ": room " room " must not include " what ": " theirs " stands beside it")
        return
    }
    if (!is_allowed(layer, what))
        bad(path ":" line ": " layer "/ must not include " what)
}

function module_of(path) { sub(/\.(c|h|def|glsl|comp)$/, "", path); return path }
# Depth-first: state 1 while a module is on the path, 2 when all that it includes was visited.
function visit(m, depth, n, i, next_ones, text) {
    if (state[m] == 2)
        return
    trail[depth] = m
    if (state[m] == 1) {
        text = m
        for (i = depth - 1; i >= 0 && trail[i] != m; i--)
            text = trail[i] " -> " text
        bad("cycle: " m " -> " text)
        return
    }
    state[m] = 1
    n = split(uses[m], next_ones, " ")
    for (i = 1; i <= n; i++)
        visit(next_ones[i], depth + 1)
    state[m] = 2
}

# Of two arguments that each call something with the builder m, the compiler chooses which adds to the
# model first.  adds[d] of the arguments of the call at depth d do, and now[d]: the one being read.
function check_order(path, line, text, name, c, i) {
    if (text ~ /^[^ ]/)
        depth = 0
    gsub(/"([^"\\\\]|\\\\.)*"/, "", text)
    gsub(/\/\*.*\*\//, "", text)
    while (match(text, /[A-Za-z0-9_]*[(]|[{}),]|\[|\]/)) {
        name = substr(text, RSTART, RLENGTH - 1)
        c = substr(text, RSTART + RLENGTH - 1, 1)
        text = substr(text, RSTART + RLENGTH)
        if (c ~ /[({[]/) {
            for (i = 1; name != "" && name != "row_of" && text ~ /^m[,)]/ && i <= depth; i++)
                now[i] = 1
            adds[++depth] = now[depth] = 0
            called[depth] = c == "(" ? name : ""
        } else if (depth > 0) {
            if (c == "," || c == ")") {
                adds[depth] += now[depth]
                now[depth] = 0
            }
            if (c != ",") {
                if (adds[depth] > 1 && called[depth] != "")
                    bad(path ":" line ": " adds[depth] " arguments of " called[depth] \
                        "() add to the model, in an order that the compiler chooses")
                depth--
            }
        }
    }
}

FILENAME == "ci/rooms.txt" {
    if ($0 ~ /^#/ || NF == 0)
        next
    name = $2
    sub(/:$/, "", name)
    rest = $0
    sub(/^[a-z]+ [^ ]+ ?/, "", rest)
    if ($1 == "rooms") {
        n = split(rest, words, " ")
        place = 0
        for (i = 1; i <= n; i++) {
            if (words[i] == "<")
                place++
            else if (words[i] != "|") {
                rank[name, words[i]] = place
                rooms[++room_count] = name "/" words[i]
            }
        }
        has_rooms[name] = n > 0
    } else if ($1 == "also")
        also[name] = also[name] " " rest
    else if ($1 == "files")
        free[name] = " " rest " "
    else if ($1 == "list")
        list[name] = rest
    else if ($1 == "ops")
        ops = substr($0, 5)
    else if ($1 == "classes")
        classes = substr($0, 9)
    else
        bad("ci/rooms.txt:" FNR ": expected rooms, files, also, list, ops or classes, found " $1)
    next
}

{ # The list of all files.
    path = $0
    file_count++
    layer = layer_of(path)
    if (layer == "") {
        if (path ~ /\.[ch]$/)
            bad(path ": no C belongs here")
        next
    }
    room = room_of(path, layer)
    base = path
    sub(/.*\//, "", base)
    if (has_rooms[layer] && room == "" && base != "README.md" &&
        path !~ /\.md$/ && free[layer] != " * " && index(free[layer], " " base " ") == 0)
        bad(path ": lies in no room of " layer "/")
    if (has_rooms[layer] && room != "" && room != "include" && room != "examples" &&
        !((layer, room) in rank))
        bad(path ": " room " is no room of " layer "/")
    if (base == "README.md") {
        lines = 0
        while ((getline text < path) > 0)
            lines++
        close(path)
        readme[layer "/" room] = lines
        next
    }
    if (path !~ /\.(c|h|def|comp|glsl)$/)
        next
    is_op = is_below(path, ops)
    knows_classes = is_below(path, classes)
    line = 0
    while ((getline text < path) > 0) {
        line++
        if (match(text, /^[ \t]*#[ \t]*include[ \t]+["<][^">]+[">]/)) {
            what = substr(text, RSTART, RLENGTH)
            sub(/^[^"<]*/, "", what)
            check_include(path, line, what)
            target = what ~ /^"/ ? substr(what, 2, length(what) - 2) : ""
            if (target ~ /^(reference|delegate|conformance|fuzz)\// && path !~ /\/tests\//) {
                from = module_of(path)
                to = module_of(target)
                if (from != to && !((from, to) in edge)) {
                    edge[from, to] = 1
                    uses[from] = uses[from] " " to
                    modules[from] = 1
                }
            }
            continue
        }
        if (!knows_classes && match(text, /DEVICE_(OTHER|SOFTWARE|INTEGRATED|NVIDIA|AMD|INTEL)/))
            bad(path ":" line ": asks for " substr(text, RSTART, RLENGTH) \
                ": what is known of it is a row of delegate/base/device_costs.def")
        if (path ~ /^conformance\/suite\/(cases|models|suites)\/.*\.c$/)
            check_order(path, line, text)
        if (is_op || path ~ /\.def$/)
            continue
        sub(/\/\/.*/, "", text)
        if (match(text, /(case|[!=]=|\{) *BUILTIN_[A-Z0-9_]+/)) {
            what = substr(text, RSTART, RLENGTH)
            sub(/.*BUILTIN_/, "", what)
            if (what !~ /^(CUSTOM|DELEGATE|COUNT|PLACEHOLDER_FOR_GREATER_OP_CODES)$/)
                bad(path ":" line ": asks for the op " what " outside of its own files")
        }
    }
    close(path)
}

END {
    for (i = 1; i <= room_count; i++) {
        if (!(rooms[i] in readme))
            bad(rooms[i] ": a room without README.md")
        else if (readme[rooms[i]] > 20)
            bad(rooms[i] "/README.md: " readme[rooms[i]] " lines, at most 20")
    }
    for (m in modules)
        visit(m, 0)
    if (file_count < 100)
        bad("only " file_count + 0 " files found: not the root of the repository")
    if (wrong) {
        print "layers: " wrong " faults" > "/dev/stderr"
        exit 1
    }
    print "layers: " file_count " files in " room_count " rooms: every include points left, no cycles, no foreign switch"
}' ci/rooms.txt "${TMPDIR:-/tmp}/layers.$$"

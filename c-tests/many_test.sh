#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# many_test.sh OUR_MANY [GIT]
#
# Tests examples/many.c: errors, and the sums that sha1sum and `git hash-object`
# (GIT, default: git in PATH) print for the same files and for pieces by split.

LC_ALL=C
export LC_ALL
CDPATH=

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "usage: $0 OUR_MANY [GIT]" >&2
    exit 2
fi
case $1 in
/*) our=$1 ;;
*) our=$PWD/$1 ;;
esac
if [ ! -x "$our" ]; then
    echo "$0: cannot run '$1'" >&2
    exit 2
fi
git=${2:-git}
case $git in
/*) ;;
*/*) git=$PWD/$git ;;
esac
if ! "$git" --version 2>/dev/null; then
    echo "SKIP: no git; --git is not tested"
    git=
fi

tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT PIPE TERM
mkdir "$tmp/bin" "$tmp/data" || exit 2
ln -s "$our" "$tmp/bin/many" || exit 2
PATH=$tmp/bin:$PATH
cd "$tmp/data" || exit 2
# Ids must not depend on the configuration of who runs the test.
HOME=$tmp
GIT_CONFIG_NOSYSTEM=1
GIT_CEILING_DIRECTORIES=$tmp
export HOME GIT_CONFIG_NOSYSTEM GIT_CEILING_DIRECTORIES
unset GIT_DIR GIT_WORK_TREE GIT_DEFAULT_HASH XDG_CONFIG_HOME

passed=0
failed=0

# verdict NAME: of the command just before
verdict() {
    if [ $? = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAIL: %s\n' "$1"
        cat "$tmp/out" "$tmp/err"
    fi
}

# expect RC OUT ERR COMMAND: OUT and ERR as for printf %b
expect() {
    (eval "$4") </dev/null >"$tmp/out" 2>"$tmp/err"
    rc=$?
    printf '%b' "$2" >"$tmp/want.out"
    printf '%b' "$3" >"$tmp/want.err"
    [ $rc = "$1" ] && cmp -s "$tmp/out" "$tmp/want.out" && cmp -s "$tmp/err" "$tmp/want.err"
    verdict "$4 (status $rc, expected $1)"
}

# same OUR_COMMAND THEIR_COMMAND: both succeed and print the same
same() {
    (eval "$1") >"$tmp/out" 2>"$tmp/err" && (eval "$2") >"$tmp/want.out" &&
        cmp "$tmp/out" "$tmp/want.out"
    verdict "$1"
}

empty=da39a3ee5e6b4b0d3255bfef95601890afd80709
abc=a9993e364706816aba3e25717850c26c9cd0d89d
try="Try 'many --help'.\\n"
none='No such file or directory\n'

printf abc >abc
: >empty
mkdir dir
printf abc >'two words'
printf abc >-dash

# ---- known sums, errors ----

expect 0 "$empty  empty\\n" '' 'many empty'
expect 0 "$abc  abc\\n$empty  empty\\n$abc  abc\\n" '' 'many abc empty abc'
expect 0 "$abc  -dash\\n$abc  two words\\n" '' "many -- -dash 'two words'"
expect 0 "$abc  abc:0\\n" '' 'many --pieces 3 abc'
expect 0 "$abc  abc:0\\n" '' 'many --pieces 18446744073709551615 abc'
expect 0 '' '' 'many --pieces 3 empty'
expect 0 "f2ba8f84ab5c1bce84a7b441cb1959cfc7093b7f  abc\\n" '' 'many --git abc'
expect 0 "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391  empty\\n" '' 'many --git empty'

expect 1 '' "many: missing: $none" 'many missing'
expect 1 '' 'many: dir: Is a directory\n' 'many dir'
expect 1 '' 'many: dir: Is a directory\n' 'many --pieces 3 dir'
expect 1 "$abc  abc\\n$empty  empty\\n" "many: missing: $none" 'many abc missing empty'
expect 1 "$abc  abc\\nmany: missing: $none$abc  abc\\n" '' 'many abc missing abc 2>&1'
expect 1 "$abc  abc:0\\nmany: dir: Is a directory\\n$abc  abc:0\\n" '' \
    'many --pieces 9 abc dir abc 2>&1'
expect 1 '' 'many: /dev/null: Not a regular file\n' 'many /dev/null'
if mkfifo pipe 2>/dev/null; then
    expect 1 '' 'many: pipe: Not a regular file\n' 'many pipe'
fi
if [ -r /proc/version ]; then
    expect 1 '' 'many: /proc/version: Size is not known\n' 'many /proc/version'
else
    echo 'SKIP: /proc'
fi
expect 2 '' "many: no file given\\n$try" 'many'
expect 2 '' "many: no file given\\n$try" 'many --git'
expect 2 '' "many: --pieces and --git exclude each other\\n$try" 'many --git --pieces 3 abc'
expect 2 '' "many: --pieces and --git exclude each other\\n$try" 'many --pieces 3 --git abc'
for size in 0 -1 x 3x '' ' 3' 18446744073709551616; do
    expect 2 '' "many: a piece must have a positive number of bytes\\n$try" \
        'many --pieces "$size" abc'
done
expect 2 '' "many: option '--pieces' requires an argument\\n$try" 'many --pieces'
expect 2 '' "many: invalid option -- 'x'\\n$try" 'many -x'
expect 1 '' 'many: write error: Bad file descriptor\n' 'many abc >&-'
if [ -c /dev/full ]; then
    expect 1 '' 'many: write error: No space left on device\n' 'many abc >/dev/full'
    expect 1 '' 'many: write error: No space left on device\n' 'many --help >/dev/full'
else
    echo 'SKIP: /dev/full'
fi
if [ "$(id -u)" = 0 ]; then
    echo 'SKIP: unreadable files (run by root)'
else
    printf abc >unreadable
    chmod 000 unreadable
    expect 1 '' 'many: unreadable: Permission denied\n' 'many unreadable'
fi
many --help 2>"$tmp/err" | tee "$tmp/out" | grep -q '^Usage: many '
verdict 'many --help'

# ---- the sums of sha1sum and git, of pieces too ----

# More than a batch, of which few are of the same size.
dd if=/dev/urandom of=random bs=100003 count=3 2>/dev/null
mkdir files
i=0
while [ $i -lt 300 ]; do
    head -c $((i * i * i / 271)) random >files/$i
    i=$((i + 1))
done
cp random files/random
many='files/* files/random empty files/?'

if command -v sha1sum >/dev/null; then
    same "many $many" "sha1sum $many"
    same 'many random' 'sha1sum random'
    for size in 1000 4096 65536 100003 300008 300009 300010; do
        rm -rf pieces
        mkdir pieces
        (cd pieces && split -a 4 -b $size ../random)
        same "many --pieces $size random | cut -d ' ' -f 1" \
            "sha1sum pieces/* | cut -d ' ' -f 1"
        count=$(ls pieces | wc -l)
        same "many --pieces $size random | sed 's/.*  //'" \
            "seq -f 'random:%.0f' 0 $((count - 1))"
    done
else
    echo 'SKIP: no sha1sum'
fi
if [ -n "$git" ]; then
    same "many --git $many | cut -d ' ' -f 1" "\"\$git\" hash-object --no-filters $many"
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

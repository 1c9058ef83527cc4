#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# git_object_test.sh OUR_GIT_OBJECT [GIT]
#
# Tests examples/git_object.c: known object ids and error cases, and the ids
# that `git hash-object` (GIT, default: git in PATH) gives to the same files.

LC_ALL=C
export LC_ALL
CDPATH=

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "usage: $0 OUR_GIT_OBJECT [GIT]" >&2
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
    echo "SKIP: no git; only known ids are tested"
    git=
fi

tmp=$(mktemp -d) || exit 2
trap 'chmod -R u+rwx "$tmp"; rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT PIPE TERM
mkdir "$tmp/bin" "$tmp/data" || exit 2
ln -s "$our" "$tmp/bin/git_object" || exit 2
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

# expect RC OUT ERR COMMAND: OUT and ERR as for printf %b
expect() {
    (eval "$4") </dev/null >"$tmp/out" 2>"$tmp/err"
    rc=$?
    printf '%b' "$2" >"$tmp/want.out"
    printf '%b' "$3" >"$tmp/want.err"
    if [ $rc = "$1" ] && cmp -s "$tmp/out" "$tmp/want.out" &&
        cmp -s "$tmp/err" "$tmp/want.err"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAIL: %s (status %s, expected %s)\n' "$4" "$rc" "$1"
        cat "$tmp/out" "$tmp/err"
    fi
}

# same OUR_COMMAND GIT_COMMAND: both succeed and print the same
same() {
    if [ -z "$git" ]; then
        return
    fi
    want=$(eval "$2") && got=$(eval "$1") && [ "$want" = "$got" ]
    if [ $? = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAIL: %s\n' "$1"
        printf '%s\n' "git: $want" "ours: $got"
    fi
}

empty=e69de29bb2d1d6434b8b29ae775ad8c2e48c5391
abc=f2ba8f84ab5c1bce84a7b441cb1959cfc7093b7f
try="Try 'git_object --help'.\\n"

printf abc >abc
: >empty
mkdir dir
printf abc >'two words'
printf abc >-dash

# ---- known ids ----

expect 0 "$empty\\n" '' 'git_object empty'
expect 0 "$empty\\n" '' 'git_object'
expect 0 "$empty\\n" '' 'git_object -t blob -'
expect 0 "$abc\\n" '' 'git_object abc'
expect 0 "$abc\\n" '' 'git_object <abc'
expect 0 "$abc\\n" '' 'cat abc | git_object'
expect 0 "$abc\\n$empty\\n$abc\\n" '' 'cat abc | git_object abc empty -'
expect 0 "$abc\\n$abc\\n" '' "git_object -- -dash 'two words'"
expect 0 '4b825dc642cb6eb9a060e54bf8d69288fbee4904\n' '' 'git_object -t tree empty'
expect 0 '4b825dc642cb6eb9a060e54bf8d69288fbee4904\n' '' 'git_object -t tree /dev/null'
expect 0 '557db03de997c86a4a028e1ebd3a1ceb225be238\n' '' 'echo Hello World | git_object'

# ---- errors ----

expect 1 '' 'git_object: missing: No such file or directory\n' 'git_object missing'
expect 1 '' 'git_object: dir: Is a directory\n' 'git_object dir'
expect 1 '' 'git_object: standard input: Is a directory\n' 'git_object <dir'
expect 1 "$abc\\n" 'git_object: missing: No such file or directory\n' \
    'git_object missing abc'
expect 2 '' "git_object: invalid object type 'blip'\\n$try" 'git_object -t blip abc'
expect 2 '' "git_object: option requires an argument -- 't'\\n$try" 'git_object -t'
expect 2 '' "git_object: invalid option -- 'x'\\n$try" 'git_object -x'
expect 1 '' 'git_object: standard input: Bad file descriptor\n' 'git_object <&-'
expect 1 '' 'git_object: write error: Bad file descriptor\n' 'git_object abc >&-'
if [ -c /dev/full ]; then
    expect 1 '' 'git_object: write error: No space left on device\n' \
        'git_object abc >/dev/full'
    expect 1 '' 'git_object: write error: No space left on device\n' \
        'git_object --help >/dev/full'
else
    echo 'SKIP: /dev/full'
fi
if [ "$(id -u)" = 0 ]; then
    echo 'SKIP: unreadable files (run by root)'
else
    printf abc >unreadable
    chmod 000 unreadable
    expect 1 '' 'git_object: unreadable: Permission denied\n' 'git_object unreadable'
fi
if git_object --help 2>&1 | grep -q '^Usage: git_object '; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo 'FAIL: git_object --help'
fi

# A file that is being appended to all the time. The zeros (a hole, where the
# file system knows holes) make sure that the file grows between fstat and the
# end of reading.
dd if=/dev/zero of=growing bs=1 count=0 seek=268435456 2>/dev/null
sh -c 'while :; do echo; done >>growing' &
appender=$!
expect 1 '' 'git_object: growing: file grew while it was read\n' 'git_object growing'
kill $appender
wait $appender 2>/dev/null
rm -f growing

# A file that has less than its size says: many in /sys say 4096.
short=
for file in /sys/kernel/mm/transparent_hugepage/enabled /sys/kernel/uevent_seqnum \
    /sys/devices/system/cpu/online; do
    if [ -r "$file" ] && [ "$(ls -ln "$file" | awk '{print $5}')" = 4096 ]; then
        short=$file
    fi
done
if [ -n "$short" ]; then
    expect 1 '' "git_object: $short: file shrank while it was read\\n" \
        'git_object "$short"'
else
    echo 'SKIP: no file in /sys of size 4096'
fi

# Files of /proc are of size 0 and not empty.
if [ -r /proc/version ]; then
    id=$(cat /proc/version | git_object)
    expect 0 "$id\\n" '' 'git_object /proc/version'
else
    echo 'SKIP: /proc'
fi

# ---- the ids of git ----

dd if=/dev/urandom of=random bs=131073 count=3 2>/dev/null
for size in 1 9 10 55 56 57 63 64 65 99 100 119 120 999 1000 4096 131071 131072 \
    131073 262144 262145 393219; do
    dd if=random of="size$size" bs="$size" count=1 2>/dev/null
done
printf 'a\r\nb\n' >crlf
for file in abc empty crlf 'two words' -dash size*; do
    same 'git_object -- "$file"' '"$git" hash-object --no-filters -- "$file"'
    same 'git_object <"$file"' '"$git" hash-object --stdin <"$file"'
    same 'cat <"$file" | git_object -' '"$git" hash-object --stdin <"$file"'
    for type in tree commit tag; do
        same 'git_object -t $type -- "$file"' \
            '"$git" hash-object -t $type --literally --stdin <"$file"'
    done
done
same 'git_object size*' '"$git" hash-object --no-filters size*'
same '(dd of=/dev/null bs=7 count=1 2>/dev/null; git_object) <size4096' \
    'dd if=size4096 bs=7 skip=1 2>/dev/null | "$git" hash-object --stdin'

# Objects of a repository, by their own contents
if [ -n "$git" ]; then
    "$git" init -q repo 2>/dev/null
    cp size4096 abc crlf repo
    (
        cd repo || exit
        "$git" config user.name Tester
        "$git" config user.email tester@example.invalid
        "$git" add . && "$git" commit -qm 'a commit' && "$git" tag -am 'a tag' v1
    ) >/dev/null 2>&1
    same '"$git" -C repo cat-file commit HEAD | git_object -t commit' \
        '"$git" -C repo rev-parse HEAD'
    same '"$git" -C repo cat-file tree HEAD: | git_object -t tree' \
        '"$git" -C repo rev-parse HEAD:'
    same '"$git" -C repo cat-file tag v1 | git_object -t tag' \
        '"$git" -C repo rev-parse v1'
    same '"$git" -C repo cat-file blob HEAD:size4096 | git_object' \
        '"$git" -C repo rev-parse HEAD:size4096'
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

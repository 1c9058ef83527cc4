#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# sha1sum_test.sh OUR_SHA1SUM [REFERENCE_SHA1SUM]
#
# Tests examples/sha1sum.c: fixed expectations, and the same commands run by
# our program and by the reference, whose standard output, standard error and
# exit status must be the same. The messages of coreutils change a little from
# version to version, so without a second argument only a `sha1sum` 9.1 in PATH
# is taken as the reference; one that is named is always used.

LC_ALL=C
export LC_ALL
unset POSIXLY_CORRECT LANGUAGE
# A list must not be found by the path of where the test was started.
CDPATH=

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "usage: $0 OUR_SHA1SUM [REFERENCE_SHA1SUM]" >&2
    exit 2
fi

absolute() {
    case $1 in
    /*) echo "$1" ;;
    */*) echo "$PWD/$1" ;;
    *) if [ -x "./$1" ]; then echo "$PWD/$1"; else command -v "$1"; fi ;;
    esac
}

our=$(absolute "$1")
if [ ! -x "$our" ]; then
    echo "$0: cannot run '$1'" >&2
    exit 2
fi
collisions=$(cd "$(dirname "$0")/../tests/data/collisions" && pwd) || exit 2
ref=$(absolute "${2:-$(command -v sha1sum)}")
version=
if [ -x "$ref" ]; then
    version=$("$ref" --version 2>/dev/null |
        sed -n '1s/^sha1sum (GNU coreutils) *//p')
fi
case ${2:+named}:$version in
*:)
    echo "SKIP: no GNU coreutils sha1sum; only fixed expectations are tested"
    ref=
    ;;
named:* | :9.1) echo "reference: GNU coreutils $version" ;;
*)
    echo "SKIP: sha1sum in PATH is coreutils $version, not 9.1;" \
        "name it as second argument to compare with it"
    ref=
    ;;
esac

tmp=$(mktemp -d) || exit 2
trap 'chmod -R u+rwx "$tmp"; rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT PIPE TERM
mkdir "$tmp/data" "$tmp/our" "$tmp/ref" "$tmp/out" || exit 2
# Both are run by the name sha1sum, so messages begin with the same word.
ln -s "$our" "$tmp/our/sha1sum" || exit 2
if [ -n "$ref" ]; then
    ln -s "$ref" "$tmp/ref/sha1sum" || exit 2
fi
cd "$tmp/data" || exit 2

passed=0
failed=0
path=$PATH
out=$tmp/out

pass() {
    passed=$((passed + 1))
}

fail() {
    failed=$((failed + 1))
    printf 'FAIL: %s\n' "$*"
}

# run WHO COMMAND: standard input is empty unless COMMAND redirects it
run() {
    (
        PATH=$tmp/$1:$path
        eval "$2"
    ) </dev/null >"$out/$1.out" 2>"$out/$1.err"
    echo $? >"$out/$1.rc"
}

# same COMMAND: ours and the reference do the same
same() {
    if [ -z "$ref" ]; then
        return
    fi
    run our "$1"
    run ref "$1"
    for part in rc out err; do
        if ! cmp -s "$out/our.$part" "$out/ref.$part"; then
            fail "$1 ($part; expected, then ours)"
            od -c "$out/ref.$part" | head -n 20
            od -c "$out/our.$part" | head -n 20
            return
        fi
    done
    pass
}

# only RC OUT ERR COMMAND: ours does this; OUT and ERR as for printf %b
only() {
    run our "$4"
    echo "$1" >"$out/want.rc"
    printf '%b' "$2" >"$out/want.out"
    printf '%b' "$3" >"$out/want.err"
    for part in rc out err; do
        if ! cmp -s "$out/our.$part" "$out/want.$part"; then
            fail "$4 ($part; expected, then ours)"
            od -c "$out/want.$part" | head -n 20
            od -c "$out/our.$part" | head -n 20
            return
        fi
    done
    pass
}

# expect RC OUT ERR COMMAND: ours does this, and so does the reference
expect() {
    only "$@"
    same "$4"
}

abc=a9993e364706816aba3e25717850c26c9cd0d89d
ABC=A9993E364706816ABA3E25717850C26C9CD0D89D
bad=b9993e364706816aba3e25717850c26c9cd0d89d
empty=da39a3ee5e6b4b0d3255bfef95601890afd80709
try="Try 'sha1sum --help' for more information.\\n"

repeat() { # repeat COUNT CHARACTER
    dd if=/dev/zero bs="$1" count=1 2>/dev/null | tr '\0' "$2"
}

printf abc >abc
: >empty
mkdir dir
printf abc >'two words'
printf abc >' blank'
printf abc >'*star'
printf abc >-dash
printf abc >"quote'"
printf abc >'a:b'
printf abc >'b\c'
printf abc >'paren) = x'
newline=$(printf 'new\nline')
cr=$(printf 'cr\rx')
all=$(printf 'a\nb\\c\rd')
printf abc >"$newline"
printf abc >"$cr"
printf abc >"$all"

# ---- digests ----

expect 0 "$empty  empty\\n" '' 'sha1sum empty'
expect 0 "$empty  -\\n" '' 'sha1sum'
expect 0 "$empty  -\\n" '' 'sha1sum -'
expect 0 "$abc  -\\n" '' 'sha1sum <abc'
expect 0 "$abc  abc\\n" '' 'sha1sum abc'
repeat 1000000 a >million
expect 0 '34aa973cd4c4daa4f61eeb2bdbad27316534016f  million\n' '' 'sha1sum million'
expect 0 '34aa973cd4c4daa4f61eeb2bdbad27316534016f  -\n' '' 'cat million | sha1sum'
repeat 56 a >a56
repeat 63 a >a63
repeat 8192 x >x8192
expect 0 "c2db330f6083854c99d4b5bfb6e8f29f201be699  a56
03f09f5b158a7a8cdad920bddc29b81c18a551f5  a63
9105c5e76995943a47c0b54a9d0cb275197df1af  x8192\\n" '' 'sha1sum a56 a63 x8192'
for size in 1 54 55 57 64 65 119 120 127 128 129 131071 131072 131073 262145; do
    dd if=million of="size$size" bs="$size" count=1 2>/dev/null
done
same 'sha1sum size*'
same 'sha1sum - abc - <abc'
same '(dd bs=1 count=1 2>/dev/null; sha1sum) <abc'
same 'cat size64 | sha1sum - -'
mkfifo fifo
same 'cat abc >fifo & sha1sum fifo; kill $! 2>/dev/null; wait'

# ---- output forms and names ----

expect 0 "$abc *abc\\n" '' 'sha1sum -b abc'
expect 0 "$abc *abc\\n" '' 'sha1sum --binary abc'
expect 0 "$abc  abc\\n" '' 'sha1sum -t abc'
expect 0 "$abc  abc\\n" '' 'sha1sum -bt abc'
expect 0 "SHA1 (abc) = $abc\\n" '' 'sha1sum --tag abc'
expect 0 "SHA1 (abc) = $abc\\n" '' 'sha1sum -t --tag abc'
expect 0 "$abc  abc\\0" '' 'sha1sum -z abc'
expect 0 "SHA1 (abc) = $abc\\0" '' 'sha1sum --zero --tag abc'
expect 0 "\\\\$abc  new\\\\nline\\n" '' 'sha1sum "$newline"'
expect 0 "\\\\$abc *cr\\\\rx\\n" '' 'sha1sum -b "$cr"'
expect 0 "\\\\$abc  b\\\\\\\\c\\n" '' "sha1sum 'b\\c'"
expect 0 "\\\\SHA1 (new\\\\nline) = $abc\\n" '' 'sha1sum --tag "$newline"'
expect 0 "$abc  new\\nline\\0" '' 'sha1sum -z "$newline"'
expect 0 "$abc  -dash\\n" '' 'sha1sum -- -dash'
expect 0 "$abc  ./-dash\\n" '' 'sha1sum ./-dash'

# Names of a single odd byte, and after a letter
odd='001 007 011 012 015 033 040 041 042 043 044 046 047 050 051 052 072 073
    074 075 076 077 100 133 134 136 140 173 174 175 176 177 200 303 377'
for byte in $odd; do
    for name in "\\$byte" "x\\$byte" "x\\${byte}y"; do
        # The x keeps a newline at the end of the name.
        name=$(printf "${name}x")
        name=${name%x}
        if (: >"$name") 2>/dev/null; then
            same 'sha1sum -- "$name"; sha1sum -z -- "$name"
                sha1sum -b -- "$name"; sha1sum --tag -- "$name"'
            same 'sha1sum "./$name" | sha1sum -c
                sha1sum --tag "./$name" | sha1sum -c'
            rm -f "./$name"
        fi
        same 'sha1sum -- "$name"' # missing: how messages quote it
    done
done
for name in "$newline" "$cr" "$all" 'two words' ' blank' '*star' -dash "quote'" \
    'a:b' 'b\c' 'paren) = x' "$(printf '\303\251')" "$(printf 'x\342\200\250y')" \
    "$(printf '\360\237\230\200 x')" "$(printf '\360\237')" '#x' '~x' '{x}' \
    "~'" "it's" "it's \"" '' '$x' "a'$newline'b" '..' '.'; do
    same 'sha1sum "$name"; sha1sum -z "$name"; sha1sum -b -- "$name"'
    same 'sha1sum -- "$name" | sha1sum -c
        sha1sum --tag -- "$name" | sha1sum -c -'
    same 'sha1sum "missing$name"'
    same 'LC_ALL=C.UTF-8 sha1sum "missing$name"'
    same 'echo "$abc  missing$name" | sha1sum -c'
done

# ---- command line ----

expect 1 '' "sha1sum: invalid option -- 'x'\\n$try" 'sha1sum -x'
expect 1 '' "sha1sum: the --quiet option is meaningful only when verifying checksums\\n$try" \
    'sha1sum --quiet abc'
expect 1 '' "sha1sum: the --status option is meaningful only when verifying checksums\\n$try" \
    'sha1sum --status abc'
expect 1 '' "sha1sum: the --strict option is meaningful only when verifying checksums\\n$try" \
    'sha1sum --strict abc'
expect 1 '' "sha1sum: the --warn option is meaningful only when verifying checksums\\n$try" \
    'sha1sum -w abc'
expect 1 '' "sha1sum: the --ignore-missing option is meaningful only when verifying checksums\\n$try" \
    'sha1sum --ignore-missing abc'
expect 1 '' "sha1sum: --tag does not support --text mode\\n$try" \
    'sha1sum --tag --text abc'
expect 1 '' "sha1sum: the --tag option is meaningless when verifying checksums\\n$try" \
    'sha1sum -c --tag abc'
expect 1 '' "sha1sum: the --zero option is not supported when verifying checksums\\n$try" \
    'sha1sum -cz abc'
expect 1 '' "sha1sum: the --binary and --text options are meaningless when verifying checksums\\n$try" \
    'sha1sum -cb abc'

echo "$abc  abc" >good
flags='-b -c -t -z -w --tag --ignore-missing --quiet --status --strict'
for one in $flags; do
    same "sha1sum $one abc"
    same "sha1sum $one good"
    same "sha1sum abc $one"
    same "sha1sum $one"
    for two in -b -c -t -z -w --tag --ignore-missing --quiet --status --strict \
        '--tag -t' '-t --tag' '-c -z' '-c --status' '--quiet -w'; do
        same "sha1sum $one $two good"
    done
done
for option in --binary --check --text --zero --warn --b --bin --ch --ig --ignore --q --st --sta --str --t --ta --te \
    --w --z --x --tag=1 --check=x --strict= -Z -bx -cwx -; do
    same "sha1sum $option good"
done
same 'sha1sum -- -c'
same 'sha1sum -c -- good'
same 'sha1sum good -c'
same 'POSIXLY_CORRECT=1 sha1sum good -c'
same 'sha1sum abc missing abc dir abc'
same 'sha1sum abc missing abc dir abc 2>&1'
same 'sha1sum -z abc missing abc 2>&1'

only 0 "$abc  abc\\n" '' 'sha1sum --progress abc'
only 0 'abc: OK\n' '' 'sha1sum --prog -c good'
run our 'sha1sum --help'
if [ "$(cat "$out/our.rc")" = 0 ] && [ ! -s "$out/our.err" ]; then
    for option in -b, -t, -z, -c, -w, --binary --text --zero --check --tag \
        --warn --ignore-missing --quiet --status --strict --progress --help \
        --check-collisions --version; do
        if grep -q -e "$option" "$out/our.out"; then
            pass
        else
            fail "--help does not name $option"
        fi
    done
else
    fail 'sha1sum --help'
fi
run our 'sha1sum --version; sha1sum --vers -x'
if [ "$(cat "$out/our.rc")" = 0 ] && [ ! -s "$out/our.err" ] &&
    grep -q '^sha1sum .*[0-9]\.[0-9]' "$out/our.out"; then
    pass
else
    fail 'sha1sum --version'
fi

# ---- check ----

expect 0 'abc: OK\n' '' 'sha1sum -c good'
expect 0 'abc: OK\n' '' 'sha1sum -c <good'
expect 0 'abc: OK\n' '' 'sha1sum -c - <good'
expect 0 '' '' 'sha1sum -c --quiet good'
expect 0 '' '' 'sha1sum -c --status good'
echo "$bad  abc" >wrong
expect 1 'abc: FAILED\n' 'sha1sum: WARNING: 1 computed checksum did NOT match\n' \
    'sha1sum -c wrong'
expect 1 'abc: FAILED\n' 'sha1sum: WARNING: 1 computed checksum did NOT match\n' \
    'sha1sum -c --quiet wrong'
expect 1 '' '' 'sha1sum -c --status wrong'
cat wrong wrong >wrong2
expect 1 'abc: FAILED\nabc: FAILED\n' \
    'sha1sum: WARNING: 2 computed checksums did NOT match\n' 'sha1sum -c wrong2'
echo "$abc  missing" >missing1
expect 1 'missing: FAILED open or read\n' \
    'sha1sum: missing: No such file or directory
sha1sum: WARNING: 1 listed file could not be read\n' 'sha1sum -c missing1'
expect 1 '' 'sha1sum: missing1: no file was verified\n' \
    'sha1sum -c --ignore-missing missing1'
expect 1 '' 'sha1sum: missing: No such file or directory\n' \
    'sha1sum -c --status missing1'
cat missing1 good missing1 >missing2
expect 1 'missing: FAILED open or read\nabc: OK\nmissing: FAILED open or read\n' \
    'sha1sum: missing: No such file or directory
sha1sum: missing: No such file or directory
sha1sum: WARNING: 2 listed files could not be read\n' 'sha1sum -c missing2'
expect 0 'abc: OK\n' '' 'sha1sum -c --ignore-missing missing2'
echo "$abc  dir" >directory
expect 1 'dir: FAILED open or read\n' \
    'sha1sum: dir: Is a directory
sha1sum: WARNING: 1 listed file could not be read\n' 'sha1sum -c directory'
printf 'x\n%s  abc\n' "$abc" >malformed1
expect 0 'abc: OK\n' 'sha1sum: WARNING: 1 line is improperly formatted\n' \
    'sha1sum -c malformed1'
expect 1 'abc: OK\n' 'sha1sum: WARNING: 1 line is improperly formatted\n' \
    'sha1sum -c --strict malformed1'
expect 0 'abc: OK\n' \
    'sha1sum: malformed1: 1: improperly formatted SHA1 checksum line
sha1sum: WARNING: 1 line is improperly formatted\n' 'sha1sum -c -w malformed1'
expect 0 '' '' 'sha1sum -c --status malformed1'
expect 1 '' '' 'sha1sum -c --status --strict malformed1'
printf 'x\n%s  abc\ny\n' "$abc" >malformed2
expect 0 'abc: OK\n' 'sha1sum: WARNING: 2 lines are improperly formatted\n' \
    'sha1sum -c malformed2'
expect 1 '' 'sha1sum: abc: no properly formatted checksum lines found\n' \
    'sha1sum -c abc'
expect 1 '' "sha1sum: 'standard input': no properly formatted checksum lines found\\n" \
    'sha1sum -c'
expect 1 '' 'sha1sum: dir: read error\n' 'sha1sum -c dir'
expect 1 '' 'sha1sum: nolist: No such file or directory\n' 'sha1sum -c nolist'
printf '\\%s  new\\nline\n' "$abc" >escaped
expect 0 "\\\\new\\\\nline: OK\\n" '' 'sha1sum -c escaped'
printf 'SHA1 (abc) = %s\r\n' "$ABC" >tagcrlf
expect 0 'abc: OK\n' '' 'sha1sum -c tagcrlf'
printf '%s *abc\r\n' "$ABC" >crlf
expect 0 'abc: OK\n' '' 'sha1sum -c crlf'
printf '%s abc\n' "$abc" >oneblank
expect 0 'abc: OK\n' '' 'sha1sum -c oneblank'

# Each line is a list: H and U are a right digest in lower and upper case, B a
# wrong one, Z forty z; the rest as for printf.
while IFS= read -r list; do
    text=$(printf '%s' "$list" |
        sed "s/SHA1/S_A1/g; s/H/$abc/g; s/U/$ABC/g; s/B/$bad/g; s/S_A1/SHA1/g
            s/Z/zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz/g")
    printf "$text" >list
    same "# $list
        for flag in '' -w --quiet --status --strict --ignore-missing; do
            sha1sum -c \$flag list
            echo \"\$? \$flag\"
        done
        sha1sum -cw --ignore-missing --strict <list"
done <<'END'
H  abc
H  abc\n
H *abc\n
H abc\n
H   abc\n
H\tabc\n
H\t abc\n
H \tabc\n
Habc\n
H\n
H \n
H  \n
H *\n
H
H 
H  
U  abc\n
H0  abc\n
0H  abc\n
Z  abc\n
Z abc\nH  abc\n
 H  abc\n
\t H *abc\n
\vH  abc\n
\\H  abc\n
  \\H  abc\n
\\ H  abc\n
\\H  new\\nline\n
\\H  cr\\rx\n
\\H  b\\\\c\n
\\H  a\\nb\\\\c\\rd\n
H  b\\c\n
\\H  abc\\x\n
\\H  abc\\\n
\\H abc\\x\nH  abc\n
\\B  new\\nline\n
H  abc\r\n
H  abc\r\r\n
H  abc\r
#H  abc\n
 #H  abc\n
# comment\n\nH  abc\n\n
\r\nH  abc\n
  \nH  abc\n
#\n#\n
\n
x\n
x\ny\nH  abc\n
B  abc\nx\nH  missing\nH  dir\nH  abc\n
H  abc/x\n
H  abc\nH abc\n
H abc\nH  abc\n
H abc\nH *star\nH  blank\n
SHA1 (abc) = H\nH abc\nH  abc\n
H  abc\nSHA1 (abc) = H\n\\H  new\\nline\nU *abc\r\n
SHA1 (abc) = H\n
SHA1 (abc) = U\n
SHA1(abc)= H\n
SHA1(abc)=H\n
SHA1  (abc) = H\n
SHA1\t(abc) = H\n
SHA1 (abc)  =\t H\n
SHA1 (abc) = H \n
SHA1 (abc) = H0\n
SHA1 (abc) = H)\n
SHA1 (abc) H\n
SHA1 (abc = H\n
SHA1 abc) = H\n
SHA1 () = H\n
SHA1 (paren) = x) = H\n
  SHA1 (abc) = H\n
\\SHA1 (new\\nline) = H\n
\\SHA1 (abc\\q) = H\n
\\  SHA1 (abc) = H\n
sha1 (abc) = H\n
SHA256 (abc) = H\n
MD5 (abc) = H\n
SHA1\n
H  abc\000def\n
H \000abc\n
\\H  abc\000def\n
H\000  abc\n
\000H  abc\n
SHA1 (abc\000) = H\n
SHA1 (abc) = H\000\n
SHA1 (abc) \000= H\n
H  -\n
SHA1 (-) = H\n
END

for lists in 'good good' 'abc good' 'good abc' 'good nolist good' 'dir good' \
    'good oneblank good' 'oneblank good' '- good' 'good - good' 'wrong malformed1' \
    '--ignore-missing missing1 good' '--ignore-missing empty good' \
    '-w abc malformed2' '--strict malformed1 good' good/x; do
    same "sha1sum -c $lists"
    same "sha1sum -c $lists <good"
    same "sha1sum -c $lists 2>&1"
done
echo "$abc  -" >dashlist
same 'sha1sum -c dashlist <abc'
same 'sha1sum -c dashlist dashlist <abc'
same 'sha1sum -cw <dashlist'
ln -s loop loop
same 'sha1sum loop'
same 'sha1sum -c loop'
same 'sha1sum abc "two words" | sha1sum -c'
same 'sha1sum --tag abc "two words" "$all" | sha1sum -c --strict'

# ---- collision attacks ----

head=f92d74e3874587aaf443d1db961d4e26dde13e9c
mbles=8ac60ba76f1999a1ab70223f225aefdc78d4ddc0
cp "$collisions/shattered-1.head" one
cp "$collisions/shattered-2.head" two
cp "$collisions/sha-mbles-1.bin" mbles
cp "$collisions/sha1_reducedsha_coll.bin" fewer
attack='is part of a SHA-1 collision attack\n'
# Nobody looks unasked.
expect 0 "$head  one\n$head  two\n" '' 'sha1sum one two'
only 0 "$abc  abc\n" '' 'sha1sum --check-collisions abc'
only 0 "$abc  -\n" '' 'sha1sum --check-collisions <abc'
only 0 'a56374e1cf4c3746499bc7c0acb39498ad2ee185  fewer\n' '' 'sha1sum --check-collisions fewer'
only 1 "$head  one\n" "sha1sum: one: $attack" 'sha1sum --check-collisions one'
only 1 "$head  -\n" "sha1sum: -: $attack" 'sha1sum --check-collisions <one'
only 1 "$head  -\n" "sha1sum: -: $attack" 'cat two | sha1sum --check-collisions -'
only 1 "$head  one\n$abc  abc\n$mbles  mbles\n" "sha1sum: one: ${attack}sha1sum: mbles: $attack" \
    'sha1sum one abc --check-collisions mbles'
only 1 "SHA1 (one) = $head\n" "sha1sum: one: $attack" 'sha1sum --check-collisions --tag one'
only 1 "$head *two\0" "sha1sum: two: $attack" 'sha1sum -b --check-collisions -z two'
only 1 "$abc  abc\n" 'sha1sum: missing: No such file or directory\n' \
    'sha1sum --check-collisions missing abc'
# What follows does not matter; what is before it does.
cat one million >longer
cat abc one >later
only 1 "sha1sum: longer: $attack" '' 'sha1sum --check-collisions longer 2>&1 >/dev/null'
same_digest=$(run our 'sha1sum longer' && cut -c1-40 "$out/our.out")
only 1 "$same_digest  longer\n" "sha1sum: longer: $attack" 'sha1sum --check-collisions longer'
only 0 '' '' 'sha1sum --check-collisions later 2>&1 >/dev/null'

printf '%s  one\n%s  abc\n' "$head" "$abc" >attacked
expect 0 'one: OK\nabc: OK\n' '' 'sha1sum -c attacked'
only 1 'one: FAILED collision attack\nabc: OK\n' \
    "sha1sum: one: ${attack}sha1sum: WARNING: 1 listed file is part of a collision attack\n" \
    'sha1sum --check-collisions -c attacked'
only 1 'one: FAILED collision attack\n' \
    "sha1sum: one: ${attack}sha1sum: WARNING: 1 listed file is part of a collision attack\n" \
    'sha1sum -c --check-collisions --quiet attacked'
only 1 '' "sha1sum: one: $attack" 'sha1sum -c --check-collisions --status attacked'
only 0 'abc: OK\n' '' 'sha1sum --check-collisions -c good'
printf '%s  one\n%s  two\n%s  mbles\n' "$head" "$head" "$bad" >attacked
only 1 'one: FAILED collision attack\ntwo: FAILED collision attack\nmbles: FAILED\n' \
    "sha1sum: one: ${attack}sha1sum: two: ${attack}sha1sum: mbles: ${attack}\
sha1sum: WARNING: 1 computed checksum did NOT match
sha1sum: WARNING: 2 listed files are part of a collision attack\n" \
    'sha1sum --check-collisions -c attacked'

# Its name in full, and only where an option can be.
for option in --c --ch --che --check; do
    expect 0 'abc: OK\n' '' "sha1sum $option good"
done
only 1 '' "sha1sum: unrecognized option '--check-'\n$try" 'sha1sum --check- abc'
only 1 '' "sha1sum: unrecognized option '--check-collision'\n$try" 'sha1sum --check-collision abc'
only 1 '' "sha1sum: unrecognized option '--check-collisions=1'\n$try" 'sha1sum --check-collisions=1 abc'
same 'sha1sum -- --check-collisions'
same 'sha1sum -- one --check-collisions'
same 'POSIXLY_CORRECT=1 sha1sum one --check-collisions'
same 'POSIXLY_CORRECT=1 sha1sum - --check-collisions'
only 1 "$head  one\n" "sha1sum: one: $attack" 'POSIXLY_CORRECT=1 sha1sum -t --check-collisions one'
only 1 "$head  one\n" "sha1sum: one: $attack" 'sha1sum --check-collisions --check-collisions one'
printf abc >--check-collisions
only 0 "$abc  --check-collisions\n" '' 'sha1sum --check-collisions -- --check-collisions'

# ---- files and streams that fail ----

expect 1 '' 'sha1sum: dir: Is a directory\n' 'sha1sum dir'
expect 1 '' 'sha1sum: -: Is a directory\n' 'sha1sum <dir'
expect 1 "$abc  abc\\n" 'sha1sum: missing: No such file or directory\n' \
    'sha1sum missing abc'
if [ "$(id -u)" = 0 ]; then
    echo 'SKIP: unreadable files (run by root)'
else
    printf abc >unreadable
    chmod 000 unreadable
    expect 1 '' 'sha1sum: unreadable: Permission denied\n' 'sha1sum unreadable'
    echo "$abc  unreadable" >unreadable1
    expect 1 'unreadable: FAILED open or read\n' \
        'sha1sum: unreadable: Permission denied
sha1sum: WARNING: 1 listed file could not be read\n' 'sha1sum -c unreadable1'
    same 'sha1sum -c --ignore-missing unreadable1'
    same 'sha1sum -c --status unreadable1'
    same 'sha1sum -c unreadable'
fi

expect 1 '' 'sha1sum: -: Bad file descriptor
sha1sum: standard input: Bad file descriptor\n' 'sha1sum <&-'
expect 1 '' "sha1sum: 'standard input': read error
sha1sum: standard input: Bad file descriptor\\n" 'sha1sum -c <&-'
expect 1 '' 'sha1sum: write error: Bad file descriptor\n' 'sha1sum abc >&-'
same 'sha1sum abc <&-'
same 'sha1sum abc - abc <&-'
same 'sha1sum -c good <&-'
same 'sha1sum -c dashlist <&-'
same 'sha1sum missing >&-'
same 'sha1sum -z abc >&-'
same 'sha1sum -c good >&-'
same 'sha1sum -c --status good >&-'
same 'sha1sum -c --quiet good >&-'
same 'sha1sum -c --status wrong >&-'
same 'sha1sum -x >&-'
same 'sha1sum abc missing 2>&-'
same 'sha1sum -c malformed1 2>&-'
same 'sha1sum abc <&- 2>&-'
same 'sha1sum abc <&- >&- 2>&-'
if [ -c /dev/full ]; then
    # coreutils 9.1 loses the reason that later versions give.
    full='sha1sum: write error: No space left on device\n'
    only 1 '' "$full" 'sha1sum abc >/dev/full'
    only 1 '' "$full" 'sha1sum abc abc >/dev/full'
    only 1 '' "$full" 'sha1sum -z abc >/dev/full'
    only 1 '' "$full" 'sha1sum --tag abc >/dev/full'
    only 1 '' "$full" 'sha1sum -c good >/dev/full'
    only 1 '' "$full" 'sha1sum --help >/dev/full'
    only 1 '' "$full" 'sha1sum --version >/dev/full'
    same 'sha1sum -c --status good >/dev/full'
    same 'sha1sum -c --quiet good >/dev/full'
    same 'sha1sum missing >/dev/full'
    same 'sha1sum abc missing 2>/dev/full'
    same 'sha1sum -c malformed1 2>/dev/full'
else
    echo 'SKIP: /dev/full'
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]

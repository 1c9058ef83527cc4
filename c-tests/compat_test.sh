#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# compat_test.sh: after `make`, compiles against the headers that are not of the
# library itself: those for programs on OpenSSL and libmd, the one for C++, and the
# source for LLVM. Each program is built twice, with the original and with ours, and
# must print the same.
set -uo pipefail
export LC_ALL=C

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
include=$root/include
compat=$include/shaone/compat
archive=$root/target/shaone/usr/lib/libshaone.a
: "${CC:=cc}" "${CXX:=c++}" "${AR:=ar}" "${NM:=nm}" "${OBJCOPY:=objcopy}"
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
cd "$root/c-tests" || exit 2

passed=0 failed=0

# expect TEXT COMMAND...: it succeeds and prints that text alone
expect() {
    local want=$1 got status
    shift
    got=$("$@" 2>&1)
    status=$?
    if [[ $status -eq 0 && $got == "$want" ]]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAIL: %s\nstatus %s, output: %s\nexpected: %s\n' "$*" "$status" "$got" "$want"
        return 1
    fi
}

skip() {
    echo "SKIP: $*"
}

have() {
    command -v "$1" >/dev/null
}

# same_output WHAT THEIRS OURS [ARGUMENT...]: two programs; both say something
same_output() {
    local what=$1 theirs=$2 ours=$3
    shift 3
    expect "" eval "'$theirs' ${*@Q} >'$tmp/$what.theirs' && test -s '$tmp/$what.theirs'" &&
        expect "" eval "'$ours' ${*@Q} >'$tmp/$what.ours'" &&
        expect "" cmp "$tmp/$what.theirs" "$tmp/$what.ours"
}

# names FILE REGEX: the global ones like that, which it defines or wants
names() {
    "$NM" -g -P "$1" | awk '{ print $1 }' | grep -E "^($2)\$" || true
}

warnings=(-O2 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)

# ---- C programs that have used another library

# legacy NAME LIBRARY NAMES [ARGUMENT...]: NAMES is what must not be among the
# symbols of a program on our header, with its ARGUMENTs
legacy() {
    local name=$1 library=$2 names=$3 compiler std
    shift 3
    for compiler in gcc clang; do
        if ! have $compiler; then
            skip "legacy_$name.c with $compiler (it is not installed)"
            continue
        fi
        for std in c99 gnu17; do
            expect "" $compiler -std=$std "${warnings[@]}" -I "$compat/$name" -c -o "$tmp/$name.o" "legacy_$name.c" &&
                expect "" names "$tmp/$name.o" "$names"
        done
    done
    # Also by the way of the shared library, whose names are not weak.
    expect "" "$CC" -O2 -I "$compat/$name" -o "$tmp/$name-shared" "legacy_$name.c" \
        -L "${archive%/*}" -Wl,-rpath,"${archive%/*}" -lshaone
    expect "" "$CC" -O2 -I "$compat/$name" -o "$tmp/$name-ours" "legacy_$name.c" "$archive" || return
    same_output "$name-linked" "$tmp/$name-shared" "$tmp/$name-ours" "$@"
    if ! "$CC" -O2 -DREAL -o "$tmp/$name-theirs" "legacy_$name.c" "-l$library" 2>/dev/null; then
        skip "legacy_$name.c with $library (install lib$library's headers)"
        return
    fi
    same_output "$name" "$tmp/$name-theirs" "$tmp/$name-ours" "$@"
}

head -c 300000 /dev/zero | tr '\0' 'z' >"$tmp/file"
printf end >>"$tmp/file"
legacy openssl crypto 'SHA1.*'
legacy libmd md 'SHA1.*' "$tmp/file"

# ---- C++

for compiler in g++ clang++; do
    if ! have $compiler; then
        skip "shaone.hpp with $compiler (it is not installed)"
        continue
    fi
    for std in c++11 c++14 c++17 c++20 c++23; do
        # The name that compilers had for it before it was one.
        [[ $std != c++23 ]] || $compiler -std=$std -x c++ -fsyntax-only /dev/null 2>/dev/null || std=c++2b
        if ! $compiler -std=$std -x c++ -fsyntax-only /dev/null 2>/dev/null; then
            skip "shaone.hpp as $std with $compiler"
            continue
        fi
        expect "" $compiler -std=$std "${warnings[@]}" -fno-exceptions -I "$include" -o "$tmp/hpp" hpp.cpp "$archive" &&
            expect "" "$tmp/hpp"
        for header in openssl/openssl/sha.h libmd/sha1.h; do
            echo "#include \"$compat/$header\"" >"$tmp/header.cpp"
            expect "" $compiler -std=$std "${warnings[@]}" -fsyntax-only "$tmp/header.cpp"
        done
    done
    expect "" $compiler "${warnings[@]}" -I "$include" -o "$tmp/sha1" ../examples/sha1.cpp "$archive" &&
        expect "$(sha1sum "$tmp/file" hpp.cpp)" "$tmp/sha1" "$tmp/file" hpp.cpp
done

# ---- LLVM

# llvm VERSION
llvm() {
    local version=$1 config=llvm-config-$1 dir headers theirs flags compiler
    local private=_ZN4llvm4SHA19hashBlockEv
    if ! have "$config" || ! dir=$("$config" --libdir) || [[ ! -e $dir/libLLVMSupport.a ]]; then
        skip "llvm::SHA1 of LLVM $version (install llvm-$version-dev)"
        return
    fi
    headers=$("$config" --includedir)
    theirs=$dir/libLLVMSupport.a
    for compiler in g++ clang++; do
        have $compiler || continue
        flags=(-std=c++17 -O2 -fno-exceptions -fno-rtti -isystem "$headers" -Wall -Wextra -Wpedantic -Wshadow -Werror)
        expect "" $compiler "${flags[@]}" -fPIC -c -o "$tmp/SHA1.o" "$compat/llvm/SHA1.cpp" || return
        expect "" $compiler "${flags[@]}" -c -o "$tmp/llvm.o" llvm_sha1.cpp || return
        # As it comes, and with ours before the archive.
        expect "" $compiler -o "$tmp/llvm-theirs" "$tmp/llvm.o" "$theirs" -lpthread -ldl || return
        expect "" $compiler -o "$tmp/llvm-ours" "$tmp/llvm.o" "$tmp/SHA1.o" "$archive" "$theirs" -lpthread -ldl || return
        expect "$private" names "$tmp/llvm-theirs" "$private"
        expect "" names "$tmp/llvm-ours" "$private"
        same_output "llvm-$version" "$tmp/llvm-theirs" "$tmp/llvm-ours"
        [[ $compiler != g++ ]] || expect "" "$tmp/llvm-ours" large
        # Both in one program and on one object.
        expect "" "$OBJCOPY" --prefix-symbols=ours_ "$tmp/SHA1.o" "$tmp/prefixed.o"
        "$NM" -P "$tmp/prefixed.o" | awk '$2 == "U" { name = $1; sub(/^ours_/, "", name); print $1, name }' >"$tmp/foreign"
        expect "" "$OBJCOPY" --redefine-syms="$tmp/foreign" "$tmp/prefixed.o"
        expect "" $compiler "${flags[@]}" -DMIXED -o "$tmp/llvm-mixed" llvm_sha1.cpp "$tmp/prefixed.o" "$archive" "$theirs" -lpthread -ldl &&
            expect "" "$tmp/llvm-mixed"
    done
}

llvm 14
llvm 19

echo "compat: $passed passed, $failed failed"
((failed == 0 && passed > 0))

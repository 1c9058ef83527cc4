#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# install_test.sh: after `make`, installs into temporary directories, builds
# programs there with nothing but what pkg-config says, in all the ways that
# programs are linked, and uninstalls.
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
: "${CC:=cc}"
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

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
    fi
}

skip() {
    echo "SKIP: $*"
}

install_to() {
    DESTDIR=$dest "$root/scripts/install.sh" "$@"
}

# ---- where the files go

tree() {
    (cd "$1" && find . ! -type d | sort)
}

headers=$(cd "$root/include" && find . -type f | sed 's,^\./,,')
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -n 1)

# layout PREFIX LIBDIR INCLUDEDIR OPTION...: what is installed, what the .pc
# says, and that uninstalling leaves what was there before
layout() {
    local prefix=$1 lib=$2 include=$3 dest="$tmp/dest dir" file flags
    shift 3
    rm -rf "$dest"
    mkdir -p "$dest$lib/pkgconfig" "$dest$include/shaone"
    touch "$dest$lib/libshaone.so.old" "$dest$lib/pkgconfig/other.pc" "$dest$include/shaone/other.h"
    tree "$dest" >"$tmp/before"
    expect "" install_to --prefix="$prefix" "$@"
    {
        cat "$tmp/before"
        for file in libshaone.a libshaone.so{,".${version%%.*}",".$version"} pkgconfig/shaone.pc \
            libsha1detectcoll.{a,so,so.1}; do
            echo ".$lib/$file"
        done
        for file in $headers; do
            echo ".$include/$file"
        done
    } | sort >"$tmp/wanted"
    expect "" diff "$tmp/wanted" <(tree "$dest")
    expect "" diff -r "$root/include" "$dest$include" -x other.h
    if [[ -n $pkg_config ]]; then
        flags=$(PKG_CONFIG_SYSROOT_DIR='' PKG_CONFIG_PATH=$dest$lib/pkgconfig "$pkg_config" --cflags --libs --keep-system-cflags --keep-system-libs shaone)
        expect "-I${include// /\\ } -L${lib// /\\ } -lshaone" echo "${flags%" "}"
    fi
    if [[ $lib == "$prefix"/* && $prefix != *" "* ]]; then
        expect "libdir=\${prefix}${lib#"$prefix"}" grep ^libdir= "$dest$lib/pkgconfig/shaone.pc"
    fi
    # Twice: an upgrade replaces, and a second uninstall finds nothing.
    expect "" install_to --prefix="$prefix" "$@"
    expect "" install_to --uninstall --prefix="$prefix" "$@"
    expect "" diff "$tmp/before" <(tree "$dest")
    expect "" install_to --uninstall --prefix="$prefix" "$@"
    expect "" diff "$tmp/before" <(tree "$dest")
}

pkg_config=$(command -v pkg-config) || skip "no pkg-config"
layout /usr/local /usr/local/lib /usr/local/include
layout /usr /usr/lib/x86_64-linux-gnu /usr/include --libdir=/usr/lib/x86_64-linux-gnu
layout /usr/ /usr/lib64 /usr/include/sub --libdir lib64 --includedir=include/sub
layout /opt/shaone /elsewhere/lib /opt/shaone-1/include --libdir=/elsewhere/lib/ --includedir /opt/shaone-1/include
layout "/opt/a b" "/opt/a b/lib" "/opt/a b/include"

dest=$tmp/none
expect "install.sh: no such option: --nonsense" eval '! install_to --nonsense'
expect "install.sh: the prefix must be an absolute path, not 'here'" eval '! install_to --prefix=here'

# ---- programs

here=$tmp/here
dest='' install_to --prefix="$here"
export PKG_CONFIG_PATH=$here/lib/pkgconfig LD_LIBRARY_PATH=$here/lib
cd "$tmp" || exit 2

cat >abc.c <<'C'
#include <shaone.h>
#include <stdio.h>

int main(void)
{
    shaone_ctx ctx;
    unsigned char digest[20];
    int i;

    sha1_init(&ctx);
    sha1_update(&ctx, "abc", 3);
    sha1_final(digest, &ctx);
    for (i = 0; i < 20; i++)
        printf("%02x", digest[i]);
    putchar('\n');
    return 0;
}
C
# Has its own of two of our names, and uses a third of ours.
cat >own.c <<'C'
#include <stdint.h>
#include <stdio.h>

void sha1_init(int *p) { *p = 42; }
void *sha1_buffer(const char *text, size_t len, void *out) { return len ? out : (void *)text; }
void shaone_digest(const void *data, size_t len, unsigned char digest[20]);

int main(void)
{
    int answer;
    unsigned char digest[20];

    sha1_init(&answer);
    shaone_digest("abc", 3, digest);
    printf("%d %d %02x\n", answer, sha1_buffer("", 0, NULL) != NULL, digest[0]);
    return 0;
}
C
cat >stream.c <<'C'
#include <stdio.h>
#include <shaone/compat/gnulib/sha1.h>

int main(void)
{
    unsigned char digest[20];
    FILE *file = fopen("abc", "rb");

    if (file == NULL || sha1_stream(file, digest) != 0)
        return 1;
    printf("%02x%02x\n", digest[0], digest[19]);
    return fclose(file);
}
C
printf abc >abc
abc=a9993e364706816aba3e25717850c26c9cd0d89d

# build PROGRAM ARGUMENT...: quiet and without a warning
build() {
    local program=$1
    shift
    rm -f "$program"
    expect "" "$CC" -O2 -Wall -Wextra -Werror -o "$program" "$@"
}

if [[ -n $pkg_config ]]; then
    read -ra shared <<<"$(pkg-config --cflags --libs shaone)"
    read -ra static <<<"$(pkg-config --static --cflags --libs shaone)"
else
    shared=(-I"$here/include" -L"$here/lib" -lshaone)
    static=("${shared[@]}")
fi
archive=(-I"$here/include" "$here/lib/libshaone.a")

build abc-shared abc.c "${shared[@]}"
expect $abc ./abc-shared
expect "libshaone.so.${version%%.*}" eval "readelf -d abc-shared | sed -n 's/.*\[\(libshaone.*\)\]/\1/p'"
build own-shared own.c "${shared[@]}"
expect "42 1 a9" ./own-shared
build stream-shared stream.c "${shared[@]}"
expect a99d ./stream-shared
build abc-archive abc.c "${archive[@]}"
expect $abc ./abc-archive
expect "" eval "readelf -d abc-archive | grep libshaone || true"
build own-archive own.c "${archive[@]}"
expect "42 1 a9" ./own-archive
build own-whole own.c -Wl,--whole-archive "${archive[@]}" -Wl,--no-whole-archive
expect "42 1 a9" ./own-whole
build abc-whole abc.c -Wl,--whole-archive "${archive[@]}" -Wl,--no-whole-archive
expect $abc ./abc-whole
build abc-lto -flto abc.c "${archive[@]}"
expect $abc ./abc-lto
build own-lto -flto own.c "${archive[@]}"
expect "42 1 a9" ./own-lto
build abc-gc -Wl,--gc-sections -pie abc.c "${archive[@]}"
expect $abc ./abc-gc
# It can be part of somebody else's shared library, and lacks nothing that libc has not.
build libother.so -shared -Wl,-z,defs -Wl,--whole-archive "${archive[@]}" -Wl,--no-whole-archive
echo 'int main(void) { return 0; }' >nothing.c
if "$CC" -static -o nothing nothing.c 2>/dev/null; then
    build abc-static -static abc.c "${static[@]}"
    expect $abc ./abc-static
    build own-static -static own.c "${static[@]}"
    expect "42 1 a9" ./own-static
    build stream-static -static stream.c "${static[@]}"
    expect a99d ./stream-static
else
    skip "no static libc"
fi
for linker in lld gold; do
    if "$CC" -fuse-ld=$linker -o nothing nothing.c 2>/dev/null; then
        build "abc-$linker" -fuse-ld=$linker abc.c "${archive[@]}"
        expect $abc "./abc-$linker"
        build "own-$linker" -fuse-ld=$linker own.c "${archive[@]}"
        expect "42 1 a9" "./own-$linker"
    else
        skip "no $linker"
    fi
done

# Beside archives of other Rust code, which bring the whole of std.
cat >other.rs <<'RS'
#[unsafe(no_mangle)]
pub extern "C" fn other() -> usize {
    std::env::args().map(|arg| arg.len()).sum::<usize>().min(1)
}
RS
cat >both.c <<'C'
#include <shaone.h>
#include <stddef.h>
#include <stdio.h>
size_t other(void);
int main(void)
{
    unsigned char digest[20];
    shaone_digest("abc", 3, digest);
    printf("%d %02x\n", (int)other(), digest[0]);
    return 0;
}
C
if command -v rustc >/dev/null; then
    for options in "" "-C lto=fat -C panic=abort"; do
        # shellcheck disable=SC2086 # two options or none
        expect "" rustc --edition 2024 -O --crate-type staticlib $options -o libother.a other.rs
        for order in "libother.a ${archive[1]}" "${archive[1]} libother.a"; do
            # shellcheck disable=SC2086 # two archives
            build both "${archive[0]}" both.c $order -lpthread -ldl -lm
            expect "1 a9" ./both
        done
    done
else
    skip "no rustc"
fi

# ---- the archive itself: all names weak, and GNU nm reads it without a plugin

expect "" eval "readelf -sW '$here/lib/libshaone.a' | awk '\$7 ~ /^[0-9]+\$/ && \$5 == \"GLOBAL\" { print \$8 }'"
expect "" eval "nm '$here/lib/libshaone.a' 2>&1 >/dev/null"

echo "$passed passed, $failed failed"
((failed == 0))

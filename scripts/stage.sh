#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# usage: scripts/stage.sh [--archive] [DIR]          (DIR: target/shaone/usr)
#
# Builds the C library with cargo-c and lays it out under DIR as it is going to
# be installed: DIR/lib, DIR/lib/pkgconfig, DIR/include. DIR/stamp is as old as
# the start of the build. DIR is replaced when all is done, and left alone when
# anything fails.
#
# cargo-c is taken from where cargo finds it, or else built into target/tools. With
# --archive, cargo is enough: DIR/lib/libshaone.a and DIR/include, and nothing else.
#
# From the environment:
#   FEATURES        more of the crate's features, for tests: force-backend
#   DROP_IN=no      libshaone has shaone_* and SHA1DC* only; the names of git, gnulib and
#                   others are in a libshaone-dropin of their own (its archive has all names)
#   SYMBOL_PREFIX   is put before the name of every function, also in the headers
#   CFLAGS, LDFLAGS for linking the shared libraries
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cargo_c_version=0.10.24+cargo-0.98.0 # newer ones want a newer Rust than ours

tools=$root/target/tools
archive_only=
if [[ ${1:-} == --archive ]]; then
    archive_only=yes
    shift
fi
dir=${1:-$stage}
: "${DROP_IN:=yes}" "${SYMBOL_PREFIX:=}" "${FEATURES:=}"
[[ $DROP_IN == yes || $DROP_IN == no ]] || die "DROP_IN is yes or no, not '$DROP_IN'"
[[ $SYMBOL_PREFIX =~ ^([A-Za-z_][A-Za-z0-9_]*)?$ ]] || die "SYMBOL_PREFIX is the start of a C name, not '$SYMBOL_PREFIX'"

# Before 0.10 it can't read our Cargo.lock.
have_cargo_c() {
    local version
    version=$("$CARGO" cinstall --version 2>/dev/null) && [[ $version =~ ^cargo-c\ (0\.1[0-9]|[1-9]) ]]
}

# Of its time nearly all goes into the optimiser, and what it makes runs for a second.
get_cargo_c() {
    local features=()
    echo "no cargo-c here: building version $cargo_c_version into target/tools, once (takes minutes)"
    # It holds all of cargo, which wants OpenSSL.
    if ! pkg-config --exists openssl 2>/dev/null; then
        "$root/scripts/deps.sh" cargo-c
        pkg-config --exists openssl 2>/dev/null || features=(--features vendored-openssl)
    fi
    env -u RUSTFLAGS -u CARGO_ENCODED_RUSTFLAGS -u CARGO_BUILD_TARGET \
        CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_DEBUG=0 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=256 \
        "$CARGO" install --quiet --locked --root "$tools" --target-dir "$tools/build" \
        cargo-c --version "$cargo_c_version" "${features[@]}"
    rm -rf "$tools/build"
    have_cargo_c || die "cargo-c was built, but does not run"
}

# Takes our own object out of the archive that Rust has made. Beside it there is Rust's
# compiler support, which the C compiler has too and which clashes under --whole-archive.
take_object() {
    local archive=$1 work=$2 objects
    mkdir "$work"
    (cd "$work" && "$AR" x "$archive")
    objects=("$work"/shaone*.rcgu.o)
    [[ ${#objects[@]} -eq 1 && -e ${objects[0]} ]] ||
        die "not one object of ours in libshaone.a: is link-time optimisation off?"
    "$OBJCOPY" --localize-hidden --strip-debug --remove-section=.llvmbc --remove-section=.llvmcmd \
        "${objects[0]}" "$work/shaone.o"
    # Those that we define: a weak reference would bring in nothing from a static libc.
    "$NM" -g --defined-only --format=posix "$work/shaone.o" | sed 's/ .*//' >"$work/names"
    [[ -z $SYMBOL_PREFIX ]] || add_prefix "$work"
}

add_prefix() {
    local work=$1
    sed "s/.*/& $SYMBOL_PREFIX&/" "$work/names" >"$work/renamed"
    "$OBJCOPY" --redefine-syms="$work/renamed" "$work/shaone.o"
    sed -i "s/^/$SYMBOL_PREFIX/" "$work/names"
}

# make_archive FILE PATTERN: an archive of the functions whose names match. Weak names let a
# program keep functions of its own that have them. Hidden ones are not exported by a program,
# so that its plugins and libraries keep theirs. (objcopy can't hide a name; of two mentions
# the linker takes the more restrictive.)
make_archive() {
    local file=$1 pattern=$2 work=$tmp/objects
    { grep -E "^$SYMBOL_PREFIX($pattern)" "$work/names" || true; } >"$work/these"
    {
        sed 's/.*/.hidden &/' "$work/these"
        echo '.section .note.GNU-stack,"",%progbits'
    } >"$work/hidden.s"
    "$CC" -c -o "$work/hidden.o" "$work/hidden.s"
    "$OBJCOPY" --keep-global-symbols="$work/these" "$work/shaone.o" "$work/part.o"
    "$CC" -nostdlib -r -o "$work/weak.o" "$work/part.o" "$work/hidden.o"
    "$OBJCOPY" --weaken-symbols="$work/these" "$work/weak.o"
    rm -f "$file"
    "$AR" rcsD "$file" "$work/weak.o"
}

# shared FILE SONAME VERSION PATTERN: a shared library of the functions whose names match.
# Those are the only ones that anybody can see or take the place of.
shared() {
    local file=$1 soname=$2 version=$3 pattern=$4 name options=()
    local work=$tmp/objects
    {
        echo "$version { global:"
        while IFS= read -r name; do
            options+=("-Wl,-u,$name")
            echo "    $name;"
        done < <(grep -E "^$SYMBOL_PREFIX($pattern)" "$work/names")
        echo '    local: *; };'
    } >"$work/exports"
    # shellcheck disable=SC2086 # several words
    "$CC" ${CFLAGS:-} -shared -o "$file" "-Wl,-soname,$soname" "-Wl,--version-script=$work/exports" "${options[@]}" \
        -Wl,--gc-sections -Wl,-Bsymbolic-functions -Wl,-z,defs -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,-z,noseparate-code -Wl,-S \
        ${LDFLAGS:-} "$work/shaone.o"
}

# The names that only we have, and sha1collisiondetection; and those of all others.
ours='shaone_|SHA1DC'
theirs='(get|put)_[bl]e|sha1_|blk_|hmac_'

headers() {
    [[ -z $SYMBOL_PREFIX ]] ||
        sed -i "s/^#define SHAONE_SYMBOL_PREFIX .*/#define SHAONE_SYMBOL_PREFIX \"$SYMBOL_PREFIX\"/" "$1/shaone/symbols.h"
}

mkdir -p "$(dirname "$dir")"
parent=$(cd "$(dirname "$dir")" && pwd)
dir=$parent/$(basename "$dir")
tmp=$(mktemp -d "$parent/stage.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
touch "$tmp/stamp"

if [[ -n $archive_only ]]; then
    (cd "$root" && "$CARGO" rustc --quiet --release --lib --features "capi${FEATURES:+,$FEATURES}" --crate-type staticlib \
        --target-dir target/archive)
    new=$tmp/new
    mkdir -p "$new/lib"
    cp -R "$root/include" "$new/"
    take_object "$root/target/archive/release/libshaone.a" "$tmp/objects"
else
    PATH=$tools/bin:$PATH
    have_cargo_c || get_cargo_c
    (cd "$root" && RUST_BACKTRACE=0 CARGO_TERM_QUIET=true "$CARGO" cinstall --release --features "$FEATURES" \
        --destdir "$tmp/root" --prefix "$dir" --libdir "$dir/lib" --includedir "$dir/include" 2>&1) |
        sed '/^note: link against the following/,/^$/d' >&2
    new=$tmp/root$dir
    take_object "$new/lib/libshaone.a" "$tmp/objects"
    # cargo-c says what it is called; our link of it has versions, and can have fewer names.
    file=$(readlink "$new/lib/libshaone.so")
    soname=$("$READELF" -d "$new/lib/$file" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
    if [[ $DROP_IN == yes ]]; then
        shared "$new/lib/$file" "$soname" SHAONE_0 ''
    else
        dropin=${file/libshaone/libshaone-dropin}
        shared "$new/lib/$file" "$soname" SHAONE_0 "$ours"
        shared "$new/lib/$dropin" "${soname/libshaone/libshaone-dropin}" SHAONE_0 "$theirs"
        ln -s "$dropin" "$new/lib/${soname/libshaone/libshaone-dropin}"
        ln -s "$dropin" "$new/lib/libshaone-dropin.so"
    fi
    # sha1collisiondetection's library by its own name: programs that are linked to it already
    # look for a file of its SONAME, and no more than its functions, without versions.
    if [[ -z $SYMBOL_PREFIX ]]; then
        shared "$new/lib/libsha1detectcoll.so.1" libsha1detectcoll.so.1 '' SHA1DC
        ln -s libsha1detectcoll.so.1 "$new/lib/libsha1detectcoll.so"
        ln -s libshaone.a "$new/lib/libsha1detectcoll.a"
    fi
    # What cargo-c lists beside it is what Rust's std needs, which is not in there.
    sed -i '/^Libs\.private:/d' "$new/lib/pkgconfig/shaone.pc"
fi
if [[ $DROP_IN == yes ]]; then
    make_archive "$new/lib/libshaone.a" ''
else
    make_archive "$new/lib/libshaone.a" "$ours"
    make_archive "$new/lib/libshaone-dropin.a" ''
fi
headers "$new/include"
mv "$tmp/stamp" "$new/"
rm -rf "$dir"
mv -T "$new" "$dir"

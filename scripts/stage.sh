#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# usage: scripts/stage.sh [DIR]          (DIR: target/shaone/usr)
#
# Builds the C library with cargo-c and lays it out under DIR as it is going to
# be installed: DIR/lib, DIR/lib/pkgconfig, DIR/include. DIR/stamp is as old as
# the start of the build. DIR is replaced when all is done, and left alone when
# anything fails.
#
# cargo-c is taken from where cargo finds it, or else built into target/tools.
#
#   FEATURES   (environment) more of the crate's features, for tests: force-backend
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cargo_c_version=0.10.24+cargo-0.98.0 # newer ones want a newer Rust than ours

tools=$root/target/tools
dir=${1:-$stage}

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

# Leaves our own object only. Rust puts its compiler support beside it, which
# the C compiler has too and which clashes under --whole-archive. Weak names
# let a program keep functions of its own that have them.
trim() {
    local archive=$1 work=$2 objects
    mkdir "$work"
    (cd "$work" && "$AR" x "$archive")
    objects=("$work"/shaone*.rcgu.o)
    [[ ${#objects[@]} -eq 1 && -e ${objects[0]} ]] ||
        die "not one object of ours in libshaone.a: is link-time optimisation off?"
    # Those that we define: a weak reference would bring in nothing from a static libc.
    "$NM" -g --defined-only --format=posix "${objects[0]}" | sed 's/ .*//' >"$work/names"
    "$OBJCOPY" --localize-hidden --weaken-symbols="$work/names" \
        --remove-section=.llvmbc --remove-section=.llvmcmd "${objects[0]}" "$work/shaone.o"
    rm "$archive"
    "$AR" rcsD "$archive" "$work/shaone.o"
}

# sha1collisiondetection's library by its own name. Programs that are linked to
# it already look for a file of its SONAME, and no more than its functions.
stand_in() {
    local lib=$1 work=$2 name
    local options=(-shared "-Wl,-soname,libsha1detectcoll.so.1" "-Wl,--version-script=$work/exports" "-Wl,--gc-sections")
    {
        echo '{ global:'
        while IFS= read -r name; do
            options+=("-Wl,-u,$name")
            echo "    $name;"
        done < <(grep '^SHA1DC' "$work/names")
        echo 'local: *; };'
    } >"$work/exports"
    "$CC" "${options[@]}" -Wl,-z,defs -o "$lib/libsha1detectcoll.so.1" "$lib/libshaone.a"
    ln -s libsha1detectcoll.so.1 "$lib/libsha1detectcoll.so"
    ln -s libshaone.a "$lib/libsha1detectcoll.a"
}

PATH=$tools/bin:$PATH
have_cargo_c || get_cargo_c

mkdir -p "$(dirname "$dir")"
parent=$(cd "$(dirname "$dir")" && pwd)
dir=$parent/$(basename "$dir")
tmp=$(mktemp -d "$parent/stage.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

touch "$tmp/stamp"
(cd "$root" && RUST_BACKTRACE=0 CARGO_TERM_QUIET=true "$CARGO" cinstall --release --features "${FEATURES:-}" --destdir "$tmp/root" \
    --prefix "$dir" --libdir "$dir/lib" --includedir "$dir/include" 2>&1) |
    sed '/^note: link against the following/,/^$/d' >&2
new=$tmp/root$dir
trim "$new/lib/libshaone.a" "$tmp/objects"
stand_in "$new/lib" "$tmp/objects"
# What cargo-c lists beside it is what Rust's std needs, which is not in there.
sed -i '/^Libs\.private:/d' "$new/lib/pkgconfig/shaone.pc"
mv "$tmp/stamp" "$new/"
rm -rf "$dir"
mv -T "$new" "$dir"

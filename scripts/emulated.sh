#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# usage: scripts/emulated.sh [CPU...]    (aarch64 s390x i686)
#
# Tests on other CPUs than this one, under qemu-user: the Rust tests that need no
# C library, then c-tests' programs with the archive. s390x is big-endian, i686
# has 32 bits, aarch64 has SHA instructions. i686 runs without qemu where the
# machine can, since qemu's has no SHA instructions.
#
# The compiler and its standard library's source come from scripts/deps.sh cross;
# what can't be run for want of something is a "not run" line, not an error.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
target=$root/target/emulated
work=$target/package

# Rust tests, and the dev-dependencies that they need: to build the others for
# each CPU would double the time.
tests=(known_answers properties)
dev_dependencies="proptest|rustcrypto_sha1|sha1_smol"
programs=(native git gnulib libiberty bytes sha1dc)

# Debian's, whose standard library's source is of the same version.
cargo=/usr/bin/cargo
export RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1
# Nobody debugs these.
export CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_TEST_DEBUG=0 CARGO_INCREMENTAL=0
# What make tells its own children, and flags for this CPU, only confuse cargo.
unset MAKEFLAGS RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_TARGET CFLAGS

not_run() {
    echo "not run: other CPUs: $*"
}

# The C compiler's and qemu's names for a CPU.
gnu() {
    echo "$1-linux-gnu"
}

# runner CPU: the command that runs a program of that CPU.
runner() {
    local lib emulator=$1 options=""
    lib=/usr/$(gnu "$1")/lib
    case $1 in
        aarch64) options="-cpu max" ;;
        i686) emulator=i386 ;;
    esac
    if [[ $1 == i686 && $("$lib/ld-linux.so.2" --library-path "$lib" "$target/true-i686" 2>/dev/null) == here ]]; then
        echo "$lib/ld-linux.so.2 --library-path $lib"
    else
        # Without -E threads can spin for ever.
        echo "qemu-$emulator-static $options -L ${lib%/lib} -E LD_LIBRARY_PATH=$lib"
    fi
}

# usable CPU: can programs for it be built and run here?
usable() {
    local cc
    cc=$(gnu "$1")-gcc
    if ! command -v "$cc" >/dev/null; then
        not_run "$1 (no $cc)"
        return 1
    fi
    echo 'int puts(const char *); int main(void) { return puts("here") < 0; }' >"$target/true.c"
    # shellcheck disable=SC2046 # the runner is several words
    if ! "$cc" -o "$target/true-$1" "$target/true.c" 2>/dev/null ||
        [[ $($(runner "$1") "$target/true-$1" 2>/dev/null) != here ]]; then
        not_run "$1 (a program for it does not run: install its libc and qemu-user-static)"
        return 1
    fi
}

# The package without what the tests here do not need.
package() {
    mkdir -p "$work"
    ln -sfn "$root/src" "$work/src"
    ln -sfn "$root/tests" "$work/tests"
    [[ ! -e $root/build.rs ]] || ln -sfn "$root/build.rs" "$work/build.rs"
    awk -v keep="^($dev_dependencies) " '
        /^\[/ { section = $0 }
        section == "[[bench]]" || section == "[dev-dependencies]" && /^[a-z]/ && $0 !~ keep { next }
        { print }' "$root/Cargo.toml" >"$work/Cargo.toml.new"
    cmp -s "$work/Cargo.toml.new" "$work/Cargo.toml" || mv "$work/Cargo.toml.new" "$work/Cargo.toml"
    [[ -e $work/Cargo.lock ]] || cp "$root/Cargo.lock" "$work/"
}

main() {
    local cpus=("$@") cpu name triples=()
    ((${#cpus[@]})) || cpus=(aarch64 s390x i686)
    mkdir -p "$target"
    "$root/scripts/deps.sh" cross
    if [[ ! -x $cargo || ! -x $RUSTC || ! -e $("$RUSTC" --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock ]]; then
        not_run "no rustc-web, cargo-web and rust-web-src"
        return
    fi

    local usable=()
    for cpu in "${cpus[@]}"; do
        usable "$cpu" || continue
        usable+=("$cpu")
        triples+=(--target "$cpu-unknown-linux-gnu")
        name=CARGO_TARGET_${cpu^^}_UNKNOWN_LINUX_GNU
        export "${name}_LINKER=$(gnu "$cpu")-gcc" "${name}_RUNNER=$(runner "$cpu")"
    done
    ((${#usable[@]})) || return 0
    # The SHA instructions of qemu's aarch64 must not go untested unseen.
    [[ -z ${CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER:-} ]] ||
        CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER+=" -E SHAONE_BEST=aarch64-sha2"

    package
    # Optimised: qemu is slow enough.
    (cd "$work" && "$cargo" test --quiet -Zbuild-std "${triples[@]}" --target-dir "$target" \
        --config profile.dev.package.shaone.opt-level=2 --lib "${tests[@]/#/--test=}")

    for cpu in "${usable[@]}"; do
        # The same archive as on this CPU, but for the trimming.
        (cd "$work" && "$cargo" rustc --quiet --release --lib --features capi --crate-type staticlib \
            -Zbuild-std=core --target "$cpu-unknown-linux-gnu" --target-dir "$target")
        for name in "${programs[@]}"; do
            program "$cpu" "$name"
        done
    done
}

# program CPU NAME: build and run one of c-tests.
program() {
    local include=$root/include out=$target/$2-$1
    case $2 in
        git | gnulib | libiberty | sha1dc) include+=/shaone/compat/$2 ;;
    esac
    "$(gnu "$1")-gcc" -std=gnu11 -O1 -Wall -Wextra -Werror -I"$include" -o "$out" "$root/c-tests/$2.c" \
        "$target/$1-unknown-linux-gnu/release/libshaone.a" -pthread -ldl
    echo "$1:"
    # Without peers: those here are for another CPU.
    # shellcheck disable=SC2046 # the runner is several words
    SHAONE_QUICK=1 SHAONE_PEERS='' $(runner "$1") "$out" | sed '/^not run: /d'
}

main "$@"

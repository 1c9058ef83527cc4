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
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

target=$root/target/emulated
tests=(known_answers properties)
programs=(native git gnulib libiberty bytes sha1dc)

# Debian's, whose standard library's source is of the same version.
cargo=/usr/bin/cargo
export RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR=$target
# Cargo.toml leaves out the dependencies of all other tests, and nobody debugs these.
export RUSTFLAGS="--cfg shaone_emulated" CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=0
# Flags for this CPU only confuse.
unset CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_TARGET CFLAGS

# prepare CPU: sets its compiler `cc` and the command `run` that its programs run by;
# fails if they do not.
prepare() {
    local emulator=$1 lib=/usr/$1-linux-gnu/lib trial=$target/trial-$1
    cc=$1-linux-gnu-gcc
    case $1 in
        aarch64) emulator="aarch64-static -cpu max" ;;
        i686) emulator=i386-static ;;
        *) emulator+=-static ;;
    esac
    command -v "$cc" >/dev/null || {
        not_run "other CPUs: $1 (no $cc)"
        return 1
    }
    echo 'int puts(const char *); int main(void) { return puts("here") < 0; }' >"$trial.c"
    "$cc" -o "$trial" "$trial.c" 2>/dev/null || true
    run="$lib/ld-linux.so.2 --library-path $lib"
    [[ $1 != i686 ]] || ! works "$trial" || return 0
    # Without -E threads can spin for ever.
    run="qemu-$emulator -L ${lib%/lib} -E LD_LIBRARY_PATH=$lib"
    works "$trial" || {
        not_run "other CPUs: $1 (a program for it does not run: install its libc and qemu-user-static)"
        return 1
    }
}

works() {
    # shellcheck disable=SC2086 # several words
    [[ $($run "$1" 2>/dev/null) == here ]]
}

# program CPU NAME: build and run one of c-tests.
program() {
    local include=$root/include out=$target/$2-$1
    case $2 in
        git | gnulib | libiberty | sha1dc) include+=/shaone/compat/$2 ;;
    esac
    "$cc" -std=gnu11 -O1 -Wall -Wextra -Werror -I"$include" -o "$out" "$root/c-tests/$2.c" \
        "$target/$1-unknown-linux-gnu/release/libshaone.a" -pthread -ldl
    # Without peers: those here are for another CPU.
    # shellcheck disable=SC2086 # several words
    SHAONE_QUICK=1 SHAONE_PEERS='' $run "$out" | sed '/^not run: /d'
}

"$root/scripts/deps.sh" cross
mkdir -p "$target"
if [[ ! -x $cargo || ! -x $RUSTC || ! -e $("$RUSTC" --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock ]]; then
    not_run "other CPUs: no rustc-web, cargo-web and rust-web-src"
    exit
fi
(($#)) || set -- aarch64 s390x i686
cd "$root"
for cpu; do
    prepare "$cpu" || continue
    echo "$cpu:"
    triple=$cpu-unknown-linux-gnu name=CARGO_TARGET_${cpu^^}_UNKNOWN_LINUX_GNU
    export "${name}_LINKER=$cc" "${name}_RUNNER=$run"
    # The SHA instructions of qemu's must not go untested unseen.
    [[ $cpu != aarch64 ]] || export "${name}_RUNNER=$run -E SHAONE_BEST=aarch64-sha2"
    # Optimised: qemu is slow enough.
    "$cargo" test --quiet -Zbuild-std --target "$triple" \
        --config profile.dev.package.shaone.opt-level=2 --lib "${tests[@]/#/--test=}"
    # The same archive as on this CPU, but for the trimming.
    "$cargo" rustc --quiet --release --lib --features capi --crate-type staticlib -Zbuild-std=core --target "$triple"
    for name in "${programs[@]}"; do
        program "$cpu" "$name"
    done
done

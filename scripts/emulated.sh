#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# usage: scripts/emulated.sh [--all | CPU...]
#
# Tests on other CPUs than this one, under an emulator: the Rust tests that need no
# C library, then c-tests' programs and the example sha1sum with the archive. Without
# arguments: aarch64 (SHA instructions), s390x (big-endian), i686 (32 bits; without an
# emulator where the machine can, since qemu's has no SHA instructions). --all: also
# armv7, ppc64le, riscv64, and Windows on x86-64 by wine.
#
# The compiler and its standard library's source come from scripts/deps.sh; what can't be run for want of something is a "not run" line, not an error.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

target=$root/target/emulated
tests=(known_answers properties)

# Debian's, whose standard library's source is of the same version.
cargo=/usr/bin/cargo
export RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR=$target
# Cargo.toml leaves out the dependencies of all other tests, and nobody debugs these.
export RUSTFLAGS="--cfg shaone_emulated" CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=0
# Wine's own files are not the user's, nor are its reports.
export WINEPREFIX=$target/wine WINEDEBUG=-all
# Flags for this CPU only confuse.
unset CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_TARGET CFLAGS

# describe CPU: sets what is particular to it: Rust's name of it, the C compiler, the
# directory of its libc, and the command that runs a program.
describe() {
    local cpu=$1 gnu emulator
    programs=(native git gnulib libiberty bytes sha1dc many guards)
    case $cpu in
        aarch64) triple=aarch64-unknown-linux-gnu gnu=aarch64-linux-gnu emulator="qemu-aarch64-static -cpu max" ;;
        s390x) triple=s390x-unknown-linux-gnu gnu=s390x-linux-gnu emulator=qemu-s390x-static ;;
        i686) triple=i686-unknown-linux-gnu gnu=i686-linux-gnu emulator=qemu-i386-static ;;
        armv7) triple=armv7-unknown-linux-gnueabihf gnu=arm-linux-gnueabihf emulator=qemu-arm-static ;;
        ppc64le) triple=powerpc64le-unknown-linux-gnu gnu=powerpc64le-linux-gnu emulator=qemu-ppc64le-static ;;
        riscv64) triple=riscv64gc-unknown-linux-gnu gnu=riscv64-linux-gnu emulator=qemu-riscv64-static ;;
        windows) triple=x86_64-pc-windows-gnu gnu=x86_64-w64-mingw32 emulator=wine programs=(windows) ;;
        *) die "no such CPU: $cpu" ;;
    esac
    cc=$gnu-gcc
    # Without -E threads can spin for ever.
    run="$emulator -L /usr/$gnu -E LD_LIBRARY_PATH=/usr/$gnu/lib"
    if [[ $cpu == windows ]]; then
        run=$emulator
        random_numbers
    elif [[ $cpu == i686 ]]; then
        local lib=/usr/$gnu/lib
        trial "$lib/ld-linux.so.2 --library-path $lib" && run="$lib/ld-linux.so.2 --library-path $lib"
    fi
    return 0
}

# The library that Rust's std takes random numbers from, which wine lacks before 9.0.
random_numbers() {
    export WINEPATH=$target/dll
    mkdir -p "$WINEPATH"
    "$cc" -shared -o "$WINEPATH/bcryptprimitives.dll" -xc - -ladvapi32 2>/dev/null <<'END' || true
#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL ProcessPrng(PBYTE data, SIZE_T len) { return RtlGenRandom(data, (ULONG)len); }
END
}

# trial COMMAND: whether programs of $cc run by it.
trial() {
    # Windows wants the suffix, nobody else minds it.
    local program=$target/trial.exe
    echo 'int puts(const char *); int main(void) { return puts("here") < 0; }' >"$target/trial.c"
    # shellcheck disable=SC2086 # several words
    "$cc" -o "$program" "$target/trial.c" 2>/dev/null && [[ $($1 "$program" 2>/dev/null | tr -d '\r') == here ]]
}

# program CPU NAME [ARGUMENT...]: build and run one of c-tests.
program() {
    local cpu=$1 name=$2 include=$root/include out=$target/$2-$1 libraries="-pthread -ldl"
    shift 2
    case $name in
        git | gnulib | libiberty | sha1dc) include+=/shaone/compat/$name ;;
        windows) out+=.exe libraries=-lntdll ;;
    esac
    # shellcheck disable=SC2086 # several words
    "$cc" -std=gnu11 -O1 -Wall -Wextra -Werror -I"$include" -o "$out" "$root/c-tests/$name.c" \
        "$target/$triple/release/libshaone.a" $libraries
    # Without peers: those here are for another CPU.
    # shellcheck disable=SC2086 # several words
    SHAONE_QUICK=1 SHAONE_PEERS='' $run "$out" "$@" | sed '/^not run: /d'
}

# The example sha1sum against the system's.
sums() {
    local out=$target/sha1sum-$1 files=("$root/README.md" "$root/Cargo.lock" "$root/src/lanes.rs")
    "$cc" -std=gnu11 -O1 -I"$root/include" -o "$out" "$root/examples/programs/sha1sum.c" \
        "$target/$triple/release/libshaone.a"
    # shellcheck disable=SC2086 # several words
    [[ $($run "$out" "${files[@]}") == "$(sha1sum "${files[@]}")" ]] || die "sha1sum on $1 differs from the system's"
    echo "sha1sum: as the system's"
}

on_cpu() {
    local cpu=$1 name
    describe "$cpu"
    command -v "$cc" >/dev/null || {
        not_run "other CPUs: $cpu (no $cc)"
        return
    }
    trial "$run" || {
        not_run "other CPUs: $cpu (a program for it does not run: install its libc and ${run%% *})"
        return
    }
    echo "$cpu:"
    name=CARGO_TARGET_${triple^^}
    name=${name//-/_}
    # The SHA instructions of qemu's must not go untested unseen.
    [[ $cpu != aarch64 ]] || run+=" -E SHAONE_BEST=aarch64-sha2"
    export "${name}_LINKER=$cc" "${name}_RUNNER=$run"
    # Optimised: emulators are slow enough.
    "$cargo" test --quiet -Zbuild-std --target "$triple" \
        --config profile.dev.package.shaone.opt-level=2 --lib "${tests[@]/#/--test=}"
    # The same archive as on this CPU, but for the trimming.
    "$cargo" rustc --quiet --release --lib --features capi --crate-type staticlib -Zbuild-std=core --target "$triple"
    if [[ $cpu == windows ]]; then
        program windows windows "$(head -c $(((1 << 32) + 5)) /dev/zero | sha1sum | cut -d' ' -f1)" \
            "$root/Cargo.lock" "$(sha1sum <"$root/Cargo.lock" | cut -d' ' -f1)"
        return
    fi
    for name in "${programs[@]}"; do
        program "$cpu" "$name"
    done
    sums "$cpu"
    if [[ $cpu == aarch64 && -n $all ]]; then
        # As on a core without SHA instructions, which this emulator cannot take away.
        "$cargo" rustc --quiet --release --lib --features force-backend --crate-type staticlib \
            -Zbuild-std=core --target "$triple"
        run=${run/SHAONE_BEST=aarch64-sha2/SHAONE_BACKEND=portable}
        for name in native sha1dc many; do
            program "$cpu" "$name"
        done
    fi
}

all=
cpus=(aarch64 s390x i686)
groups=(cross)
if [[ ${1:-} == --all ]]; then
    all=yes
    cpus+=(armv7 ppc64le riscv64 windows)
    groups+=(cross-more)
elif (($#)); then
    cpus=("$@")
fi
"$root/scripts/deps.sh" "${groups[@]}"
mkdir -p "$target"
if [[ ! -x $cargo || ! -x $RUSTC || ! -e $("$RUSTC" --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock ]]; then
    not_run "other CPUs: no rustc-web, cargo-web and rust-web-src"
    exit
fi
cd "$root"
for cpu in "${cpus[@]}"; do
    on_cpu "$cpu"
done

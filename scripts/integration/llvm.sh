#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# usage: scripts/integration/llvm.sh [--short]
#
# LLVM's linkers on our llvm::SHA1: the distribution's own programs, with a small
# shared object of ours loaded before libLLVM. ld.lld hashes its output with SHA-1
# for --build-id=sha1 up to LLVM 14 (later ones take BLAKE3 for ELF), wasm-ld does
# in all.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

: "${CXX:=c++}"
include=$stage/include
dir=$work/llvm

# preload VERSION: the shared object for that LLVM
preload() {
    echo "$dir/shaone-llvm-$1.so"
}

build() {
    local version=$1 so
    so=$(preload "$version")
    logged "build-$version" "$CXX" -std=c++17 -O2 -fPIC -fno-exceptions -fno-rtti -shared -o "$so" \
        -I"$(llvm-config-"$version" --includedir)" "$include/shaone/compat/llvm/SHA1.cpp" "$stage/lib/libshaone.a" \
        -Wl,-z,defs -Wl,--as-needed -Wl,--gc-sections -Wl,--exclude-libs,ALL || return
    must "LLVM $version: our shared object has llvm::SHA1" defines "$so" '_ZN4llvm4SHA14hashE.*'
    must "LLVM $version: it exports nothing else" exports_only "$so" _ZN4llvm4SHA1
    must "LLVM $version: and needs no LLVM" not needs "$so" 'libLLVM.*'
}

# exports_only FILE PREFIX
exports_only() {
    "$NM" -P -D --defined-only "$1" | awk -v prefix="$2" 'index($1, prefix) != 1 { exit 1 }'
}

# bound VERSION LINK: in that link, llvm::SHA1::hash is ours
bound() {
    (cd "$dir/ours" && LD_DEBUG=bindings LD_PRELOAD=$(preload "$1") bash -c "exec $2") 2>&1 |
        found "to $(preload "$1") .*\`_ZN4llvm4SHA14hashE"
}

# linker VERSION NAME WHAT INPUT...: links with and without ours, in directories that
# have in them what is in $inputs
inputs=
linker() {
    local version=$1 name=$2 what=$3 so command mega run
    shift 3
    so=$(preload "$version")
    # The name of the output may be in the output.
    for run in none stock ours; do
        mkdir -p "$dir/$run"
        [[ -z $inputs ]] || ln -s "$inputs"/* "$dir/$run/"
    done
    printf -v command '%q ' "$name" "$@"
    must "$what: llvm::SHA1::hash is ours" bound "$version" "$command --build-id=sha1 -o out"
    (cd "$dir/stock" && eval "$command --build-id=sha1 -o out") || {
        failed "$what: the link"
        return
    }
    must "$what: the same output, byte for byte" cmp "$dir/stock/out" "$dir/ours/out"
    mega=$(($(wc -c <"$dir/stock/out") / 1000000))
    ((mega < 50)) ||
        measure_links "$what, $mega MB" \
            "cd ${dir@Q}/none && $command --build-id=none -o out" \
            "cd ${dir@Q}/stock && $command --build-id=sha1 -o out" \
            "cd ${dir@Q}/ours && LD_PRELOAD=${so@Q} $command --build-id=sha1 -o out"
    rm -rf "$dir"/{none,stock,ours}
}

elf() {
    local archives
    "$CC" -c -x c -o "$dir/small.o" - <<<'int answer(void) { return 42; }'
    linker 14 ld.lld-14 "ld.lld 14, one function" -shared "$dir/small.o"
    mapfile -t archives < <(llvm_archives)
    # One thread, which shows what it costs and not how many cores there are. The
    # relocations are kept, as for BOLT, for more output.
    linker 14 ld.lld-14 "ld.lld 14, LLVM's libraries" --threads=1 -shared --emit-relocs --whole-archive "${archives[@]}"
}

# wasm VERSION: 220 MB of data in a program, for want of a compiled one of that size
wasm() {
    local version=$1
    if [[ ! -e $dir/data.o ]]; then
        # head is done before cat is.
        { llvm_archives | xargs cat | head -c 220000000 >"$dir/data"; } 2>/dev/null || true
        printf '.section .data.d,"",@\n.globl d\n.type d,@object\nd:\n.incbin "%s"\n.size d,220000000\n' "$dir/data" >"$dir/data.s"
        clang --target=wasm32 -c "$dir/data.s" -o "$dir/data.o" || return
        rm "$dir/data"
    fi
    linker "$version" "wasm-ld-$version" "wasm-ld $version" --threads=1 --no-entry --export=d "$dir/data.o"
}

# LLVM's own tests of what hashes with SHA-1: the unit tests of llvm::SHA1, compiled
# with ours in place of LLVM's, and lld's of --build-id.
own_tests() {
    local version=$1 stock=$logs/llvm-$1-stock.passed ours=$logs/llvm-$1-ours.passed
    fetch_source "llvm-toolchain-$version" "$work/llvm-toolchain-$version" '*/unittests/Support/raw_sha1_ostream_test.cpp' \
        '*/lld/test/*/build-id.*' '*/lld/test/wasm/Inputs/start.s' || {
        not_run "LLVM $version's own tests (no package sources here)"
        return
    }
    unit_tests "$version" >"$stock.new" || return
    unit_tests "$version" "$include/shaone/compat/llvm/SHA1.cpp" "$stage/lib/libshaone.a" >"$ours.new" || return
    lld_tests "$version" "" >>"$stock.new"
    lld_tests "$version" "$(preload "$version")" >>"$ours.new"
    sort "$stock.new" >"$stock"
    sort "$ours.new" >"$ours"
    no_fewer "LLVM $version's own tests of SHA-1 and --build-id" "$stock" "$ours"
}

# unit_tests VERSION FILE...: the names of those that pass
unit_tests() {
    local version=$1 tests=$dir/unit-tests-$1
    shift
    logged "unit-tests-$version" "$CXX" -std=c++17 -O1 -I"$(llvm-config-"$version" --includedir)" -I"$include" -o "$tests" \
        "$work/llvm-toolchain-$version/llvm/unittests/Support/raw_sha1_ostream_test.cpp" "$@" \
        -lgtest -lgtest_main "-L$(llvm-config-"$version" --libdir)" "-lLLVM-$version" -pthread || return
    LD_LIBRARY_PATH=$(llvm-config-"$version" --libdir) "$tests" | sed -n 's/^\[ *OK \] \([^ ]*\).*/unit \1/p'
}

# lld_tests VERSION PRELOAD: the numbers of the commands that succeed, of those that
# lld's tests of --build-id have in their RUN lines
lld_tests() {
    local version=$1 bin=$dir/bin-$1 file name line number
    rm -rf "$bin"
    mkdir -p "$bin"
    for name in ld.lld wasm-ld; do
        printf '#!/bin/sh\nLD_PRELOAD=%q exec %q-%s "$@"\n' "$2" "$name" "$version" >"$bin/$name"
        chmod +x "$bin/$name"
    done
    for file in "$work/llvm-toolchain-$version"/lld/test/*/build-id.*; do
        number=0
        while IFS= read -r line; do
            number=$((number + 1))
            line=${line//%s/$file} line=${line//%p/${file%/*}} line=${line//%t/$bin/out}
            if (PATH=$bin:$(llvm-config-"$version" --bindir):$PATH && eval "$line") >/dev/null 2>&1 </dev/null; then
                echo "${file#*/lld/test/} $number"
            fi
        done < <(sed -n 's/^# RUN: //p' "$file")
    done
}

# A debug build of a real program, cargo with its plugin cargo-c. Of each link ld.lld
# packs what it got; the last is the program's.
debug_build() {
    local bin=$dir/bin-debug flag flags=
    [[ ! -e $dir/debug/response.txt ]] || return 0
    rm -rf "$bin" "$dir/debug"
    mkdir -p "$bin"
    # The compiler driver knows it by no other name.
    ln -s "$(command -v ld.lld-14)" "$bin/ld.lld"
    for flag in -fuse-ld=lld "-B$bin" "-Wl,--reproduce=$dir/debug.tar"; do
        flags+=" -Clink-arg=$flag"
    done
    RUSTFLAGS=$flags CARGO_PROFILE_DEV_DEBUG=2 CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_INCREMENTAL=0 \
        logged debug "$CARGO" install --quiet --locked --debug --force --root "$dir/root" --target-dir "$dir/debug-target" \
        --bin cargo-capi cargo-c --version '0.10.24+cargo-0.98.0' || return
    mkdir "$dir/debug"
    tar -xf "$dir/debug.tar" -C "$dir/debug" --strip-components=1
    # The linker's own options are taken from the command line.
    sed -i '/^--reproduce\|^-o$\|^-o \|^--build-id\|^--threads/d' "$dir/debug/response.txt"
    rm -rf "$dir/debug.tar" "$dir/debug-target" "$dir/root"
}

debug() {
    debug_build || return
    inputs=$dir/debug
    linker 14 ld.lld-14 "ld.lld 14, a debug build of cargo" --threads=1 @response.txt
    inputs=
}

begin llvm
"$root/scripts/deps.sh" integration llvm
mkdir -p "$dir"
for version in 14 19; do
    for tool in "llvm-config-$version" "wasm-ld-$version" "ld.lld-$version" clang; do
        command -v "$tool" >/dev/null || {
            not_run "LLVM's linkers (no $tool here)"
            exit 0
        }
    done
    build "$version" || failed "LLVM $version: our shared object does not build"
done
for version in 14 19; do
    ((failures)) || own_tests "$version" || failed "LLVM $version: its tests do not build"
done
((failures)) || elf
[[ -n $short ]] || ((failures)) || debug || failed "the debug build"
((failures)) || wasm 19 || failed "the input for wasm-ld"
finish

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# usage: scripts/integration/llvm.sh [--short]
#
# LLVM's linkers on our llvm::SHA1: the distribution's own programs, with a small
# shared object of ours loaded before libLLVM. ld.lld hashes its output with SHA-1
# for --build-id=sha1 up to LLVM 14 (later ones take BLAKE3 for ELF), wasm-ld does
# in all.
#
# shellcheck disable=SC2317 # functions are called by their names in variables
set -euo pipefail
# shellcheck source=scripts/integration/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=scripts/integration/links.bash
. "$(dirname "${BASH_SOURCE[0]}")/links.bash"

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
    LD_DEBUG=bindings LD_PRELOAD=$(preload "$1") bash -c "exec $2" 2>&1 |
        found "to $(preload "$1") .*\`_ZN4llvm4SHA14hashE"
}

# linker VERSION NAME WHAT INPUT...: links with and without ours
linker() {
    local version=$1 name=$2 what=$3 so command mega
    shift 3
    so=$(preload "$version")
    # The name of the output may be in the output.
    mkdir -p "$dir/none" "$dir/stock" "$dir/ours"
    printf -v command '%q ' "$name" "$@"
    must "$what: llvm::SHA1::hash is ours" bound "$version" "$command --build-id=sha1 -o ${dir@Q}/ours/out"
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
((failures)) || elf
((failures)) || wasm 19 || failed "the input for wasm-ld"
finish

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# usage: scripts/integration/binutils.sh [--short]
#
# binutils on our library in place of libiberty's sha1: ld and gold, its users,
# which hash their output for --build-id=sha1.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

archive=$stage/lib/libshaone.a
tree=$work/binutils-build
kept=$work/binutils-programs # ld and gold, stock and ours
links=$work/binutils-links
options=(-q --disable-nls --disable-werror --disable-plugins --disable-libctf --without-zstd --without-debuginfod
    --disable-gdb --disable-gdbserver --disable-sim --disable-gprof --disable-gprofng --disable-gas --disable-binutils
    --enable-ld=default --enable-gold)
linkers=(ld)
[[ -n $short ]] || linkers+=(gold)

configured() {
    [[ ! -e $tree/configured ]] || return 0
    rm -rf "$tree"
    mkdir -p "$tree"
    (cd "$tree" && logged configure ../binutils/configure "${options[@]}" CFLAGS=-O2 CXXFLAGS=-O1 MAKEINFO=true) || return
    touch "$tree/configured"
}

stock() {
    local linker
    for linker in "${linkers[@]}"; do
        logged "build-$linker" make -C "$tree" -j"$jobs" MAKEINFO=true "all-$linker" || return
        [[ -e $kept/stock/$linker ]] || cp "$tree/$linker/ld-new" "$kept/stock/$linker"
        must "$linker as it comes: libiberty's sha1 is inside" defined strong "$kept/stock/$linker" sha1_process_bytes
    done
    suite stock
}

static() {
    local linker name
    for linker in "${linkers[@]}"; do
        rm -f "$tree/$linker/ld-new"
        logged "link-$linker" make -C "$tree/$linker" -j"$jobs" MAKEINFO=true ld-new LDFLAGS="-Wl,-u,sha1_init_ctx $archive" || return
        mv "$tree/$linker/ld-new" "$kept/static/$linker"
        for name in sha1_init_ctx sha1_process_block sha1_process_bytes sha1_finish_ctx sha1_read_ctx sha1_buffer sha1_stream; do
            defined weak "$kept/static/$linker" $name || failed "$linker: $name is not ours"
        done
        must "$linker, static: ours is inside" defines "$kept/static/$linker" '_.*6shaone.*'
        must "$linker, static: libiberty's sha1 is not" not defined strong "$kept/static/$linker" 'sha1_.*'
    done
}

# suite VARIANT: what passed of ld's own tests, in logs/binutils-VARIANT.passed. Some
# fail as it comes too, because it is configured without plugins and the like.
suite() {
    local tests=()
    command -v runtest >/dev/null || return 0
    [[ -z $short ]] || tests=(RUNTESTFLAGS=build-id.exp)
    cp "$kept/$1/ld" "$tree/ld/ld-new"
    make -C "$tree/ld" check-DEJAGNU "${tests[@]}" >"$logs/binutils-tests-$1.log" 2>&1 </dev/null || true
    rm "$tree/ld/ld-new"
    sed -n 's/^PASS: //p' "$tree/ld/ld.sum" | sort >"$logs/binutils-$1.passed"
}

tested() {
    if command -v runtest >/dev/null; then
        suite static
        no_fewer "ld's own tests" "$logs/binutils-stock.passed" "$logs/binutils-static.passed"
    else
        not_run "ld's own tests (install dejagnu)"
    fi
}

# defined strong|weak FILE REGEX: libiberty's names are strong, those of our archive weak
defined() {
    local type=T
    [[ $1 != weak ]] || type=W
    symbols "$2" | found "^$type ($3)\$"
}

# the_same LINKER ARGUMENT...: links with both are the same, byte for byte
the_same() {
    local linker=$1 out=$links/out
    shift
    "$kept/stock/$linker" --build-id=sha1 -o "$out" "$@" && mv "$out" "$out.stock" &&
        "$kept/static/$linker" --build-id=sha1 -o "$out" "$@" &&
        [[ $(build_id "$out") =~ ^[0-9a-f]{40}$ ]] && cmp "$out" "$out.stock"
}

# timed LINKER WHAT ARGUMENT...
timed() {
    local linker=$1 what=$2 command
    shift 2
    printf -v command '%q ' -o "$links/out" "$@"
    measure_links "$linker, $what" \
        "${kept@Q}/stock/$linker --build-id=none $command" \
        "${kept@Q}/stock/$linker --build-id=sha1 $command" \
        "${kept@Q}/static/$linker --build-id=sha1 $command"
}

work_of_binutils() {
    local linker archives
    # What C++ needs of the startup files.
    "$CC" -fPIC -c -x c -o "$links/small.o" - <<<'__attribute__((visibility("hidden"))) void *__dso_handle;'
    # Embedded data, of which a linker has little else to do.
    printf '.data\n.fill 25000000, 8, 0x12345678\n' >"$links/data.s"
    "$CC" -c -o "$links/data.o" "$links/data.s" || return
    for linker in "${linkers[@]}"; do
        must "$linker: a small object: the same output" the_same "$linker" -shared "$links/small.o"
        must "$linker: 200 MB of data: the same output" the_same "$linker" -shared "$links/data.o"
        must "$linker: libbfd: the same output" the_same "$linker" -e 0 --unresolved-symbols=ignore-all --whole-archive "$tree/bfd/.libs/libbfd.a"
        timed "$linker" "200 MB of data" -shared "$links/data.o"
        mapfile -t archives < <(llvm_archives)
        ((${#archives[@]})) || continue
        if ! the_same "$linker" -shared "$links/small.o" --whole-archive "${archives[@]}"; then
            failed "$linker: LLVM's libraries: the same output"
            continue
        fi
        ok "$linker: LLVM's libraries: the same output"
        timed "$linker" "LLVM's libraries, $(($(wc -c <"$links/out") / 1000000)) MB" \
            -shared "$links/small.o" --whole-archive "${archives[@]}"
        rm -f "$links"/out*
    done
    ((${#archives[@]})) || not_run "the time of a link of LLVM's libraries (install llvm-19-dev)"
}

begin binutils
"$root/scripts/deps.sh" integration
fetch_source binutils "$work/binutils" || {
    not_run "binutils (no package sources here)"
    exit 0
}
mkdir -p "$kept/stock" "$kept/static" "$links"
if ! configured; then
    failed "its configure"
    finish
fi
stock || failed "it does not build"
((failures)) || static || failed "static: it does not link"
((failures)) || tested
((failures)) || work_of_binutils
finish

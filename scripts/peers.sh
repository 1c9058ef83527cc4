#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# usage: scripts/peers.sh [DIR]          (DIR: target/peers)
#
# Builds the reference implementations that no system library carries, each into
# a shared object with its original function names, for tests and benches to open
# with RTLD_LOCAL next to each other:
#
#   libpeer_git.so        blk_SHA1_*       git, block-sha1/
#   libpeer_sha1dc.so     SHA1DC*          git, sha1dc/ with its upstream defaults
#   libpeer_gnulib.so     sha1_*, hmac_*   gnulib, crypto/sha1 and crypto/hmac-sha1
#   libpeer_libiberty.so  sha1_*           libiberty
#
# Their headers stay in DIR/src. What can't be built is a "not run" line, not an
# error. Whatever is there already is not built again.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

dir=${1:-$root/target/peers}
mkdir -p "$dir/src"
dir=$(cd "$dir" && pwd)
src=$dir/src

# fresh PEER: built, and since this script last changed?
fresh() {
    [[ $dir/libpeer_$1.so -nt ${BASH_SOURCE[0]} ]]
}

# link PEER CC-ARGUMENT...: a finished library appears at once or not at all.
# -Bsymbolic keeps a peer's calls to itself, whatever else has those names.
link() {
    local peer=$1 out=$dir/libpeer_$1.so log
    shift
    if ! log=$("$CC" -O2 -fPIC -shared -Wl,-Bsymbolic -o "$out.$$" "$@" 2>&1); then
        rm -f "$out.$$"
        log=$(grep -m1 -E 'error|undefined' <<<"$log" || tail -n1 <<<"$log")
        not_run "$peer ($CC failed: ${log//"$dir/"/})"
        return
    fi
    mv -f "$out.$$" "$out"
}

build_git() {
    # block-sha1 asks for git's umbrella header; these are the parts it uses.
    cat >"$src/git/git-compat-util.h" <<'C'
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "compat/bswap.h"
C
    link git -I"$src/git" "$src/git/block-sha1/sha1.c"
}

build_sha1dc() {
    link sha1dc "$src/git/sha1dc/sha1.c" "$src/git/sha1dc/ubc_check.c"
}

build_gnulib() {
    local lib=/usr/share/gnulib/lib file
    if [[ ! -e $lib/hmac-sha1.c ]]; then
        not_run "gnulib (install gnulib)"
        return
    fi
    mkdir -p "$src/gnulib"
    for file in sha1.c sha1.h sha1-stream.c hmac-sha1.c hmac.c hmac.h memxor.c memxor.h af_alg.h gl_openssl.h minmax.h; do
        [[ ! -e $lib/$file ]] || cp "$lib/$file" "$src/gnulib/"
    done
    # In place of what gnulib's configure would find out.
    cat >"$src/gnulib/config.h" <<'C'
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
# define WORDS_BIGENDIAN 1
#endif
#include <stdalign.h>
C
    link gnulib -I"$src/gnulib" "$src"/gnulib/{sha1,sha1-stream,hmac-sha1,memxor}.c
}

build_libiberty() {
    local archive
    archive=$("$CC" -print-file-name=libiberty.a)
    if [[ ! -e $archive ]]; then
        not_run "libiberty (install libiberty-dev)"
        return
    fi
    local tmp
    tmp=$(mktemp -d "$src/libiberty.XXXXXX")
    (cd "$tmp" && ar x "$archive" sha1.o)
    link libiberty "$tmp/sha1.o"
    rm -rf "$tmp"
}

if fresh git && fresh sha1dc && fresh gnulib && fresh libiberty; then
    exit 0
fi

"$root/scripts/deps.sh" build peers
if ! fresh git || ! fresh sha1dc; then
    # Of the whole package only the few files that are needed.
    if fetch_source git "$src/git" '*/block-sha1' '*/sha1dc' '*/compat/bswap.h'; then
        build_git
        build_sha1dc
    else
        not_run "git, sha1dc (no source package of git)"
    fi
fi
fresh gnulib || build_gnulib
fresh libiberty || build_libiberty

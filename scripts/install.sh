#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# usage: scripts/install.sh [--uninstall] [--prefix=DIR] [--libdir=DIR] [--includedir=DIR]
#
# Copies what `make` has built to its place, or removes it from there. Nothing is
# built here, so it needs no Rust and can run as another user than make did.
#
#   --prefix      /usr/local
#   --libdir      lib, below the prefix if relative
#   --includedir  include, the same
#   DESTDIR       (environment) put before all of these, not written into any file
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

prefix=/usr/local libdir=lib includedir=include uninstall=
while (($#)); do
    case $1 in
        --prefix=* | --libdir=* | --includedir=*)
            name=${1%%=*}
            printf -v "${name#--}" %s "${1#*=}"
            ;;
        --prefix | --libdir | --includedir)
            (($# > 1)) || die "$1 needs a directory"
            printf -v "${1#--}" %s "$2"
            shift
            ;;
        --uninstall) uninstall=yes ;;
        *) die "no such option: $1" ;;
    esac
    shift
done
[[ $prefix == /* ]] || die "the prefix must be an absolute path, not '$prefix'"

# /usr/ and /usr are one prefix; / alone is an empty one.
trimmed() {
    local path=$1
    while [[ $path == */ ]]; do path=${path%/}; done
    printf %s "$path"
}
prefix=$(trimmed "$prefix")
libdir=$(trimmed "$libdir")
includedir=$(trimmed "$includedir")
[[ $libdir == /* ]] || libdir=$prefix/$libdir
[[ $includedir == /* ]] || includedir=$prefix/$includedir

lib=${DESTDIR:-}$libdir
include=${DESTDIR:-}$includedir
pc=$lib/pkgconfig/shaone.pc

# In a real system, the loader's cache has to know.
refresh() {
    [[ -n ${DESTDIR:-} || $EUID -ne 0 ]] || ! command -v ldconfig >/dev/null || ldconfig || true
}

# libsha1detectcoll has another maker too: is the one that is there ours?
ours() {
    [[ ! -e $1 && ! -L $1 ]] || [[ $(readlink "$1") == libs* ]] || grep -q shaone "$1"
}

headers() {
    (cd "$root/include" && find . "$@" | sed 's,^\./,,')
}

if [[ -n $uninstall ]]; then
    # The version that is there need not be the one of this tree.
    if file=$(readlink "$lib/libshaone.so"); then
        for link in "$lib"/libshaone.so.*; do
            [[ $(readlink "$link") != "$file" ]] || rm -f "$link"
        done
        rm -f "$lib/$file"
    fi
    rm -f "$lib"/libshaone.{so,a} "$pc"
    for file in "$lib"/libsha1detectcoll.{so.1,so,a}; do
        if ours "$file"; then rm -f "$file"; else echo "install.sh: left alone, not ours: $file"; fi
    done
    headers -type f | while IFS= read -r header; do
        rm -f "$include/$header"
    done
    headers -mindepth 1 -depth -type d | while IFS= read -r directory; do
        rmdir "$include/$directory" 2>/dev/null || true
    done
    refresh
    exit
fi

[[ -e $stage/stamp ]] || die "nothing is built; run make"
for file in "$lib"/libsha1detectcoll.{so.1,so,a}; do
    ours "$file" || die "there is another libsha1detectcoll: move $file away first, or choose another directory"
done

install -d "$lib/pkgconfig" "$include"
(cd "$stage/include" && find . -type f) | while IFS= read -r header; do
    install -d "$(dirname "$include/$header")"
    install -m 644 "$stage/include/$header" "$include/$header"
done
for file in "$stage"/lib/lib*; do
    if [[ -L $file ]]; then
        ln -sfn "$(readlink "$file")" "$lib/$(basename "$file")"
    elif [[ $file == *.a ]]; then
        install -m 644 "$file" "$lib/"
    else
        install -m 755 "$file" "$lib/"
    fi
done

# below DIR: relative to the prefix where it is inside; blanks escaped.
below() {
    local path=${1// /\\ }
    [[ $1 != "$prefix"/* ]] || path="\${prefix}${1#"$prefix"}" path=${path// /\\ }
    printf %s "$path"
}
while IFS= read -r line; do
    case $line in
        prefix=*) line=prefix=${prefix// /\\ } ;;
        libdir=*) line=libdir=$(below "$libdir") ;;
        includedir=*) line=includedir=$(below "$includedir") ;;
    esac
    printf '%s\n' "$line"
done <"$stage/lib/pkgconfig/shaone.pc" >"$pc.$$"
chmod 644 "$pc.$$"
mv -f "$pc.$$" "$pc"
refresh

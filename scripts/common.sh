# shellcheck shell=bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# What the scripts share. Each begins with
#
#   set -euo pipefail
#   . "$(dirname "${BASH_SOURCE[0]}")/common.sh"
#
# shellcheck disable=SC2034 # variables for the others

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
stage=$root/target/shaone/usr # what `make` builds
: "${CARGO:=cargo}" "${CC:=cc}" "${AR:=ar}" "${NM:=nm}" "${OBJCOPY:=objcopy}" "${READELF:=readelf}"
# What make tells its own children only confuses cargo and the makes of others.
unset MAKEFLAGS MAKELEVEL

die() {
    echo "${0##*/}: $*" >&2
    exit 2
}

not_run() {
    echo "not run: $*"
}

# ---- checks, and how many of them have failed

failures=0

ok() {
    echo "  ok      $*"
}

failed() {
    echo "  FAILED  $*"
    failures=$((failures + 1))
}

# must WHAT COMMAND...
must() {
    local what=$1
    shift
    if "$@"; then ok "$what"; else failed "$what"; fi
}

not() {
    ! "$@"
}

median() {
    printf '%s\n' "$@" | sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}

# ---- sources of other programs

# fetch_source PACKAGE DIR [PATTERN...]: the unpatched upstream source of the
# distribution's package is put into DIR, or of it only what matches the patterns
# of tar (--wildcards, matched against the paths in the archive, so
# `*/lib/Support/SHA1.cpp`). Fails where there is none to be had.
fetch_source() {
    local package=$1 dir=$2 tmp status=0
    shift 2
    [[ ! -e $dir ]] || return 0
    command -v apt-get >/dev/null || return 1
    mkdir -p "${dir%/*}"
    tmp=$(mktemp -d "$dir.XXXXXX")
    # Lists older than the mirror name files that are gone: ask once more with new ones.
    download "$package" "$tmp" || {
        "$root/scripts/deps.sh" sources
        download "$package" "$tmp" || { ((EUID == 0)) && apt-get -qq update && download "$package" "$tmp"; }
    } 2>/dev/null || status=$?
    ((status)) || unpack "$tmp" "$@" || status=$?
    ((status)) || mv "$tmp/source" "$dir" || status=$?
    rm -rf "$tmp"
    return $status
}

download() {
    (cd "$2" && apt-get -qq -o APT::Sandbox::User=root source --download-only "$1") >/dev/null 2>&1
}

# The main archive, and those of components, each in a directory of its own.
unpack() {
    local tmp=$1 file part
    shift
    mkdir "$tmp/source"
    for file in "$tmp"/*.orig.tar.*; do
        [[ $file == *.asc ]] || tar -xf "$file" -C "$tmp/source" --strip-components=1 --wildcards "$@" || return
    done
    for file in "$tmp"/*.orig-*.tar.*; do
        [[ -e $file && $file != *.asc ]] || continue
        part=${file##*.orig-} part=${part%%.tar.*}
        mkdir -p "$tmp/source/$part"
        # It may have nothing that matches.
        tar -xf "$file" -C "$tmp/source/$part" --strip-components=1 --wildcards "$@" || (($#)) || return
    done
}

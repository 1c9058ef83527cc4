#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# usage: scripts/install.sh [--uninstall] [OPTION=DIR]...
#
# Copies what `make` has built to its place, or removes it from there. Nothing is
# built here, so it needs no Rust and can run as another user than make did.
#
#   --prefix      /usr/local; absolute
#   --libdir      lib, below the prefix if relative
#   --includedir  include, the same
#   --docdir      share/doc/shaone, the same: licences, documents, and the manifest
#   --mandir      share/man, the same
#   --no-static   leave the archives out
#   --stage       what scripts/stage.sh has laid out: target/shaone/usr
#   DESTDIR       (environment) put before all of these, not written into any file
#
# The manifest says which files are ours and what was in them. A file of another maker
# is not replaced, and one that is no longer as we have installed it is not removed.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

prefix=/usr/local libdir=lib includedir=include docdir=share/doc/shaone mandir=share/man
uninstall='' static=yes
while (($#)); do
    case $1 in
        --prefix=* | --libdir=* | --includedir=* | --docdir=* | --mandir=* | --stage=*)
            name=${1%%=*}
            printf -v "${name#--}" %s "${1#*=}"
            ;;
        --prefix | --libdir | --includedir | --docdir | --mandir | --stage)
            (($# > 1)) || die "$1 needs a directory"
            printf -v "${1#--}" %s "$2"
            shift
            ;;
        --uninstall) uninstall=yes ;;
        --no-static) static='' ;;
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
for name in libdir includedir docdir mandir; do
    path=$(trimmed "${!name}")
    [[ $path == /* ]] || path=$prefix/$path
    [[ $path != *$'\n'* ]] || die "--$name has a line break"
    printf -v "$name" %s "$path"
done
dest=${DESTDIR:-}
manifest=$docdir/manifest

# In a real system, the loader's cache has to know.
refresh() {
    [[ -n $dest || $EUID -ne 0 ]] || ! command -v ldconfig >/dev/null || ldconfig || true
}

# What is in a file: where a link leads, or the file's CRC and length. Empty: there is none.
content() {
    if [[ -L $1 ]]; then
        printf 'link %s' "$(readlink "$1")"
    elif [[ -e $1 ]]; then
        printf 'file %s' "$(cksum <"$1")"
    fi
}

# The manifest of the installation that is there: a line is a content, a tab and a path.
declare -A installed=()
if [[ -e $dest$manifest ]]; then
    while IFS=$'\t' read -r what path; do
        installed[$path]=$what
    done <"$dest$manifest"
fi

# Whether a file is as we have installed it.
unchanged() {
    [[ -n ${installed[$1]:-} && ${installed[$1]} == "$(content "$dest$1")" ]]
}

# The same, or it is there in place of ours: all of our libraries, headers and pages have our
# name in them, and sha1collisiondetection's own library has not.
ours() {
    [[ -z $(content "$dest$1") ]] || unchanged "$1" || [[ $1 == "$docdir"/* ]] || grep -qs shaone "$dest$1"
}

# The directories that only we have, once they are empty.
remove_directories() {
    local directory
    for directory in "$includedir/shaone" "$libdir/cmake/shaone" "$docdir"; do
        [[ ! -d $dest$directory ]] || find "$dest$directory" -depth -type d -exec rmdir {} + 2>/dev/null || true
    done
}

if [[ -n $uninstall ]]; then
    [[ -e $dest$manifest ]] || {
        echo "install.sh: nothing to remove: there is no $dest$manifest"
        exit
    }
    for path in "${!installed[@]}"; do
        if unchanged "$path"; then
            rm -f "$dest$path"
        elif [[ -n $(content "$dest$path") ]]; then
            echo "install.sh: left alone, not as we have installed it: $dest$path"
        fi
    done
    rm -f "$dest$manifest"
    remove_directories
    refresh
    exit
fi

[[ -e $stage/stamp ]] || die "nothing is built; run make"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# ---- files whose text depends on the directories

# below DIR: relative to the prefix where it is inside; what separates words is escaped.
below() {
    local path=$1
    [[ $1 != "$prefix"/* ]] || path=${path#"$prefix"}
    path=$(escaped "$path")
    # shellcheck disable=SC2016 # the variable is pkg-config's
    [[ $1 != "$prefix"/* ]] || path='${prefix}'$path
    printf %s "$path"
}
escaped() {
    printf %s "$1" | sed "s/[ '\"\\\\]/\\\\&/g"
}
while IFS= read -r line; do
    case $line in
        prefix=*) line=prefix=$(escaped "$prefix") ;;
        libdir=*) line=libdir=$(below "$libdir") ;;
        includedir=*) line=includedir=$(below "$includedir") ;;
    esac
    printf '%s\n' "$line"
done <"$stage/lib/pkgconfig/shaone.pc" >"$tmp/shaone.pc"

version=$(sed -n 's/^Version: //p' "$tmp/shaone.pc")
for file in shaoneConfig shaoneConfigVersion; do
    while IFS= read -r line; do
        line=${line//@libdir@/"${libdir//[\"\\]/\\&}"}
        line=${line//@includedir@/"${includedir//[\"\\]/\\&}"}
        line=${line//@version@/$version}
        printf '%s\n' "${line//@major@/${version%%.*}}"
    done <"$root/packaging/$file.cmake.in" >"$tmp/$file.cmake"
done

# ---- what goes where: the source of each path, and its mode

declare -A source=() mode=()
paths=()
to() {
    paths+=("$1")
    source[$1]=$2
    mode[$1]=${3:-644}
}
while IFS= read -r header; do
    to "$includedir/${header#./}" "$stage/include/$header"
done < <(cd "$stage/include" && find . -type f | sort)
for file in "$stage"/lib/lib*; do
    case $file in
        *.a) [[ -z $static ]] || to "$libdir/${file##*/}" "$file" ;;
        *) to "$libdir/${file##*/}" "$file" 755 ;;
    esac
done
to "$libdir/pkgconfig/shaone.pc" "$tmp/shaone.pc"
for file in "$tmp"/*.cmake; do
    to "$libdir/cmake/shaone/${file##*/}" "$file"
done
for file in "$root"/{README,CHANGELOG,SECURITY}.md "$root"/docs/*.md "$root"/LICENSE-* "$root/packaging/shaone.supp"; do
    to "$docdir/${file##*/}" "$file"
done
for file in "$root"/docs/man/*.3; do
    to "$mandir/man3/${file##*/}" "$file"
done

# ---- first look, then write

for path in "${paths[@]}"; do
    ours "$path" || die "$dest$path is not ours: move it away first, or choose another directory"
done
# The version that we replace, where it had no manifest.
before=$(readlink "$dest$libdir/libshaone.so" || true)

declare -A now=()
for path in "${paths[@]}"; do
    [[ -d $dest${path%/*} ]] || install -d "$dest${path%/*}"
    if [[ -L ${source[$path]} ]]; then
        ln -sfn "$(readlink "${source[$path]}")" "$dest$path"
    else
        install -m "${mode[$path]}" "${source[$path]}" "$dest$path"
    fi
    now[$path]=$(content "$dest$path")
done

# What the version before had and this one has not; ldconfig would prefer the newer of two.
for path in "${!installed[@]}"; do
    [[ -n ${now[$path]:-} ]] || ! unchanged "$path" || rm -f "$dest$path"
done
if ((${#installed[@]} == 0)) && [[ $before == libshaone.so.* && -z ${now[$libdir/$before]:-} ]]; then
    rm -f "$dest$libdir/$before"
fi
remove_directories

for path in "${paths[@]}"; do
    printf '%s\t%s\n' "${now[$path]}" "$path"
done >"$tmp/manifest"
install -m 644 "$tmp/manifest" "$dest$manifest"
refresh

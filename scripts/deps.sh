#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# usage: scripts/deps.sh [GROUP...]      (without one: build peers sources sanity qemu)
#
#   build    compilers, make, binutils, LLVM's tools
#   rust     the distribution's newest, where rustup has brought none
#   cargo-c  what scripts/stage.sh needs to build cargo-c
#   peers    the other SHA-1 libraries that tests and benches compare with
#   sources  `apt-get source`: dpkg-dev, and deb-src twins of the system's own entries
#   sanity   valgrind, clang's sanitizer runtimes, shellcheck, git to compare with
#   qemu     user-mode emulation of other CPUs
#   cross    qemu, C compilers and libcs for those CPUs, a Rust with its library's source
#   integration   to build git, coreutils and others from their sources
#   llvm     two LLVMs with their headers and linkers, since llvm::SHA1 has changed
#   all      everything above
#
# As root on Debian or Ubuntu it installs what is missing. Elsewhere it says, a
# line each, what will not be run for want of it. Both are success.
set -euo pipefail

declare -A GROUPS_OF=(
    [build]="gcc g++ make pkg-config binutils clang llvm lld"
    [rust]="rustc-web cargo-web"
    [cargo-c]="gcc make pkg-config libssl-dev"
    [peers]="libssl-dev nettle-dev libgcrypt20-dev libmd-dev libmbedtls-dev libiberty-dev gnulib"
    [sources]="dpkg-dev"
    [sanity]="valgrind clang libclang-rt-dev git shellcheck"
    [integration]="gcc g++ make perl bison zlib1g-dev libssl-dev dejagnu"
    [llvm]="clang lld-14 llvm-14-dev lld-19 llvm-19-dev libgtest-dev"
    [qemu]="qemu-user-static"
    [cross]="qemu-user-static
        gcc-aarch64-linux-gnu gcc-s390x-linux-gnu gcc-i686-linux-gnu
        gcc-arm-linux-gnueabihf gcc-powerpc64le-linux-gnu
        libc6-dev-arm64-cross libc6-dev-s390x-cross libc6-dev-i386-cross
        libc6-dev-armhf-cross libc6-dev-ppc64el-cross
        rustc-web cargo-web rust-web-src"
)

# What a package is for, as the reader of a "not run" line knows it.
label() {
    case $1 in
        libssl-dev) echo openssl ;;
        nettle-dev) echo nettle ;;
        libgcrypt20-dev) echo gcrypt ;;
        libmd-dev) echo md ;;
        libmbedtls-dev) echo mbedtls ;;
        libiberty-dev) echo libiberty ;;
        dpkg-dev) echo "git, sha1dc (package sources)" ;;
        *) echo "$1" ;;
    esac
}

# Names of what is installed, asked for once: dpkg-query is slow to start.
installed=""
look() {
    ! command -v dpkg-query >/dev/null ||
        # It fails when there is one that it has never heard of.
        installed=$({ dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true; } |
            awk '$2 == "installed" { printf "%s ", $1 }')
}

# Is it here? Other systems name their packages otherwise, so there the thing
# itself is looked for.
there() {
    if command -v dpkg-query >/dev/null; then
        [[ " $installed " == *" $1 "* ]]
        return
    fi
    case $1 in
        libssl-dev) pkg-config --exists libcrypto ;;
        nettle-dev) pkg-config --exists nettle ;;
        libgcrypt20-dev) command -v libgcrypt-config || pkg-config --exists libgcrypt ;;
        libmd-dev) pkg-config --exists libmd ;;
        libmbedtls-dev) pkg-config --exists mbedcrypto ;;
        libiberty-dev) [[ -e /usr/include/libiberty/sha1.h ]] ;;
        gnulib) command -v gnulib-tool ;;
        binutils) command -v objdump ;;
        llvm) command -v llvm-nm ;;
        zlib1g-dev) pkg-config --exists zlib ;;
        dejagnu) command -v runtest ;;
        libgtest-dev) pkg-config --exists gtest ;;
        lld-*) command -v "ld.$1" ;;
        llvm-*-dev) command -v "llvm-config-${1//[^0-9]/}" ;;
        dpkg-dev) command -v dpkg-source && command -v apt-get ;;
        qemu-user-static) command -v qemu-s390x-static || command -v qemu-s390x ;;
        libclang-rt-dev) command -v clang ;;
        *) command -v "$1" ;;
    esac >/dev/null 2>&1
}

can_install() {
    ((EUID == 0)) && command -v apt-get >/dev/null && command -v dpkg-query >/dev/null
}

# shellcheck source=/dev/null
codename=$(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME:-}") || true

# Looks at the downloaded lists, since a deb-src entry without them is of no use.
have_sources() {
    compgen -G "/var/lib/apt/lists/*_dists_${codename}_main_source_Sources*" >/dev/null
}

# Source entries for the distribution's own suites, made of the binary entries
# that the system already has, whatever mirror those name.
add_sources() {
    local dir=/etc/apt/sources.list.d file
    rm -f "$dir"/shaone-src.{list,sources}
    [[ -n $codename ]] || return 0
    local deb822="" oneline=""
    for file in /etc/apt/sources.list "$dir"/*.list; do
        [[ -f $file ]] || continue
        oneline+=$(awk -v suite="$codename" '
            $1 == "deb" {
                i = 2
                if ($i ~ /^\[/) while ($i !~ /\]$/) i++
                if ($2 ~ /^\[/) i++
                ours = $(i + 1) == suite || $(i + 1) ~ "^" suite "[-/](updates|security)$"
                if (ours && $(i + 2) == "main") { sub(/deb/, "deb-src"); print }
            }' "$file")$'\n'
    done
    for file in "$dir"/*.sources; do
        [[ -f $file ]] || continue
        deb822+=$(sed '/^#/d' "$file" | awk -v suite="$codename" '
            BEGIN { RS = ""; FS = "\n"; OFS = "\n" }
            {
                type = suites = main = off = 0
                for (i = 1; i <= NF; i++) {
                    if ($i ~ /^Types:/) { type = $i ~ /[ \t]deb([ \t]|$)/; $i = "Types: deb-src" }
                    if ($i ~ /^Suites:/) suites = $i ~ "[ \t]" suite "([ \t/-]|$)"
                    if ($i ~ /^Components:/) main = $i ~ /[ \t]main([ \t]|$)/
                    if ($i ~ /^Enabled:[ \t]*no/) off = 1
                }
                if (type && suites && main && !off) print $0 "\n"
            }')$'\n\n'
    done
    [[ -z ${oneline//[$'\n']/} ]] || sed '/^$/d' <<<"$oneline" >"$dir/shaone-src.list"
    [[ -z ${deb822//[$'\n']/} ]] || cat -s <<<"$deb822" >"$dir/shaone-src.sources"
}

apt() {
    DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@"
}

main() {
    local groups=("$@") group package
    ((${#groups[@]})) || groups=(build peers sources sanity qemu)
    [[ ${groups[*]} != all ]] || groups=(build cargo-c peers sources sanity qemu cross)

    local wanted=() want_sources=0
    for group in "${groups[@]}"; do
        [[ -n ${GROUPS_OF[$group]:-} ]] || {
            echo "deps.sh: no group '$group' (one of: ${!GROUPS_OF[*]} all)" >&2
            exit 2
        }
        [[ $group != sources ]] || want_sources=1
        for package in ${GROUPS_OF[$group]}; do
            [[ " ${wanted[*]} " == *" $package "* ]] || wanted+=("$package")
        done
    done

    local missing=()
    look "${wanted[@]}"
    for package in "${wanted[@]}"; do
        there "$package" || missing+=("$package")
    done

    if can_install && { ((${#missing[@]})) || { ((want_sources)) && ! have_sources; }; }; then
        # One at a time: two of our scripts may ask at once.
        exec 9>/run/lock/shaone-deps.lock
        flock 9
        ((!want_sources)) || have_sources || add_sources
        apt update || echo "deps.sh: apt-get update failed; going on with the lists that are here" >&2
        if ((${#missing[@]})) && ! apt install -y --no-install-recommends "${missing[@]}" >/dev/null; then
            # One that this release lacks must not keep the others away.
            for package in "${missing[@]}"; do
                apt install -y --no-install-recommends "$package" >/dev/null 2>&1 || true
            done
        fi
    fi
    ((!want_sources)) || have_sources || echo "not run: $(label dpkg-dev) (no package sources here)"
    ((${#missing[@]} == 0)) || look "${missing[@]}"
    for package in "${missing[@]}"; do
        there "$package" || echo "not run: $(label "$package") (install $package)"
    done
}

main "$@"

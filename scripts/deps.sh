#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# usage: scripts/deps.sh GROUP...        (the groups are below)
#
# As root on Debian or Ubuntu it installs what is missing of these packages.
# Elsewhere it says, a line each, what will not be run for want of them. Both are
# success.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# A package, and what tells that it is here where there is no dpkg: a program, by
# default of the same name; a file; or NAME.pc, that pkg-config knows NAME.
declare -A packages_of=(
    # compilers, make, binutils, LLVM's tools
    [build]="gcc g++ make pkg-config binutils=objdump clang llvm=llvm-nm lld"
    # the distribution's newest, where rustup has brought none
    [rust]="rustc-web=rustc cargo-web=cargo"
    # what scripts/stage.sh needs to build cargo-c
    [cargo-c]="gcc make pkg-config libssl-dev=libcrypto.pc"
    # the other SHA-1 libraries that tests and benches compare with
    [peers]="libssl-dev=libcrypto.pc nettle-dev=nettle.pc libgcrypt20-dev=libgcrypt.pc libmd-dev=libmd.pc
        libmbedtls-dev=mbedcrypto.pc libiberty-dev=/usr/include/libiberty/sha1.h gnulib=gnulib-tool
        libtomcrypt-dev=/usr/include/tomcrypt.h"
    # `apt-get source`: besides, deb-src twins of the system's own entries
    [sources]="dpkg-dev=dpkg-source"
    # valgrind, clang's sanitizer runtimes, shellcheck, git to compare with, one more linker and
    # compiler, a reader of manual pages, somebody else's build system
    [sanity]="valgrind clang libclang-rt-dev=clang clang-19 libclang-rt-19-dev=clang-19 git shellcheck mold tcc mandoc
        cmake"
    # to build git, coreutils and binutils from their sources
    [integration]="gcc g++ make perl bison zlib1g-dev=zlib.pc libssl-dev=libcrypto.pc dejagnu=runtest"
    # two LLVMs with their headers and linkers, since llvm::SHA1 has changed
    [llvm]="clang lld-14=ld.lld-14 llvm-14-dev=llvm-config-14 lld-19=ld.lld-19 llvm-19-dev=llvm-config-19
        libgtest-dev=gtest.pc"
    # user-mode emulation of other CPUs
    [qemu]="qemu-user-static=qemu-s390x-static"
    # C compilers and libcs for those CPUs, a Rust with its library's source
    [cross]="qemu-user-static=qemu-s390x-static
        gcc-aarch64-linux-gnu=aarch64-linux-gnu-gcc libc6-dev-arm64-cross=/usr/aarch64-linux-gnu/lib
        gcc-s390x-linux-gnu=s390x-linux-gnu-gcc libc6-dev-s390x-cross=/usr/s390x-linux-gnu/lib
        gcc-i686-linux-gnu=i686-linux-gnu-gcc libc6-dev-i386-cross=/usr/i686-linux-gnu/lib
        rustc-web=rustc cargo-web=cargo rust-web-src=/usr/lib/rustlib/src/rust"
    # besides, for `make check-cross`
    [cross-more]="gcc-arm-linux-gnueabihf=arm-linux-gnueabihf-gcc libc6-dev-armhf-cross=/usr/arm-linux-gnueabihf/lib
        gcc-powerpc64le-linux-gnu=powerpc64le-linux-gnu-gcc libc6-dev-ppc64el-cross=/usr/powerpc64le-linux-gnu/lib
        gcc-riscv64-linux-gnu=riscv64-linux-gnu-gcc libc6-dev-riscv64-cross=/usr/riscv64-linux-gnu/lib
        gcc-mingw-w64-x86-64=x86_64-w64-mingw32-gcc wine64 wine"
)

wanted=()
for group; do
    [[ -n ${packages_of[$group]:-} ]] || die "no group '$group' (there are: ${!packages_of[*]})"
    for package in ${packages_of[$group]}; do
        [[ " ${wanted[*]} " == *" $package "* ]] || wanted+=("$package")
    done
done
want_sources=
[[ " $* " != *" sources "* ]] || want_sources=yes

there() {
    case ${1#*=} in
        *.pc) pkg-config --exists "$(basename "${1#*=}" .pc)" ;;
        /*) [[ -e ${1#*=} ]] ;;
        *) command -v "${1#*=}" ;;
    esac >/dev/null 2>&1
}

# look: puts those of $wanted that are not here into $missing
look() {
    local package installed=
    missing=()
    if command -v dpkg-query >/dev/null; then
        # All at once, since it is slow. It fails when there is one that it has never heard of.
        installed=" $(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]%%=*}" 2>/dev/null |
            sed -n 's/^installed //p' | tr '\n' ' ' || true)"
    fi
    for package in "${wanted[@]}"; do
        if [[ -n $installed ]]; then
            [[ $installed == *" ${package%%=*} "* ]]
        else
            there "$package"
        fi || missing+=("${package%%=*}")
    done
}

# shellcheck source=/dev/null
codename=$(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME:-}") || true

# Looks at the downloaded lists, since a deb-src entry without them is of no use.
lack_sources() {
    [[ -n $want_sources ]] && ! compgen -G "/var/lib/apt/lists/*_dists_${codename}_main_source_Sources*" >/dev/null
}

# Source entries for the distribution's own suites, made of the binary entries
# that the system already has, whatever mirror those name.
add_sources() {
    local dir=/etc/apt/sources.list.d
    rm -f "$dir"/shaone-src.{list,sources}
    [[ -n $codename ]] || return 0
    sed -nE "s,^deb[ \t]+(.*[ \t]$codename([-/](updates|security))?[ \t]+main)\>.*,deb-src \1,p" \
        /etc/apt/sources.list "$dir"/*.list 2>/dev/null >"$dir/shaone-src.list" || true
    awk -v suite="$codename" '
        BEGIN { RS = ""; ORS = "\n\n" }
        { gsub(/(^|\n)#[^\n]*/, "") }
        /Types:[^\n]*[ \t]deb([ \t\n]|$)/ && /Components:[^\n]*[ \t]main/ && !/Enabled:[ \t]*no/ &&
        $0 ~ "Suites:[^\n]*[ \t]" suite "([-/](updates|security))?([ \t\n]|$)" { sub(/Types:[^\n]*/, "Types: deb-src"); print }
    ' "$dir"/*.sources 2>/dev/null >"$dir/shaone-src.sources" || true
    find "$dir"/shaone-src.* -empty -delete
}

apt() {
    DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@"
}

look
if ((EUID == 0)) && command -v apt-get >/dev/null && { ((${#missing[@]})) || lack_sources; }; then
    # One at a time: two of our scripts may ask at once.
    exec 9>/run/lock/shaone-deps.lock
    flock 9
    ! lack_sources || add_sources
    apt update || echo "deps.sh: apt-get update failed; going on with the lists that are here" >&2
    if ! apt install -y --no-install-recommends "${missing[@]}" >/dev/null; then
        # One that this release lacks must not keep the others away.
        for package in "${missing[@]}"; do
            apt install -y --no-install-recommends "$package" >/dev/null 2>&1 || true
        done
    fi
    look
fi
! lack_sources || not_run "what is made from package sources, git and sha1dc among them (none here)"
for package in "${missing[@]}"; do
    not_run "what needs $package (install it)"
done

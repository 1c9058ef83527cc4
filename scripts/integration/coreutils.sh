#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# usage: scripts/integration/coreutils.sh [--short]
#
# coreutils' sha1sum and cksum on our library in place of gnulib's sha1, and
# their tests also on examples/programs/sha1sum.c.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

archive=$stage/lib/libshaone.a
example=$root/target/shaone/sha1sum
tree=$work/coreutils-build
kept=$work/coreutils-programs # sha1sum and cksum of each variant
tests=(sha1sum.pl sha1sum-vec.pl cksum-a.sh)
options=(-q --disable-nls --disable-acl --disable-xattr --disable-libcap --without-selinux)

# configured DIR OPTION...: a build directory, its generated headers made
configured() {
    local dir=$1
    shift
    [[ ! -e $dir/configured ]] || return 0
    rm -rf "$dir"
    mkdir -p "$dir"
    (
        cd "$dir"
        # shellcheck disable=SC2016 # for make
        FORCE_UNSAFE_CONFIGURE=1 logged configure ../coreutils/configure "${options[@]}" "$@" CFLAGS=-O2 &&
            printf 'generated: $(BUILT_SOURCES)\n' >generated.mk &&
            logged headers make -j"$jobs" -f Makefile -f generated.mk generated
    ) || return
    touch "$dir/configured"
}

# link VARIANT DIR [MAKE-ARGUMENT...]: sha1sum and cksum, and nothing else anew
link() {
    local variant=$1 dir=$2
    shift 2
    rm -f "$dir"/src/{sha1sum,cksum}
    logged "link-$variant" make -C "$dir" -j"$jobs" src/sha1sum src/cksum "$@" || return
    mkdir -p "$kept/$variant"
    cp "$dir"/src/{sha1sum,cksum} "$kept/$variant/"
}

# suite VARIANT [TEST...]: what passed with the programs that are in the tree
# now, in logs/coreutils-VARIANT.passed
suite() {
    local variant=$1
    shift
    (($#)) || set -- "${tests[@]}"
    # They may fail: what passed is looked at.
    (cd "$tree" && make check-TESTS TESTS="${*/#/tests/misc/}" </dev/null) >"$logs/coreutils-$variant.log" 2>&1 || true
    # What it runs must be what was put there.
    cmp -s "$tree/src/sha1sum" "$kept/$variant/sha1sum" || failed "$variant: make has made another sha1sum for the tests"
    sed -n 's,^PASS: tests/misc/,,p' "$logs/coreutils-$variant.log" | sort >"$logs/coreutils-$variant.passed"
}

# gnulib's own sha1: strong names, while those of our archive are weak
strong_sha1() {
    symbols "$1" | found '^T sha1_process_block$'
}

ours='_.*6shaone.*'

stock() {
    link stock "$tree" || return
    must "as it comes: gnulib's sha1 is inside" strong_sha1 "$kept/stock/sha1sum"
    suite stock
}

static() {
    local name
    link static "$tree" LDFLAGS="-Wl,-u,sha1_init_ctx $archive" || return
    for name in sha1sum cksum; do
        must "$name, static: ours is inside" defines "$kept/static/$name" "$ours"
        must "$name, static: gnulib's sha1 is not" not strong_sha1 "$kept/static/$name"
    done
    suite static
    no_fewer "tests of sha1sum and cksum, static" "$logs/coreutils-stock.passed" "$logs/coreutils-static.passed"
}

shared() {
    local name
    link shared "$tree" LDFLAGS="-L$stage/lib -Wl,-rpath,$stage/lib -Wl,--no-as-needed -lshaone" || return
    for name in sha1sum cksum; do
        must "$name, shared: takes sha1_stream from a shared library" imports "$kept/shared/$name" sha1_stream
        must "$name, shared: that is our libshaone.so" \
            loads "$kept/shared/$name" 'libshaone.so.[0-9]*' "$stage/lib/libshaone.so.[0-9]*"
        must "$name, shared: gnulib's sha1 is not inside" lacks "$kept/shared/$name" 'sha1_process_block'
    done
    suite shared
    no_fewer "tests of sha1sum and cksum, shared" "$logs/coreutils-stock.passed" "$logs/coreutils-shared.passed"
}

# Our own program in the place of theirs.
example() {
    mkdir -p "$kept/example"
    rm -f "$kept/example/sha1sum" "$tree/src/sha1sum"
    cp "$example" "$kept/example/sha1sum"
    cp "$example" "$tree/src/sha1sum"
    suite example sha1sum.pl sha1sum-vec.pl
    rm -f "$tree/src/sha1sum"
    grep '^sha1sum' "$logs/coreutils-stock.passed" >"$logs/coreutils-sha1sum.passed"
    no_fewer "tests of sha1sum, examples/programs/sha1sum.c" "$logs/coreutils-sha1sum.passed" "$logs/coreutils-example.passed"
}

# The fastest that coreutils can be by itself.
openssl() {
    configured "$work/coreutils-openssl" --with-openssl=yes &&
        link openssl "$work/coreutils-openssl" &&
        needs "$kept/openssl/sha1sum" 'libcrypto.so.*'
}

# ---- their work

digests() {
    printf '%q %q' "$kept/$1/sha1sum" "$work/coreutils-zeros"
}

# Twenty times over, since once is over too soon to be timed.
many_files() {
    printf 'for i in {1..20}; do %q %q/*; done' "$kept/$1/sha1sum" "$work/coreutils-files"
}

checksum() {
    printf '%q -a sha1 %q' "$kept/$1/cksum" "$work/coreutils-zeros"
}

make_input() {
    local dir=$work/coreutils-files
    truncate -s 1000000000 "$work/coreutils-zeros"
    [[ -z $short && ! -e $dir ]] || return 0
    rm -rf "$dir.new"
    mkdir "$dir.new"
    # 10,000 files of 0 to 8 KiB, the same ones each time
    awk -v dir="$dir.new" 'BEGIN {
        srand(1)
        for (i = 0; i < 1024; i++) line = line sprintf("%07x\n", rand() * 2^28)
        for (i = 0; i < 10000; i++) {
            file = sprintf("%s/%05d", dir, i)
            printf "%d\n%s", i, substr(line, 1, 8192 * rand()) >file
            close(file)
        }
    }'
    mv "$dir.new" "$dir"
}

# compare WHAT FUNCTION VARIANT...
compare() {
    local what=$1 function=$2 variant commands=()
    shift 2
    for variant; do
        commands+=("$variant" "$("$function" "$variant")")
    done
    measure "$what" "as it comes" "$("$function" stock)" "${commands[@]}"
    [[ ! -e $kept/openssl/sha1sum || $function == checksum ]] ||
        measure "$what, against OpenSSL's" "--with-openssl" "$("$function" openssl)" "${commands[@]}"
}

same_output() {
    local variant want
    want=$(eval "$(digests stock)")
    [[ $want == 1dd775261d7abab0b66910acc1d827a2c3799eaf* ]] || return
    for variant; do
        [[ $(eval "$(digests "$variant")") == "$want" ]] || return
        [[ -n $short || $(eval "$(many_files "$variant")" | cksum) == "$(eval "$(many_files stock)" | cksum)" ]] || return
    done
}

work_of_coreutils() {
    make_input || return
    must "1 GB of zeros and 10,000 files: the same digests" same_output static example
    compare "sha1sum, 1 GB" digests static example
    [[ -z $short ]] || return 0
    compare "sha1sum, 10,000 files, 20 times" many_files static example
    compare "cksum -a sha1, 1 GB" checksum static
}

begin coreutils
"$root/scripts/deps.sh" integration
fetch_source coreutils "$work/coreutils" || {
    not_run "coreutils (no package sources here)"
    exit 0
}
if ! configured "$tree" --with-openssl=no; then
    failed "its configure"
    finish
fi
stock || failed "it does not build"
static || failed "static: it does not link"
[[ -n $short ]] || shared || failed "shared: it does not link"
if [[ -x $example ]]; then
    example
else
    failed "no ${example#"$root/"}: run make examples"
fi
[[ -n $short ]] || openssl || not_run "coreutils --with-openssl (install libssl-dev)"
((failures)) || work_of_coreutils || failed "the input for its work"
finish

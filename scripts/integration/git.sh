#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# usage: scripts/integration/git.sh [--short]
#
# git on our library: in place of sha1collisiondetection (DC_SHA1_EXTERNAL, what
# git has by default), of its own block-sha1 and of OpenSSL; and with the choice
# of the backend forced, on each that this CPU has.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

flags=(NO_CURL=1 NO_EXPAT=1 NO_GETTEXT=1 NO_TCLTK=1 NO_PYTHON=1 NO_OPENSSL=1)
if [[ -n $short ]]; then
    tests=(t0013 t1007)
else
    tests=(t0000 t0013 t0015 t1006 t1007 t1050 t1450 t5300 t5302 t5309 t5313 t5510)
fi
archive=$stage/lib/libshaone.a
compat=$stage/include/shaone/compat
shared="-L$stage/lib -Wl,-rpath,$stage/lib"
force_blk="-Wl,-u,blk_SHA1_Init -Wl,-u,blk_SHA1_Update -Wl,-u,blk_SHA1_Final"

# A git of its own, that knows no repository above it and nobody's settings.
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_CEILING_DIRECTORIES=$work
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

tree() {
    echo "$work/git-$1"
}

# build VARIANT FROM WITH MAKE-ARGUMENT...: git-VARIANT, made of a copy of the
# tree FROM: the source, or another variant whose objects are good for this one
# too. It is linked anew when the file WITH is newer.
build() {
    local variant=$1 from=$2 with=$3 dir
    dir=$(tree "$variant")
    shift 3
    if [[ ! -e $dir ]]; then
        rm -rf "$dir.new"
        cp -a "$from" "$dir.new"
        # They hold the path of the tree that they were made in.
        rm -rf "$dir.new/bin-wrappers" "$dir.new/built"
        mv "$dir.new" "$dir"
    fi
    if ! newer "$dir/built" "$with"; then
        rm -f "$dir/GIT-LDFLAGS"
        logged "build-$variant" make -C "$dir" -j"$jobs" "${flags[@]}" "$@" all || return
        touch "$dir/built"
    fi
}

# suite VARIANT [TEST...]: what passed, in logs/git-VARIANT.passed
suite() {
    local variant=$1 dir out
    shift
    (($#)) || set -- "${tests[@]}"
    dir=$(tree "$variant") out=$logs/git-$variant
    mkdir -p "$out"
    rm -f "$out"/*
    printf '%s\n' "$@" | (
        cd "$dir/t"
        # The wrappers say which git the tests run.
        grep -q "$dir/git\"\|GIT_EXEC_PATH='$dir'" ../bin-wrappers/git || exit
        # shellcheck disable=SC2016 # for the inner shell
        xargs -P "$jobs" -I{} sh -c './{}-*.sh >"$1/{}" 2>&1 </dev/null || true' - "$out"
    ) || {
        failed "$variant: the tests would run another git"
        return
    }
    for test; do
        tap "$out/$test" | sed "s/^/$test /"
    done | sort >"$out.passed"
}

# tested VARIANT BASE LABEL: it passes all tests that BASE passes
tested() {
    suite "$1"
    no_fewer "its tests (${#tests[@]} files), $3" "$logs/git-$2.passed" "$logs/git-$1.passed"
}

g() {
    echo "$(tree "$1")/git"
}

# What is in each: git's own code by the name of a function that ours has not,
# ours by the mangled names of Rust.
theirs_dc='ubc_check|sha1recompress_fast_.*|sha1_step.*'
theirs_blk='blk_SHA1_Block'
ours='_.*6shaone.*'

stock() {
    build stock "$work/git" "$work/git/Makefile" CFLAGS=-O2 || return
    must "as it comes: sha1collisiondetection is inside" defines "$(g stock)" "$theirs_dc"
    suite stock
}

dc() {
    build dc "$work/git" "$stage/stamp" DC_SHA1_EXTERNAL=1 CFLAGS="-O2 -I$compat/sha1dc" LDFLAGS="$shared" || return
    must "DC_SHA1_EXTERNAL: takes SHA1DCUpdate from a shared library" imports "$(g dc)" SHA1DCUpdate
    must "DC_SHA1_EXTERNAL: that is our libsha1detectcoll.so.1" \
        loads "$(g dc)" libsha1detectcoll.so.1 "$stage/lib/libsha1detectcoll.so.1"
    must "DC_SHA1_EXTERNAL: sha1collisiondetection is not inside" lacks "$(g dc)" "$theirs_dc"
    tested dc stock DC_SHA1_EXTERNAL
}

dc_static() {
    mkdir -p "$work/git-only-a"
    ln -sfn "$archive" "$work/git-only-a/libsha1detectcoll.a"
    build dc-static "$(tree dc)" "$stage/stamp" DC_SHA1_EXTERNAL=1 CFLAGS="-O2 -I$compat/sha1dc" LDFLAGS="-L$work/git-only-a" || return
    must "DC_SHA1_EXTERNAL, static: ours is inside" defines "$(g dc-static)" "$ours"
    must "DC_SHA1_EXTERNAL, static: sha1collisiondetection is not" lacks "$(g dc-static)" "$theirs_dc"
    tested dc-static stock "DC_SHA1_EXTERNAL, static"
}

blk_stock() {
    build blk-stock "$work/git" "$work/git/Makefile" BLK_SHA1=1 CFLAGS=-O2 || return
    must "BLK_SHA1 as it comes: block-sha1 is inside" defines "$(g blk-stock)" "$theirs_blk"
    suite blk-stock
}

blk_static() {
    build blk-static "$(tree blk-stock)" "$stage/stamp" BLK_SHA1=1 CFLAGS=-O2 LDFLAGS="$force_blk $archive" || return
    must "BLK_SHA1, static: ours is inside" defines "$(g blk-static)" "$ours"
    must "BLK_SHA1, static: git's block-sha1 is not" lacks "$(g blk-static)" "$theirs_blk"
    tested blk-static blk-stock "BLK_SHA1, static"
}

blk_shared() {
    build blk-shared "$(tree blk-stock)" "$stage/stamp" BLK_SHA1=1 CFLAGS=-O2 LDFLAGS="$shared -Wl,--no-as-needed -lshaone" || return
    must "BLK_SHA1, shared: takes blk_SHA1_Update from a shared library" imports "$(g blk-shared)" blk_SHA1_Update
    must "BLK_SHA1, shared: that is our libshaone.so" loads "$(g blk-shared)" 'libshaone.so.[0-9]*' "$stage/lib/libshaone.so.[0-9]*"
    must "BLK_SHA1, shared: git's block-sha1 is not inside" lacks "$(g blk-shared)" "$theirs_blk"
    tested blk-shared blk-stock "BLK_SHA1, shared"
}

openssl() {
    if [[ ! -e $compat/openssl/openssl/sha.h ]]; then
        not_run "git with OPENSSL_SHA1 (no header of ours for it)"
        return
    fi
    build openssl "$work/git" "$stage/stamp" OPENSSL_SHA1=1 CFLAGS="-O2 -I$compat/openssl" LIB_4_CRYPTO="$archive" || return
    must "OPENSSL_SHA1: ours is inside" defines "$(g openssl)" "$ours"
    must "OPENSSL_SHA1: not linked to OpenSSL" not needs "$(g openssl)" 'libcrypto.so.*'
    tested openssl blk-stock OPENSSL_SHA1
}

# The fastest that git can be by itself.
openssl_stock() {
    build openssl-stock "$work/git" "$work/git/Makefile" OPENSSL_SHA1=1 CFLAGS=-O2 LIB_4_CRYPTO=-lcrypto || return
    must "OPENSSL_SHA1 as it comes: linked to OpenSSL" needs "$(g openssl-stock)" 'libcrypto.so.*'
}

# backends: whole programs on each path of the code
backends() {
    local forced=$work/forced archive=$work/forced/lib/libshaone.a kind level levels
    # As it is shipped but for that feature; in a directory of its own, since
    # cargo would build both anew in turns.
    newer "$forced/stamp" "$stage/stamp" ||
        CARGO_TARGET_DIR=$root/target/force FEATURES=force-backend logged forced "$root/scripts/stage.sh" "$forced" || return
    cat >"$work/levels.c" <<'C'
#include <stdio.h>
const char *shaone_level(size_t index);
int main(void)
{
    for (size_t i = 0; shaone_level(i); i++)
        puts(shaone_level(i));
    return 0;
}
C
    "$CC" -o "$work/levels" "$work/levels.c" "$archive" || return
    read -ra levels <<<"$("$work/levels" | tr '\n' ' ')"
    mkdir -p "$work/git-only-forced"
    ln -sfn "$archive" "$work/git-only-forced/libsha1detectcoll.a"
    build dc-forced "$(tree dc)" "$archive" DC_SHA1_EXTERNAL=1 CFLAGS="-O2 -I$compat/sha1dc" LDFLAGS="-L$work/git-only-forced" || return
    build blk-forced "$(tree blk-stock)" "$archive" BLK_SHA1=1 CFLAGS=-O2 LDFLAGS="$force_blk $archive" || return
    for kind in dc blk; do
        must "$kind-forced: obeys SHAONE_BACKEND" refuses_nonsense "$(tree $kind-forced)/t/helper/test-tool"
    done
    for level in "${levels[@]}"; do
        on_level "$level"
    done
}

refuses_nonsense() {
    # In a shell of its own, which is told to keep quiet about it.
    ! (SHAONE_BACKEND=nonsense "$1" sha1 </dev/null) >/dev/null 2>&1
}

# on_level LEVEL: a few of its tests, with collision detection and without
on_level() {
    local level=$1 some=(t0013 t0015 t1007 t5300) stock=$logs/git-level-stock.passed ours=$logs/git-level-ours.passed
    SHAONE_BACKEND=$level suite dc-forced "${some[@]}"
    SHAONE_BACKEND=$level suite blk-forced "${some[@]}"
    some_of "$logs"/git-{stock,blk-stock}.passed >"$stock"
    some_of "$logs"/git-{dc,blk}-forced.passed >"$ours"
    no_fewer "${#some[@]} of its tests, with detection and without, on $level" "$stock" "$ours"
}

some_of() {
    (
        IFS='|'
        grep -hE "^(${some[*]}) " "$@" | sort
    )
}

# ---- its work

# A stream for fast-import: git's own source in six commits, through which each
# file grows from a sixth of its lines to all of them.
grown() {
    perl -e '
        use strict;
        my ($dir, $versions) = @ARGV;
        chdir $dir or die;
        my @files = sort grep { -f && !-l } map { chomp; s,^\./,,; $_ } `find . -type f`;
        for my $version (1 .. $versions) {
            print "commit refs/heads/main\ncommitter A <a\@example.com> ", 1e9 + $version, " +0000\ndata 2\n$version\n";
            for my $file (@files) {
                next if $file =~ /[\n"]/;
                open my $in, "<:raw", $file or die;
                my @lines = <$in>;
                my $text = join "", @lines[0 .. int(@lines * $version / $versions) - 1];
                print "M 100644 inline $file\ndata ", length $text, "\n$text\n";
            }
        }
    ' "$work/git" 6
}

make_input() {
    local repo=$work/git-repo pack
    truncate -s "$1" "$work/git-zeros"
    [[ -z $short ]] || return 0
    if [[ ! -e $work/git-big ]]; then
        # The same files over and over: it is hashed, never compressed.
        while tar -cf - -C "$work/git" .; do :; done 2>/dev/null | head -c 1G >"$work/git-big.new"
        mv "$work/git-big.new" "$work/git-big"
    fi
    if [[ ! -e $repo ]]; then
        rm -rf "$repo.new"
        "$(g stock)" init -q --bare -b main --template= "$repo.new"
        grown | "$(g stock)" -C "$repo.new" fast-import --quiet
        GIT_EXEC_PATH=$(tree stock) "$(g stock)" -C "$repo.new" repack -adfq
        mv "$repo.new" "$repo"
    fi
    pack=$(echo "$repo"/objects/pack/*.pack)
    rm -rf "$work/git-empty"
    "$(g stock)" init -q --bare -b main --template= "$work/git-empty"
    cp "$pack" "$work/git-pack.pack"
    echo "  a pack of $(($(wc -c <"$pack") >> 20)) MiB, $("$(g stock)" -C "$repo" rev-list --objects --all | wc -l) objects"
}

# on VARIANT COMMAND...: a line for `measure`
on() {
    local variant=$1
    shift
    printf 'GIT_EXEC_PATH=%q %q %s' "$(tree "$variant")" "$(g "$variant")" "$*"
}

zeros_of() {
    printf '%q sha1 <%q' "$(tree "$1")/t/helper/test-tool" "$work/git-zeros"
}

# compare WHAT FUNCTION ARGUMENT...: FUNCTION VARIANT ARGUMENT... is the line
compare() {
    local what=$1 function=$2
    shift 2
    if [[ -n $short ]]; then
        measure "$what" "as it comes" "$("$function" stock "$@")" DC_SHA1_EXTERNAL "$("$function" dc "$@")"
    else
        measure "$what" "as it comes" "$("$function" stock "$@")" \
            DC_SHA1_EXTERNAL "$("$function" dc "$@")" \
            "BLK_SHA1, static" "$("$function" blk-static "$@")"
        [[ ! -e $(tree openssl-stock)/built ]] ||
            measure "$what, against OpenSSL's" OPENSSL_SHA1 "$("$function" openssl-stock "$@")" \
                DC_SHA1_EXTERNAL "$("$function" dc "$@")" \
                "BLK_SHA1, static" "$("$function" blk-static "$@")"
    fi
}

same_digest() {
    local variant want
    want=$(eval "$(zeros_of stock)")
    for variant; do
        [[ $(eval "$(zeros_of "$variant")") == "$want" ]] || return
    done
}

work_of_git() {
    local zeros=4G
    [[ -z $short ]] || zeros=1G
    make_input $zeros || return
    must "test-tool sha1, $zeros of zeros: the same digest" same_digest "${built[@]}"
    compare "test-tool sha1, $zeros" zeros_of
    [[ -z $short ]] || return 0
    measure "test-tool sha1, $zeros, both BLK_SHA1" "as it comes" "$(zeros_of blk-stock)" \
        "static" "$(zeros_of blk-static)" "shared" "$(zeros_of blk-shared)"
    compare "hash-object, 1G" on -c core.bigFileThreshold=2g hash-object "$work/git-big"
    compare "index-pack" on -C "$work/git-empty" -c pack.threads=1 index-pack -o "$work/git-pack.idx" "$work/git-pack.pack"
    compare "fsck --full" on -C "$work/git-repo" fsck --full
}

begin git
"$root/scripts/deps.sh" integration
fetch_source git "$work/git" || {
    not_run "git (no package sources here)"
    exit 0
}
variants=(stock dc)
[[ -n $short ]] || variants+=(dc_static blk_stock blk_static blk_shared openssl openssl_stock)
built=()
for variant in "${variants[@]}"; do
    if "$variant"; then
        [[ ! -e $(tree "${variant/_/-}")/built ]] || built+=("${variant/_/-}")
    else
        failed "${variant/_/-}: it does not build"
    fi
done
[[ -n $short ]] || backends || failed "the build with forced backends"
((failures)) || work_of_git || failed "the input for its work"
finish

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# usage: scripts/demo.sh [BUILD]         (BUILD: target/shaone; `make demo` fills it)
#
# Hashes real input with examples/programs/sha1sum.c, compares the digests with published
# ones and with the system's own sha1sum, and times both.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

export LC_ALL=C
build=$(cd "${1:-$root/target/shaone}" && pwd)
ours=$build/sha1sum

# From the discussion of coreutils' speed: 1000 times 1,000,000 zero bytes.
size=1000000000
published=1dd775261d7abab0b66910acc1d827a2c3799eaf

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

theirs=$(type -P sha1sum) || not_run "comparison with the system's sha1sum (there is none)"

cat >"$tmp/about.c" <<'C'
#include <shaone.h>
#include <stdio.h>

int main(void)
{
    return printf("shaone %s, backend %s\n", shaone_version(), shaone_backend()) < 0;
}
C
"$CC" -I"$build/archive/include" -o "$tmp/about" "$tmp/about.c" "$build/archive/lib/libshaone.a"
"$tmp/about"
[[ -z $theirs ]] || "$theirs" --version | sed -n "1s,^,$theirs: ,p"
echo

# sparse: of no size on the disk
truncate -s $size "$tmp/big_zero"
echo "big_zero: 1000 x 1,000,000 zero bytes"
echo "$published  $tmp/big_zero" >"$tmp/published"
must "ours: the published digest, $published" "$ours" -c --status "$tmp/published"
[[ -z $theirs ]] || must "theirs: the same" "$theirs" -c --status "$tmp/published"

cd "$root"
if ! git ls-files -z -- src include examples 2>/dev/null >"$tmp/files" || [[ ! -s $tmp/files ]]; then
    find src include examples -type f -print0 >"$tmp/files"
fi
files=()
while IFS= read -r -d '' file; do files+=("$file"); done <"$tmp/files"
echo "the ${#files[@]} files of src/, include/ and examples/"
"$ours" "${files[@]}" >"$tmp/ours"
must "ours checks its own list" "$ours" -c --quiet "$tmp/ours"
if [[ -n $theirs ]]; then
    "$theirs" "${files[@]}" >"$tmp/theirs"
    must "the two lists are the same" cmp "$tmp/ours" "$tmp/theirs"
    must "ours checks theirs" "$ours" -c --quiet "$tmp/theirs"
    must "theirs checks ours" "$theirs" -c --quiet "$tmp/ours"
fi
sed '1s/^0/1/; 1t; 1s/^./0/' "$tmp/ours" >"$tmp/wrong"
must "ours refuses a list with a wrong digit" not "$ours" -c --status "$tmp/wrong"
echo

# took COMMAND...: milliseconds of the clock
took() {
    local start=${EPOCHREALTIME/[.,]/} end
    "$@" >/dev/null
    end=${EPOCHREALTIME/[.,]/}
    echo $(((end - start) / 1000))
}

report() {
    awk -v name="$1" -v ms="$2" -v bytes=$size 'BEGIN {
        printf "  %-7s %6d ms  %5.2f GB/s\n", name, ms, bytes / (ms ? ms : 1) / 1e6
    }'
}

echo "time for big_zero, the median of 3, in turns"
our_times=() their_times=()
for _ in 1 2 3; do
    our_times+=("$(took "$ours" "$tmp/big_zero")")
    [[ -z $theirs ]] || their_times+=("$(took "$theirs" "$tmp/big_zero")")
done
our_time=$(median "${our_times[@]}")
report ours "$our_time"
speed=
if [[ -n $theirs ]]; then
    their_time=$(median "${their_times[@]}")
    report theirs "$their_time"
    speed=$(awk -v ours="$our_time" -v theirs="$their_time" \
        'BEGIN { printf ", %.1f times as fast as the system'\''s sha1sum", theirs / (ours ? ours : 1) }')
fi
echo

if ((failures)); then
    echo "demo: FAILED: $failures of the checks above"
    exit 1
fi
echo "demo: passed: all digests are right$speed"

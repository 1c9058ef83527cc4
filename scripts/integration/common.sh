# shellcheck shell=bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# What the scripts beside this one share: sources, builds, proofs, tests, times
# and the table. Each is a program of its own, `scripts/integration/NAME.sh
# [--short]`, that begins so:
#
#   set -euo pipefail
#   # shellcheck source=scripts/integration/common.sh
#   . "$(dirname "${BASH_SOURCE[0]}")/common.sh"
#   begin NAME
#
# and ends with `finish`. Everything is below target/integration, and is kept:
# a second run builds only what has changed.
#
# shellcheck disable=SC2034 # variables for the others

export LC_ALL=C
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
stage=$root/target/shaone/usr # what `make` has built
work=$root/target/integration
logs=$work/logs
results=$work/results # .tsv: program, what, stock, shaone, ratio; .md: the same
: "${CC:=cc}" "${NM:=nm}" "${READELF:=readelf}" "${CARGO:=cargo}"
jobs=$(nproc 2>/dev/null || echo 2)
runs=5 # of each command that is timed
short=
program=
failures=0
for argument; do
    case $argument in
        # Its table leaves that of the last full run alone.
        --short) short=yes runs=3 results=$work/results-short ;;
        *)
            echo "usage: ${0##*/} [--short]" >&2
            exit 2
            ;;
    esac
done
# What make tells its own children only confuses the programs' own makes.
unset MAKEFLAGS MAKELEVEL

# begin PROGRAM: its rows are made anew.
begin() {
    program=$1
    [[ -e $stage/stamp ]] || {
        echo "${0##*/}: no library in ${stage#"$root/"}; run make" >&2
        exit 2
    }
    mkdir -p "$logs" "$results"
    : >"$results/$program.tsv"
    echo "$program:"
}

# finish: the exit status of the whole script
finish() {
    ((failures == 0)) || {
        echo "$program: FAILED: $failures of the checks above"
        exit 1
    }
    exit 0
}

not_run() {
    echo "not run: $*"
}

# row WHAT STOCK SHAONE [RATIO]
row() {
    printf '%s\t%s\t%s\t%s\t%s\n' "$program" "$1" "$2" "$3" "${4:-}" >>"$results/$program.tsv"
}

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

# logged NAME COMMAND...: its output goes to logs/PROGRAM-NAME.log; the end of
# that is shown when it fails.
logged() {
    local log=$logs/$program-$1.log
    shift
    "$@" >"$log" 2>&1 </dev/null || {
        echo "${log#"$root/"} ends in:" >&2
        tail -n 20 "$log" >&2
        return 1
    }
}

# fetch_source PACKAGE [PATTERN...]: the unpatched upstream source of the
# distribution's package is put into target/integration/PACKAGE, or of it only
# what matches the patterns of tar (--wildcards, matched against the paths in
# the archive, so `*/lib/Support/SHA1.cpp`). Fails where there is none to be had.
fetch_source() {
    local package=$1 dir=$work/$1 tmp status=0
    shift
    [[ ! -e $dir ]] || return 0
    command -v apt-get >/dev/null || return 1
    mkdir -p "$work"
    tmp=$(mktemp -d "$work/fetch.XXXXXX")
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

# newer FILE THAN...: FILE is there, and newer than all of the others
newer() {
    local file=$1 than
    shift
    for than; do
        [[ $file -nt $than ]] || return 1
    done
}

# ---- which SHA-1 is inside

# grep -q would leave early, and pipefail tells of the other side's broken pipe.
found() {
    grep -E "$1" >/dev/null
}

# symbols FILE: "TYPE NAME" of all that it defines or wants, from both tables.
symbols() {
    # A program without exports has no dynamic ones, a stripped one no others.
    { "$NM" -P "$1" && "$NM" -P -D "$1"; } 2>/dev/null | awk '{ sub(/@.*/, "", $1); print $2, $1 }' | sort -u
}

# defines FILE REGEX: it has a function with a name like that in it
defines() {
    symbols "$1" | found "^[tTWiI] ($2)\$"
}

# lacks FILE REGEX: it has none
lacks() {
    ! defines "$1" "$2"
}

# imports FILE REGEX: it takes one from a shared library
imports() {
    symbols "$1" | found "^[Uw] ($2)\$" && lacks "$1" "$2"
}

# needs FILE SONAME: it is linked to that shared library
needs() {
    "$READELF" -d "$1" | found "NEEDED.*\[$2\]"
}

# loads FILE SONAME PATH: that is where the loader finds it
loads() {
    ldd "$1" | found "$2 => $3 "
}

# ---- tests

# tap FILE: the tests that passed, of output such as `ok 12 - title`
tap() {
    sed -n 's/^ok [0-9]* *-* *//p' "$1" | grep -v '# [Ss][Kk][Ii][Pp]' | sort
}

# no_fewer WHAT STOCK SHAONE: two files that name the tests that passed, sorted,
# one a line. All that passed with the program as it comes must pass with ours.
no_fewer() {
    local what=$1 stock=$2 ours=$3 lost passed
    lost=$(comm -23 "$stock" "$ours")
    passed="$(wc -l <"$stock") passed"
    if [[ -s $stock && -z $lost ]]; then
        ok "$what: $(wc -l <"$ours") passed, as before"
    else
        failed "$what: of $passed as it comes, not with ours: ${lost:-(it ran none)}"
    fi
    row "$what" "$passed" "$(wc -l <"$ours") passed"
}

# ---- times

# user_seconds COMMAND: a line of shell; the time includes all its children's
user_seconds() {
    local TIMEFORMAT=%3U
    { time eval "$1" >/dev/null 2>&1 </dev/null; } 2>&1
}

median() {
    printf '%s\n' "$@" | sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}

# measure WHAT NAME COMMAND NAME COMMAND...: the medians of the user times of
# commands (lines of shell) that are run in turns, so that a change of the
# machine's speed falls on all of them (which is why not hyperfine: it is done
# with one before it begins the next). The first one is the program as it comes;
# each other makes a row, "WHAT, NAME".
measure() {
    local what=$1 names=() commands=() times=() round i seconds stock ours ratio
    shift
    while (($#)); do
        names+=("$1") commands+=("$2")
        shift 2
    done
    for ((round = 0; round < runs; round++)); do
        for i in "${!commands[@]}"; do
            seconds=$(user_seconds "${commands[i]}") || {
                failed "$what, ${names[i]}: ${commands[i]}"
                return 0
            }
            times[i]="${times[i]:-} $seconds"
        done
    done
    # shellcheck disable=SC2086 # lists
    stock=$(median ${times[0]})
    for i in "${!commands[@]}"; do
        ((i)) || continue
        # shellcheck disable=SC2086
        ours=$(median ${times[i]})
        ratio=$(awk -v stock="$stock" -v ours="$ours" 'BEGIN { printf "%.2f", stock / (ours > 0 ? ours : 0.001) }')
        echo "  time    $what: ${names[0]} $stock s, ${names[i]} $ours s, $ratio times as fast"
        row "$what, ${names[i]}" "$stock s" "$ours s" "$ratio"
    done
}

# ---- the tables

# tables: results.tsv, of all programs that have been run at any time; the same
# in results.md, and aligned on standard output
tables() {
    mkdir -p "$results"
    {
        printf 'program\twhat\tstock\tshaone\tratio\n'
        find "$results" -name '*.tsv' | sort | xargs -r cat
    } >"$results.tsv"
    awk -F '\t' -v OFS=' | ' '{
        print "| " $1, $2, $3, $4, $5 " |"
        if (NR == 1) print "|---|---|---:|---:|---:|"
    }' "$results.tsv" >"$results.md"
    awk -F '\t' '
        NR == FNR { for (i = 1; i <= NF; i++) if (length($i) > width[i]) width[i] = length($i); next }
        { printf "%-*s  %-*s  %*s  %*s  %*s\n", width[1], $1, width[2], $2, width[3], $3, width[4], $4, width[5], $5 }
    ' "$results.tsv" "$results.tsv"
}

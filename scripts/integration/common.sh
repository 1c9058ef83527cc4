# shellcheck shell=bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# What the scripts beside this one share: proofs, tests, times and the table. Each is a program of its own, `scripts/integration/NAME.sh
# [--short]`, that begins so:
#
#   set -euo pipefail
#   . "$(dirname "${BASH_SOURCE[0]}")/common.sh"
#   begin NAME
#
# and ends with `finish`. Everything is below target/integration, and is kept:
# a second run builds only what has changed.
#
# shellcheck disable=SC2034 # variables for the others

. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

export LC_ALL=C
work=$root/target/integration
logs=$work/logs
results=$work/results # .tsv: program, what, stock, shaone, ratio; .md: the same
jobs=$(nproc 2>/dev/null || echo 2)
runs=5 # of each command that is timed
short=
program=
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

# begin PROGRAM: its rows are made anew.
begin() {
    program=$1
    [[ -e $stage/stamp ]] || die "no library in ${stage#"$root/"}; run make"
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

# row WHAT STOCK SHAONE [RATIO]
row() {
    printf '%s\t%s\t%s\t%s\t%s\n' "$program" "$1" "$2" "$3" "${4:-}" >>"$results/$program.tsv"
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

# ---- links and their build-ids

# llvm_archives: LLVM's own static libraries, the newest that are here. Linked
# whole they are a real and large program.
llvm_archives() {
    local version dir
    for version in 19 14; do
        dir=$("llvm-config-$version" --libdir 2>/dev/null) || continue
        compgen -G "$dir/libLLVM*.a" && return
    done
    return 1
}

# build_id FILE
build_id() {
    "$READELF" -n "$1" | sed -n 's/.*Build ID: //p'
}

# measure_links WHAT NONE STOCK OURS: three links, as lines of shell: without a
# build-id, with SHA-1's, and that with ours. One row is of the whole, one of what
# SHA-1 takes of it, which is what the first link has not. In turns, often, and the
# least time of each: a small difference of medians says nothing on a busy machine.
measure_links() {
    local what=$1 round seconds i least=()
    shift
    for ((round = 0; round < 2 * runs; round++)); do
        for i in 0 1 2; do
            seconds=$(user_seconds "${@:i+1:1}") || {
                failed "$what: ${*:i+1:1}"
                return 0
            }
            least[i]=$(printf '%s\n' "$seconds" "${least[i]:-$seconds}" | sort -n | head -n 1)
        done
    done
    # Times of one link differ by about a tenth.
    if awk -v none="${least[0]}" -v stock="${least[1]}" 'BEGIN { exit stock - none >= stock / 10 }'; then
        echo "  time    $what: ${least[1]} s, of which SHA-1 is less than a tenth: lost in the noise"
        row "$what, its SHA-1" "< 10 % of ${least[1]} s" "not measurable"
        return
    fi
    links_row "$what, --build-id=sha1" "${least[1]}" "${least[2]}"
    links_row "$what, its SHA-1" "$(minus "${least[1]}" "${least[0]}")" "$(minus "${least[2]}" "${least[0]}")" \
        "${least[1]}" "${least[2]}"
}

minus() {
    awk -v a="$1" -v b="$2" 'BEGIN { print a - b }'
}

# links_row WHAT STOCK OURS [STOCK-ALL OURS-ALL]: with the share of all
links_row() {
    local columns
    columns=$(awk -v stock="$2" -v ours="$3" -v stock_all="${4:-0}" -v ours_all="${5:-0}" '
        function shown(s, all) { return all > 0 ? sprintf("%.2f s (%.0f %%)", s, 100 * s / all) : sprintf("%.2f s", s) }
        BEGIN { printf "%s\t%s\t%.2f\n", shown(stock, stock_all), shown(ours, ours_all), stock / (ours > 0.001 ? ours : 0.001) }')
    local stock ours ratio
    IFS=$'\t' read -r stock ours ratio <<<"$columns"
    echo "  time    $1: $stock, with ours $ours, $ratio times as fast"
    row "$1" "$stock" "$ours" "$ratio"
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

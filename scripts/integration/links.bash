# shellcheck shell=bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# shellcheck disable=SC2154 # runs is of common.sh
#
# What binutils.sh and llvm.sh have in common: links and their build-ids.

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

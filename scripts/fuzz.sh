#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# usage: scripts/fuzz.sh [SECONDS [TARGET...]]
#        scripts/fuzz.sh --keep [TARGET...]
#
# Each target of fuzz/ (without names, all): first fuzz/corpus/TARGET on every level of
# this CPU, then SECONDS (60) of new inputs, shared among the levels. What they find goes
# into target/fuzz/corpus; an input that ends the target goes into target/fuzz/failures,
# is named, and fails the script. --keep: adds to fuzz/corpus what reaches new code.
#
# The targets are those of cargo-fuzz, built as it would build them, but with a stable
# compiler. Those that compare with other implementations find them in SHAONE_PEERS.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

: "${SHAONE_PEERS:=$root/target/peers}"
export SHAONE_PEERS
work=$root/target/fuzz
host=$("${RUSTC:-rustc}" -vV | sed -n 's/^host: //p')
programs=$work/$host/release
mapfile -t levels < <(sed -nE 's/^ *\(c"([a-z0-9-]+)", &\[.*/\1/p' "$root/src/cpu.rs")

build() {
    local flags="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
    flags+=" -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
    flags+=" -Cllvm-args=-sanitizer-coverage-trace-compares"
    # Rust's own builds have its runtime, those of distributions may lack it.
    ! compgen -G "$("${RUSTC:-rustc}" --print sysroot)/lib/rustlib/$host/lib/*rt.asan*" >/dev/null ||
        flags+=" -Zsanitizer=address"
    (cd "$root/fuzz" && env -u CARGO_ENCODED_RUSTFLAGS RUSTC_BOOTSTRAP=1 RUSTFLAGS="$flags" \
        "$CARGO" build --quiet --release --locked --target "$host" --target-dir "$work")
}

# playable TARGET LEVEL: whether this machine can play it, which the library says itself
# as soon as it has something to hash.
playable() {
    head -c 200 "$0" >"$work/tmp-$1/some-input"
    local said
    said=$(SHAONE_BACKEND=$2 "$programs/$1" "$work/tmp-$1/some-input" 2>&1 </dev/null) ||
        [[ $said != *"names no level of this machine"* ]]
}

# run LOG TARGET LEVEL ARGUMENT...: the target on this level, anywhere else than here.
run() {
    local log=$1 target=$2 level=$3
    shift 3
    SHAONE_BACKEND=$level "$programs/$target" -artifact_prefix="$work/failures/$target-" -timeout=60 "$@" \
        </dev/null >"$log" 2>&1 && return
    echo "  FAILED  $target on $level:"
    tail -n 40 "$log"
    return 1
}

# fuzz SECONDS TARGET
fuzz() {
    local seconds=$1 target=$2 level log=$work/$2.log corpus=$work/corpus/$2 kept=$root/fuzz/corpus/$2
    local own=() extra=() inputs=0 before
    mkdir -p "$corpus" "$kept" "$work/failures" "$work/tmp-$target"
    export TMPDIR=$work/tmp-$target # some targets write files
    for level in "${levels[@]}"; do
        # Which level hashes is all the same to a parser.
        if [[ $target == lists && $level != portable ]]; then continue; fi
        ! playable "$target" "$level" || own+=("$level")
    done
    [[ ! -e $root/fuzz/$target.dict ]] || extra+=(-dict="$root/fuzz/$target.dict")
    for level in "${own[@]}"; do
        run "$log" "$target" "$level" -runs=0 "$kept" || return 1
        grep '^not run: ' "$log" || true
    done | sort -u || return 1
    before=$(find "$corpus" -type f | wc -l)
    for level in "${own[@]}"; do
        run "$log" "$target" "$level" -max_len=4096 -print_final_stats=1 "${extra[@]}" \
            -max_total_time=$(((seconds + ${#own[@]} - 1) / ${#own[@]})) "$corpus" "$kept" || return 1
        inputs=$((inputs + $(sed -n 's/^stat::number_of_executed_units: *//p' "$log")))
    done
    ok "$target: $inputs inputs in $seconds s on ${#own[@]} levels;" \
        "$(($(find "$corpus" -type f | wc -l) - before)) reached something new"
}

what=all
seconds=60
case ${1:-} in
    --keep) what=keep && shift ;;
    --one) what=one && seconds=$2 && shift 2 ;;
    [0-9]*) seconds=$1 && shift ;;
esac
targets=("$@")
((${#targets[@]})) || mapfile -t targets < <(sed -n 's,^path = "targets/\(.*\)\.rs",\1,p' "$root/fuzz/Cargo.toml")
[[ $seconds =~ ^[1-9][0-9]*$ ]] || die "not a number of seconds: $seconds"

case $what in
    all)
        command -v "${CXX:-c++}" >/dev/null || {
            not_run "fuzz (no C++ compiler, which libFuzzer needs)"
            exit
        }
        build
        # One a core, and each says what it has to say at its end.
        printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -n 1 "$0" --one "$seconds"
        ;;
    one)
        report=$(fuzz "$seconds" "${targets[@]}") || status=$?
        echo "$report"
        exit "${status:-0}"
        ;;
    keep)
        for target in "${targets[@]}"; do
            mkdir -p "$root/fuzz/corpus/$target"
            run "$work/$target.log" "$target" portable -max_len=4096 -set_cover_merge=1 \
                "$root/fuzz/corpus/$target" "$work/corpus/$target"
        done
        ;;
esac

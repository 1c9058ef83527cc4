#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# usage: scripts/check.sh
#
# All tests. As root on Debian or Ubuntu it first installs what they want; what
# is missing elsewhere is left out, and named at the end. Every step runs, also
# after one that failed.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cd "$root"
export SHAONE_PEERS=$root/target/peers SHAONE_STAGE=$stage

log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed_steps=()

# step TITLE COMMAND...
step() {
    local title=$1 start=$SECONDS
    shift
    printf '\n== %s\n' "$title"
    if "$@" 2>&1 | tee -a "$log"; then
        printf '== %s: passed, %d s\n' "$title" $((SECONDS - start))
    else
        printf '== %s: FAILED, %d s\n' "$title" $((SECONDS - start))
        failed_steps+=("$title")
    fi
}

# checked_by COMMAND TITLE ARGUMENT...: a step, if there is that command
checked_by() {
    local command=$1
    shift
    # shellcheck disable=SC2086 # cargo and its subcommand
    if $command --version >/dev/null 2>&1; then
        step "$1" $command "${@:2}"
    else
        not_run "$1 (there is no $command)" | tee -a "$log"
    fi
}

documentation() {
    RUSTDOCFLAGS="-D warnings" "$CARGO" doc --quiet --no-deps --features capi,std,digest
}

step "what the tests need" scripts/deps.sh build peers sources sanity qemu llvm
step "the other implementations" scripts/peers.sh "$SHAONE_PEERS"
step "the library and the examples" make --no-print-directory all examples
checked_by "$CARGO fmt" "format" --all --check
checked_by "$CARGO fmt" "format of fuzz/" --manifest-path fuzz/Cargo.toml --check
checked_by "$CARGO clippy" "clippy" --quiet --workspace --all-targets --features capi,std,digest -- -D warnings
# What a Rust program has by default, where what only C or std uses must not be left over.
checked_by "$CARGO clippy" "clippy, no features" --quiet -- -D warnings
if command -v "${CXX:-c++}" >/dev/null; then
    checked_by "$CARGO clippy" "clippy of fuzz/" --quiet --manifest-path fuzz/Cargo.toml --target-dir target/fuzz \
        -- -D warnings
fi
# Where git has not been, all that it would know.
mapfile -t shell_files < <(git ls-files '*.sh' .ci/run 2>/dev/null || find scripts -name '*.sh')
checked_by shellcheck "shellcheck" "${shell_files[@]}"
step "cargo test" "$CARGO" test --no-fail-fast --features capi,std,digest
step "documentation" documentation
step "other CPUs" scripts/emulated.sh

printf '\n== summary\n'
# With one thread, tests say it behind their names.
{ grep -o 'not run: .*' "$log" || true; } | sort -u
if ((${#failed_steps[@]})); then
    printf 'FAILED: %s\n' "${failed_steps[@]}"
    exit 1
fi
echo "check: passed, $SECONDS s"

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# usage: scripts/check.sh
#
# All tests. As root on Debian or Ubuntu it first installs what they want; what
# is missing elsewhere is left out, and named at the end. Every step runs, also
# after one that failed.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
: "${CARGO:=cargo}"
export SHAONE_PEERS=$root/target/peers SHAONE_STAGE=$root/target/shaone/usr
# What make tells its own children only confuses cargo.
unset MAKEFLAGS

log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=()

# step TITLE COMMAND...
step() {
    local title=$1 start=$SECONDS
    shift
    printf '\n== %s\n' "$title"
    if "$@" 2>&1 | tee -a "$log"; then
        printf '== %s: passed, %d s\n' "$title" $((SECONDS - start))
    else
        printf '== %s: FAILED, %d s\n' "$title" $((SECONDS - start))
        failed+=("$title")
    fi
}

not_run() {
    echo "not run: $*" | tee -a "$log"
}

documentation() {
    RUSTDOCFLAGS="-D warnings" "$CARGO" doc --quiet --no-deps --features capi
}

step "what the tests need" scripts/deps.sh build peers sources sanity qemu llvm
step "the other implementations" scripts/peers.sh "$SHAONE_PEERS"
step "the library and the examples" make --no-print-directory examples
if "$CARGO" fmt --version >/dev/null 2>&1; then
    step "format" "$CARGO" fmt --check
else
    not_run "format (cargo has no fmt)"
fi
if "$CARGO" clippy --version >/dev/null 2>&1; then
    step "clippy" "$CARGO" clippy --quiet --all-targets --features capi -- -D warnings
else
    not_run "clippy (cargo has no clippy)"
fi
if command -v shellcheck >/dev/null; then
    step "shellcheck" shellcheck -x scripts/*.sh scripts/integration/*.sh c-tests/{install,compat}_test.sh .ci/run
else
    not_run "shellcheck (there is none)"
fi
step "cargo test" "$CARGO" test --no-fail-fast --features capi
step "sha1sum" c-tests/sha1sum_test.sh target/shaone/sha1sum
step "git_object" c-tests/git_object_test.sh target/shaone/git_object
step "many" c-tests/many_test.sh target/shaone/many
step "install" c-tests/install_test.sh
step "compat" c-tests/compat_test.sh
step "documentation" documentation
[[ ! -e scripts/emulated.sh ]] || step "other CPUs" scripts/emulated.sh

printf '\n== summary\n'
sed -n 's/^SKIP: /not run: /p; /^not run: /p' "$log" | sort -u
if ((${#failed[@]})); then
    printf 'FAILED: %s\n' "${failed[@]}"
    exit 1
fi
echo "check: passed, $SECONDS s"

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# usage: scripts/integration.sh [--short] [PROGRAM...]     (without one: all)
#
# Builds real programs from the distribution's sources, unpatched, on our library
# (`make` has built it), proves which SHA-1 is in them, runs their own tests and
# times their own work against the same programs as they come. PROGRAM is git,
# coreutils, binutils or llvm: a script in scripts/integration/. What can't be
# had here is a line `not run: ...`. The table is target/integration/results.tsv,
# and results.md.
#
# --short is for every day: one build each of git and coreutils on ours, a few of
# their tests, and a table of its own, results-short.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

here=$root/scripts/integration
options=() programs=()
for argument; do
    case $argument in
        --short) options=(--short) ;;
        *)
            [[ $argument != common && -e $here/$argument.sh ]] || {
                echo "usage: scripts/integration.sh [--short] [git|coreutils|binutils|llvm ...]" >&2
                exit 2
            }
            programs+=("$argument")
            ;;
    esac
done
if ((${#programs[@]} == 0)); then
    programs=(git coreutils)
    ((${#options[@]})) || programs+=(binutils llvm)
fi

failed=()
for program in "${programs[@]}"; do
    "$here/$program.sh" "${options[@]}" || failed+=("$program")
done

set -- "${options[@]}"
. "$here/common.sh"
printf '\n'
tables
if ((${#failed[@]})); then
    printf 'integration: FAILED: %s\n' "${failed[*]}"
    exit 1
fi
echo "integration: passed, $SECONDS s"

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# usage: scripts/bench.sh [OPTION...]    (--help tells them)
#
# Our C library, as it is shipped and on each backend that this CPU has, against
# all other implementations that are here. `make bench BENCH="--quick ..."` is it.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cd "$root"
scripts/peers.sh target/peers
[[ -e $stage/stamp ]] || scripts/stage.sh
"$CARGO" rustc --quiet --release --features force-backend --crate-type cdylib --target-dir target/force

export SHAONE_PEERS=$root/target/peers
export SHAONE_LIB=$stage/lib/libshaone.so
export SHAONE_FORCED_LIB=$root/target/force/release/libshaone.so
"$CARGO" bench --quiet --package shaone-bench --target-dir target -- --csv target/bench "$@"

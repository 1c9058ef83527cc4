#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# usage: scripts/bench.sh [OPTION...]    (--help tells them)
#
# Our C library, as it is shipped and on each backend that this CPU has, against
# all other implementations that are here. `make bench BENCH="--quick ..."` is it.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
: "${CARGO:=cargo}"
# What make tells its own children only confuses cargo.
unset MAKEFLAGS

scripts/peers.sh target/peers
[[ -e target/shaone/usr/stamp ]] || scripts/stage.sh
"$CARGO" rustc --quiet --release --features force-backend --crate-type cdylib --target-dir target/force

export SHAONE_PEERS=$root/target/peers
export SHAONE_LIB=$root/target/shaone/usr/lib/libshaone.so
export SHAONE_FORCED_LIB=$root/target/force/release/libshaone.so
"$CARGO" bench --quiet --bench sha1 --features capi --target-dir target -- --csv target/bench "$@"

//! One block at a time in plain `u32`: every CPU.

use core::array;
use core::mem::MaybeUninit;

use crate::block::{self, Block, State};
use crate::recompress::recompress_one;
use crate::rounds;
use crate::trace::{Candidate, LAST_T, Trace};

/// Compress `blocks` into `state`.
pub fn compress(state: &mut State, blocks: &[Block]) {
    for block in blocks {
        rounds::compress(state, &mut block::words(block));
    }
}

/// As [`compress`], with a trace of each block.
pub fn trace(state: &mut State, blocks: &[Block], traces: &mut [MaybeUninit<Trace>]) {
    for (block, trace) in blocks.iter().zip(traces) {
        let ihv_in = *state;
        let w = rounds::expand(block::words(block));
        let s = rounds::run::<u32, 0>(ihv_in, &w[..20]);
        let s = rounds::run::<u32, 1>(s, &w[20..40]);
        let at_56 = rounds::run::<u32, 2>(s, &w[40..56]);
        let s = rounds::run::<u32, 2>(at_56, &w[56..60]);
        let s = rounds::run::<u32, 3>(s, &w[60..]);
        rounds::add_to(state, s);
        trace.write(Trace::new(array::from_fn(|i| w[LAST_T - i]), at_56, ihv_in));
    }
}

/// How many candidates [`recompress`] takes.
pub const RECOMPRESSED: usize = 4;

/// Those of some candidates that are part of an attack, one after the other.
pub fn recompress(candidates: &[Candidate]) -> u32 {
    let collide = candidates.iter().map(|candidate| recompress_one(candidate).collides);
    collide.rev().fold(0, |set, collides| set << 1 | u32::from(collides))
}

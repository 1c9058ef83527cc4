//! One block at a time in plain `u32`: every CPU.

use core::array;
use core::mem::MaybeUninit;

use crate::block::{self, Block, State};
use crate::recompress;
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
        let w = &mut block::words(block);
        let s = rounds::twenty::<u32, 0>(ihv_in, w);
        let s = rounds::twenty::<u32, 1>(s, w);
        let s = rounds::five::<u32, 2>(s, w, 40);
        let s = rounds::five::<u32, 2>(s, w, 45);
        let first = *w;
        let s = rounds::five::<u32, 2>(s, w, 50);
        let at_56 = rounds::moved::<u32, 2>(s, rounds::word(w, 55));
        let s = (56..60).fold(at_56, |s, t| rounds::moved::<u32, 2>(s, rounds::word(w, t)));
        let s = rounds::five::<u32, 3>(s, w, 60);
        // The next round uses this word too, and finds it made.
        rounds::word(w, LAST_T);
        let last = *w;
        let s = rounds::five_from::<u32, 3>(s, w, 65);
        let s = rounds::five::<u32, 3>(s, w, 70);
        let s = rounds::five::<u32, 3>(s, w, 75);
        rounds::add_to(state, s);
        let word = |t: usize| if t < 50 { first[t % 16] } else { last[t % 16] };
        trace.write(Trace::new(array::from_fn(|i| word(LAST_T - i)), at_56, ihv_in));
    }
}

/// The widest vector that every CPU of this target has, and how many candidates it takes.
#[cfg(target_feature = "sse2")]
type Widest = super::x86::ssse3::Xmm;
#[cfg(not(target_feature = "sse2"))]
type Widest = u32;

/// How many candidates [`recompress`](recompress()) takes.
pub const RECOMPRESSED: usize = size_of::<Widest>() / size_of::<u32>();

/// Those of some candidates that are part of an attack.
pub fn recompress(candidates: &[Candidate]) -> u32 {
    // SAFETY: the target itself has SSE2 where a vector with SSE2 is taken.
    unsafe { recompress::in_lanes::<Widest, RECOMPRESSED>(candidates) }
}

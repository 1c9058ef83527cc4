//! One block at a time in plain `u32`: every CPU.

use core::mem::MaybeUninit;

use crate::block::{self, Block, State};
use crate::recompress;
use crate::rounds;
use crate::trace::{Candidate, Confirmed, Suspect, Trace};

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
        let kept = rounds::compress_and_keep(state, &mut block::words(block));
        trace.write(Trace::from_kept(&kept, ihv_in));
    }
}

/// The first of a suspect's candidates that is part of an attack, if one is.
pub fn recompress(suspect: &Suspect, candidates: &[Candidate]) -> Option<Confirmed> {
    #[cfg(target_arch = "aarch64")]
    use super::aarch64::neon::Quad as Widest;
    #[cfg(target_feature = "sse2")]
    use super::x86::ssse3::Xmm as Widest;
    #[cfg(not(any(target_feature = "sse2", target_arch = "aarch64")))]
    type Widest = u32;

    // SAFETY: the target itself has SSE2 or NEON where such vectors are taken.
    unsafe { recompress::in_lanes::<Widest, _>(suspect, candidates) }
}

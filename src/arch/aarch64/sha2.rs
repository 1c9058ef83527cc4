//! The SHA-1 instructions of AArch64 (Arm ARM, FEAT_SHA1).
//!
//! Unlike on x86 the schedule instructions are as fast as the rest, so the
//! code is the plain one: four rounds and four schedule words at a time.

use core::arch::aarch64::*;
use core::mem::MaybeUninit;

use crate::block::{Block, K, State};
use crate::trace::Trace;

/// Compress `blocks` into `state`.
#[target_feature(enable = "sha2")]
pub fn compress(state: &mut State, blocks: &[Block]) {
    for block in blocks {
        one(state, &expand(block), |_, _, _| {});
    }
}

/// As [`compress`], with a trace of each block.
#[target_feature(enable = "sha2")]
pub fn trace(state: &mut State, blocks: &[Block], traces: &mut [MaybeUninit<Trace>]) {
    for (block, trace) in blocks.iter().zip(traces) {
        let ihv_in = *state;
        let w = expand(block);
        let mut at_56 = [0; 5];
        one(state, &w, |group, abcd, e| {
            if group == 56 / 4 {
                // SAFETY: the first four of five words are writable.
                unsafe { vst1q_u32(at_56.as_mut_ptr(), abcd) };
                at_56[4] = e;
            }
        });
        // Four words each from W[34] on, the first one last.
        let mut window = [0; 32];
        for (words, pair) in window.as_chunks_mut::<4>().0.iter_mut().rev().zip(w[8..17].windows(2)) {
            let pairs = vrev64q_u32(vextq_u32::<2>(pair[0], pair[1]));
            // SAFETY: four words are writable.
            unsafe { vst1q_u32(words.as_mut_ptr(), vextq_u32::<2>(pairs, pairs)) };
        }
        trace.write(Trace::new(window, at_56, ihv_in));
    }
}

/// The expanded message of a block, in groups of four words.
#[inline]
#[target_feature(enable = "sha2")]
fn expand(block: &Block) -> [uint32x4_t; 20] {
    let mut w = [vdupq_n_u32(0); 20];
    for (words, bytes) in w.iter_mut().zip(block.as_chunks::<16>().0) {
        // SAFETY: a piece of the block is 16 bytes.
        let bytes = unsafe { vld1q_u8(bytes.as_ptr()) };
        *words = vreinterpretq_u32_u8(vrev32q_u8(bytes));
    }
    for i in 4..20 {
        let partial = vsha1su0q_u32(w[i - 4], w[i - 3], w[i - 2]);
        w[i] = vsha1su1q_u32(partial, w[i - 1]);
    }
    w
}

/// The 80 rounds of one block. `inspect` is shown the working words, a to d and e, before
/// each group of four rounds.
#[inline]
#[target_feature(enable = "sha2")]
fn one(state: &mut State, w: &[uint32x4_t; 20], mut inspect: impl FnMut(usize, uint32x4_t, u32)) {
    // SAFETY: the first four of five words are readable.
    let abcd_in = unsafe { vld1q_u32(state.as_ptr()) };
    let (mut abcd, mut e) = (abcd_in, state[4]);
    for (i, &words) in w.iter().enumerate() {
        inspect(i, abcd, e);
        let next_e = vsha1h_u32(vgetq_lane_u32::<0>(abcd));
        let wk = vaddq_u32(words, vdupq_n_u32(K[i / 5]));
        abcd = match i / 5 {
            0 => vsha1cq_u32(abcd, e, wk),
            2 => vsha1mq_u32(abcd, e, wk),
            _ => vsha1pq_u32(abcd, e, wk),
        };
        e = next_e;
    }
    // SAFETY: the first four of five words are writable.
    unsafe { vst1q_u32(state.as_mut_ptr(), vaddq_u32(abcd, abcd_in)) };
    state[4] = state[4].wrapping_add(e);
}

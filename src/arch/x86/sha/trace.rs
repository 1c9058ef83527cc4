//! One message, with what collision detection needs to know of each block.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use super::rounds::{Working, four_rounds, load, store, twenty};
use super::schedule::{Form, Msg, Sse, Vl, expand};
use crate::block::{Block, State};
use crate::trace::{Trace, Window};

/// Compress one message with a trace of each block: any CPU with SHA instructions.
#[target_feature(enable = "sha,ssse3,sse4.1")]
pub fn trace(state: &mut State, blocks: &[Block], traces: &mut [MaybeUninit<Trace>]) {
    // SAFETY: the features of `Sse` are enabled here; `()` needs none.
    unsafe { trace_with::<Sse>(state, blocks, traces, &mut ()) }
}

/// Compress one message with a trace of each block, with AVX-512VL.
#[target_feature(enable = "sha,ssse3,sse4.1,avx2,avx512f,avx512vl")]
pub fn trace_vl(state: &mut State, blocks: &[Block], traces: &mut [MaybeUninit<Trace>]) {
    // SAFETY: the features of `Vl` are enabled here; `()` needs none.
    unsafe { trace_vl_and(state, blocks, traces, &mut ()) }
}

/// Compress one message with a trace of each block, with the schedule instructions.
#[target_feature(enable = "sha,ssse3,sse4.1")]
pub fn trace_msg(state: &mut State, blocks: &[Block], traces: &mut [MaybeUninit<Trace>]) {
    // SAFETY: the features of `Msg` are enabled here; `()` needs none.
    unsafe { trace_with::<Msg>(state, blocks, traces, &mut ()) }
}

/// What is done with the window of a block while its last rounds are computed.
pub trait Inspect {
    /// Inspect the window of the next block.
    ///
    /// To stay where it is put, among the rounds, the code has to look as if it changed
    /// `tie`. It must not write registers of more than 128 bits that the SHA instructions
    /// can name too: see the head of `sha`.
    ///
    /// # Safety
    /// The CPU must have what the code needs, and the window must have been written.
    unsafe fn inspect(&mut self, window: *const Window, tie: &mut __m128i);
}

/// Nothing is done.
impl Inspect for () {
    #[inline(always)]
    unsafe fn inspect(&mut self, _: *const Window, _: &mut __m128i) {}
}

/// As [`trace_vl`], and inspect each window.
///
/// # Safety
/// The CPU must have the features that [`trace_vl`] enables and what the inspection needs.
#[inline(always)]
pub unsafe fn trace_vl_and(
    state: &mut State,
    blocks: &[Block],
    traces: &mut [MaybeUninit<Trace>],
    inspection: &mut impl Inspect,
) {
    // SAFETY: this function has the same contract.
    unsafe {
        _mm256_zeroupper();
        trace_with::<Vl>(state, blocks, traces, inspection);
    }
}

/// # Safety
/// The CPU must have the form's features and what the inspection needs.
#[inline(always)]
unsafe fn trace_with<F: Form>(
    state: &mut State,
    blocks: &[Block],
    traces: &mut [MaybeUninit<Trace>],
    inspection: &mut impl Inspect,
) {
    // SAFETY: the CPU has the form's features by this function's contract. The fields of a
    // trace are written through pointers that its own gives: the window as eight vectors,
    // `dcba_52` and `dcba_56` as one each, all at multiples of 16 bytes, and `ihv_in` as a
    // chaining value; that is all of it.
    unsafe {
        let mut hash = load(state);
        for (block, trace) in blocks.iter().zip(traces) {
            let trace = trace.as_mut_ptr();
            store(&raw mut (*trace).ihv_in, hash);
            let w = expand::<F>(block);
            let window: *mut __m128i = (&raw mut (*trace).window).cast();
            // Four words each from W[34] on: two of a group and two of the next, as they
            // were put together for the schedule.
            for i in 8..16 {
                let words = _mm_alignr_epi8::<8>(w[i], w[i + 1]);
                _mm_store_si128(window.add(15 - i), words);
            }
            let mut s = Working { abcd: hash.abcd, e: _mm_add_epi32(hash.e, w[0]) };
            s = twenty::<F, 0>(s, [w[1], w[2], w[3], w[4], w[5]]);
            s = twenty::<F, 1>(s, [w[6], w[7], w[8], w[9], w[10]]);
            s = four_rounds::<F, 2>(s, w[11]);
            s = four_rounds::<F, 2>(s, w[12]);
            inspection.inspect(&raw const (*trace).window, &mut s.abcd);
            s = four_rounds::<F, 2>(s, w[13]);
            _mm_store_si128((&raw mut (*trace).dcba_52).cast(), s.abcd);
            s = four_rounds::<F, 2>(s, w[14]);
            _mm_store_si128((&raw mut (*trace).dcba_56).cast(), s.abcd);
            s = four_rounds::<F, 2>(s, w[15]);
            s = twenty::<F, 3>(s, [w[16], w[17], w[18], w[19], hash.e]);
            hash = Working { abcd: _mm_add_epi32(hash.abcd, s.abcd), e: s.e };
        }
        store(state, hash);
    }
}

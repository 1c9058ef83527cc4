//! One message with a trace of each block, and something else between its rounds, where a
//! CPU with quick schedule instructions would wait for them (AMD's: `sha1rnds4` takes six
//! cycles, `sha1msg1` and `sha1msg2` are one or two operations).

use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use super::rounds::{Working, four_rounds, load, store};
use super::schedule::{Form, Group, Msg, load_block};
use crate::barrier;
use crate::block::{Block, State};
use crate::trace::{Trace, Window};

/// What is done between the rounds of blocks.
pub trait BetweenRounds {
    /// Something to be done after group `G` of the rounds of a block: of number `B` of four
    /// blocks, or of a single block where `B` is 4. The block's window is written up to
    /// W\[4 * G + 13\].
    ///
    /// To stay where it is put, among the rounds, the code has to look as if it changed
    /// `tie`; and it may use vectors of 128 bits only: see the head of `sha`.
    ///
    /// # Safety
    /// The CPU must have what the code needs.
    unsafe fn after_group<const B: usize, const G: usize>(
        &mut self,
        window: *const Window,
        tie: &mut __m128i,
    );
}

/// As [`trace_msg`](super::trace::trace_msg), and do something between the rounds: blocks
/// are numbered by fours, as far as there are four.
///
/// # Safety
/// The CPU must have the features of [`Msg`] and what the work between needs.
#[inline(always)]
pub unsafe fn trace_fours_and(
    state: &mut State,
    blocks: &[Block],
    traces: &mut [MaybeUninit<Trace>],
    between: &mut impl BetweenRounds,
) {
    // SAFETY: the CPU has what is needed by this function's contract.
    unsafe {
        let mut hash = load(state);
        let (fours, rest) = blocks.as_chunks::<4>();
        let (trace_fours, trace_rest) = traces.as_chunks_mut::<4>();
        for (blocks, traces) in fours.iter().zip(trace_fours) {
            hash = trace_one::<0>(hash, &blocks[0], &mut traces[0], between);
            hash = trace_one::<1>(hash, &blocks[1], &mut traces[1], between);
            hash = trace_one::<2>(hash, &blocks[2], &mut traces[2], between);
            hash = trace_one::<3>(hash, &blocks[3], &mut traces[3], between);
        }
        for (block, trace) in rest.iter().zip(trace_rest) {
            hash = trace_one::<4>(hash, block, trace, between);
        }
        store(state, hash);
    }
}

/// The same, and all blocks are single ones.
///
/// # Safety
/// The CPU must have the features of [`Msg`] and what the work between needs.
#[inline(always)]
pub unsafe fn trace_singles_and(
    state: &mut State,
    blocks: &[Block],
    traces: &mut [MaybeUninit<Trace>],
    between: &mut impl BetweenRounds,
) {
    // SAFETY: the CPU has what is needed by this function's contract.
    unsafe {
        let mut hash = load(state);
        for (block, trace) in blocks.iter().zip(traces) {
            hash = trace_one::<4>(hash, block, trace, between);
        }
        store(state, hash);
    }
}

/// One block.
///
/// # Safety
/// The CPU must have the features of [`Msg`] and what the work between needs.
#[inline(always)]
unsafe fn trace_one<const B: usize>(
    hash: Working,
    block: &Block,
    trace: &mut MaybeUninit<Trace>,
    between: &mut impl BetweenRounds,
) -> Working {
    let trace = trace.as_mut_ptr();
    // SAFETY: the CPU has what is needed by this function's contract. The chaining value is
    // written through a pointer that the trace's own gives.
    unsafe {
        let mut w = [_mm_setzero_si128(); 21];
        load_block::<Msg>(&mut w, block);
        w[20] = hash.e;
        let mut s = Traced { working: Working { abcd: hash.abcd, e: _mm_add_epi32(hash.e, w[0]) }, w };
        // What is kept until the end is a copy, lest the chain go through memory.
        let abcd_in = barrier::opaque_vector(hash.abcd);
        store(&raw mut (*trace).ihv_in, Working { abcd: abcd_in, e: hash.e });
        s.group::<B, 0, 0>(trace, between);
        s.group::<B, 1, 0>(trace, between);
        s.group::<B, 2, 0>(trace, between);
        s.group::<B, 3, 0>(trace, between);
        s.group::<B, 4, 0>(trace, between);
        s.group::<B, 5, 1>(trace, between);
        s.group::<B, 6, 1>(trace, between);
        s.group::<B, 7, 1>(trace, between);
        s.group::<B, 8, 1>(trace, between);
        s.group::<B, 9, 1>(trace, between);
        s.group::<B, 10, 2>(trace, between);
        s.group::<B, 11, 2>(trace, between);
        s.group::<B, 12, 2>(trace, between);
        s.group::<B, 13, 2>(trace, between);
        s.group::<B, 14, 2>(trace, between);
        s.group::<B, 15, 3>(trace, between);
        s.group::<B, 16, 3>(trace, between);
        s.group::<B, 17, 3>(trace, between);
        s.group::<B, 18, 3>(trace, between);
        s.group::<B, 19, 3>(trace, between);
        Working { abcd: _mm_add_epi32(abcd_in, s.working.abcd), e: s.working.e }
    }
}

/// A block on its way.
struct Traced {
    working: Working,
    /// The groups, and as the last one the chaining value's own E.
    w: [Group; 21],
}

impl Traced {
    /// Group `G` of the rounds, of part `PART`, and what is to be done after it.
    ///
    /// # Safety
    /// The CPU must have the features of [`Msg`] and what the work between needs, and the
    /// trace must be writable.
    #[inline(always)]
    unsafe fn group<const B: usize, const G: usize, const PART: i32>(
        &mut self,
        trace: *mut Trace,
        between: &mut impl BetweenRounds,
    ) {
        // SAFETY: the CPU has what is needed, and the trace is writable, by this function's
        // contract. Groups 5 to 12 write the window as eight vectors, groups 12 and 13 write
        // `dcba_52` and `dcba_56` as one each, all at multiples of 16 bytes.
        unsafe {
            let w = &mut self.w;
            if G < 16 {
                w[G + 4] = Msg::next_group(w, G + 4);
            }
            if G >= 5 && G <= 12 {
                let window: *mut __m128i = (&raw mut (*trace).window).cast();
                _mm_store_si128(window.add(12 - G), _mm_alignr_epi8::<8>(w[G + 3], w[G + 4]));
            }
            self.working = four_rounds::<Msg, PART>(self.working, w[G + 1]);
            if G == 12 {
                _mm_store_si128((&raw mut (*trace).dcba_52).cast(), self.working.abcd);
            }
            if G == 13 {
                _mm_store_si128((&raw mut (*trace).dcba_56).cast(), self.working.abcd);
            }
            between.after_group::<B, G>(&raw const (*trace).window, &mut self.working.abcd);
            if G < 16 {
                // The words are made now.
                [self.w[G + 4], self.working.abcd] = barrier::tie([self.w[G + 4], self.working.abcd]);
            }
        }
    }
}

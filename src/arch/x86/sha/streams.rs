//! One message, or several in turns.
//!
//! The chain of one message keeps the SHA unit busy for a fraction of the time; a second,
//! third and fourth message fill the rest.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::array;

use super::rounds::{Working, four_rounds, load, store};
use super::schedule::{Form, Group, Msg, Sse, Vl, load_block};
use crate::barrier;
use crate::block::{Block, State};
use crate::lanes::{self, States, Step};

/// Compress one message: any CPU with SHA instructions.
#[target_feature(enable = "sha,ssse3,sse4.1")]
pub fn compress(state: &mut State, blocks: &[Block]) {
    // SAFETY: the features of `Sse` are enabled here; there is one slice.
    unsafe { streams::<Sse, 1>([state], [blocks]) }
}

/// Compress one message with AVX-512VL.
#[target_feature(enable = "sha,ssse3,sse4.1,avx2,avx512f,avx512vl")]
pub fn compress_vl(state: &mut State, blocks: &[Block]) {
    // The caller may hand over dirty upper halves: see the head of `sha`.
    _mm256_zeroupper();
    // SAFETY: the features of `Vl` are enabled here; there is one slice.
    unsafe { streams::<Vl, 1>([state], [blocks]) }
}

/// Compress one message with the schedule instructions. (This is SSE code: VEX code would
/// save moves, which cost nothing on the CPUs that it is for.)
#[target_feature(enable = "sha,ssse3,sse4.1")]
pub fn compress_msg(state: &mut State, blocks: &[Block]) {
    // SAFETY: the features of `Msg` are enabled here; there is one slice.
    unsafe { streams::<Msg, 1>([state], [blocks]) }
}

/// `N` messages in turns, as many blocks of each.
///
/// # Safety
/// The CPU must have the form's features, and all slices must be of one length.
#[inline(always)]
unsafe fn streams<F: Form, const N: usize>(states: [&mut State; N], blocks: [&[Block]; N]) {
    // SAFETY: the CPU has the form's features, and each slice the length of the first, by
    // this function's contract.
    unsafe {
        let mut hash = states.each_ref().map(|state| load(state));
        for i in 0..blocks[0].len() {
            let mut s: [Stream; N] =
                array::from_fn(|n| Stream::start::<F>(hash[n], blocks[n].get_unchecked(i)));
            group::<F, 0, 0, N>(&mut s);
            group::<F, 1, 0, N>(&mut s);
            group::<F, 2, 0, N>(&mut s);
            group::<F, 3, 0, N>(&mut s);
            group::<F, 4, 0, N>(&mut s);
            group::<F, 5, 1, N>(&mut s);
            group::<F, 6, 1, N>(&mut s);
            group::<F, 7, 1, N>(&mut s);
            group::<F, 8, 1, N>(&mut s);
            group::<F, 9, 1, N>(&mut s);
            group::<F, 10, 2, N>(&mut s);
            group::<F, 11, 2, N>(&mut s);
            group::<F, 12, 2, N>(&mut s);
            group::<F, 13, 2, N>(&mut s);
            group::<F, 14, 2, N>(&mut s);
            group::<F, 15, 3, N>(&mut s);
            group::<F, 16, 3, N>(&mut s);
            group::<F, 17, 3, N>(&mut s);
            group::<F, 18, 3, N>(&mut s);
            group::<F, 19, 3, N>(&mut s);
            hash = array::from_fn(|n| Working {
                abcd: _mm_add_epi32(hash[n].abcd, s[n].working.abcd),
                e: s[n].working.e,
            });
        }
        for (state, hash) in states.into_iter().zip(hash) {
            store(state, hash);
        }
    }
}

/// One of several messages: its working words and schedule.
#[derive(Clone, Copy)]
struct Stream {
    working: Working,
    /// The groups, and as the last one the chaining value's own E.
    w: [Group; 21],
}

impl Stream {
    /// The first four groups.
    ///
    /// # Safety
    /// The CPU must have the form's features.
    #[inline(always)]
    unsafe fn start<F: Form>(hash: Working, block: &Block) -> Self {
        // SAFETY: the CPU has the form's features by this function's contract.
        unsafe {
            let mut w = [_mm_setzero_si128(); 21];
            load_block::<F>(&mut w, block);
            w[20] = hash.e;
            Self { working: Working { abcd: hash.abcd, e: _mm_add_epi32(hash.e, w[0]) }, w }
        }
    }
}

/// Four rounds of each message, and the words of four groups later.
///
/// The compiler, left alone, would first make the words of all groups and store them, and
/// then put one message's whole chain of rounds behind the other's. The CPU does not look
/// that far ahead, so [`barrier::tie_four`] keeps the messages in turns.
///
/// # Safety
/// The CPU must have the form's features.
#[inline(always)]
unsafe fn group<F: Form, const G: usize, const PART: i32, const N: usize>(streams: &mut [Stream; N]) {
    for s in streams.iter_mut() {
        // SAFETY: the CPU has the form's features by this function's contract.
        unsafe {
            if G < 16 {
                s.w[G + 4] = F::next_group(&s.w, G + 4);
            }
            s.working = four_rounds::<F, PART>(s.working, s.w[G + 1]);
        }
    }
    let newest = if G < 16 { G + 4 } else { 20 };
    for n in 1..N {
        let [a, b] = [n - 1, n].map(|n| (streams[n].working.abcd, streams[n].w[newest]));
        let [abcd_a, abcd_b, w_a, w_b] = barrier::tie_four([a.0, b.0, a.1, b.1]);
        (streams[n - 1].working.abcd, streams[n].working.abcd) = (abcd_a, abcd_b);
        (streams[n - 1].w[newest], streams[n].w[newest]) = (w_a, w_b);
    }
}

/// Two messages in turns: a [`Kernel`](lanes::Kernel).
#[target_feature(enable = "sha,ssse3,sse4.1,avx2,avx512f,avx512vl")]
pub fn two_vl(states: &mut States, steps: &mut [Step]) {
    lanes::run_streams(states, steps, |states, blocks| in_turns_vl::<2>(states, blocks));
}

/// Four messages in turns: a [`Kernel`](lanes::Kernel).
#[target_feature(enable = "sha,ssse3,sse4.1,avx2,avx512f,avx512vl")]
pub fn four_vl(states: &mut States, steps: &mut [Step]) {
    lanes::run_streams(states, steps, |states, blocks| in_turns_vl::<4>(states, blocks));
}

/// `N` messages with AVX-512VL.
#[inline(never)] // The code around it may use wide registers, this may not.
#[target_feature(enable = "sha,ssse3,sse4.1,avx2,avx512f,avx512vl")]
fn in_turns_vl<const N: usize>(states: [&mut State; N], blocks: [&[Block]; N]) {
    _mm256_zeroupper();
    let len = blocks[0].len();
    // SAFETY: the features of `Vl` are enabled here; the slices are cut to one length.
    unsafe { streams::<Vl, N>(states, blocks.map(|blocks| &blocks[..len])) }
}

//! The SHA-1 instructions of AArch64 (Arm ARM, FEAT_SHA1).
//!
//! Unlike on x86 the schedule instructions are as fast as the rest, so the
//! code is the plain one: four rounds and four schedule words at a time.
//!
//! `sha1c` and its kin have a latency of four cycles or more and twenty of them follow each
//! other, so 80 cycles a block is the floor of one message. How much two or four messages
//! in turns gain depends on how many of the instructions a core can begin in a cycle.

use core::arch::aarch64::*;
use core::mem::MaybeUninit;

use crate::barrier;
use crate::block::{Block, K, State};
use crate::lanes::{States, Step};
use crate::trace::Trace;

/// Compress `blocks` into `state`.
#[target_feature(enable = "sha2")]
pub fn compress(state: &mut State, blocks: &[Block]) {
    let mut hash = Working::load(state);
    for block in blocks {
        [hash] = in_turns([hash], [block]);
    }
    *state = hash.store();
}

/// As [`compress`], with a trace of each block.
#[target_feature(enable = "sha2")]
pub fn trace(state: &mut State, blocks: &[Block], traces: &mut [MaybeUninit<Trace>]) {
    for (block, trace) in blocks.iter().zip(traces) {
        let ihv_in = *state;
        let hash = Working::load(state);
        let w = expand(block);
        let (mut working, mut at_56) = (hash, [0; 5]);
        for (g, &words) in w.iter().enumerate() {
            if g == 56 / 4 {
                at_56 = working.store();
            }
            working = working.four_rounds(g, words);
        }
        *state = working.add(hash).store();
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

/// Two messages: a [`Kernel`](crate::lanes::Kernel).
///
/// # Safety
/// In every step the first 2 lanes must be filled.
#[target_feature(enable = "sha2")]
pub unsafe fn two(states: &mut States, steps: &mut [Step]) {
    // SAFETY: the lanes are filled by this function's contract.
    unsafe { lanes::<2>(states, steps) }
}

/// Four messages: a [`Kernel`](crate::lanes::Kernel).
///
/// # Safety
/// In every step the first 4 lanes must be filled.
#[target_feature(enable = "sha2")]
pub unsafe fn four(states: &mut States, steps: &mut [Step]) {
    // SAFETY: the lanes are filled by this function's contract.
    unsafe { lanes::<4>(states, steps) }
}

/// `N` messages in turns, step after step.
///
/// # Safety
/// In every step the first `N` lanes must be filled.
#[inline]
#[target_feature(enable = "sha2")]
unsafe fn lanes<const N: usize>(states: &mut States, steps: &mut [Step]) {
    let mut hash = [Working::load(&[0; 5]); N];
    for (lane, hash) in hash.iter_mut().enumerate() {
        *hash = Working::load(&states.get(lane));
    }
    for step in steps {
        for i in 0..step.count() {
            // SAFETY: the lanes are filled by this function's contract, and `i` is less
            // than the step's count.
            hash = in_turns(hash, unsafe { step.nth::<N>(i) });
        }
        if step.ends != 0 {
            for (lane, hash) in hash.iter_mut().enumerate() {
                let begun = Working::load(&step.exchange.get(lane));
                step.exchange.set(lane, &hash.store());
                if step.ends >> lane & 1 != 0 {
                    *hash = begun;
                }
            }
        }
    }
    for (lane, hash) in hash.iter().enumerate() {
        states.set(lane, &hash.store());
    }
}

/// A block of each of `N` messages.
#[inline]
#[target_feature(enable = "sha2")]
fn in_turns<const N: usize>(hash: [Working; N], blocks: [&Block; N]) -> [Working; N] {
    let mut messages = [(hash[0], [vdupq_n_u32(0); 4]); N];
    for n in 0..N {
        messages[n] = (hash[n], load_block(blocks[n]));
    }
    // Written out, since the compiler makes no loop straight that is so long.
    group::<0, N>(&mut messages);
    group::<1, N>(&mut messages);
    group::<2, N>(&mut messages);
    group::<3, N>(&mut messages);
    group::<4, N>(&mut messages);
    group::<5, N>(&mut messages);
    group::<6, N>(&mut messages);
    group::<7, N>(&mut messages);
    group::<8, N>(&mut messages);
    group::<9, N>(&mut messages);
    group::<10, N>(&mut messages);
    group::<11, N>(&mut messages);
    group::<12, N>(&mut messages);
    group::<13, N>(&mut messages);
    group::<14, N>(&mut messages);
    group::<15, N>(&mut messages);
    group::<16, N>(&mut messages);
    group::<17, N>(&mut messages);
    group::<18, N>(&mut messages);
    group::<19, N>(&mut messages);
    let mut out = hash;
    for n in 0..N {
        out[n] = messages[n].0.add(hash[n]);
    }
    out
}

/// Four rounds of each message, and the words of four groups later.
#[inline]
#[target_feature(enable = "sha2")]
fn group<const G: usize, const N: usize>(messages: &mut [(Working, [uint32x4_t; 4]); N]) {
    for (working, w) in messages {
        let words = w[G % 4];
        if G < 16 {
            w[G % 4] = schedule(words, w[(G + 1) % 4], w[(G + 2) % 4], w[(G + 3) % 4]);
        }
        *working = working.four_rounds(G, words);
    }
}

/// The first four groups of words.
#[inline]
#[target_feature(enable = "sha2")]
fn load_block(block: &Block) -> [uint32x4_t; 4] {
    let mut w = [vdupq_n_u32(0); 4];
    for (words, bytes) in w.iter_mut().zip(block.as_chunks::<16>().0) {
        // SAFETY: a piece of the block is 16 bytes.
        let bytes = unsafe { vld1q_u8(bytes.as_ptr()) };
        *words = vreinterpretq_u32_u8(vrev32q_u8(bytes));
    }
    w
}

/// The group of words that follows four others.
#[inline]
#[target_feature(enable = "sha2")]
fn schedule(a: uint32x4_t, b: uint32x4_t, c: uint32x4_t, d: uint32x4_t) -> uint32x4_t {
    vsha1su1q_u32(vsha1su0q_u32(a, b, c), d)
}

/// The expanded message of a block, in groups of four words.
#[inline]
#[target_feature(enable = "sha2")]
fn expand(block: &Block) -> [uint32x4_t; 20] {
    let mut w = [vdupq_n_u32(0); 20];
    w[..4].copy_from_slice(&load_block(block));
    for i in 4..20 {
        w[i] = schedule(w[i - 4], w[i - 3], w[i - 2], w[i - 1]);
    }
    w
}

/// The five working words, or a chaining value.
#[derive(Clone, Copy)]
struct Working {
    abcd: uint32x4_t,
    e: u32,
}

impl Working {
    #[inline]
    #[target_feature(enable = "sha2")]
    fn load(state: &State) -> Self {
        // SAFETY: the first four of five words are readable.
        let abcd = unsafe { vld1q_u32(state.as_ptr()) };
        Self { abcd, e: state[4] }
    }

    #[inline]
    #[target_feature(enable = "sha2")]
    fn store(self) -> State {
        let mut state = [self.e; 5];
        // SAFETY: the first four of five words are writable.
        unsafe { vst1q_u32(state.as_mut_ptr(), self.abcd) };
        state
    }

    /// The rounds of group `g`, whose schedule words are `words`.
    #[inline]
    #[target_feature(enable = "sha2")]
    fn four_rounds(self, g: usize, words: uint32x4_t) -> Self {
        // The instruction for the rounds overwrites A. If it came before `sha1h`, it would
        // need a copy, and that is two cycles more in the chain.
        let (abcd, e) = barrier::tie_word(self.abcd, vsha1h_u32(vgetq_lane_u32::<0>(self.abcd)));
        let wk = vaddq_u32(words, vdupq_n_u32(K[g / 5]));
        let abcd = match g / 5 {
            0 => vsha1cq_u32(abcd, self.e, wk),
            2 => vsha1mq_u32(abcd, self.e, wk),
            _ => vsha1pq_u32(abcd, self.e, wk),
        };
        Self { abcd, e }
    }

    #[inline]
    #[target_feature(enable = "sha2")]
    fn add(self, other: Self) -> Self {
        Self { abcd: vaddq_u32(self.abcd, other.abcd), e: self.e.wrapping_add(other.e) }
    }
}

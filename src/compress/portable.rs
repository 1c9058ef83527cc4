//! One block at a time in plain `u32`: every CPU.

use core::array;
use core::mem::MaybeUninit;

use super::lanes::{Vector, WIDEST};
use super::recompress;
use super::rounds::{self, Word};
use super::trace::{Candidate, Confirmed, Suspect, TOP, Trace};
use crate::block::{Block, State};

impl Word for u32 {
    #[inline(always)]
    fn splat(self, value: u32) -> Self {
        value
    }
    /// Left alone, the compiler adds the constant K last, in the chain from one
    /// round to the next.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    #[inline(always)]
    fn settle(mut self) -> Self {
        // SAFETY: an empty instruction.
        unsafe {
            core::arch::asm!("/* {0:e} */", inout(reg) self, options(pure, nomem, nostack, preserves_flags));
        }
        self
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }
    #[inline(always)]
    fn rotl<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        self.rotate_left(LEFT as u32)
    }
    #[inline(always)]
    fn ch(x: Self, y: Self, z: Self) -> Self {
        (x & (y ^ z)) ^ z
    }
    /// The two terms have no bit in common, so they can be added one by one,
    /// which keeps the chain through the sum short.
    #[inline(always)]
    fn add_maj(a: Self, x: Self, y: Self, z: Self) -> Self {
        a.wrapping_add(y & z).wrapping_add(x & (y ^ z))
    }
}

/// Compress `blocks` into `state`.
pub fn compress(state: &mut State, blocks: &[Block]) {
    for block in blocks {
        rounds::compress(state, &mut words(block));
    }
}

/// The words of a block.
#[inline(always)]
pub fn words(block: &Block) -> [u32; 16] {
    let (words, _) = block.as_chunks::<4>();
    array::from_fn(|i| u32::from_be_bytes(words[i]))
}

/// As [`compress`], with a trace of each block.
///
/// The inner words of a trace are A to E before step 55, three words of no
/// meaning, and A to E before step 65.
pub fn trace(state: &mut State, blocks: &[Block], traces: &mut [MaybeUninit<Trace>]) {
    for (block, trace) in blocks.iter().zip(traces) {
        let before = *state;
        let kept = rounds::trace(state, &mut words(block));
        let [[a, b, c, d, e], [f, g, h, i, j]] = kept.inner;
        // W[65] is in no condition.
        let word = |t: usize| match t {
            ..50 => kept.early[t % 16],
            50..65 => kept.late[t % 16],
            _ => 0,
        };
        trace.write(Trace {
            window: array::from_fn(|i| word(TOP - i)),
            inner: [[a, b, c, d], [e, 0, 0, 0], [f, g, h, i], [j, 0, 0, 0]],
            before,
        });
    }
}

/// The candidate of a block, traced by [`trace`], that is part of an
/// attack, if one is.
pub fn recompress(suspect: &Suspect, candidates: &[Candidate]) -> Option<Confirmed> {
    #[cfg(target_arch = "aarch64")]
    use super::neon::Quad as Widest;
    #[cfg(target_feature = "sse2")]
    use super::x86_ssse3::Xmm as Widest;
    #[cfg(not(any(target_feature = "sse2", target_arch = "aarch64")))]
    type Widest = u32;

    let [[a, b, c, d], [e, ..], [f, g, h, i], [j, ..]] = suspect.trace.inner;
    // SAFETY: every CPU of this architecture has such vectors.
    unsafe {
        recompress::in_lanes::<Widest, _>(suspect, [([a, b, c, d, e], 55), ([f, g, h, i, j], 65)], candidates)
    }
}

/// One lane, where there is nothing wider.
impl Vector<1> for u32 {
    #[inline(always)]
    unsafe fn load(words: &[u32; WIDEST]) -> Self {
        words[0]
    }
    #[inline(always)]
    fn store(self, words: &mut [u32; WIDEST]) {
        words[0] = self;
    }
    #[inline(always)]
    fn choose(self, other: Self, mask: u32) -> Self {
        if mask & 1 == 0 { self } else { other }
    }
    #[inline(always)]
    unsafe fn quarter([block]: [&Block; 1], quarter: usize) -> [Self; 4] {
        array::from_fn(|i| words(block)[4 * quarter + i])
    }
}

//! 4 lanes with NEON.

use core::arch::aarch64::*;

use crate::block::Block;
use crate::lanes::{self, SimdWord, States, Step};
use crate::recompress;
use crate::rounds::Word;
use crate::trace::Candidate;

/// 4 messages: a [`Kernel`](lanes::Kernel).
///
/// # Safety
/// In every step the first 4 lanes must be filled.
#[target_feature(enable = "neon")]
pub unsafe fn four(states: &mut States, steps: &mut [Step]) {
    // SAFETY: NEON is enabled here; the lanes are filled by this function's contract.
    unsafe { lanes::run::<Quad, 4>(states, steps) }
}

/// Those of up to 4 candidates that are part of an attack.
#[target_feature(enable = "neon")]
pub fn recompress(candidates: &[Candidate]) -> u32 {
    // SAFETY: NEON is enabled here.
    unsafe { recompress::in_lanes::<Quad, 4>(candidates) }
}

/// 4 words. Safe code gets one only where there is NEON, so whoever has one may use NEON.
#[derive(Clone, Copy)]
pub struct Quad(pub(crate) uint32x4_t);

impl Word for Quad {
    #[inline(always)]
    fn splat(self, value: u32) -> Self {
        // SAFETY: a `Quad` exists only where there is NEON.
        Self(unsafe { vdupq_n_u32(value) })
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: a `Quad` exists only where there is NEON.
        Self(unsafe { vaddq_u32(self.0, other.0) })
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: a `Quad` exists only where there is NEON.
        Self(unsafe { veorq_u32(self.0, other.0) })
    }
    #[inline(always)]
    fn rotl<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        // SAFETY: a `Quad` exists only where there is NEON.
        Self(unsafe { vsriq_n_u32::<RIGHT>(vshlq_n_u32::<LEFT>(self.0), self.0) })
    }
    #[inline(always)]
    fn ch(x: Self, y: Self, z: Self) -> Self {
        // SAFETY: a `Quad` exists only where there is NEON.
        Self(unsafe { vbslq_u32(x.0, y.0, z.0) })
    }
    /// Where y and z differ, x decides.
    #[inline(always)]
    fn add_maj(a: Self, x: Self, y: Self, z: Self) -> Self {
        // SAFETY: a `Quad` exists only where there is NEON.
        a.add(Self(unsafe { vbslq_u32(y.xor(z).0, x.0, y.0) }))
    }
}

impl SimdWord<4> for Quad {
    #[inline(always)]
    unsafe fn load(words: &[u32; 4]) -> Self {
        // SAFETY: the CPU has NEON by the trait's contract; four words are readable.
        Self(unsafe { vld1q_u32(words.as_ptr()) })
    }
    #[inline(always)]
    fn store(self, words: &mut [u32; 4]) {
        // SAFETY: a `Quad` exists only where there is NEON; four words are writable.
        unsafe { vst1q_u32(words.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn select(self, other: Self, mask: u32) -> Self {
        // SAFETY: a `Quad` exists only where there is NEON.
        unsafe {
            let bits = vld1q_u32([1, 2, 4, 8].as_ptr());
            Self(vbslq_u32(vtstq_u32(vdupq_n_u32(mask), bits), other.0, self.0))
        }
    }
    #[inline(always)]
    unsafe fn transposed(blocks: [&Block; 4], quarter: usize) -> [Self; 4] {
        // SAFETY: the CPU has NEON by the trait's contract; a quarter of a block is 16 bytes.
        unsafe {
            let [a, b, c, d] = blocks
                .map(|block| vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(block.as_ptr().add(16 * quarter)))));
            // Words 0 and 2, and 1 and 3, of two messages; then of all four.
            let (ab, ab_odd) = (vtrn1q_u32(a, b), vtrn2q_u32(a, b));
            let (cd, cd_odd) = (vtrn1q_u32(c, d), vtrn2q_u32(c, d));
            let pairs = |x, y| {
                let (x, y) = (vreinterpretq_u64_u32(x), vreinterpretq_u64_u32(y));
                [vtrn1q_u64(x, y), vtrn2q_u64(x, y)]
            };
            let ([zero, two], [one, three]) = (pairs(ab, cd), pairs(ab_odd, cd_odd));
            [zero, one, two, three].map(|words| Self(vreinterpretq_u32_u64(words)))
        }
    }
}

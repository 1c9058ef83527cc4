//! 4 lanes with SSSE3.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use crate::block::Block;
use crate::lanes::{self, SimdWord, States, Step};
use crate::rounds::Word;

/// 4 messages: a [`Kernel`](lanes::Kernel).
///
/// # Safety
/// In every step the first 4 lanes must be filled.
#[target_feature(enable = "ssse3")]
pub unsafe fn four(states: &mut States, steps: &mut [Step]) {
    // SAFETY: SSSE3 is enabled here; the lanes are filled by this function's contract.
    unsafe { lanes::run::<Xmm, 4>(states, steps) }
}

/// 4 words. Safe code gets one only where there is SSE2, so whoever has one may use SSE2.
#[derive(Clone, Copy)]
pub struct Xmm(pub(crate) __m128i);

impl Word for Xmm {
    #[inline(always)]
    fn splat(self, value: u32) -> Self {
        // SAFETY: an `Xmm` exists only where there is SSE2.
        Self(unsafe { _mm_set1_epi32(value as i32) })
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: an `Xmm` exists only where there is SSE2.
        Self(unsafe { _mm_add_epi32(self.0, other.0) })
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: an `Xmm` exists only where there is SSE2.
        Self(unsafe { _mm_xor_si128(self.0, other.0) })
    }
    #[inline(always)]
    fn rotl<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        // SAFETY: an `Xmm` exists only where there is SSE2.
        Self(unsafe { _mm_or_si128(_mm_slli_epi32::<LEFT>(self.0), _mm_srli_epi32::<RIGHT>(self.0)) })
    }
    #[inline(always)]
    fn ch(x: Self, y: Self, z: Self) -> Self {
        // SAFETY: an `Xmm` exists only where there is SSE2.
        let choice = Self(unsafe { _mm_and_si128(x.0, y.xor(z).0) });
        choice.xor(z)
    }
    /// The two terms have no bit in common, so they can be added one by one.
    #[inline(always)]
    fn add_maj(a: Self, x: Self, y: Self, z: Self) -> Self {
        // SAFETY: an `Xmm` exists only where there is SSE2.
        let terms = unsafe { [_mm_and_si128(y.0, z.0), _mm_and_si128(x.0, y.xor(z).0)] };
        a.add(Self(terms[0])).add(Self(terms[1]))
    }
}

impl SimdWord<4> for Xmm {
    #[inline(always)]
    unsafe fn load(words: &[u32; 4]) -> Self {
        // SAFETY: the CPU has SSE2 by the trait's contract; 4 words are 16 bytes.
        Self(unsafe { _mm_loadu_si128(words.as_ptr().cast()) })
    }
    #[inline(always)]
    fn store(self, words: &mut [u32; 4]) {
        // SAFETY: an `Xmm` exists only where there is SSE2; 4 words are 16 bytes.
        unsafe { _mm_storeu_si128(words.as_mut_ptr().cast(), self.0) }
    }
    #[inline(always)]
    fn select(self, other: Self, mask: u32) -> Self {
        // SAFETY: an `Xmm` exists only where there is SSE2.
        unsafe {
            let bits = _mm_setr_epi32(1, 2, 4, 8);
            let mask = _mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32(mask as i32), bits), bits);
            Self(_mm_or_si128(_mm_and_si128(mask, other.0), _mm_andnot_si128(mask, self.0)))
        }
    }
    #[inline(always)]
    unsafe fn transposed(blocks: [&Block; 4], quarter: usize) -> [Self; 4] {
        // SAFETY: the CPU has SSSE3 by the trait's contract; a quarter of a block is 16 bytes.
        unsafe {
            let swap = _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
            let [a, b, c, d] = blocks.map(|block| {
                _mm_shuffle_epi8(_mm_loadu_si128(block.as_ptr().add(16 * quarter).cast()), swap)
            });
            let (ab, ab_high) = (_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
            let (cd, cd_high) = (_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d));
            [
                Self(_mm_unpacklo_epi64(ab, cd)),
                Self(_mm_unpackhi_epi64(ab, cd)),
                Self(_mm_unpacklo_epi64(ab_high, cd_high)),
                Self(_mm_unpackhi_epi64(ab_high, cd_high)),
            ]
        }
    }
}

//! 8 lanes with AVX2.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use crate::block::Block;
use crate::lanes::{self, SimdWord, States, Step};
use crate::recompress;
use crate::rounds::Word;
use crate::trace::Candidate;

/// 8 messages: a [`Kernel`](lanes::Kernel).
///
/// # Safety
/// In every step the first 8 lanes must be filled.
#[target_feature(enable = "avx2")]
pub unsafe fn eight(states: &mut States, steps: &mut [Step]) {
    // SAFETY: AVX2 is enabled here; the lanes are filled by this function's contract.
    unsafe { lanes::run::<Ymm, 8>(states, steps) }
}

/// Those of up to 8 candidates that are part of an attack.
#[target_feature(enable = "avx2")]
pub fn recompress(candidates: &[Candidate]) -> u32 {
    // SAFETY: AVX2 is enabled here.
    unsafe { recompress::in_lanes::<Ymm, 8>(candidates) }
}

/// 8 words. Safe code gets one only where there is AVX2, so whoever has one may use AVX2.
#[derive(Clone, Copy)]
pub struct Ymm(pub(crate) __m256i);

impl Word for Ymm {
    #[inline(always)]
    fn splat(self, value: u32) -> Self {
        // SAFETY: a `Ymm` exists only where there is AVX2.
        Self(unsafe { _mm256_set1_epi32(value as i32) })
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: a `Ymm` exists only where there is AVX2.
        Self(unsafe { _mm256_add_epi32(self.0, other.0) })
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: a `Ymm` exists only where there is AVX2.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }
    #[inline(always)]
    fn rotl<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        // SAFETY: a `Ymm` exists only where there is AVX2.
        Self(unsafe {
            _mm256_or_si256(_mm256_slli_epi32::<LEFT>(self.0), _mm256_srli_epi32::<RIGHT>(self.0))
        })
    }
    #[inline(always)]
    fn ch(x: Self, y: Self, z: Self) -> Self {
        // SAFETY: a `Ymm` exists only where there is AVX2.
        let choice = Self(unsafe { _mm256_and_si256(x.0, y.xor(z).0) });
        choice.xor(z)
    }
    /// The two terms have no bit in common, so they can be added one by one.
    #[inline(always)]
    fn add_maj(a: Self, x: Self, y: Self, z: Self) -> Self {
        // SAFETY: a `Ymm` exists only where there is AVX2.
        let terms = unsafe { [_mm256_and_si256(y.0, z.0), _mm256_and_si256(x.0, y.xor(z).0)] };
        a.add(Self(terms[0])).add(Self(terms[1]))
    }
}

impl SimdWord<8> for Ymm {
    #[inline(always)]
    unsafe fn load(words: &[u32; 8]) -> Self {
        // SAFETY: the CPU has AVX2 by the trait's contract; 8 words are 32 bytes.
        Self(unsafe { _mm256_loadu_si256(words.as_ptr().cast()) })
    }
    #[inline(always)]
    fn store(self, words: &mut [u32; 8]) {
        // SAFETY: a `Ymm` exists only where there is AVX2; 8 words are 32 bytes.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) }
    }
    #[inline(always)]
    fn select(self, other: Self, mask: u32) -> Self {
        // SAFETY: a `Ymm` exists only where there is AVX2.
        unsafe {
            let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let mask = _mm256_and_si256(_mm256_set1_epi32(mask as i32), bits);
            Self(_mm256_blendv_epi8(self.0, other.0, _mm256_cmpeq_epi32(mask, bits)))
        }
    }
    #[inline(always)]
    unsafe fn transposed(blocks: [&Block; 8], quarter: usize) -> [Self; 4] {
        // SAFETY: the CPU has AVX2 by the trait's contract.
        let [a, b, c, d] = unsafe { self::transposed(&blocks, quarter) };
        [Self(a), Self(b), Self(c), Self(d)]
    }
}

/// Words `4 * quarter` to `4 * quarter + 3` of each block: see [`SimdWord::transposed`].
///
/// # Safety
/// The CPU must have AVX2, and `quarter` be less than 4.
#[inline(always)]
pub unsafe fn transposed(blocks: &[&Block; 8], quarter: usize) -> [__m256i; 4] {
    // SAFETY: this function has the same contract.
    unsafe {
        let a = four_words_of_two(blocks, 0, quarter);
        let b = four_words_of_two(blocks, 1, quarter);
        let c = four_words_of_two(blocks, 2, quarter);
        let d = four_words_of_two(blocks, 3, quarter);
        let (ab, ab_high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
        let (cd, cd_high) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
        [
            _mm256_unpacklo_epi64(ab, cd),
            _mm256_unpackhi_epi64(ab, cd),
            _mm256_unpacklo_epi64(ab_high, cd_high),
            _mm256_unpackhi_epi64(ab_high, cd_high),
        ]
    }
}

/// Four words of blocks i and i + 4.
///
/// # Safety
/// The CPU must have AVX2, and `quarter` be less than 4.
#[inline(always)]
unsafe fn four_words_of_two(blocks: &[&Block; 8], i: usize, quarter: usize) -> __m256i {
    // SAFETY: the CPU has AVX2, and a quarter of a block is 16 bytes, by this function's
    // contract.
    unsafe {
        let swap = _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203));
        let load = |i: usize| _mm_loadu_si128(blocks[i].as_ptr().add(16 * quarter).cast());
        let x = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(load(i)), load(i + 4));
        _mm256_shuffle_epi8(x, swap)
    }
}

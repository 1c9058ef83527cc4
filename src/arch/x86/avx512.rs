//! 16 lanes with AVX-512, and 8 on its 256-bit vectors.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use crate::block::Block;
use crate::lanes::{self, SimdWord, States, Step};
use crate::rounds::Word;

/// 16 messages: a [`Kernel`](lanes::Kernel).
///
/// # Safety
/// In every step the first 16 lanes must be filled.
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx2")]
pub unsafe fn sixteen(states: &mut States, steps: &mut [Step]) {
    // SAFETY: AVX-512 F and BW are enabled here; the lanes are filled by this function's
    // contract.
    unsafe { lanes::run::<Zmm, 16>(states, steps) }
}

/// 8 messages: a [`Kernel`](lanes::Kernel).
///
/// # Safety
/// In every step the first 8 lanes must be filled.
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx2")]
pub unsafe fn eight(states: &mut States, steps: &mut [Step]) {
    // SAFETY: AVX-512 F and VL and AVX2 are enabled here; the lanes are filled by this
    // function's contract.
    unsafe { lanes::run::<YmmVl, 8>(states, steps) }
}

/// 16 words. The crate makes one only where there are AVX-512 F and BW, so whoever has one
/// may use these.
#[derive(Clone, Copy)]
pub struct Zmm(pub(crate) __m512i);

impl Word for Zmm {
    #[inline(always)]
    fn splat(self, value: u32) -> Self {
        // SAFETY: a `Zmm` exists only where there is AVX-512 F.
        Self(unsafe { _mm512_set1_epi32(value as i32) })
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: a `Zmm` exists only where there is AVX-512 F.
        Self(unsafe { _mm512_add_epi32(self.0, other.0) })
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: a `Zmm` exists only where there is AVX-512 F.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) })
    }
    #[inline(always)]
    fn rotl<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        // SAFETY: a `Zmm` exists only where there is AVX-512 F.
        Self(unsafe { _mm512_rol_epi32::<LEFT>(self.0) })
    }
    #[inline(always)]
    fn ch(x: Self, y: Self, z: Self) -> Self {
        // SAFETY: a `Zmm` exists only where there is AVX-512 F.
        Self(unsafe { _mm512_ternarylogic_epi32::<0xca>(x.0, y.0, z.0) })
    }
    #[inline(always)]
    fn parity(x: Self, y: Self, z: Self) -> Self {
        // SAFETY: a `Zmm` exists only where there is AVX-512 F.
        Self(unsafe { _mm512_ternarylogic_epi32::<0x96>(x.0, y.0, z.0) })
    }
    #[inline(always)]
    fn add_maj(a: Self, x: Self, y: Self, z: Self) -> Self {
        // SAFETY: a `Zmm` exists only where there is AVX-512 F.
        a.add(Self(unsafe { _mm512_ternarylogic_epi32::<0xe8>(x.0, y.0, z.0) }))
    }
}

impl SimdWord<16> for Zmm {
    #[inline(always)]
    unsafe fn load(words: &[u32; 16]) -> Self {
        // SAFETY: the CPU has AVX-512 F by the trait's contract; 16 words are 64 bytes.
        Self(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) })
    }
    #[inline(always)]
    fn store(self, words: &mut [u32; 16]) {
        // SAFETY: a `Zmm` exists only where there is AVX-512 F; 16 words are 64 bytes.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) }
    }
    #[inline(always)]
    fn select(self, other: Self, mask: u32) -> Self {
        // SAFETY: a `Zmm` exists only where there is AVX-512 F.
        Self(unsafe { _mm512_mask_mov_epi32(self.0, mask as __mmask16, other.0) })
    }
    #[inline(always)]
    unsafe fn transposed(blocks: [&Block; 16], quarter: usize) -> [Self; 4] {
        // SAFETY: the CPU has AVX-512 F and BW by the trait's contract; the trait's quarters
        // are 0 to 3.
        unsafe {
            let a = four_words_of_four(&blocks, 0, quarter);
            let b = four_words_of_four(&blocks, 1, quarter);
            let c = four_words_of_four(&blocks, 2, quarter);
            let d = four_words_of_four(&blocks, 3, quarter);
            let (ab, ab_high) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
            let (cd, cd_high) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
            [
                Self(_mm512_unpacklo_epi64(ab, cd)),
                Self(_mm512_unpackhi_epi64(ab, cd)),
                Self(_mm512_unpacklo_epi64(ab_high, cd_high)),
                Self(_mm512_unpackhi_epi64(ab_high, cd_high)),
            ]
        }
    }
}

/// Four words of blocks i, i + 4, i + 8 and i + 12. (This is a function, because the
/// compiler does not inline a closure that returns such a vector.)
///
/// # Safety
/// The CPU must have AVX-512 F and BW, and `quarter` be less than 4.
#[inline(always)]
unsafe fn four_words_of_four(blocks: &[&Block; 16], i: usize, quarter: usize) -> __m512i {
    // SAFETY: the CPU has AVX-512 F and BW, and a quarter of a block is 16 bytes, by this
    // function's contract.
    unsafe {
        let swap = _mm512_broadcast_i32x4(_mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203));
        let load = |i: usize| _mm_loadu_si128(blocks[i].as_ptr().add(16 * quarter).cast());
        let x = _mm512_castsi128_si512(load(i));
        let x = _mm512_inserti32x4::<1>(x, load(i + 4));
        let x = _mm512_inserti32x4::<2>(x, load(i + 8));
        let x = _mm512_inserti32x4::<3>(x, load(i + 12));
        _mm512_shuffle_epi8(x, swap)
    }
}

/// 8 words. The crate makes one only where there are AVX-512 F and VL and AVX2, so whoever
/// has one may use these.
#[derive(Clone, Copy)]
pub struct YmmVl(__m256i);

impl Word for YmmVl {
    #[inline(always)]
    fn splat(self, value: u32) -> Self {
        // SAFETY: a `YmmVl` exists only where there is AVX-512 VL.
        Self(unsafe { _mm256_set1_epi32(value as i32) })
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: a `YmmVl` exists only where there is AVX-512 VL.
        Self(unsafe { _mm256_add_epi32(self.0, other.0) })
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: a `YmmVl` exists only where there is AVX-512 VL.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }
    #[inline(always)]
    fn rotl<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        // SAFETY: a `YmmVl` exists only where there is AVX-512 VL.
        Self(unsafe { _mm256_rol_epi32::<LEFT>(self.0) })
    }
    #[inline(always)]
    fn ch(x: Self, y: Self, z: Self) -> Self {
        // SAFETY: a `YmmVl` exists only where there is AVX-512 VL.
        Self(unsafe { _mm256_ternarylogic_epi32::<0xca>(x.0, y.0, z.0) })
    }
    #[inline(always)]
    fn parity(x: Self, y: Self, z: Self) -> Self {
        // SAFETY: a `YmmVl` exists only where there is AVX-512 VL.
        Self(unsafe { _mm256_ternarylogic_epi32::<0x96>(x.0, y.0, z.0) })
    }
    #[inline(always)]
    fn add_maj(a: Self, x: Self, y: Self, z: Self) -> Self {
        // SAFETY: a `YmmVl` exists only where there is AVX-512 VL.
        a.add(Self(unsafe { _mm256_ternarylogic_epi32::<0xe8>(x.0, y.0, z.0) }))
    }
}

impl SimdWord<8> for YmmVl {
    #[inline(always)]
    unsafe fn load(words: &[u32; 8]) -> Self {
        // SAFETY: the CPU has AVX2 by the trait's contract; 8 words are 32 bytes.
        Self(unsafe { _mm256_loadu_si256(words.as_ptr().cast()) })
    }
    #[inline(always)]
    fn store(self, words: &mut [u32; 8]) {
        // SAFETY: a `YmmVl` exists only where there is AVX2; 8 words are 32 bytes.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) }
    }
    #[inline(always)]
    fn select(self, other: Self, mask: u32) -> Self {
        // SAFETY: a `YmmVl` exists only where there is AVX-512 VL.
        Self(unsafe { _mm256_mask_mov_epi32(self.0, mask as __mmask8, other.0) })
    }
    #[inline(always)]
    unsafe fn transposed(blocks: [&Block; 8], quarter: usize) -> [Self; 4] {
        // SAFETY: the CPU has AVX2 by the trait's contract, whose quarters are 0 to 3.
        let [a, b, c, d] = unsafe { super::avx2::transposed(&blocks, quarter) };
        [Self(a), Self(b), Self(c), Self(d)]
    }
}

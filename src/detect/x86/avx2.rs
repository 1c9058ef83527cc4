//! The conditions of eight blocks at once: AVX2.
//!
//! `vpmovmskb` gives a column at a time: the highest bit of the bytes 0, or 3, of
//! 32 expanded words. The columns of eight blocks then stand in one lane each.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::array;
use core::mem::MaybeUninit;

use crate::arch::x86::avx2::Ymm;
use crate::detect::conditions::{self, ConditionVector, ConditionWord, Live};
use crate::detect::lanes;
use crate::detect::phase::Suspects;
use crate::lanes::{States, Step};
use crate::trace::{Trace, Window};

/// The live vectors of each traced block, and the set of blocks with any.
#[target_feature(enable = "avx2")]
pub fn live(traces: &[Trace], live: &mut [MaybeUninit<Live>]) -> Suspects {
    // SAFETY: AVX2 is enabled here.
    unsafe { conditions::live_in_lanes::<Ymm, 8>(traces, live) }
}

/// 8 messages, checked: a [`Kernel`](crate::lanes::Kernel).
///
/// # Safety
/// In every step the first 8 lanes must be filled.
#[target_feature(enable = "avx2")]
pub unsafe fn eight(states: &mut States, steps: &mut [Step]) {
    // SAFETY: AVX2 is enabled here; the lanes are filled by this function's contract.
    unsafe { lanes::run_checked::<Ymm, 8>(states, steps) }
}

impl ConditionWord for Ymm {
    #[inline(always)]
    fn shift(self, by: i8) -> Self {
        let count = i32::from(by.unsigned_abs());
        // SAFETY: a `Ymm` exists only where there is AVX2.
        unsafe {
            if by < 0 {
                Self(_mm256_sllv_epi32(self.0, _mm256_set1_epi32(count)))
            } else {
                Self(_mm256_srlv_epi32(self.0, _mm256_set1_epi32(count)))
            }
        }
    }
    #[inline(always)]
    fn and_or(self, b: Self, c: Self) -> Self {
        // SAFETY: a `Ymm` exists only where there is AVX2.
        Self(unsafe { _mm256_and_si256(self.0, _mm256_or_si256(b.0, c.0)) })
    }
}

impl ConditionVector<8> for Ymm {
    #[inline(always)]
    unsafe fn columns(window: &Window, put: impl FnMut(usize, u32)) {
        // SAFETY: the CPU has AVX2 by the trait's contract.
        unsafe { columns(window, put) }
    }
    #[inline(always)]
    fn any(self, other: Self) -> bool {
        // SAFETY: a `Ymm` exists only where there is AVX2.
        unsafe {
            let all = _mm256_or_si256(self.0, other.0);
            _mm256_testz_si256(all, all) == 0
        }
    }
}

/// The columns of a block.
#[inline]
#[target_feature(enable = "avx2")]
fn columns(window: &Window, mut put: impl FnMut(usize, u32)) {
    // Bytes 0 of four words, and bytes 3, each from the last word on: of the words from
    // W[34 + 4 * i] on, and in the upper half of those from W[50 + 4 * i] on. (They
    // are loaded in pieces as they were stored, since they were stored just now.)
    let pieces: &[[u32; 4]] = window.as_chunks().0;
    let ends = _mm256_set1_epi64x(0x0307_0b0f_0004_080c);
    let ends: [__m256i; 4] = array::from_fn(|i| {
        // SAFETY: four words are 16 bytes.
        let piece = |at: usize| unsafe { _mm_loadu_si128(pieces[at].as_ptr().cast()) };
        _mm256_shuffle_epi8(_mm256_set_m128i(piece(3 - i), piece(7 - i)), ends)
    });
    let [a, b, c, d] = ends;
    let (ab, cd) = (_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d));
    let (mut low, mut high) = (_mm256_unpacklo_epi64(ab, cd), _mm256_unpackhi_epi64(ab, cd));
    for bit in (0..8).rev() {
        put(conditions::column_index(bit), _mm256_movemask_epi8(low) as u32);
        low = _mm256_add_epi8(low, low);
    }
    // Of the high bytes, only the bits 28 to 30 are in any condition.
    for bit in (28..31).rev() {
        high = _mm256_add_epi8(high, high);
        put(conditions::column_index(bit), _mm256_movemask_epi8(high) as u32);
    }
}

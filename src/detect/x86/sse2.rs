//! The conditions of four blocks at once: SSE2.
//!
//! As with AVX2, but `pmovmskb` gives half a column at a time.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::array;
use core::mem::MaybeUninit;

use crate::arch::x86::ssse3::Xmm;
use crate::detect::conditions::{self, ConditionVector, ConditionWord, Live};
use crate::detect::phase::Suspects;
use crate::trace::{Trace, Window};

/// The live vectors of each traced block, and the set of blocks with any.
#[target_feature(enable = "sse2")]
pub fn live(traces: &[Trace], live: &mut [MaybeUninit<Live>]) -> Suspects {
    // SAFETY: SSE2 is enabled here.
    unsafe { conditions::live_in_lanes::<Xmm, 4>(traces, live) }
}

impl ConditionWord for Xmm {
    #[inline(always)]
    fn shift(self, by: i8) -> Self {
        // SAFETY: an `Xmm` exists only where there is SSE2.
        unsafe {
            let count = _mm_cvtsi32_si128(by.unsigned_abs().into());
            Self(if by < 0 { _mm_sll_epi32(self.0, count) } else { _mm_srl_epi32(self.0, count) })
        }
    }
    #[inline(always)]
    fn and_or(self, b: Self, c: Self) -> Self {
        // SAFETY: an `Xmm` exists only where there is SSE2.
        Self(unsafe { _mm_and_si128(self.0, _mm_or_si128(b.0, c.0)) })
    }
}

impl ConditionVector<4> for Xmm {
    #[inline(always)]
    unsafe fn columns(window: &Window, put: impl FnMut(usize, u32)) {
        // SAFETY: the CPU has SSE2 by the trait's contract.
        unsafe { columns(window, put) }
    }
    #[inline(always)]
    fn any(self, other: Self) -> bool {
        // SAFETY: an `Xmm` exists only where there is SSE2.
        unsafe {
            let none = _mm_cmpeq_epi32(_mm_or_si128(self.0, other.0), _mm_setzero_si128());
            _mm_movemask_epi8(none) != 0xffff
        }
    }
}

/// The columns of a block.
#[inline]
#[target_feature(enable = "sse2")]
fn columns(window: &Window, mut put: impl FnMut(usize, u32)) {
    // From W[34] up.
    let words: [__m128i; 8] = array::from_fn(|i| {
        let words = &window[28 - 4 * i..32 - 4 * i];
        // SAFETY: four words are 16 bytes.
        _mm_shuffle_epi32::<0x1b>(unsafe { _mm_loadu_si128(words.as_ptr().cast()) })
    });
    let mut bytes = packed(words.map(|words| _mm_and_si128(words, _mm_set1_epi32(0xff))));
    for bit in (0..8).rev() {
        put(conditions::column_index(bit), column(bytes));
        bytes = bytes.map(|bytes| _mm_add_epi8(bytes, bytes));
    }
    // Of the high bytes, only the bits 28 to 30 are in any condition.
    let mut bytes = packed(words.map(|words| _mm_srli_epi32::<24>(words)));
    for bit in (28..31).rev() {
        bytes = bytes.map(|bytes| _mm_add_epi8(bytes, bytes));
        put(conditions::column_index(bit), column(bytes));
    }
}

/// The lowest bytes of 32 words.
#[inline]
#[target_feature(enable = "sse2")]
fn packed([a, b, c, d, e, f, g, h]: [__m128i; 8]) -> [__m128i; 2] {
    [
        _mm_packus_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d)),
        _mm_packus_epi16(_mm_packs_epi32(e, f), _mm_packs_epi32(g, h)),
    ]
}

/// The highest bits of 32 bytes.
#[inline]
#[target_feature(enable = "sse2")]
fn column([low, high]: [__m128i; 2]) -> u32 {
    (_mm_movemask_epi8(low) | _mm_movemask_epi8(high) << 16) as u32
}

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

use super::Suspects;
use super::conditions::{self, Lanes, Live, evaluate};
use crate::compress::trace::Trace;

/// A word of eight blocks. There is one only where there is AVX2.
#[derive(Clone, Copy)]
struct Eight(__m256i);

impl Lanes for Eight {
    #[inline(always)]
    fn splat(self, value: u32) -> Self {
        // SAFETY: there is AVX2.
        Self(unsafe { _mm256_set1_epi32(value as i32) })
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: there is AVX2.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }
    #[inline(always)]
    fn shift(self, by: i8) -> Self {
        let count = i32::from(by.unsigned_abs());
        // SAFETY: there is AVX2.
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
        // SAFETY: there is AVX2.
        Self(unsafe { _mm256_and_si256(self.0, _mm256_or_si256(b.0, c.0)) })
    }
}

/// Blocks in a batch: one in each lane.
const LANES: usize = 8;

/// The live vectors of each traced block, and the set of blocks with any.
#[target_feature(enable = "avx2")]
pub fn live(traces: &[Trace], live: &mut [MaybeUninit<Live>]) -> Suspects {
    let mut suspects = 0;
    for (batch, (traces, live)) in traces.chunks(LANES).zip(live.chunks_mut(LANES)).enumerate() {
        let mut columns = [[0u32; LANES]; 16];
        for (lane, trace) in traces.iter().enumerate() {
            store_columns(trace, &mut columns, lane);
        }
        let columns = columns.map(|column| {
            // SAFETY: eight words are 32 bytes.
            let column = unsafe { _mm256_loadu_si256(column.as_ptr().cast()) };
            // The columns so far begin with W[34].
            const { assert!(conditions::FIRST == 35) };
            Eight(_mm256_srli_epi32::<1>(column))
        });
        let [Eight(one), Eight(two)] = evaluate(&columns);
        let any = _mm256_or_si256(one, two);
        let none = _mm256_cmpeq_epi32(any, _mm256_setzero_si256());
        let some = !_mm256_movemask_ps(_mm256_castsi256_ps(none)) as Suspects & 0xff;
        suspects |= (some & (0xff >> (LANES - traces.len()))) << (batch * LANES);

        let (low, high) = (_mm256_unpacklo_epi32(one, two), _mm256_unpackhi_epi32(one, two));
        let mut sets = [0 as Live; LANES];
        let to: *mut __m256i = sets.as_mut_ptr().cast();
        // SAFETY: eight sets are two vectors.
        unsafe {
            _mm256_storeu_si256(to, _mm256_permute2x128_si256::<0x20>(low, high));
            _mm256_storeu_si256(to.add(1), _mm256_permute2x128_si256::<0x31>(low, high));
        }
        for (live, set) in live.iter_mut().zip(sets) {
            live.write(set);
        }
    }
    suspects
}

/// The columns of a block into its lane, W[34] at the lowest bit.
#[inline]
#[target_feature(enable = "avx2")]
fn store_columns(trace: &Trace, columns: &mut [[u32; LANES]; 16], lane: usize) {
    let words: [__m256i; 4] = array::from_fn(|i| {
        let words = &trace.window[8 * i..8 * i + 8];
        // SAFETY: eight words are 32 bytes.
        unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
    });
    let low = in_order(words.map(|words| _mm256_and_si256(words, _mm256_set1_epi32(0xff))));
    let mut bytes = low;
    for bit in (0..8).rev() {
        columns[conditions::column(bit)][lane] = _mm256_movemask_epi8(bytes) as u32;
        bytes = _mm256_add_epi8(bytes, bytes);
    }
    // Of the high bytes, only the bits 28 to 30 are in any condition.
    let mut bytes = in_order(words.map(|words| _mm256_srli_epi32::<24>(words)));
    for bit in (28..31).rev() {
        bytes = _mm256_add_epi8(bytes, bytes);
        columns[conditions::column(bit)][lane] = _mm256_movemask_epi8(bytes) as u32;
    }
}

/// The lowest bytes of 32 words that stand from W[65] down, as bytes from W[34] up.
#[inline]
#[target_feature(enable = "avx2")]
fn in_order([a, b, c, d]: [__m256i; 4]) -> __m256i {
    let bytes = _mm256_packus_epi16(_mm256_packus_epi32(a, b), _mm256_packus_epi32(c, d));
    // Now in groups of four words: 0, 2, 4, 6 and 1, 3, 5, 7, each from its end.
    let groups = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(7, 3, 6, 2, 5, 1, 4, 0));
    let order =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
    _mm256_shuffle_epi8(groups, order)
}

//! The rounds by the SHA instructions, four at a time.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::schedule::{Form, Group};
use crate::block::State;

/// The chaining value of one message, or its five working words.
#[derive(Clone, Copy)]
pub struct Working {
    /// A in the highest lane, D in the lowest.
    pub abcd: __m128i,
    /// E, with the words of the next four rounds added.
    pub e: __m128i,
}

/// Four rounds of part `PART`; `next` are the words of the four rounds after them.
///
/// # Safety
/// The CPU must have the form's features.
#[inline(always)]
pub unsafe fn four_rounds<F: Form, const PART: i32>(s: Working, next: Group) -> Working {
    // SAFETY: the CPU has the form's features by this function's contract.
    unsafe { Working { e: F::add_next_e(next, s.abcd), abcd: _mm_sha1rnds4_epu32::<PART>(s.abcd, s.e) } }
}

/// Rounds `20 * PART` to `20 * PART + 19`; `next` are the words of four rounds later.
///
/// # Safety
/// The CPU must have the form's features.
#[inline(always)]
pub unsafe fn twenty<F: Form, const PART: i32>(s: Working, next: [Group; 5]) -> Working {
    // SAFETY: the CPU has the form's features by this function's contract.
    next.into_iter().fold(s, |s, next| unsafe { four_rounds::<F, PART>(s, next) })
}

/// The chaining value in registers.
///
/// # Safety
/// The CPU must have SSE2.
#[inline(always)]
pub unsafe fn load(state: &State) -> Working {
    // SAFETY: the CPU has SSE2 by this function's contract; the first four of the five words
    // are loaded at once.
    unsafe {
        Working {
            abcd: _mm_shuffle_epi32::<0x1b>(_mm_loadu_si128(state.as_ptr().cast())),
            e: _mm_set_epi32(state[4] as i32, 0, 0, 0),
        }
    }
}

/// The chaining value back in memory.
///
/// # Safety
/// The CPU must have SSE4.1, and the five words must be writable.
#[inline(always)]
pub unsafe fn store(state: *mut State, hash: Working) {
    // SAFETY: the CPU has SSE4.1, and the five words are writable, by this function's
    // contract; the first four are stored at once.
    unsafe {
        _mm_storeu_si128(state.cast(), _mm_shuffle_epi32::<0x1b>(hash.abcd));
        (*state)[4] = _mm_extract_epi32::<3>(hash.e) as u32;
    }
}

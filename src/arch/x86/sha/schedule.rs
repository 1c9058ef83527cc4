//! The schedule for the SHA instructions, four words at a time.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use crate::barrier;
use crate::block::Block;

/// Four words of the schedule: the first in the highest lane, as `sha1rnds4` wants.
pub type Group = __m128i;

/// The vector operations for which there are several instructions.
///
/// # Safety
/// All functions of a form, and all that are generic over it, may be called only where the
/// CPU has the form's features: the SHA instructions, SSSE3 and SSE4.1, and those that are
/// named at the form.
pub trait Form {
    /// Rotate each word left by `LEFT`; `RIGHT` is `32 - LEFT`.
    ///
    /// # Safety
    /// The CPU must have the form's features.
    unsafe fn rotl<const LEFT: i32, const RIGHT: i32>(x: Group) -> Group;
    /// a ^ b ^ c.
    ///
    /// # Safety
    /// The CPU must have the form's features.
    unsafe fn xor3(a: Group, b: Group, c: Group) -> Group;
    /// E of the next four rounds, added to the first of their `words`: `abcd` is as before
    /// the present four, and its A is going to be that E, rotated.
    ///
    /// # Safety
    /// The CPU must have the form's features.
    unsafe fn add_next_e(words: Group, abcd: __m128i) -> Group;
}

/// Shifts for rotates: any CPU with SHA instructions.
pub struct Sse;

impl Form for Sse {
    #[inline(always)]
    unsafe fn rotl<const LEFT: i32, const RIGHT: i32>(x: Group) -> Group {
        // SAFETY: the CPU has SSE2 by the trait's contract.
        unsafe { _mm_or_si128(_mm_slli_epi32::<LEFT>(x), _mm_srli_epi32::<RIGHT>(x)) }
    }
    #[inline(always)]
    unsafe fn xor3(a: Group, b: Group, c: Group) -> Group {
        // SAFETY: the CPU has SSE2 by the trait's contract.
        unsafe { _mm_xor_si128(_mm_xor_si128(a, b), c) }
    }
    #[inline(always)]
    unsafe fn add_next_e(words: Group, abcd: __m128i) -> Group {
        // SAFETY: the CPU has the SHA instructions by the trait's contract.
        unsafe { _mm_sha1nexte_epu32(abcd, words) }
    }
}

/// The rotates and three-way logic of AVX-512 F and VL.
pub struct Vl;

impl Form for Vl {
    #[inline(always)]
    unsafe fn rotl<const LEFT: i32, const RIGHT: i32>(x: Group) -> Group {
        // SAFETY: the CPU has AVX-512 F and VL by the trait's contract.
        unsafe { _mm_rol_epi32::<LEFT>(x) }
    }
    #[inline(always)]
    unsafe fn xor3(a: Group, b: Group, c: Group) -> Group {
        // SAFETY: the CPU has AVX-512 F and VL by the trait's contract.
        unsafe { _mm_ternarylogic_epi32::<0x96>(a, b, c) }
    }
    /// `sha1nexte` is three operations; a masked rotate and an addition are two.
    #[inline(always)]
    unsafe fn add_next_e(words: Group, abcd: __m128i) -> Group {
        // The compiler would turn a masked rotate by a mask that it knows into two
        // operations.
        let top: __mmask8 = barrier::opaque_mask8(0b1000);
        // SAFETY: the CPU has AVX-512 F and VL by the trait's contract.
        unsafe { _mm_add_epi32(words, _mm_maskz_rol_epi32::<30>(top, abcd)) }
    }
}

/// Words 16 to 31, from the four groups before: the recurrence of FIPS 180-4,
/// section 6.1.2. W\[t-3\] of the last word is the first word of the group itself.
///
/// # Safety
/// The CPU must have the form's features.
#[inline(always)]
pub unsafe fn early<F: Form>(g4: Group, g3: Group, g2: Group, g1: Group) -> Group {
    // SAFETY: the CPU has the form's features by this function's contract.
    unsafe {
        let x = F::xor3(g4, g2, _mm_alignr_epi8::<8>(g4, g3));
        let x = _mm_xor_si128(x, _mm_slli_si128::<4>(g1));
        let first = _mm_srli_si128::<12>(x);
        _mm_xor_si128(F::rotl::<1, 31>(x), F::rotl::<2, 30>(first))
    }
}

/// Words 32 to 79: the recurrence applied twice.
///
/// # Safety
/// The CPU must have the form's features.
#[inline(always)]
pub unsafe fn late<F: Form>(g8: Group, g7: Group, g4: Group, g2: Group, g1: Group) -> Group {
    // SAFETY: the CPU has the form's features by this function's contract.
    unsafe {
        let x = F::xor3(g8, g7, g4);
        F::rotl::<2, 30>(_mm_xor_si128(x, _mm_alignr_epi8::<8>(g2, g1)))
    }
}

/// The words of a block, into the first four groups.
///
/// # Safety
/// The CPU must have the form's features.
#[inline(always)]
pub unsafe fn load_block<F: Form>(w: &mut [Group], block: &Block) {
    // SAFETY: the CPU has the form's features by this function's contract; a piece of the
    // block is 16 bytes.
    unsafe {
        let reverse = _mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
        for (group, piece) in w.iter_mut().zip(block.as_chunks::<16>().0) {
            *group = _mm_shuffle_epi8(_mm_loadu_si128(piece.as_ptr().cast()), reverse);
        }
    }
}

/// The expanded message of one block: 20 groups.
///
/// # Safety
/// The CPU must have the form's features.
#[inline(always)]
pub unsafe fn expand<F: Form>(block: &Block) -> [Group; 20] {
    // SAFETY: the CPU has the form's features by this function's contract.
    unsafe {
        let mut w = [_mm_setzero_si128(); 20];
        load_block::<F>(&mut w, block);
        for i in 4..8 {
            w[i] = early::<F>(w[i - 4], w[i - 3], w[i - 2], w[i - 1]);
        }
        for i in 8..20 {
            w[i] = late::<F>(w[i - 8], w[i - 7], w[i - 4], w[i - 2], w[i - 1]);
        }
        w
    }
}

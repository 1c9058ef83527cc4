//! The schedule for the SHA instructions, four words at a time.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use crate::barrier;
use crate::block::Block;

/// Four words of the schedule: the first in the highest lane, as `sha1rnds4` wants.
pub type Group = __m128i;

/// How the schedule and the next E are computed, which differs between CPUs.
///
/// # Safety
/// All functions of a form, and all that are generic over it, may be called only where the
/// CPU has the form's features: the SHA instructions, SSSE3 and SSE4.1, and those that are
/// named at the form.
pub trait Form {
    /// Group `g` of the schedule, which is not one of the first four, from those before.
    ///
    /// # Safety
    /// The CPU must have the form's features.
    unsafe fn next_group<const GROUPS: usize>(w: &[Group; GROUPS], g: usize) -> Group;
    /// E of the next four rounds, added to the first of their `words`: `abcd` is as before
    /// the present four, and its A is going to be that E, rotated.
    ///
    /// # Safety
    /// The CPU must have the form's features.
    #[inline(always)]
    unsafe fn add_next_e(words: Group, abcd: __m128i) -> Group {
        // SAFETY: the CPU has the SHA instructions by the trait's contract.
        unsafe { _mm_sha1nexte_epu32(abcd, words) }
    }
}

/// The schedule instructions, for CPUs on which they are quick.
pub struct Msg;

impl Form for Msg {
    #[inline(always)]
    unsafe fn next_group<const GROUPS: usize>(w: &[Group; GROUPS], g: usize) -> Group {
        // SAFETY: the CPU has the SHA instructions by the trait's contract.
        unsafe {
            let x = _mm_xor_si128(_mm_sha1msg1_epu32(w[g - 4], w[g - 3]), w[g - 2]);
            _mm_sha1msg2_epu32(x, w[g - 1])
        }
    }
}

/// Plain vector operations, with shifts for rotates: any CPU with SHA instructions.
pub struct Sse;

impl Form for Sse {
    #[inline(always)]
    unsafe fn next_group<const GROUPS: usize>(w: &[Group; GROUPS], g: usize) -> Group {
        // SAFETY: the CPU has SSSE3 by the trait's contract.
        unsafe { vector_group::<Self, GROUPS>(w, g) }
    }
}

/// Plain vector operations, with the rotates and three-way logic of AVX-512 F and VL.
pub struct Vl;

impl Form for Vl {
    #[inline(always)]
    unsafe fn next_group<const GROUPS: usize>(w: &[Group; GROUPS], g: usize) -> Group {
        // SAFETY: the CPU has SSSE3 and AVX-512 F and VL by the trait's contract.
        unsafe { vector_group::<Self, GROUPS>(w, g) }
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

/// The vector operations of a schedule without schedule instructions.
///
/// # Safety
/// The functions may be called only where the CPU has the form's features.
trait VectorOps {
    /// Rotate each word left by `LEFT`; `RIGHT` is `32 - LEFT`.
    unsafe fn rotl<const LEFT: i32, const RIGHT: i32>(x: Group) -> Group;
    /// a ^ b ^ c.
    unsafe fn xor3(a: Group, b: Group, c: Group) -> Group;
}

impl VectorOps for Sse {
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
}

impl VectorOps for Vl {
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
}

/// Any group but the first four: words 16 to 31 by the recurrence of FIPS 180-4, section
/// 6.1.2, the others by that recurrence applied twice.
///
/// # Safety
/// The CPU must have SSSE3 and the features of `V`.
#[inline(always)]
unsafe fn vector_group<V: VectorOps, const GROUPS: usize>(w: &[Group; GROUPS], g: usize) -> Group {
    // SAFETY: the CPU has SSSE3 and the features of `V` by this function's contract.
    unsafe {
        if g < 8 {
            let x = V::xor3(w[g - 4], w[g - 2], _mm_alignr_epi8::<8>(w[g - 4], w[g - 3]));
            let x = _mm_xor_si128(x, _mm_slli_si128::<4>(w[g - 1]));
            // W[t-3] of the last word is the first word of the group itself.
            let first = _mm_srli_si128::<12>(x);
            _mm_xor_si128(V::rotl::<1, 31>(x), V::rotl::<2, 30>(first))
        } else {
            let x = V::xor3(w[g - 8], w[g - 7], w[g - 4]);
            V::rotl::<2, 30>(_mm_xor_si128(x, _mm_alignr_epi8::<8>(w[g - 2], w[g - 1])))
        }
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
        for g in 4..20 {
            w[g] = F::next_group(&w, g);
        }
        w
    }
}

//! Recompression by the SHA instructions.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::rounds::{Working, four_rounds, load, store, twenty};
use super::schedule::{Form, Group, Msg, Sse, Vl, expand};
use crate::block::State;
use crate::trace::{Candidate, Confirmed, Suspect};

/// The first of a suspect's candidates that is part of an attack, if one is: any CPU with
/// SHA instructions.
#[target_feature(enable = "sha,ssse3,sse4.1")]
pub fn recompress(suspect: &Suspect, candidates: &[Candidate]) -> Option<Confirmed> {
    // SAFETY: the features of `Sse` are enabled here.
    unsafe { recompress_with::<Sse>(suspect, candidates) }
}

/// The same with AVX-512VL.
#[target_feature(enable = "sha,ssse3,sse4.1,avx2,avx512f,avx512vl")]
pub fn recompress_vl(suspect: &Suspect, candidates: &[Candidate]) -> Option<Confirmed> {
    _mm256_zeroupper();
    // SAFETY: the features of `Vl` are enabled here.
    unsafe { recompress_with::<Vl>(suspect, candidates) }
}

/// The same with the schedule instructions.
#[target_feature(enable = "sha,ssse3,sse4.1")]
pub fn recompress_msg(suspect: &Suspect, candidates: &[Candidate]) -> Option<Confirmed> {
    // SAFETY: the features of `Msg` are enabled here.
    unsafe { recompress_with::<Msg>(suspect, candidates) }
}

/// The expanded message of a traced block. What the window has need not be made again, so
/// that the last groups need not wait for all others.
///
/// # Safety
/// The CPU must have the form's features.
#[inline(always)]
unsafe fn expand_traced<F: Form>(suspect: &Suspect) -> [Group; 20] {
    // SAFETY: the CPU has the form's features by this function's contract; a window is
    // eight vectors, aligned as its trace.
    unsafe {
        let mut w = expand::<F>(suspect.block);
        // Four words each from W[34] on: between two groups, but the schedule is
        // the same at any t.
        let window: *const __m128i = suspect.trace.window.as_ptr().cast();
        let mut v = [_mm_setzero_si128(); 20];
        for (i, words) in v[8..16].iter_mut().rev().enumerate() {
            *words = _mm_load_si128(window.add(i));
        }
        for i in 16..20 {
            v[i] = F::next_group(&v, i);
        }
        for i in 9..20 {
            w[i] = _mm_alignr_epi8::<8>(v[i - 1], v[i]);
        }
        w
    }
}

/// The first of a suspect's candidates that is part of an attack, if one is.
///
/// There are no instructions for steps backwards. So: from the traced working words
/// forwards, with the other message from the test step on, which gives its last working
/// words; these and the chaining value after the block give the one before; from there
/// through the other message to step 68, where the working words must be the same. (Two
/// candidates side by side take as long as one after the other: with 20 groups of rounds
/// each the SHA unit is busy all the time.)
///
/// # Safety
/// The CPU must have the form's features.
#[inline(always)]
unsafe fn recompress_with<F: Form>(suspect: &Suspect, candidates: &[Candidate]) -> Option<Confirmed> {
    // SAFETY: the CPU has the form's features by this function's contract.
    unsafe {
        let w = expand_traced::<F>(suspect);
        for candidate in candidates {
            if let Some(other_ihv_in) = recompress_one::<F>(suspect, &w, candidate) {
                return Some(Confirmed { dv: candidate.dv, other_ihv_in });
            }
        }
        None
    }
}

/// The chaining value before the candidate's other message, if it is part of an attack.
///
/// # Safety
/// The CPU must have the form's features.
#[inline(always)]
unsafe fn recompress_one<F: Form>(
    suspect: &Suspect,
    w: &[Group; 20],
    candidate: &Candidate,
) -> Option<State> {
    // SAFETY: the CPU has the form's features by this function's contract; a group of a
    // difference and `dcba_52` and `dcba_56` are four words each, the latter aligned as
    // their trace.
    unsafe {
        let zero = _mm_setzero_si128();
        let difference = |i: usize| _mm_loadu_si128(candidate.difference.group(i).as_ptr().cast());
        // A group of the other message; and one that is the block's own before the test step.
        let other = |i: usize| _mm_xor_si128(w[i], difference(i));
        let mixed = |i: usize| {
            let test_step = _mm_set1_epi32(candidate.test_step as i32);
            let t = _mm_add_epi32(_mm_set_epi32(0, 1, 2, 3), _mm_set1_epi32(4 * i as i32));
            _mm_xor_si128(w[i], _mm_andnot_si128(_mm_cmplt_epi32(t, test_step), difference(i)))
        };
        let dcba_52 = _mm_load_si128(suspect.trace.dcba_52.as_ptr().cast());
        let dcba_56 = _mm_load_si128(suspect.trace.dcba_56.as_ptr().cast());
        let s = Working { abcd: dcba_56, e: F::add_next_e(mixed(14), dcba_52) };
        let s = four_rounds::<F, 2>(s, mixed(15));
        let s = four_rounds::<F, 3>(s, mixed(16));
        let common = four_rounds::<F, 3>(s, other(17));
        let s = four_rounds::<F, 3>(common, other(18));
        let s = four_rounds::<F, 3>(s, other(19));
        let last = four_rounds::<F, 3>(s, zero);

        let after = load(suspect.ihv_out);
        let ihv_in =
            Working { abcd: _mm_sub_epi32(after.abcd, last.abcd), e: _mm_sub_epi32(after.e, last.e) };
        let s = Working { abcd: ihv_in.abcd, e: _mm_add_epi32(ihv_in.e, other(0)) };
        let s = twenty::<F, 0>(s, [other(1), other(2), other(3), other(4), other(5)]);
        let s = twenty::<F, 1>(s, [other(6), other(7), other(8), other(9), other(10)]);
        let s = twenty::<F, 2>(s, [other(11), other(12), other(13), other(14), other(15)]);
        let s = four_rounds::<F, 3>(s, other(16));
        let s = four_rounds::<F, 3>(s, other(17));
        let differ = _mm_or_si128(_mm_xor_si128(s.abcd, common.abcd), _mm_xor_si128(s.e, common.e));
        if _mm_testz_si128(differ, differ) == 0 {
            return None;
        }
        let mut state = [0; 5];
        store(&raw mut state, ihv_in);
        Some(state)
    }
}

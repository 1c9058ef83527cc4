//! Recompression by the SHA instructions.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::array;
use core::mem::MaybeUninit;
use core::ptr;

use super::rounds::{Working, four_rounds, load};
use super::schedule::{Form, Group, Msg, Sse, Vl, expand};
use crate::barrier;
use crate::trace::Candidate;

/// How many candidates each of these functions takes.
pub const RECOMPRESSED: usize = 4;

/// Those of some candidates that are part of an attack: any CPU with SHA instructions.
#[target_feature(enable = "sha,ssse3,sse4.1")]
pub fn recompress(candidates: &[Candidate]) -> u32 {
    // SAFETY: the features of `Sse` are enabled here.
    unsafe { one_by_one::<Sse>(candidates) }
}

/// The same with AVX-512VL.
#[target_feature(enable = "sha,ssse3,sse4.1,avx2,avx512f,avx512vl")]
pub fn recompress_vl(candidates: &[Candidate]) -> u32 {
    _mm256_zeroupper();
    // SAFETY: the features of `Vl` are enabled here.
    unsafe { one_by_one::<Vl>(candidates) }
}

/// The same with the schedule instructions. On the CPUs that are quick at these, the rounds
/// of one candidate wait for one another most of the time, so several are taken in turns.
#[target_feature(enable = "sha,ssse3,sse4.1")]
pub fn recompress_msg(candidates: &[Candidate]) -> u32 {
    let mut room = ROOM;
    // SAFETY: the features of `Msg` are enabled here.
    unsafe {
        let w = expand_all::<Msg>(candidates, &mut room);
        // A place without a candidate does what the first one does.
        match candidates {
            [] => 0,
            [one] => in_turns::<Msg, 1>([one], [w[0]]),
            [first, ..] => {
                let all = array::from_fn(|n| candidates.get(n).unwrap_or(first));
                in_turns::<Msg, RECOMPRESSED>(all, w) & (0xf >> (RECOMPRESSED - candidates.len()))
            }
        }
    }
}

/// One candidate after the other. (On Intel's cores two in turns take as long: with 20
/// groups of rounds each the SHA unit is busy all the time.)
///
/// # Safety
/// The CPU must have the form's features.
#[inline(always)]
unsafe fn one_by_one<F: Form>(candidates: &[Candidate]) -> u32 {
    let mut room = ROOM;
    // SAFETY: the CPU has the form's features by this function's contract.
    unsafe {
        let w = expand_all::<F>(candidates, &mut room);
        let mut found = 0;
        for (n, (candidate, w)) in candidates.iter().zip(w).enumerate() {
            found |= in_turns::<F, 1>([candidate], [w]) << n;
        }
        found
    }
}

/// The expanded message of a block.
type Expanded = [Group; 20];

/// Room for those of all candidates.
const ROOM: [MaybeUninit<Expanded>; RECOMPRESSED] = [const { MaybeUninit::uninit() }; RECOMPRESSED];

/// The expanded messages of the candidates' blocks; where there is no candidate, that of
/// the first one's. They are made together, because each is a chain in which every group
/// waits for the one before.
///
/// # Safety
/// The CPU must have the form's features.
///
/// # Panics
/// Where there are no candidates, or too many.
#[inline(always)]
unsafe fn expand_all<'w, F: Form>(
    candidates: &[Candidate],
    room: &'w mut [MaybeUninit<Expanded>; RECOMPRESSED],
) -> [&'w Expanded; RECOMPRESSED] {
    let mut places = [0; RECOMPRESSED];
    for (n, candidate) in candidates.iter().enumerate() {
        if n > 0 && ptr::eq(candidate.suspect.block, candidates[n - 1].suspect.block) {
            places[n] = places[n - 1];
        } else {
            // SAFETY: the CPU has the form's features by this function's contract.
            room[n].write(unsafe { expand::<F>(candidate.suspect.block) });
            places[n] = n;
        }
    }
    assert!(!candidates.is_empty());
    // SAFETY: the first candidate's place is written, and so is each that was put into
    // `places`.
    places.map(|place| unsafe { room[place].assume_init_ref() })
}

/// Which of `N` candidates are part of an attack, given the expanded messages of their
/// blocks.
///
/// There are no instructions for steps backwards. So: from the working words before step 56
/// forwards, with the other message from the test step on, which gives its last working
/// words; these and the chaining value after the block give the one before; from there
/// through the other message to step 68, where the working words must be the same. (68 is
/// the first multiple of four behind both test steps. To compare there is to compare at the
/// test step, since both ways go through the other message's steps in between.)
///
/// # Safety
/// The CPU must have the form's features.
#[inline(always)]
unsafe fn in_turns<F: Form, const N: usize>(candidates: [&Candidate; N], w: [&Expanded; N]) -> u32 {
    // SAFETY: the CPU has the form's features by this function's contract; a group of a
    // difference is four words.
    unsafe {
        let difference =
            |n: usize, g: usize| _mm_loadu_si128(candidates[n].difference.group(g).as_ptr().cast());
        // A group of the other message; and one that is the block's own before the test step.
        let other = |n: usize, g: usize| _mm_xor_si128(w[n][g], difference(n, g));
        let mixed = |n: usize, g: usize| {
            let test_step = _mm_set1_epi32(candidates[n].test_step as i32);
            let t = _mm_add_epi32(_mm_set_epi32(0, 1, 2, 3), _mm_set1_epi32(4 * g as i32));
            _mm_xor_si128(w[n][g], _mm_andnot_si128(_mm_cmplt_epi32(t, test_step), difference(n, g)))
        };
        let mut s: [Working; N] = array::from_fn(|n| {
            let Working { abcd, e } = load(&candidates[n].suspect.at_56);
            Working { abcd, e: _mm_add_epi32(e, mixed(n, 14)) }
        });
        four_of_each::<F, 2, N>(&mut s, |n| mixed(n, 15));
        four_of_each::<F, 3, N>(&mut s, |n| mixed(n, 16));
        four_of_each::<F, 3, N>(&mut s, |n| other(n, 17));
        let at_68 = s;
        four_of_each::<F, 3, N>(&mut s, |n| other(n, 18));
        four_of_each::<F, 3, N>(&mut s, |n| other(n, 19));
        four_of_each::<F, 3, N>(&mut s, |_| _mm_setzero_si128());

        s = array::from_fn(|n| {
            let after = load(&candidates[n].suspect.ihv_out);
            let e = _mm_sub_epi32(after.e, s[n].e);
            Working { abcd: _mm_sub_epi32(after.abcd, s[n].abcd), e: _mm_add_epi32(e, other(n, 0)) }
        });
        for g in 1..6 {
            four_of_each::<F, 0, N>(&mut s, |n| other(n, g));
        }
        for g in 6..11 {
            four_of_each::<F, 1, N>(&mut s, |n| other(n, g));
        }
        for g in 11..16 {
            four_of_each::<F, 2, N>(&mut s, |n| other(n, g));
        }
        four_of_each::<F, 3, N>(&mut s, |n| other(n, 16));
        four_of_each::<F, 3, N>(&mut s, |n| other(n, 17));
        let mut found = 0;
        for n in 0..N {
            let differ =
                _mm_or_si128(_mm_xor_si128(s[n].abcd, at_68[n].abcd), _mm_xor_si128(s[n].e, at_68[n].e));
            found |= (_mm_testz_si128(differ, differ) as u32) << n;
        }
        found
    }
}

/// Four rounds of each candidate; `next` gives the words of the four rounds after them.
///
/// # Safety
/// The CPU must have the form's features.
#[inline(always)]
unsafe fn four_of_each<F: Form, const PART: i32, const N: usize>(
    s: &mut [Working; N],
    next: impl Fn(usize) -> Group,
) {
    for (n, s) in s.iter_mut().enumerate() {
        // SAFETY: the CPU has the form's features by this function's contract.
        *s = unsafe { four_rounds::<F, PART>(*s, next(n)) };
    }
    // The compiler would put one candidate's whole chain of rounds behind the other's.
    for n in 1..N {
        let [a, b] = barrier::tie([s[n - 1].abcd, s[n].abcd]);
        (s[n - 1].abcd, s[n].abcd) = (a, b);
    }
}

//! Recompression in plain words, step by step: Stevens and Shumow, section 2.
//!
//! From the working words that the two messages of an attack have in common before a
//! vector's test step, the other message leads back to its chaining value and on to its
//! result. x86's SHA instructions have a way of their own; all other backends put as many
//! candidates as there are lanes side by side.

use core::array;
use core::ops::Range;

use arrayvec::ArrayVec;

use crate::block::{self, Block, State};
use crate::lanes::{self, SimdWord, States};
use crate::rounds::{self, step, step_back};
use crate::trace::{Candidate, Confirmed, Suspect};

/// The other message of a candidate.
pub struct Other {
    /// The chaining value before its block.
    pub ihv_in: State,
    /// Whether the chaining value after its block is the suspect's.
    pub collides: bool,
}

/// Recompress a candidate. This also tells the other message's chaining value where there
/// is no collision, as the detection of attacks on fewer rounds needs.
pub fn recompress_one(suspect: &Suspect, candidate: &Candidate) -> Other {
    let w = expand(suspect.block);
    let common = steps(suspect.trace.at_56(), &w, 56..candidate.test_step);
    from_common(suspect, candidate, common, &w)
}

/// Recompress from the working words before the test step; `w` is the suspect's expanded
/// message.
#[inline(never)]
fn from_common(suspect: &Suspect, candidate: &Candidate, common: State, w: &[u32; 80]) -> Other {
    let w = candidate.difference.apply(w);
    let ihv_in = (0..candidate.test_step).rev().fold(common, |s, t| step_back(s, t, w[t]));
    let last = steps(common, &w, candidate.test_step..80);
    let ihv_out: State = array::from_fn(|i| ihv_in[i].wrapping_add(last[i]));
    Other { ihv_in, collides: ihv_out == *suspect.ihv_out }
}

/// The expanded message of a block.
pub fn expand(block: &Block) -> [u32; 80] {
    rounds::expand(block::words(block))
}

/// The steps of a range, one after the other.
fn steps(state: State, w: &[u32; 80], range: Range<usize>) -> State {
    range.fold(state, |s, t| step(s, t, w[t]))
}

/// The first candidate of a block, by the order of test steps, that is part of an attack,
/// if one is.
///
/// All steps go forwards: with the other message, from the common working words to its
/// last ones; these and the chaining value after the block give the one before; and from
/// there to the test step, where the working words must be the common ones.
///
/// # Safety
/// The CPU must have the vectors of `V`.
#[inline(always)]
pub unsafe fn in_lanes<V: SimdWord<N>, const N: usize>(
    suspect: &Suspect,
    candidates: &[Candidate],
) -> Option<Confirmed> {
    let w = expand(suspect.block);
    for test_step in [58, 65] {
        let common = steps(suspect.trace.at_56(), &w, 56..test_step);
        let mut candidates = candidates.iter().filter(|candidate| candidate.test_step == test_step);
        loop {
            let batch: ArrayVec<&Candidate, N> = candidates.by_ref().take(N).collect();
            let confirmed = match batch[..] {
                [] => break,
                // One is recompressed in less time without lanes.
                [candidate] => {
                    let Other { ihv_in, collides } = from_common(suspect, candidate, common, &w);
                    collides.then_some(Confirmed { dv: candidate.dv, other_ihv_in: ihv_in })
                }
                // SAFETY: the CPU has the vectors of `V` by this function's contract.
                _ => unsafe { recompress_batch::<V, N>(suspect, &w, &common, &batch) },
            };
            if confirmed.is_some() {
                return confirmed;
            }
        }
    }
    None
}

/// The same for up to `N` candidates of one test step; `common` are the working words
/// before it, and `w` the suspect's expanded message.
///
/// # Safety
/// The CPU must have the vectors of `V`.
#[inline(never)]
unsafe fn recompress_batch<V: SimdWord<N>, const N: usize>(
    suspect: &Suspect,
    w: &[u32; 80],
    common: &State,
    candidates: &[&Candidate],
) -> Option<Confirmed> {
    let test_step = candidates[0].test_step;
    // A lane without a candidate does what the first one does.
    let in_lane = |lane: usize| candidates.get(lane).unwrap_or(&candidates[0]);
    let differences: [_; N] = array::from_fn(|lane| in_lane(lane).difference);
    let mut other = [[0; lanes::MAX_WIDTH]; 80];
    for (t, other) in other.iter_mut().enumerate() {
        for (word, difference) in other.iter_mut().zip(differences) {
            *word = w[t] ^ difference.word(t);
        }
    }
    let mut states = States(common.map(|word| [word; lanes::MAX_WIDTH]));
    // SAFETY: the CPU has the vectors of `V` by this function's contract.
    unsafe { rounds_in_lanes::<V, N>(&mut states, &other, test_step..80) };
    for (words, &ihv_out) in states.0.iter_mut().zip(suspect.ihv_out) {
        *words = words.map(|last| ihv_out.wrapping_sub(last));
    }
    let ihv_in = states;
    // SAFETY: the CPU has the vectors of `V` by this function's contract.
    unsafe { rounds_in_lanes::<V, N>(&mut states, &other, 0..test_step) };
    let lane = (0..candidates.len()).find(|&lane| states.get(lane) == *common)?;
    Some(Confirmed { dv: candidates[lane].dv, other_ihv_in: ihv_in.get(lane) })
}

/// The rounds of a range, one after the other.
///
/// # Safety
/// The CPU must have the vectors of `V`.
#[inline(always)]
unsafe fn rounds_in_lanes<V: SimdWord<N>, const N: usize>(
    states: &mut States,
    words: &[[u32; lanes::MAX_WIDTH]; 80],
    range: Range<usize>,
) {
    // SAFETY: the CPU has the vectors of `V` by this function's contract.
    unsafe {
        let s = lanes::load::<V, N>(states);
        let s = rounds_of_part::<V, N, 0>(s, words, &range);
        let s = rounds_of_part::<V, N, 1>(s, words, &range);
        let s = rounds_of_part::<V, N, 2>(s, words, &range);
        let s = rounds_of_part::<V, N, 3>(s, words, &range);
        lanes::store(&s, states);
    }
}

/// Those of the range's rounds that are among the 20 of a part.
///
/// # Safety
/// The CPU must have the vectors of `V`.
#[inline(always)]
unsafe fn rounds_of_part<V: SimdWord<N>, const N: usize, const PART: usize>(
    mut s: [V; 5],
    words: &[[u32; lanes::MAX_WIDTH]; 80],
    range: &Range<usize>,
) -> [V; 5] {
    let range = range.start.max(20 * PART)..range.end.min(20 * PART + 20);
    // There are none where the range ends before this part or begins behind it.
    for words in words.get(range).unwrap_or_default() {
        // SAFETY: the CPU has the vectors of `V` by this function's contract.
        s = rounds::moved::<V, PART>(s, unsafe { V::load(words) });
    }
    s
}

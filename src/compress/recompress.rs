//! Recompression in plain words, step by step: Stevens and Shumow, section 2.
//!
//! From the working words that the two messages of an attack have in common,
//! the other message leads back to its chaining value and on to its result.
//! x86's SHA instructions have a way of their own; for all other backends a
//! candidate is in each lane of a vector, as far as there are so many.

use core::ops::Range;

use arrayvec::ArrayVec;

use super::lanes::{Vector, WIDEST};
use super::portable;
use super::rounds;
use super::trace::{Candidate, Confirmed, Suspect};
use crate::block::{Block, K, State};

/// The other message of a candidate.
pub struct Other {
    /// The chaining value before its block.
    pub before: State,
    /// Whether its result is the same.
    pub collides: bool,
}

/// Recompress from the chaining value before the block: any backend's trace. This
/// also tells the chaining value where there is no collision, as reduced-round
/// detection needs.
pub fn from_start(suspect: &Suspect, candidate: &Candidate) -> Other {
    let w = expand(suspect.block);
    let common = onwards(suspect.trace.before, &w, 0..candidate.start);
    from_common(suspect, candidate, common, &w)
}

/// Recompress from the working words before `candidate.start`; `w` is the
/// block's expanded message.
#[inline(never)]
fn from_common(suspect: &Suspect, candidate: &Candidate, common: State, w: &[u32; 80]) -> Other {
    let w = core::array::from_fn(|t| w[t] ^ candidate.difference[79 - t]);
    let before = backwards(common, &w, 0..candidate.start);
    let last = onwards(common, &w, candidate.start..80);
    let result: State = core::array::from_fn(|i| before[i].wrapping_add(last[i]));
    Other { before, collides: result == *suspect.after }
}

/// The expanded message of a block.
pub fn expand(block: &Block) -> [u32; 80] {
    rounds::expand(portable::words(block))
}

/// The candidate of a block that is part of an attack, if one is. `inner` has
/// the working words before some step a little before 58, and before 65.
///
/// All steps go forwards: with the other message, from the common working words to its
/// last ones; these and the result give its chaining value; and from there to where
/// the working words must be the common ones.
///
/// # Safety
/// The CPU must have such vectors.
#[inline(always)]
pub unsafe fn in_lanes<V: Vector<N>, const N: usize>(
    suspect: &Suspect,
    inner: [(State, usize); 2],
    candidates: &[Candidate],
) -> Option<Confirmed> {
    let w = expand(suspect.block);
    for (start, (state, step)) in [58, 65].into_iter().zip(inner) {
        let common = onwards(state, &w, step..start);
        let mut candidates = candidates.iter().filter(|candidate| candidate.start == start);
        loop {
            let some: ArrayVec<&Candidate, N> = candidates.by_ref().take(N).collect();
            let confirmed = match some[..] {
                [] => break,
                [candidate] => {
                    // Alone it is quicker without lanes.
                    let Other { before, collides } = from_common(suspect, candidate, common, &w);
                    collides.then_some(Confirmed { number: candidate.number, before })
                }
                // SAFETY: the caller's contract.
                _ => unsafe { together::<V, N>(suspect, &w, &common, &some) },
            };
            if confirmed.is_some() {
                return confirmed;
            }
        }
    }
    None
}

/// The same for candidates with one start, of which there are no more than lanes;
/// `common` are the working words before it, and `w` the block's expanded message.
#[inline(never)]
unsafe fn together<V: Vector<N>, const N: usize>(
    suspect: &Suspect,
    w: &[u32; 80],
    common: &State,
    candidates: &[&Candidate],
) -> Option<Confirmed> {
    let start = candidates[0].start;
    // A lane without a candidate does what the first one does.
    let differences: [_; N] =
        core::array::from_fn(|lane| candidates.get(lane).unwrap_or(&candidates[0]).difference);
    let mut other = [[0; WIDEST]; 80];
    for (t, other) in other.iter_mut().enumerate() {
        for (word, difference) in other.iter_mut().zip(differences) {
            *word = w[t] ^ difference[79 - t];
        }
    }
    // SAFETY: the caller has such vectors.
    unsafe {
        let mut states = common.map(|word| [word; WIDEST]);
        rounds_in_lanes::<V, N>(&mut states, &other, start..80);
        for (words, &after) in states.iter_mut().zip(suspect.after) {
            *words = words.map(|last| after.wrapping_sub(last));
        }
        let before = states;
        rounds_in_lanes::<V, N>(&mut states, &other, 0..start);
        let of_lane = |states: &[[u32; WIDEST]; 5], lane: usize| states.each_ref().map(|words| words[lane]);
        (candidates.iter().enumerate())
            .find(|&(lane, _)| of_lane(&states, lane) == *common)
            .map(|(lane, candidate)| Confirmed { number: candidate.number, before: of_lane(&before, lane) })
    }
}

/// The rounds of a range, one after the other.
///
/// # Safety
/// The CPU must have such vectors.
#[inline(always)]
unsafe fn rounds_in_lanes<V: Vector<N>, const N: usize>(
    states: &mut [[u32; WIDEST]; 5],
    words: &[[u32; WIDEST]; 80],
    steps: Range<usize>,
) {
    // SAFETY: the caller's contract.
    unsafe {
        let [a, b, c, d, e] = states.each_ref();
        let s = [V::load(a), V::load(b), V::load(c), V::load(d), V::load(e)];
        let s = part::<V, N, 0>(s, words, &steps);
        let s = part::<V, N, 1>(s, words, &steps);
        let s = part::<V, N, 2>(s, words, &steps);
        let s = part::<V, N, 3>(s, words, &steps);
        for (s, words) in s.into_iter().zip(states) {
            s.store(words);
        }
    }
}

/// Those of them that are in one part.
#[inline(always)]
unsafe fn part<V: Vector<N>, const N: usize, const PART: usize>(
    mut s: [V; 5],
    words: &[[u32; WIDEST]; 80],
    steps: &Range<usize>,
) -> [V; 5] {
    let steps = steps.start.max(20 * PART)..steps.end.min(20 * PART + 20);
    // None at all, where the range ends before this part or begins behind it.
    for words in words.get(steps).unwrap_or_default() {
        // SAFETY: the caller has such vectors.
        s = rounds::round_moved::<V, PART>(s, unsafe { V::load(words) });
    }
    s
}

/// The steps of a range, one after the other.
pub fn onwards(state: State, w: &[u32; 80], steps: Range<usize>) -> State {
    steps.fold(state, |[a, b, c, d, e], t| {
        let next = a.rotate_left(5).wrapping_add(sum(t, w[t], b, c, d)).wrapping_add(e);
        [next, a, b.rotate_left(30), c, d]
    })
}

/// The steps of a range undone, the last one first.
fn backwards(state: State, w: &[u32; 80], steps: Range<usize>) -> State {
    steps.rev().fold(state, |[next, a, b, c, d], t| {
        let b = b.rotate_right(30);
        let e = next.wrapping_sub(a.rotate_left(5)).wrapping_sub(sum(t, w[t], b, c, d));
        [a, b, c, d, e]
    })
}

/// f(b, c, d) + K + W of step t (FIPS 180-4, section 6.1.2).
#[inline(always)]
fn sum(t: usize, w: u32, b: u32, c: u32, d: u32) -> u32 {
    let f = match t / 20 {
        0 => (b & c) | (!b & d),
        2 => (b & c) | (b & d) | (c & d),
        _ => b ^ c ^ d,
    };
    f.wrapping_add(K[t / 20]).wrapping_add(w)
}

//! Recompression in plain words: Stevens and Shumow, section 2.
//!
//! From the working words that the two messages of an attack have in common before a
//! vector's test step, the other message leads back to its chaining value and on to its
//! result. [`recompress_one`] tells all about one candidate, step by step. To see which
//! candidates are part of an attack, which hardly any is, there are quicker ways: x86's SHA
//! instructions have one of their own, and [`in_lanes`] puts as many candidates as there are
//! lanes side by side.

use core::array;
use core::hint::black_box;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::slice;

use crate::block::{self, Block, State};
use crate::lanes::{self, SimdWord, States};
use crate::rounds::{self, Word, step, step_back};
use crate::trace::Candidate;

/// The other message of a candidate.
#[derive(Clone, Copy, Debug)]
pub struct Other {
    /// The chaining value before its block.
    pub ihv_in: State,
    /// Whether the chaining value after its block is the suspect's.
    pub collides: bool,
}

/// Recompress a candidate. This also tells the other message's chaining value where there
/// is no collision, as the detection of attacks on fewer rounds needs.
pub fn recompress_one(candidate: &Candidate) -> Other {
    let Candidate { suspect, difference, test_step, .. } = candidate;
    let w = expand(suspect.block);
    let common = steps(suspect.at_56, &w, 56..*test_step);
    let w = difference.apply(&w);
    let ihv_in = (0..*test_step).rev().fold(common, |s, t| step_back(s, t, w[t]));
    let last = steps(common, &w, *test_step..80);
    let ihv_out: State = array::from_fn(|i| ihv_in[i].wrapping_add(last[i]));
    Other { ihv_in, collides: ihv_out == suspect.ihv_out }
}

/// The expanded message of a block.
pub fn expand(block: &Block) -> [u32; 80] {
    rounds::expand(block::words(block))
}

/// The steps of a range, one after the other.
fn steps(state: State, w: &[u32; 80], range: Range<usize>) -> State {
    range.fold(state, |s, t| step(s, t, w[t]))
}

/// The two test steps.
const EARLY: usize = 58;
const LATE: usize = 65;

/// Those of up to `N` candidates that are part of an attack: bit n is the nth.
///
/// A step can be undone once its word is known, so exactly one chaining value leads through
/// the other message to the common working words before the test step; and it leads on to
/// the chaining value after the block if and only if that one, less the last working words,
/// is it. All steps here go forwards: from step 56 with the block's own words, and from the test step
/// on with the other message's, which gives the latter's last working words; these and the
/// chaining value after the block give the one before; and from there to the test step,
/// where the working words must be the common ones.
///
/// # Safety
/// The CPU must have the vectors of `V`.
#[inline(always)]
pub unsafe fn in_lanes<V: SimdWord<N>, const N: usize>(candidates: &[Candidate]) -> u32 {
    let Some(first) = candidates.first() else { return 0 };
    // A lane without a candidate does what the first one does.
    let all: [&Candidate; N] = array::from_fn(|lane| candidates.get(lane).unwrap_or(first));
    // The first words of the other message; and what it differs in from step 56 to the test
    // step.
    let mut block = [[0; N]; 16];
    let mut early = [[0; N]; LATE - 56];
    let mut at_56 = States::INITIAL;
    let mut ihv_out = States::INITIAL;
    let mut late = 0;
    // (The compiler would unroll the loop where it knows the number.)
    for (lane, candidate) in black_box(&all[..]).iter().enumerate() {
        let own = block::words(candidate.suspect.block);
        for (t, words) in block.iter_mut().enumerate() {
            words[lane] = own[t] ^ candidate.difference.word(t);
        }
        for (t, words) in (56..).zip(&mut early) {
            words[lane] = if t < candidate.test_step { candidate.difference.word(t) } else { 0 };
        }
        at_56.set(lane, &candidate.suspect.at_56);
        ihv_out.set(lane, &candidate.suspect.ihv_out);
        late |= u32::from(candidate.test_step == LATE) << lane;
    }
    // SAFETY: the CPU has the vectors of `V` by this function's contract.
    let (words, at_56, ihv_out) = unsafe {
        let words = array::from_fn(|t| V::load(&block[t]));
        (words, lanes::load::<V, N>(&at_56), lanes::load::<V, N>(&ihv_out))
    };
    let mut other = [MaybeUninit::uninit(); 80];
    // (A difference is an expanded message too, so its first words are enough.)
    let other = expand_in_loop(words, &mut other);
    let mut own = [at_56[0]; LATE - 56];
    for ((own, word), difference) in own.iter_mut().zip(&other[56..]).zip(&early) {
        // SAFETY: the CPU has the vectors of `V` by this function's contract.
        *own = word.xor(unsafe { V::load(difference) });
    }

    // Twice the same code for the steps from 56 on: first with the block's own words.
    let (mut s, mut from_56) = (at_56, &own[..]);
    let mut common = [at_56; 2];
    let mut differ = 0;
    for pass in black_box(0..2) {
        if pass == 1 {
            s = rounds::run::<V, 0>(s, &other[..20]);
            s = rounds::run::<V, 1>(s, &other[20..40]);
            s = rounds::run::<V, 2>(s, &other[40..56]);
            from_56 = &other[56..LATE];
        }
        let early = rounds::run::<V, 2>(s, &from_56[..EARLY - 56]);
        s = rounds::run::<V, 2>(early, &from_56[EARLY - 56..60 - 56]);
        s = rounds::run::<V, 3>(s, &from_56[60 - 56..]);
        if pass == 0 {
            common = [early, s];
            let last = rounds::run::<V, 3>(s, &other[LATE..]);
            // ihv_out - last
            s = array::from_fn(|i| ihv_out[i].add(last[i].xor(last[i].splat(!0))).add(last[i].splat(1)));
        } else {
            differ = lanes_that_differ([early, s], common, late);
        }
    }
    !differ & lanes::all_lanes(candidates.len().min(N))
}

/// The lanes in which the working words before the test step differ, given those before
/// both test steps; in the lanes of `late` it is the second.
#[inline(always)]
fn lanes_that_differ<V: SimdWord<N>, const N: usize>(a: [[V; 5]; 2], b: [[V; 5]; 2], late: u32) -> u32 {
    let mut differ = [[0; N]; 5];
    for (i, differ) in differ.iter_mut().enumerate() {
        a[0][i].xor(b[0][i]).select(a[1][i].xor(b[1][i]), late).store(differ);
    }
    (0..N).filter(|&lane| differ.iter().any(|words| words[lane] != 0)).fold(0, |set, lane| set | 1 << lane)
}

/// The expanded message, 16 words at a time. (As a return value it would be copied.)
#[inline(always)]
fn expand_in_loop<V: Word>(mut words: [V; 16], all: &mut [MaybeUninit<V>; 80]) -> &[V] {
    for sixteen in all.as_chunks_mut::<16>().0 {
        for (to, word) in sixteen.iter_mut().zip(words) {
            to.write(word);
        }
        // (The last ones are made for nothing.)
        for t in 16..32 {
            rounds::word(&mut words, t);
        }
    }
    // SAFETY: five times 16 words are all 80, and each is written.
    unsafe { slice::from_raw_parts(all.as_ptr().cast(), all.len()) }
}

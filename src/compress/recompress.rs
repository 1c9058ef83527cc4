//! Recompression in plain words, step by step: Stevens and Shumow, section 2.
//!
//! From the working words that the two messages of an attack have in common,
//! the other message leads back to its chaining value and on to its result.
//! The backends with SHA instructions have a faster way; this one also tells
//! the chaining value where there is no collision, as reduced-round detection
//! needs.

use core::ops::Range;

use super::portable;
use super::rounds;
use super::trace::Candidate;
use crate::block::{Block, K, State};

/// The other message of a candidate.
pub struct Other {
    /// The chaining value before its block.
    pub before: State,
    /// Whether its result is the same.
    pub collides: bool,
}

impl Other {
    /// The chaining value, if the two messages collide.
    pub fn of_attack(self) -> Option<State> {
        self.collides.then_some(self.before)
    }
}

/// Recompress from the chaining value before the block: any backend's trace.
pub fn from_start(candidate: &Candidate) -> Other {
    let w = expand(candidate.block);
    let common = onwards(candidate.trace.before, &w, 0..candidate.start);
    from_common(candidate, common, &w)
}

/// The expanded message of a block.
pub fn expand(block: &Block) -> [u32; 80] {
    rounds::expand(portable::words(block))
}

/// Recompress from the working words before `candidate.start`; `w` is the
/// block's expanded message.
pub fn from_common(candidate: &Candidate, common: State, w: &[u32; 80]) -> Other {
    let w = core::array::from_fn(|t| w[t] ^ candidate.difference[79 - t]);
    let before = backwards(common, &w, 0..candidate.start);
    let last = onwards(common, &w, candidate.start..80);
    let result: State = core::array::from_fn(|i| before[i].wrapping_add(last[i]));
    Other { before, collides: result == *candidate.after }
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

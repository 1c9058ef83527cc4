//! What collision detection needs to know of a compression: see [`crate::detect`].

use crate::block::{Block, State};

/// The expanded words W\[65\] down to W\[34\], in that order: the order in which the
/// SHA instructions of x86 hold them, on two cache lines.
pub type Window = [u32; 32];

/// The t of a window's first word.
pub const TOP: usize = 65;

/// The record of one block's compression.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Trace {
    /// The expanded message words that conditions speak of.
    pub window: Window,
    /// The working words near steps 58 and 65, as the backend's own
    /// recompression wants them.
    pub(super) inner: [[u32; 4]; 4],
    /// The chaining value before the block.
    pub before: State,
}

/// A block that has candidates.
#[derive(Clone, Copy)]
pub struct Suspect<'a> {
    /// The block.
    pub block: &'a Block,
    /// The record of its compression.
    pub trace: &'a Trace,
    /// The chaining value after it.
    pub after: &'a State,
}

/// A disturbance vector whose conditions a block satisfies.
#[derive(Clone, Copy)]
pub struct Candidate {
    /// The number of the vector.
    pub number: usize,
    /// What the vector's other message differs in, from the last word to the first.
    pub difference: &'static [u32; 80],
    /// The step, 58 or 65, before which the two messages of an attack have the
    /// same working words.
    pub start: usize,
}

/// A candidate that is part of an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confirmed {
    /// The number of its vector.
    pub number: usize,
    /// The chaining value before the other message's block.
    pub before: State,
}

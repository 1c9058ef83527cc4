//! What collision detection needs to know of a compression: see [`crate::detect`].

use crate::block::{Block, State};

/// The expanded words W\[65\] down to W\[34\], in that order: the order in which the SHA
/// instructions of x86 hold them, on two cache lines: see [`index`].
pub type Window = [u32; 32];

/// The t of a window's first word.
pub const LAST_T: usize = 65;

/// The t of a window's last word. (The conditions speak of W\[35\] to W\[64\].)
pub const FIRST_T: usize = LAST_T - 31;

/// The place of W\[t\] in a window.
#[inline(always)]
pub const fn index(t: usize) -> usize {
    LAST_T - t
}

/// What is kept of one block's compression. All backends fill it in alike.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Trace {
    /// The expanded words that conditions speak of.
    pub window: Window,
    /// The working words d, c, b and a, in that order, before step 52. Only a counts: e
    /// before step 56 is a before step 52, rotated. (This and the next are as x86's SHA
    /// instructions hold them.)
    pub dcba_52: [u32; 4],
    /// The working words d, c, b and a before step 56.
    pub dcba_56: [u32; 4],
    /// The chaining value before the block.
    pub ihv_in: State,
}

impl Trace {
    /// A trace from the words of the window, the working words before step 56 and the
    /// chaining value before the block.
    #[inline(always)]
    pub fn new(window: Window, [a, b, c, d, e]: State, ihv_in: State) -> Self {
        Trace { window, dcba_52: [0, 0, 0, e.rotate_right(30)], dcba_56: [d, c, b, a], ihv_in }
    }

    /// The working words a to e before step 56.
    #[inline(always)]
    pub fn at_56(&self) -> State {
        let [d, c, b, a] = self.dcba_56;
        [a, b, c, d, self.dcba_52[3].rotate_left(30)]
    }
}

/// A block that has candidates: what their recompression needs to know of it.
#[derive(Clone, Copy)]
pub struct Suspect<'a> {
    /// The block.
    pub block: &'a Block,
    /// The working words before step 56.
    pub at_56: State,
    /// The chaining value after the block.
    pub ihv_out: State,
}

/// The 80 words by which the expanded messages of an attack's two blocks differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageDifference(
    /// The last word first: four words in a row are then as x86's SHA instructions want
    /// them.
    &'static [u32; 80],
);

impl MessageDifference {
    /// A difference, given from its word 79 to its word 0.
    pub const fn from_reversed(words: &'static [u32; 80]) -> Self {
        MessageDifference(words)
    }

    /// What W\[t\] differs in.
    #[inline(always)]
    pub const fn word(self, t: usize) -> u32 {
        self.0[79 - t]
    }

    /// What W\[4 g + 3\] down to W\[4 g\] differ in, in that order.
    #[inline(always)]
    pub fn group(self, g: usize) -> &'static [u32; 4] {
        self.0[76 - 4 * g..].first_chunk().expect("20 groups")
    }

    /// The other block's expanded message.
    #[inline(always)]
    pub fn apply(self, words: &[u32; 80]) -> [u32; 80] {
        core::array::from_fn(|t| words[t] ^ self.word(t))
    }
}

/// A block and a disturbance vector all of whose conditions it satisfies.
#[derive(Clone, Copy)]
pub struct Candidate<'a> {
    /// The block.
    pub suspect: Suspect<'a>,
    /// The number of the vector.
    pub dv: usize,
    /// What the vector's other message differs in.
    pub difference: MessageDifference,
    /// The step, 58 or 65, before which the two messages of an attack have the same
    /// working words.
    pub test_step: usize,
}

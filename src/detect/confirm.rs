//! From live vectors to attacks.

use arrayvec::ArrayVec;

use super::conditions::{self, Live};
use super::vectors::VECTORS;
use crate::block::State;
use crate::compress::{self, Recompressor};
use crate::cpu::Available;
use crate::lanes::MAX_WIDTH;
use crate::recompress::recompress_one;
use crate::trace::{Candidate, Suspect};

/// The candidates of a block, in the order of the DVs' bits in [`Live`].
#[inline]
pub fn candidates<'a>(suspect: Suspect<'a>, live: Live) -> impl Iterator<Item = Candidate<'a>> {
    conditions::numbers(live).map(move |dv| {
        let vector = &VECTORS[dv];
        Candidate { suspect, dv, difference: vector.difference(), test_step: vector.test_step() }
    })
}

/// Whether a candidate is part of an attack on all rounds, or on those up to its test step:
/// then its other message has `ihv_in`, the suspect's own, for chaining value before the
/// block.
pub fn is_reduced_round_attack(candidate: &Candidate, ihv_in: &State) -> bool {
    let other = recompress_one(candidate);
    other.collides || other.ihv_in == *ihv_in
}

/// Candidates that wait until there are as many as are best recompressed together, each with
/// a note of where its block is.
pub struct CandidateQueue<'a, Place> {
    recompressor: Available<Recompressor>,
    candidates: ArrayVec<Candidate<'a>, MAX_WIDTH>,
    places: ArrayVec<Place, MAX_WIDTH>,
}

impl<'a, Place: Copy> CandidateQueue<'a, Place> {
    /// None yet.
    #[inline]
    pub fn new() -> Self {
        let recompressor = compress::best_recompressor();
        Self { recompressor, candidates: ArrayVec::new_const(), places: ArrayVec::new_const() }
    }

    /// Add the candidates of a block. Each that turns out to be part of an attack, of these
    /// or of those that waited, is given to `attack`, in the order in which they came.
    #[inline]
    pub fn push(
        &mut self,
        suspect: Suspect<'a>,
        live: Live,
        place: Place,
        mut attack: impl FnMut(Place, &Candidate<'a>),
    ) {
        for candidate in candidates(suspect, live) {
            self.candidates.push(candidate);
            self.places.push(place);
            if self.candidates.len() == self.recompressor.width() {
                self.recompress(&mut attack);
            }
        }
    }

    /// Recompress all that wait.
    #[inline]
    pub fn recompress(&mut self, mut attack: impl FnMut(Place, &Candidate<'a>)) {
        if self.candidates.is_empty() {
            return;
        }
        let mut found = self.recompressor.recompress(&self.candidates);
        while found != 0 {
            let n = found.trailing_zeros() as usize;
            found &= found - 1;
            attack(self.places[n], &self.candidates[n]);
        }
        self.candidates.clear();
        self.places.clear();
    }
}

//! From live vectors to attacks.

use arrayvec::ArrayVec;

use super::conditions::{self, Live};
use super::vectors::VECTORS;
use crate::block::Block;
use crate::compress;
use crate::lanes::LaneTraces;
use crate::recompress::{Other, recompress_one};
use crate::trace::{Candidate, Confirmed, Suspect};

/// The candidates of a block, in the order of [`VECTORS`].
pub type Candidates = ArrayVec<Candidate, { VECTORS.len() }>;

/// Make candidates of live vectors. (As a return value they would be copied.)
#[inline]
pub fn collect_candidates(candidates: &mut Candidates, live: Live) {
    candidates.clear();
    for dv in conditions::numbers(live) {
        let vector = &VECTORS[dv];
        candidates.push(Candidate { dv, difference: vector.difference(), test_step: vector.test_step() });
    }
}

/// As [`Confirmed`], if the candidate is part of an attack on all rounds, or on those up to
/// its test step: then its other message has the suspect's own chaining value.
pub fn confirm_reduced_round(suspect: &Suspect, candidate: &Candidate) -> Option<Confirmed> {
    let Other { ihv_in, collides } = recompress_one(suspect, candidate);
    let attack = collides || ihv_in == suspect.trace.ihv_in;
    attack.then_some(Confirmed { dv: candidate.dv, other_ihv_in: ihv_in })
}

/// In which of the suspect lanes the block is part of an attack.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
#[cold]
pub fn confirm_lanes<const N: usize>(
    blocks: [&Block; N],
    traces: &LaneTraces,
    suspects: u32,
    live: &[Live; N],
) -> u32 {
    let backend = compress::best();
    let mut found = 0;
    let mut candidates = Candidates::new();
    for lane in (0..N).filter(|lane| suspects >> lane & 1 != 0) {
        let (trace, ihv_out) = (traces.trace(lane), traces.ihv_out.get(lane));
        let suspect = Suspect { block: blocks[lane], trace: &trace, ihv_out: &ihv_out };
        collect_candidates(&mut candidates, live[lane]);
        let attack = backend.recompress(&suspect, &candidates);
        found |= u32::from(attack.is_some()) << lane;
    }
    found
}

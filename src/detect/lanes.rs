//! The check of a block in each lane of a vector, while several messages are hashed.
//!
//! The words that the conditions speak of are in the lanes already, so their columns are
//! transposed where they are, and every relation and every use is an operation for all
//! blocks. Candidates wait until there are enough to be recompressed together, or until the
//! kernel returns.

use core::marker::PhantomData;

use super::conditions::{ConditionVector, Live, columns_in_lanes, evaluate};
use super::confirm::CandidateQueue;
use crate::block::Block;
use crate::lanes::{self, Inspect, LaneTraces, States, Step};

/// The [`Kernel`](lanes::Kernel) that hashes and checks with the vectors of `V`.
///
/// # Safety
/// The CPU must have the vectors of `V`, and in every step the first `N` lanes must be
/// filled.
#[inline(always)]
pub unsafe fn run_checked<V: ConditionVector<N>, const N: usize>(states: &mut States, steps: &mut [Step]) {
    let mut queue = LaneQueue::new();
    // SAFETY: this function has the same contract, and the inspection needs only the vectors
    // of `V`.
    unsafe {
        let mut check = LaneCheck { queue: &mut queue, vectors: PhantomData::<V> };
        lanes::run_inspected::<V, N>(states, steps, &mut check);
    }
    queue.finish(steps);
}

/// The check of the blocks in all lanes, with the vectors of `V`.
struct LaneCheck<'q, 'a, V> {
    queue: &'q mut LaneQueue<'a>,
    vectors: PhantomData<V>,
}

impl<'a, V: ConditionVector<N>, const N: usize> Inspect<'a, N> for LaneCheck<'_, 'a, V> {
    #[inline(always)]
    unsafe fn inspect(
        &mut self,
        blocks: [&'a Block; N],
        traces: &LaneTraces<N>,
        steps: &mut [Step<'a>],
        step: usize,
    ) {
        // SAFETY: the CPU has the vectors of `V` by the trait's contract.
        let [one, two] = evaluate(&unsafe { columns_in_lanes::<V, N>(&traces.window) });
        if one.any(two) {
            let mut live = [[0; N]; 2];
            one.store(&mut live[0]);
            two.store(&mut live[1]);
            self.queue.push(&blocks, traces, &live, steps, step);
        }
    }
}

/// The candidates of a kernel's blocks. The place of a block is its step and its lane.
pub struct LaneQueue<'a>(CandidateQueue<'a, (usize, usize)>);

impl<'a> LaneQueue<'a> {
    /// None yet.
    #[inline]
    pub fn new() -> Self {
        Self(CandidateQueue::new())
    }

    /// Add those of the blocks in all lanes; `live` are each lane's live vectors of type I,
    /// and those of type II.
    #[inline(never)]
    pub fn push<const N: usize>(
        &mut self,
        blocks: &[&'a Block; N],
        traces: &LaneTraces<N>,
        live: &[[u32; N]; 2],
        steps: &mut [Step<'a>],
        step: usize,
    ) {
        for (lane, block) in blocks.iter().enumerate() {
            let live = Live::from(live[0][lane]) | Live::from(live[1][lane]) << 32;
            if live != 0 {
                let suspect = traces.suspect(lane, block);
                self.0.push(suspect, live, (step, lane), |place, _| note(steps, place));
            }
        }
    }

    /// Recompress those that are left.
    #[inline]
    pub fn finish(&mut self, steps: &mut [Step<'a>]) {
        self.0.recompress(|place, _| note(steps, place));
    }
}

/// Note an attack in its step.
fn note(steps: &mut [Step], (step, lane): (usize, usize)) {
    steps[step].found |= 1 << lane;
}

//! Messages of one length, which go through the lanes in step.

use arrayvec::ArrayVec;

use super::job::{Batch, End, Job};
use super::plan::{EMPTY_POOL, STEPS, lanes_of};
use crate::lanes::{MAX_WIDTH, States, Step, all_lanes};

/// A batch of whole messages, numbered from 0, some of which may be of one length.
pub trait UniformBatch<'a>: Batch<'a> {
    /// Take the next `count` messages out of the batch, if they are all of one length, and
    /// tell the number of the first.
    fn next_uniform(&mut self, count: usize) -> Option<usize>;
    /// A message, by its number.
    fn message(&self, id: usize) -> &'a [u8];
}

/// The most steps that a whole message takes: one for its whole blocks, and two for its
/// padding.
const STEPS_OF_A_MESSAGE: usize = 3;

/// Hash the messages of a batch for as long as the next ones, as many as there are lanes,
/// are of one length.
#[inline(never)] // So that the plan is on the stack only while it is used.
pub fn run_uniform<'a>(batch: &mut impl UniformBatch<'a>) {
    let Some(kernel) = batch.kernel(MAX_WIDTH) else { return };
    let width = kernel.width();
    loop {
        let mut pool = EMPTY_POOL;
        let mut pool = &mut pool[..];
        let mut steps = ArrayVec::<Step, STEPS>::new();
        let mut firsts = ArrayVec::<usize, STEPS>::new();
        while steps.remaining_capacity() >= STEPS_OF_A_MESSAGE
            && let Some(first) = batch.next_uniform(width)
        {
            let begin = steps.len();
            for lane in 0..width {
                let rest = batch.message(first + lane);
                let end = End::Padded(rest.len() as u64);
                let mut job = Job { id: first + lane, has_head: false, rest, end };
                let mut at = begin;
                while !job.is_over() {
                    let count = job.run_len();
                    let blocks = job.take(count, &mut pool, || unreachable!("a whole message has no head"));
                    if at == steps.len() {
                        steps.push(Step::new(count));
                        firsts.push(first);
                    }
                    steps[at].fill(lane, blocks);
                    at += 1;
                }
            }
            if let Some(last) = steps.last_mut() {
                last.ends = all_lanes(width);
            }
        }
        if steps.is_empty() {
            return;
        }
        kernel.run(&mut States::INITIAL.clone(), &mut steps);
        for (step, first) in steps.iter().zip(firsts) {
            for lane in lanes_of(step.ends) {
                batch.finish(first + lane, &step.exchange.get(lane));
            }
        }
    }
}

//! Messages of one length, which go through the lanes in step.

use core::mem::MaybeUninit;
use core::slice;

use arrayvec::ArrayVec;

use super::job::Batch;
use super::plan::lanes_of;
use crate::block::{BLOCK_LEN, Block};
use crate::compress;
use crate::hasher::{padding, tail};
use crate::lanes::{MAX_WIDTH, States, Step, all_lanes};

/// A batch of whole messages, numbered from 0, some of which may be of one length.
pub trait UniformBatch<'a>: Batch<'a> {
    /// Take the next `count` messages out of the batch, if they are all of one length, and
    /// tell the number of the first.
    fn next_uniform(&mut self, count: usize) -> Option<usize>;
    /// The length of the next message, if there is one.
    fn next_len(&self) -> Option<usize>;
    /// A message, by its number.
    fn message(&self, id: usize) -> &'a [u8];
}

/// The most steps that are planned: three messages of any length in each lane.
const STEPS: usize = 3 * STEPS_OF_A_MESSAGE;

/// The most steps that a whole message takes: one for its whole blocks, and two for its
/// padding.
const STEPS_OF_A_MESSAGE: usize = 3;

/// Hash the messages of a batch for as long as the next ones, as many as there are lanes,
/// are of one length.
#[inline(never)] // So that the plan is on the stack only while it is used.
pub fn run_uniform<'a>(batch: &mut impl UniformBatch<'a>) {
    let short = batch.next_len().is_some_and(|len| len < 2 * BLOCK_LEN - 8);
    let Some(kernel) = compress::for_count(MAX_WIDTH, short) else { return };
    let width = kernel.width();
    loop {
        let mut pool = [const { MaybeUninit::uninit() }; MAX_WIDTH * STEPS];
        let mut length_blocks = [const { MaybeUninit::uninit() }; STEPS];
        let (mut pool, mut length_blocks) = (pool.iter_mut(), length_blocks.iter_mut());
        let mut steps = ArrayVec::<Step, STEPS>::new();
        let mut firsts = ArrayVec::<usize, STEPS>::new();
        while steps.remaining_capacity() >= STEPS_OF_A_MESSAGE
            && let Some(first) = batch.next_uniform(width)
        {
            let len = batch.message(first).len();
            let whole = len / BLOCK_LEN;
            // The padded block of all, but for the messages' own bytes.
            let mut template = [0; BLOCK_LEN];
            padding::write_padding(&mut template, &[0; BLOCK_LEN][..len % BLOCK_LEN], len as u64);
            let mut padded = Step::new(1);
            let mut blocks = (whole > 0).then(|| Step::new(whole));
            for lane in 0..width {
                let message = batch.message(first + lane);
                let (whole_blocks, tail) = message.as_chunks();
                if let Some(step) = &mut blocks {
                    step.fill(lane, whole_blocks);
                }
                let slot = pool.next().expect("a place for every lane and step");
                let block = slot.write(template);
                tail::merge(block, tail);
                padded.fill(lane, slice::from_ref(block));
            }
            steps.extend(blocks);
            steps.push(padded);
            if padding::takes_two_blocks(len as u64)
                && let Some(slot) = length_blocks.next()
            {
                // It is the same for all.
                let block: &Block = slot.write(padding::length_block(len as u64));
                let mut step = Step::new(1);
                step.fill(0, slice::from_ref(block));
                step.fill_up(width);
                steps.push(step);
            }
            while firsts.len() < steps.len() {
                firsts.push(first);
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

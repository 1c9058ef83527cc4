//! Messages of any lengths in the lanes of a kernel.

use core::mem::{self, MaybeUninit};
use core::slice;

use arrayvec::ArrayVec;

use super::job::{Batch, End, Job};
use crate::block::{BLOCK_LEN, Block, State};
use crate::cpu::Available;
use crate::hasher::padding;
use crate::lanes::{LaneKernel, MAX_WIDTH, States, Step};

/// The messages that are going on, and their chaining values.
pub type Jobs<'a> = ArrayVec<(Job<'a>, State), MAX_WIDTH>;

/// The most steps that a plan has. More would take more stack: a step is 640 bytes, and its
/// room for padding 1 KiB.
const STEPS: usize = 8;

/// What no batch calls a message.
const NO_MESSAGE: usize = usize::MAX;

/// The numbers of the lanes in a set.
pub fn lanes_of(mut set: u32) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let lane = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (lane < u32::BITS).then_some(lane as usize)
    })
}

impl<'a> Job<'a> {
    /// How many blocks come next that are in memory one behind the other.
    #[inline(always)]
    pub fn run_len(&self) -> usize {
        if self.has_head { 1 } else { (self.rest.len() / BLOCK_LEN).max(1) }
    }

    /// Take the next `count` blocks, which are no more than [`Job::run_len`]. Those that are
    /// not in the message are put into the next place of the pool.
    #[inline(always)]
    pub fn take<'p>(
        &mut self,
        count: usize,
        pool: &mut &'p mut [MaybeUninit<Block>],
        head: impl FnOnce() -> Block,
    ) -> &'p [Block]
    where
        'a: 'p,
    {
        if !self.has_head && self.rest.len() >= BLOCK_LEN {
            let (blocks, rest) = self.rest.split_at(count * BLOCK_LEN);
            self.rest = rest;
            return blocks.as_chunks().0;
        }
        let (slot, rest) = mem::take(pool).split_first_mut().expect("a place for every lane and step");
        *pool = rest;
        if self.has_head {
            self.has_head = false;
            return slice::from_ref(slot.write(head()));
        }
        let block = slot.write([0; BLOCK_LEN]);
        self.end = match self.end {
            End::Padded(len) if padding::write_padding(block, self.rest, len) => End::LengthBlock(len),
            End::Padded(_) => End::Open,
            End::LengthBlock(len) => {
                *block = padding::length_block(len);
                End::Open
            }
            End::Open => unreachable!("an open message has no padding"),
        };
        slice::from_ref(block)
    }

    /// Whether no block is left.
    #[inline(always)]
    pub fn is_over(&self) -> bool {
        matches!(self.end, End::Open) && self.rest.len() < BLOCK_LEN
    }
}

/// Hash the jobs, and those of the batch behind them, for as long as no lane is without
/// one; what is left is then in `jobs`.
#[inline(never)] // So that the plan is on the stack only while it is used.
pub fn run_planned<'a>(kernel: Available<LaneKernel>, jobs: &mut Jobs<'a>, batch: &mut impl Batch<'a>) {
    let width = kernel.width();
    let mut states = States::INITIAL;
    let mut lane_jobs = [None; MAX_WIDTH];
    let lane_jobs = &mut lane_jobs[..width];
    for (lane, lane_job) in lane_jobs.iter_mut().enumerate() {
        if let Some((job, state)) = jobs.pop() {
            states.set(lane, &state);
            *lane_job = Some(job);
        }
    }
    let lanes_to_spare = lane_jobs.iter().any(Option::is_none);
    let mut lane_is_idle = false;
    while !lane_is_idle {
        let mut pool = [const { MaybeUninit::uninit() }; MAX_WIDTH * STEPS];
        let mut pool = &mut pool[..];
        // What each lane does, step by step, and for whom.
        let mut steps = ArrayVec::<Step, STEPS>::new();
        let mut ids = ArrayVec::<[usize; MAX_WIDTH], STEPS>::new();
        while !steps.is_full() && !lane_is_idle {
            let count = lane_jobs.iter().flatten().map(Job::run_len).min().unwrap_or(1);
            steps.push(Step::new(count));
            ids.push([NO_MESSAGE; MAX_WIDTH]);
            let (Some(step), Some(ids)) = (steps.last_mut(), ids.last_mut()) else {
                unreachable!("each has just got one more")
            };
            for (lane, (lane_job, lane_id)) in lane_jobs.iter_mut().zip(ids).enumerate() {
                let Some(job) = lane_job else { continue };
                *lane_id = job.id;
                let id = job.id;
                step.fill(lane, job.take(count, &mut pool, || batch.head(id)));
                if !job.is_over() {
                    continue;
                }
                step.ends |= 1 << lane;
                if let Some((job, state)) = jobs.pop() {
                    *lane_job = Some(job);
                    step.exchange.set(lane, &state);
                } else {
                    *lane_job = batch.next();
                    match lane_job {
                        Some(job) if !batch.all_begin_initial() => {
                            step.exchange.set(lane, &batch.ihv(job.id))
                        }
                        Some(_) => {}
                        None => lane_is_idle = true,
                    }
                }
            }
            if lanes_to_spare {
                step.fill_up(width);
            }
        }
        kernel.run(&mut states, &mut steps);
        for (step, ids) in steps.iter().zip(&ids) {
            for lane in lanes_of(step.found) {
                if ids[lane] != NO_MESSAGE {
                    batch.attack_found(ids[lane]);
                }
            }
            for lane in lanes_of(step.ends) {
                batch.finish(ids[lane], &step.exchange.get(lane));
            }
        }
    }
    for (lane, job) in lane_jobs.iter().enumerate() {
        if let Some(job) = job {
            jobs.push((*job, states.get(lane)));
        }
    }
}

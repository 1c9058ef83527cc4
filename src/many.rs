//! Many messages at once.
//!
//! One message is a chain: each block waits for the one before, and most of the
//! CPU idles. Several messages fill it: in the lanes of vectors, or in turns with
//! the SHA instructions. Which of these is best depends on how many messages there
//! are, so [`run`] looks again whenever that changes: it keeps as many messages
//! going as the widest way can take, gives a lane whose message ends the next one,
//! and when there is none, goes on with the messages that are left in a narrower
//! way. The last one alone is hashed like any single message.
//!
//! Work is planned some steps ahead, so that a kernel is called once for many
//! short messages. Nothing is allocated; the plan takes 18 KiB of stack.

use core::mem::{self, MaybeUninit};
use core::slice;

use arrayvec::ArrayVec;

use crate::block::{BLOCK_LEN, Block, State};
use crate::compress;
use crate::compress::lanes::{self, Exchange, Lanes, States, Step, WIDEST};
use crate::compress::tail;
use crate::hasher::{self, LENGTH_AT};

/// A message, or what is left of it.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// What the batch calls it.
    pub id: usize,
    /// A block that comes before the other bytes.
    pub before: Option<&'a Block>,
    /// The bytes that are left.
    pub rest: &'a [u8],
    /// What comes behind their last whole block.
    pub end: End,
}

/// How a message ends.
#[derive(Clone, Copy)]
pub enum End {
    /// It goes on some other time: what is left of the bytes stays left.
    Open,
    /// With padding, for a message of so many bytes.
    Padded(u64),
    /// Likewise; but the bytes and the 1 bit behind them are in a block already.
    Marked(u64),
}

/// Messages to hash.
pub trait Batch<'a> {
    /// Whether all messages begin with the initial hash value.
    fn is_fresh(&self) -> bool;
    /// The next message that has any block or an end, if there is one.
    fn next(&mut self) -> Option<Job<'a>>;
    /// The chaining value at its start.
    fn state(&self, id: usize) -> State;
    /// The message is compressed, and this is its chaining value.
    fn end(&mut self, id: usize, state: &State);
    /// The best way to compress so many messages at once, if it is not one after the
    /// other.
    fn width(&self, count: usize) -> Option<&'static Lanes> {
        lanes::for_count(count)
    }
    /// Compress blocks of a single message.
    fn compress(&mut self, _id: usize, state: &mut State, blocks: &[Block]) {
        compress::compress(state, blocks);
    }
    /// There is an attack in the message.
    fn found(&mut self, _id: usize) {}
}

/// What no batch calls a message.
const NONE: usize = usize::MAX;

/// The numbers of the bits that are set.
fn bits(mut set: u32) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let bit = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (bit < u32::BITS).then_some(bit as usize)
    })
}

/// The most steps in a plan.
const STEPS: usize = 9;

impl<'a> Job<'a> {
    /// How many blocks come next in a row.
    #[inline(always)]
    fn run_len(&self) -> usize {
        if self.before.is_some() { 1 } else { (self.rest.len() / BLOCK_LEN).max(1) }
    }

    /// Take the next `count` blocks. Those of the padding are made in `free`.
    #[inline(always)]
    fn take<'p>(&mut self, count: usize, free: &mut &'p mut [MaybeUninit<Block>]) -> &'p [Block]
    where
        'a: 'p,
    {
        if let Some(before) = self.before.take() {
            return slice::from_ref(before);
        }
        if self.rest.len() >= BLOCK_LEN {
            let (blocks, rest) = self.rest.split_at(count * BLOCK_LEN);
            self.rest = rest;
            return blocks.as_chunks().0;
        }
        let (slot, rest) = mem::take(free).split_first_mut().expect("a block for every lane and step");
        *free = rest;
        let block = slot.write([0; BLOCK_LEN]);
        self.pad(block);
        slice::from_ref(block)
    }

    /// Make the next block of the padding (FIPS 180-4, section 5.1.1) from one of
    /// zeros. It is read only much later, so single stores will do.
    #[inline(always)]
    fn pad(&mut self, block: &mut Block) {
        let (End::Padded(len) | End::Marked(len)) = self.end else {
            unreachable!("an open message has no padding")
        };
        if let End::Padded(len) = self.end {
            tail::store(block, self.rest);
            block[self.rest.len()] = 0x80;
            if self.rest.len() >= LENGTH_AT {
                self.end = End::Marked(len);
                return;
            }
        }
        block[LENGTH_AT..].copy_from_slice(&len.wrapping_mul(8).to_be_bytes());
        self.end = End::Open;
    }

    /// Whether no block is left.
    #[inline(always)]
    fn is_over(&self) -> bool {
        matches!(self.end, End::Open) && self.rest.len() < BLOCK_LEN
    }
}

/// Hash all messages of a batch.
pub fn run<'a, B: Batch<'a> + ?Sized>(batch: &mut B) {
    let mut jobs = Jobs::new();
    loop {
        while !jobs.is_full()
            && let Some(job) = batch.next()
        {
            jobs.push((job, batch.state(job.id)));
        }
        match batch.width(jobs.len()) {
            Some(lanes) if is_worth_a_plan(jobs.iter().map(|(job, _)| job.rest.len())) => {
                in_lanes(lanes, &mut jobs, batch)
            }
            _ => match jobs.pop() {
                Some((job, state)) => alone(job, state, batch),
                None => return,
            },
        }
    }
}

/// A batch of whole messages that may be of one length.
pub trait Equals<'a>: Batch<'a> {
    /// The number of the first of the next `count` messages, if they are all of one
    /// length.
    fn next_equal(&mut self, count: usize) -> Option<usize>;
    /// A message.
    fn message(&self, id: usize) -> &'a [u8];
}

/// Hash the messages of a batch for as long as the next ones, as many as there are
/// lanes, are of one length: they are hashed in step, which is easily planned.
#[inline(never)]
pub fn run_equals<'a>(batch: &mut impl Equals<'a>) {
    let Some(lanes) = batch.width(WIDEST) else { return };
    loop {
        let mut pool = [const { MaybeUninit::<Block>::uninit() }; WIDEST * STEPS];
        let mut free = &mut pool[..];
        let mut steps = ArrayVec::<Step, STEPS>::new();
        let mut others = ArrayVec::<Exchange, STEPS>::new();
        let mut firsts = ArrayVec::<usize, STEPS>::new();
        while steps.remaining_capacity() >= 3
            && let Some(first) = batch.next_equal(lanes.count)
        {
            let begin = steps.len();
            for lane in 0..lanes.count {
                let rest = batch.message(first + lane);
                let mut job = Job { id: first, before: None, rest, end: End::Padded(rest.len() as u64) };
                let mut at = begin;
                while !job.is_over() {
                    let blocks = job.take(job.run_len(), &mut free);
                    if at == steps.len() {
                        steps.push(Step { blocks: [&[]; WIDEST], count: blocks.len(), ends: 0 });
                        others.push(Exchange { states: States::initial(), found: 0 });
                        firsts.push(first);
                    }
                    steps[at].blocks[lane] = blocks;
                    at += 1;
                }
            }
            if let Some(last) = steps.last_mut() {
                last.ends = u32::MAX >> (u32::BITS as usize - lanes.count);
            }
        }
        if steps.is_empty() {
            return;
        }
        lanes.run(&mut States::initial(), &steps, &mut others);
        for ((step, others), first) in steps.iter().zip(&others).zip(firsts) {
            for lane in bits(step.ends) {
                batch.end(first + lane, &others.states.state(lane));
            }
        }
    }
}

/// Whether messages of such lengths are not done one by one before a plan for them is.
#[inline(always)]
pub fn is_worth_a_plan(mut lengths: impl ExactSizeIterator<Item = usize>) -> bool {
    lengths.len() > 8 || lengths.len() > 1 && lengths.any(|len| len >= 256)
}

/// The messages that are going on, and their chaining values.
type Jobs<'a> = ArrayVec<(Job<'a>, State), WIDEST>;

/// Hash one message, or what is left of it.
#[inline(never)]
fn alone<'a, B: Batch<'a> + ?Sized>(job: Job<'a>, mut state: State, batch: &mut B) {
    if let Some(before) = job.before {
        batch.compress(job.id, &mut state, slice::from_ref(before));
    }
    let (blocks, tail) = job.rest.as_chunks();
    if !blocks.is_empty() {
        batch.compress(job.id, &mut state, blocks);
    }
    let mut last = [0; BLOCK_LEN];
    match job.end {
        End::Open => {}
        End::Padded(len) => {
            tail::store(&mut last, tail);
            // It is read at once: see `compress::tail`.
            match hasher::padding(&last, len) {
                (first, None) => batch.compress(job.id, &mut state, &[first]),
                (first, Some(second)) => batch.compress(job.id, &mut state, &[first, second]),
            }
        }
        End::Marked(len) => {
            last[LENGTH_AT..].copy_from_slice(&len.wrapping_mul(8).to_be_bytes());
            batch.compress(job.id, &mut state, &[last]);
        }
    }
    batch.end(job.id, &state);
}

/// Hash the jobs, and those of the batch behind them, for as long as no lane is
/// without one; what is left is then in `jobs`.
#[inline(never)] // Its plan is on the stack only while it is used.
fn in_lanes<'a, B: Batch<'a> + ?Sized>(lanes: &Lanes, jobs: &mut Jobs<'a>, batch: &mut B) {
    let mut states = States::initial();
    let mut lane_jobs = [None; WIDEST];
    let lane_jobs = &mut lane_jobs[..lanes.count];
    for (lane, place) in lane_jobs.iter_mut().enumerate() {
        if let Some((job, state)) = jobs.pop() {
            states.set(lane, &state);
            *place = Some(job);
        }
    }
    let fewer = lane_jobs.iter().any(Option::is_none);
    let mut idle = false;
    while !idle {
        // Room for padding.
        let mut pool = [const { MaybeUninit::<Block>::uninit() }; WIDEST * STEPS];
        let mut free = &mut pool[..];
        // The plan: what each lane does, step by step, and for whom.
        let mut steps = ArrayVec::<Step, STEPS>::new();
        let mut others = ArrayVec::<Exchange, STEPS>::new();
        let mut ids = ArrayVec::<[usize; WIDEST], STEPS>::new();
        while !steps.is_full() && !idle {
            let count = lane_jobs.iter().flatten().map(Job::run_len).min().unwrap_or(0);
            steps.push(Step { blocks: [&[]; WIDEST], count, ends: 0 });
            others.push(Exchange { states: States::initial(), found: 0 });
            ids.push([NONE; WIDEST]);
            let (Some(step), Some(others), Some(ids)) = (steps.last_mut(), others.last_mut(), ids.last_mut())
            else {
                unreachable!("each has just got one more")
            };
            let places = lane_jobs.iter_mut().zip(&mut step.blocks).zip(ids);
            for (lane, ((place, blocks), id)) in places.enumerate() {
                let Some(job) = place else { continue };
                *id = job.id;
                *blocks = job.take(count, &mut free);
                if !job.is_over() {
                    continue;
                }
                step.ends |= 1 << lane;
                if let Some((job, state)) = jobs.pop() {
                    *place = Some(job);
                    others.states.set(lane, &state);
                } else {
                    *place = batch.next();
                    match place {
                        Some(job) if !batch.is_fresh() => others.states.set(lane, &batch.state(job.id)),
                        Some(_) => {}
                        None => idle = true,
                    }
                }
            }
            if fewer {
                // A lane without a job hashes what the first one does.
                let first = step.blocks[0];
                for blocks in step.blocks.iter_mut().filter(|blocks| blocks.is_empty()) {
                    *blocks = first;
                }
            }
        }
        lanes.run(&mut states, &steps, &mut others);
        for ((step, others), ids) in steps.iter().zip(&others).zip(&ids) {
            for lane in bits(others.found) {
                if ids[lane] != NONE {
                    batch.found(ids[lane]);
                }
            }
            for lane in bits(step.ends) {
                batch.end(ids[lane], &others.states.state(lane));
            }
        }
    }
    for (lane, job) in lane_jobs.iter().enumerate() {
        if let Some(job) = job {
            jobs.push((*job, states.state(lane)));
        }
    }
}

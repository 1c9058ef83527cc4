//! Many messages at once.
//!
//! One message is a chain: each block waits for the one before, and most of the CPU idles.
//! Several messages fill it: in the lanes of vectors, or in turns with the SHA
//! instructions. Which of these is best depends on how many messages there are, so [`run`]
//! looks again whenever that changes: it keeps as many messages going as the widest kernel
//! can take, gives a lane whose message ends the next one, and when there is none, goes on
//! with the messages that are left in a narrower kernel. The last one alone is hashed like
//! any single message.
//!
//! Work is [planned](plan) some steps ahead, so that a kernel is called once for many short
//! messages. Messages of [one length](uniform) need hardly any planning. Nothing is
//! allocated; the plan takes 18 KiB of stack.

pub mod job;
pub mod plan;
pub mod uniform;

use core::slice;

use crate::block::{BLOCK_LEN, State};
use crate::hasher::padding;
use job::{Batch, End, Job};
use plan::Jobs;

/// Hash all messages of a batch.
///
/// (This is compiled anew for every kind of batch: calls through a trait object cost 45
/// cycles a message on Emerald Rapids, more than a 20-byte message takes in 16 lanes.)
pub fn run<'a>(batch: &mut impl Batch<'a>) {
    let mut jobs = Jobs::new();
    loop {
        while !jobs.is_full()
            && let Some(job) = batch.next()
        {
            jobs.push((job, batch.ihv(job.id)));
        }
        match batch.kernel(jobs.len()) {
            Some(kernel) if is_worth_a_plan(jobs.iter().map(|(job, _)| job.rest.len())) => {
                plan::run_planned(kernel, &mut jobs, batch)
            }
            _ => match jobs.pop() {
                Some((job, state)) => run_one(job, state, batch),
                None => return,
            },
        }
    }
}

/// Whether to plan for messages of such lengths, and not to hash them one by one.
///
/// On Emerald Rapids one by one is quicker for up to 8 messages that are all shorter than
/// 256 bytes: they are hashed before a plan for them is made.
#[inline(always)]
pub fn is_worth_a_plan(mut lengths: impl ExactSizeIterator<Item = usize>) -> bool {
    lengths.len() > 8 || lengths.len() > 1 && lengths.any(|len| len >= 256)
}

/// Hash one message, or what is left of it.
#[inline(never)]
fn run_one<'a>(job: Job<'a>, mut state: State, batch: &mut impl Batch<'a>) {
    if job.has_head {
        let head = batch.head(job.id);
        batch.compress(job.id, &mut state, slice::from_ref(&head));
    }
    let (blocks, tail) = job.rest.as_chunks::<BLOCK_LEN>();
    if !blocks.is_empty() {
        batch.compress(job.id, &mut state, blocks);
    }
    match job.end {
        End::Open => {}
        End::Padded(len) => match padding::padding_of_tail(tail, len) {
            (last, None) => batch.compress(job.id, &mut state, &[last]),
            (last, Some(length)) => batch.compress(job.id, &mut state, &[last, length]),
        },
        End::LengthBlock(len) => batch.compress(job.id, &mut state, &[padding::length_block(len)]),
    }
    batch.finish(job.id, &state);
}

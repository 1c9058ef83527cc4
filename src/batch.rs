//! Whole messages, many at once: what the C and the Rust API share.

use core::mem::MaybeUninit;
use core::ops::Range;

use crate::block::{self, Block, Digest, INITIAL, State};
use crate::compress;
use crate::cpu::Available;
use crate::detect;
use crate::hasher;
use crate::lanes::LaneKernel;
use crate::many;
use crate::many::job::{Batch, End, Job};
use crate::many::uniform::UniformBatch;

/// Messages, numbered from 0.
pub trait Messages<'a>: Copy {
    /// How many there are.
    fn count(&self) -> usize;
    /// One of them.
    fn get(&self, i: usize) -> &'a [u8];
    /// Whether those of a range are all of one length.
    #[inline(always)]
    fn are_uniform(&self, range: Range<usize>) -> bool {
        let len = self.get(range.start).len();
        range.into_iter().all(|i| self.get(i).len() == len)
    }
}

impl<'a> Messages<'a> for &[&'a [u8]] {
    #[inline(always)]
    fn count(&self) -> usize {
        self.len()
    }
    #[inline(always)]
    fn get(&self, i: usize) -> &'a [u8] {
        self[i]
    }
}

/// Whether messages are so few and so short that they are best hashed one by one.
fn are_few<'a>(messages: &impl Messages<'a>) -> bool {
    let count = messages.count();
    count == 1 || !many::is_worth_a_plan((0..count).map(|i| messages.get(i).len()))
}

/// Write the digest of each message.
///
/// # Panics
/// Where there is room for fewer digests than there are messages.
pub fn hash<'a>(messages: impl Messages<'a>, digests: &mut [MaybeUninit<Digest>]) {
    let digests = &mut digests[..messages.count()];
    if are_few(&messages) {
        for (i, digest) in digests.iter_mut().enumerate() {
            digest.write(hasher::digest(messages.get(i)));
        }
        return;
    }
    let mut batch = Whole { messages, next: 0, digests, found: None };
    many::uniform::run_uniform(&mut batch);
    many::run(&mut batch);
}

/// Write the digest of each message, and whether it is part of a collision attack (1) or
/// not (0). Returns how many are.
///
/// # Panics
/// Where there is room for less than there are messages.
// Those who call it are not always there.
#[cfg_attr(not(any(feature = "capi", feature = "std")), allow(dead_code))]
pub fn hash_checked<'a>(
    messages: impl Messages<'a>,
    digests: &mut [MaybeUninit<Digest>],
    found: &mut [u8],
) -> usize {
    let digests = &mut digests[..messages.count()];
    let found = &mut found[..messages.count()];
    if are_few(&messages) {
        for (i, (digest, found)) in digests.iter_mut().zip(&mut *found).enumerate() {
            let (plain, attack) = detect::checked_digest(messages.get(i));
            digest.write(plain);
            *found = attack.into();
        }
    } else {
        found.fill(0);
        many::run(&mut Whole { messages, next: 0, digests, found: Some(found) });
    }
    found.iter().map(|&found| usize::from(found)).sum()
}

/// The digests of whole messages and, if they are to be checked, which of them are part of
/// an attack.
struct Whole<'d, M> {
    messages: M,
    next: usize,
    digests: &'d mut [MaybeUninit<Digest>],
    /// 1 for those that are; 0 before the first is hashed.
    found: Option<&'d mut [u8]>,
}

impl<'a, M: Messages<'a>> Batch<'a> for Whole<'_, M> {
    #[inline]
    fn all_begin_initial(&self) -> bool {
        true
    }

    #[inline]
    fn next(&mut self) -> Option<Job<'a>> {
        if self.next == self.messages.count() {
            return None;
        }
        let id = self.next;
        self.next += 1;
        let rest = self.messages.get(id);
        Some(Job { id, has_head: false, rest, end: End::Padded(rest.len() as u64) })
    }

    #[inline]
    fn ihv(&self, _id: usize) -> State {
        INITIAL
    }

    #[inline]
    fn finish(&mut self, id: usize, state: &State) {
        self.digests[id].write(block::digest(state));
    }

    fn kernel(&self, count: usize) -> Option<Available<LaneKernel>> {
        if self.found.is_some() { detect::kernel_for_count(count) } else { compress::for_count(count, false) }
    }

    fn compress(&mut self, id: usize, state: &mut State, blocks: &[Block]) {
        if self.found.is_none() {
            compress::compress(state, blocks);
        } else if detect::compress_checked(state, blocks) {
            self.attack_found(id);
        }
    }

    fn attack_found(&mut self, id: usize) {
        if let Some(found) = &mut self.found {
            found[id] = 1;
        }
    }
}

impl<'a, M: Messages<'a>> UniformBatch<'a> for Whole<'_, M> {
    #[inline]
    fn next_uniform(&mut self, count: usize) -> Option<usize> {
        let first = self.next;
        if self.messages.count() - first < count {
            return None;
        }
        if !self.messages.are_uniform(first..first + count) {
            return None;
        }
        self.next += count;
        Some(first)
    }

    #[inline]
    fn next_len(&self) -> Option<usize> {
        (self.next < self.messages.count()).then(|| self.messages.get(self.next).len())
    }

    #[inline]
    fn message(&self, id: usize) -> &'a [u8] {
        self.messages.get(id)
    }
}

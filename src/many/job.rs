//! What a batch of messages gives to be hashed, and what it gets.

use crate::block::{Block, State};
use crate::compress;
use crate::cpu::Available;
use crate::lanes::LaneKernel;

/// A message, or what is left of it.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// What the batch calls it.
    pub id: usize,
    /// Whether [`Batch::head`] has a block that comes before the other bytes.
    pub has_head: bool,
    /// The bytes that are left.
    pub rest: &'a [u8],
    /// What comes after their last whole block.
    pub end: End,
}

/// How a message ends.
#[derive(Clone, Copy)]
pub enum End {
    /// It goes on some other time: the bytes after the last whole block are left alone.
    Open,
    /// With padding, for a message of so many bytes.
    Padded(u64),
    /// With a block that has only the length: the 1 bit is in the block before.
    LengthBlock(u64),
}

/// Messages to hash.
pub trait Batch<'a> {
    /// Whether all messages begin with the initial hash value.
    fn all_begin_initial(&self) -> bool;
    /// The next message that has any block or an end, if there is one.
    fn next(&mut self) -> Option<Job<'a>>;
    /// The chaining value at its start.
    fn ihv(&self, id: usize) -> State;
    /// The block that comes before its other bytes; asked only of jobs that have one.
    fn head(&self, _id: usize) -> Block {
        unreachable!("no job of this batch has a head")
    }
    /// The message is compressed, and this is its chaining value.
    fn finish(&mut self, id: usize, state: &State);
    /// The best kernel for so many messages, if that is not to hash one after the other.
    fn kernel(&self, count: usize) -> Option<Available<LaneKernel>> {
        compress::for_count(count, false)
    }
    /// Compress blocks of a single message.
    fn compress(&mut self, _id: usize, state: &mut State, blocks: &[Block]) {
        compress::compress(state, blocks);
    }
    /// There is an attack in the message.
    fn attack_found(&mut self, _id: usize) {}
}

//! Buffering, padding and length: everything of FIPS 180-4 section 5 that is not
//! compression, written once for all contexts.
//!
//! A [`Context`] is memory of the caller's, in whatever layout a foreign API gave it, that
//! lends us its chaining value and its block; an [`Engine`] is how blocks are compressed,
//! plainly or with collision detection.

pub mod padding;
pub mod tail;

use core::mem::MaybeUninit;
use core::slice;

use crate::barrier::settle_block;
use crate::block::{self, BLOCK_LEN, Block, Digest, INITIAL, State};
use crate::compress::{self, Backend};
use crate::cpu::Available;

/// The bytes of a context that wait for their block to fill up. Those that no message byte
/// has reached yet may never have been written.
pub type Waiting = [MaybeUninit<u8>; BLOCK_LEN];

/// A hash in progress. The first `length() % 64` bytes of the block wait there.
pub trait Context {
    /// The chaining value and the block of waiting bytes.
    fn parts(&mut self) -> (&mut State, &mut Waiting);
    /// Bytes hashed so far, waiting ones included.
    fn length(&self) -> u64;
    /// Set the number of bytes hashed so far.
    fn set_length(&mut self, len: u64);
}

/// How a context's blocks are compressed.
pub trait Engine<C>: Copy {
    /// Compress `blocks`, which begin at byte `at` of the message.
    fn compress(self, ctx: &mut C, blocks: &[Block], at: u64);
    /// The same for the context's own block, all of whose bytes have been written.
    fn compress_waiting(self, ctx: &mut C, at: u64);
}

/// The engine that only hashes, with the best backend.
#[derive(Clone, Copy)]
pub struct Plain;

impl<C: Context> Engine<C> for Plain {
    #[inline(always)]
    fn compress(self, ctx: &mut C, blocks: &[Block], at: u64) {
        Engine::compress(compress::best(), ctx, blocks, at);
    }
    #[inline(always)]
    fn compress_waiting(self, ctx: &mut C, at: u64) {
        Engine::compress_waiting(compress::best(), ctx, at);
    }
}

/// A backend is an engine that only hashes.
impl<C: Context> Engine<C> for Available<Backend> {
    #[inline(always)]
    fn compress(self, ctx: &mut C, blocks: &[Block], _at: u64) {
        Available::<Backend>::compress(self, ctx.parts().0, blocks);
    }
    #[inline(always)]
    fn compress_waiting(self, ctx: &mut C, _at: u64) {
        let (state, waiting) = ctx.parts();
        Available::<Backend>::compress(self, state, slice::from_ref(settle_block(waiting, BLOCK_LEN)));
    }
}

/// Hash `data` as the next bytes of the message.
#[inline(always)]
pub fn update<C: Context, E: Engine<C>>(ctx: &mut C, engine: E, mut data: &[u8]) {
    let len = ctx.length();
    let waiting = (len % BLOCK_LEN as u64) as usize;
    let mut at = len - waiting as u64;
    ctx.set_length(len.wrapping_add(data.len() as u64));
    if waiting > 0 {
        let free = &mut settle_block(ctx.parts().1, waiting)[waiting..];
        let Some((head, rest)) = data.split_at_checked(free.len()) else {
            free[..data.len()].copy_from_slice(data);
            return;
        };
        free.copy_from_slice(head);
        engine.compress_waiting(ctx, at);
        at = at.wrapping_add(BLOCK_LEN as u64);
        data = rest;
    }
    let (blocks, tail) = data.as_chunks::<BLOCK_LEN>();
    if !blocks.is_empty() {
        engine.compress(ctx, blocks, at);
    }
    if !tail.is_empty() {
        tail::store(settle_block(ctx.parts().1, 0), tail);
    }
}

/// Pad, hash the padding and give the digest.
#[inline(always)]
pub fn finish<C: Context, E: Engine<C>>(ctx: &mut C, engine: E) -> Digest {
    let len = ctx.length();
    let waiting = (len % BLOCK_LEN as u64) as usize;
    let at = len - waiting as u64;
    let block = settle_block(ctx.parts().1, waiting);
    match padding::padding(block, len) {
        (last, None) => engine.compress(ctx, &[last], at),
        (last, Some(length)) => engine.compress(ctx, &[last, length], at),
    }
    block::digest(ctx.parts().0)
}

/// Messages shorter than this can be hashed in one run of blocks.
pub const SHORT: usize = 2 * BLOCK_LEN;

/// The digest of a whole message shorter than [`SHORT`], given a context of nothing yet. It
/// is hashed in one run of blocks: what an engine does once for each run counts for so few.
#[inline(always)]
pub fn digest_short<C: Context, E: Engine<C>>(ctx: &mut C, engine: E, message: &[u8]) -> Digest {
    let mut blocks = [[0; BLOCK_LEN]; 3];
    let (whole, tail) = message.as_chunks::<BLOCK_LEN>();
    let mut n = 0;
    if let Some(whole) = whole.first() {
        blocks[0] = *whole;
        n = 1;
    }
    let (last, length) = padding::padding_of_tail(tail, message.len() as u64);
    blocks[n] = last;
    n += 1;
    if let Some(length) = length {
        blocks[n] = length;
        n += 1;
    }
    engine.compress(ctx, &blocks[..n], 0);
    block::digest(ctx.parts().0)
}

/// The digest of `data`.
#[inline]
pub fn digest(data: &[u8]) -> Digest {
    let mut hasher = Hasher::new();
    update(&mut hasher, Plain, data);
    finish(&mut hasher, Plain)
}

/// The context of all who have no foreign layout to keep to.
#[derive(Clone, Copy)]
pub struct Hasher {
    len: u64,
    state: State,
    waiting: Waiting,
}

impl Hasher {
    /// A hash of nothing yet.
    #[inline(always)]
    pub const fn new() -> Self {
        Self { len: 0, state: INITIAL, waiting: [const { MaybeUninit::uninit() }; BLOCK_LEN] }
    }
}

impl Default for Hasher {
    fn default() -> Self {
        Self::new()
    }
}

impl Context for Hasher {
    #[inline(always)]
    fn parts(&mut self) -> (&mut State, &mut Waiting) {
        (&mut self.state, &mut self.waiting)
    }
    #[inline(always)]
    fn length(&self) -> u64 {
        self.len
    }
    #[inline(always)]
    fn set_length(&mut self, len: u64) {
        self.len = len;
    }
}

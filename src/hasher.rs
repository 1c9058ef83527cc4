//! Buffering, padding and length: everything of FIPS 180-4 section 5 that is
//! not compression, written once for all contexts.
//!
//! A [`Context`] is memory of the caller's, in whatever layout a foreign API
//! gave it, that lends us its chaining value and its block; an [`Engine`] is
//! how blocks are compressed, plainly or with collision detection.

use core::array;

use crate::block::{self, BLOCK_LEN, Block, Digest, State};
use crate::compress;

/// A hash in progress. The first `length() % 64` bytes of the block wait there.
pub trait Context {
    /// The chaining value and the block of waiting bytes.
    fn parts(&mut self) -> (&mut State, &mut Block);
    /// Bytes hashed so far, waiting ones included.
    fn length(&self) -> u64;
    /// Set the number of bytes hashed so far.
    fn set_length(&mut self, len: u64);
}

/// How a context's blocks are compressed.
pub trait Engine<C> {
    /// Compress `blocks`, which begin at byte `at` of the message.
    fn compress(ctx: &mut C, blocks: &[Block], at: u64);
    /// The same for the context's own block, now full.
    fn compress_waiting(ctx: &mut C, at: u64);
}

/// The engine that only hashes.
pub struct Plain;

impl<C: Context> Engine<C> for Plain {
    #[inline(always)]
    fn compress(ctx: &mut C, blocks: &[Block], _at: u64) {
        compress::compress(ctx.parts().0, blocks);
    }

    #[inline(always)]
    fn compress_waiting(ctx: &mut C, _at: u64) {
        let (state, block) = ctx.parts();
        compress::compress(state, core::slice::from_ref(block));
    }
}

/// Start a hash.
#[inline(always)]
pub fn init<C: Context>(ctx: &mut C) {
    *ctx.parts().0 = block::INITIAL;
    ctx.set_length(0);
}

/// Hash `data` as the next bytes of the message.
#[inline(always)]
pub fn update<C: Context, E: Engine<C>>(ctx: &mut C, mut data: &[u8]) {
    let len = ctx.length();
    let waiting = (len % BLOCK_LEN as u64) as usize;
    let mut at = len - waiting as u64;
    ctx.set_length(len.wrapping_add(data.len() as u64));
    if waiting > 0 {
        let free = &mut ctx.parts().1[waiting..];
        let Some((head, rest)) = data.split_at_checked(free.len()) else {
            free[..data.len()].copy_from_slice(data);
            return;
        };
        free.copy_from_slice(head);
        E::compress_waiting(ctx, at);
        at = at.wrapping_add(BLOCK_LEN as u64);
        data = rest;
    }
    let (blocks, tail) = data.as_chunks::<BLOCK_LEN>();
    if !blocks.is_empty() {
        E::compress(ctx, blocks, at);
    }
    if !tail.is_empty() {
        compress::tail::store(ctx.parts().1, tail);
    }
}

/// Pad (section 5.1.1), hash the padding and give the digest.
#[inline(always)]
pub fn finish<C: Context, E: Engine<C>>(ctx: &mut C) -> Digest {
    let len = ctx.length();
    let at = len - len % BLOCK_LEN as u64;
    let (first, second) = padding(ctx.parts().1, len);
    match second {
        None => E::compress(ctx, &[first], at),
        Some(second) => E::compress(ctx, &[first, second], at),
    }
    block::digest(ctx.parts().0)
}

/// The last block or two of a message of `len` bytes (section 5.1.1), of which
/// `block` begins with the last `len % 64`.
#[inline(always)]
pub fn padding(block: &Block, len: u64) -> (Block, Option<Block>) {
    let waiting = (len % BLOCK_LEN as u64) as usize;
    let mut length = [0; BLOCK_LEN];
    length[LENGTH_AT..].copy_from_slice(&len.wrapping_mul(8).to_be_bytes());
    // Whole-block operations throughout: see `compress::tail` for the reason.
    let padded: Block =
        array::from_fn(|i| block[i] & KEEP[BLOCK_LEN - waiting + i] | MARK[BLOCK_LEN - waiting + i]);
    if waiting < LENGTH_AT {
        (array::from_fn(|i| padded[i] | length[i]), None)
    } else {
        (padded, Some(length))
    }
}

/// Where in the last block the length of the message stands.
pub const LENGTH_AT: usize = BLOCK_LEN - 8;

/// All ones for the bytes before index 64, zero after: read from `64 - n` on,
/// it keeps the first n bytes of a block.
static KEEP: [u8; 2 * BLOCK_LEN] = {
    let mut table = [0; 2 * BLOCK_LEN];
    let mut i = 0;
    while i < BLOCK_LEN {
        table[i] = 0xff;
        i += 1;
    }
    table
};

/// The 1 bit that ends the message, read in the same way.
static MARK: [u8; 2 * BLOCK_LEN] = {
    let mut table = [0; 2 * BLOCK_LEN];
    table[BLOCK_LEN] = 0x80;
    table
};

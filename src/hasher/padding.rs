//! Padding (FIPS 180-4, section 5.1.1).
//!
//! A message ends with a 1 bit, zeros and its length, in the block of its last bytes if
//! they leave room for that, or else in one more. There are two ways to write the first:
//! [`padding`] uses whole-block operations, because the block is compressed at once (see
//! [`super::tail`] for what single bytes would cost then); [`write_padding`] stores what
//! has to be stored and no more, because the block is compressed much later.

use core::array;

use super::tail;
use crate::block::{BLOCK_LEN, Block};

/// Where in the last block the length of the message stands.
const LENGTH_AT: usize = BLOCK_LEN - 8;

/// The last block or two of a message of `len` bytes, of which `block` begins with the last
/// `len % 64`.
#[inline(always)]
pub fn padding(block: &Block, len: u64) -> (Block, Option<Block>) {
    let waiting = waiting(len);
    let length = length_block(len);
    let padded: Block =
        array::from_fn(|i| block[i] & KEEP[BLOCK_LEN - waiting + i] | MARK[BLOCK_LEN - waiting + i]);
    if takes_two_blocks(len) {
        (padded, Some(length))
    } else {
        (array::from_fn(|i| padded[i] | length[i]), None)
    }
}

/// How many bytes of a message of `len` are not in its whole blocks.
#[inline(always)]
fn waiting(len: u64) -> usize {
    (len % BLOCK_LEN as u64) as usize
}

/// Whether the length of a message does not go into the block of its last bytes.
#[inline(always)]
pub fn takes_two_blocks(len: u64) -> bool {
    waiting(len) >= LENGTH_AT
}

/// The same from the bytes after the message's last whole block.
#[inline(always)]
pub fn padding_of_tail(tail: &[u8], len: u64) -> (Block, Option<Block>) {
    let mut block = [0; BLOCK_LEN];
    tail::store(&mut block, tail);
    padding(&block, len)
}

/// Write the padded block of a message of `len` bytes, of which `tail` are those after the
/// last whole block, into one of zeros. Returns whether a [`length_block`] has to follow.
#[inline(always)]
pub fn write_padding(block: &mut Block, tail: &[u8], len: u64) -> bool {
    tail::store(block, tail);
    block[tail.len()] = 0x80;
    let two = takes_two_blocks(len);
    if !two {
        write_length(block, len);
    }
    two
}

/// The block of a message of `len` bytes that has nothing but its length.
#[inline(always)]
pub fn length_block(len: u64) -> Block {
    let mut block = [0; BLOCK_LEN];
    write_length(&mut block, len);
    block
}

/// The length is counted in bits.
#[inline(always)]
fn write_length(block: &mut Block, len: u64) {
    block[LENGTH_AT..].copy_from_slice(&len.wrapping_mul(8).to_be_bytes());
}

/// All ones for the bytes before index 64, zero after: read from `64 - n` on, it keeps the
/// first n bytes of a block.
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

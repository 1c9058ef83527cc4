//! Storing the bytes after the last whole block, ready for the compressor.
//!
//! A tail is stored 16 bytes at a time, as the backends load it (see `stores`),
//! with the last piece filled up with zeros. A plain `memcpy` would write overlapping
//! pieces, which costs a quarter of the time of a 20-byte message.

use crate::block::{BLOCK_LEN, Block};
use crate::stores::{PIECE, store_piece};

/// Put `tail`, which is shorter than a block, at the start of `block`.
///
/// The bytes behind it become zero as far as the last piece goes.
#[inline(always)]
pub fn store(block: &mut Block, tail: &[u8]) {
    store_with(block, tail, |_| 0);
}

/// Put `tail`, which is shorter than a block, at the start of `block`, which has zeros there;
/// the bytes behind it stay.
#[inline(always)]
pub fn merge(block: &mut Block, tail: &[u8]) {
    store_with(block, tail, |piece| u128::from_le_bytes(*piece));
}

/// Put `tail` at the start of `block`, and into its last piece the bits that `behind` makes of
/// what is there.
#[inline(always)]
fn store_with(block: &mut Block, tail: &[u8], behind: impl Fn(&[u8; PIECE]) -> u128) {
    debug_assert!(tail.len() < BLOCK_LEN);
    let (pieces, rest) = tail.as_chunks::<PIECE>();
    let (whole, after) = block.split_at_mut(pieces.len() * PIECE);
    for (to, from) in whole.as_chunks_mut::<PIECE>().0.iter_mut().zip(pieces) {
        *to = *from;
    }
    if !rest.is_empty()
        && let Some(last) = after.first_chunk_mut::<PIECE>()
    {
        let value = match tail.last_chunk::<PIECE>() {
            // The 16 bytes that end with the tail, less those already stored.
            Some(end) => u128::from_le_bytes(*end) >> (8 * (PIECE - rest.len())),
            None => short(rest),
        };
        store_piece(last, value | behind(last));
    }
}

/// Fewer than 16 bytes as a number, little-endian, without a loop.
#[inline(always)]
fn short(bytes: &[u8]) -> u128 {
    let n = bytes.len();
    if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        u128::from(u64::from_le_bytes(*first)) | u128::from(u64::from_le_bytes(*last)) << (8 * (n - 8))
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        u128::from(u64::from(first) | u64::from(last) << (8 * (n - 4)))
    } else if n > 0 {
        let at = |i: usize| u32::from(bytes[i]) << (8 * i);
        u128::from(at(0) | at(n / 2) | at(n - 1))
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_arrives() {
        let data: [u8; 63] = core::array::from_fn(|i| i as u8 + 1);
        for n in 0..BLOCK_LEN {
            for start in 0..=(63 - n).min(17) {
                let tail = &data[start..start + n];
                let mut block = [0xee; BLOCK_LEN];
                store(&mut block, tail);
                assert_eq!(&block[..n], tail);

                let mut block = [0; BLOCK_LEN];
                block[n..].fill(0xee);
                merge(&mut block, tail);
                assert_eq!(&block[..n], tail);
                assert!(block[n..].iter().all(|&byte| byte == 0xee));
            }
        }
    }
}

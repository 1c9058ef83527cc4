//! The units of FIPS 180-4: words, blocks and the chaining value.

use core::array;
use core::mem::MaybeUninit;

/// One 512-bit message block, as bytes.
pub type Block = [u8; BLOCK_LEN];

/// The chaining value H0..H4 (FIPS 180-4, section 6.1.2), or the five working words a to e
/// that the rounds make of it.
pub type State = [u32; 5];

/// A finished digest, most significant byte first.
pub type Digest = [u8; DIGEST_LEN];

/// Bytes in a block.
pub const BLOCK_LEN: usize = 64;

/// Bytes in a digest.
pub const DIGEST_LEN: usize = 20;

/// The initial hash value (section 5.3.1).
pub const INITIAL: State = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];

/// The constants K, one for each 20 rounds (section 4.2.1).
pub const K: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];

/// The chaining value as the bytes of a digest.
#[inline(always)]
pub fn digest(state: &State) -> Digest {
    let mut out = [0; DIGEST_LEN];
    for (bytes, word) in out.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    out
}

/// The words of a block, W\[0\] to W\[15\] of its schedule.
#[inline(always)]
pub fn words(block: &Block) -> [u32; 16] {
    let (words, _) = block.as_chunks::<4>();
    array::from_fn(|i| u32::from_be_bytes(words[i]))
}

/// Digests as room for digests.
#[allow(unsafe_code)]
pub(crate) fn as_uninit(digests: &mut [Digest]) -> &mut [MaybeUninit<Digest>] {
    // SAFETY: the layout is the same. Nobody in this crate makes a written digest an
    // unwritten one, which is all that the type would allow beyond the other.
    unsafe { core::slice::from_raw_parts_mut(digests.as_mut_ptr().cast(), digests.len()) }
}

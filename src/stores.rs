//! Stores that the next load finds in the store buffer.
//!
//! A CPU forwards a load from the store buffer only when one store covers all of it;
//! otherwise the load waits until the stores have retired, behind whatever the CPU was
//! still hashing. The backends load 16 bytes at a time, so what they are going to load at
//! once is stored in pieces of 16 bytes.

use crate::block::State;

/// The width of the backends' loads, in bytes.
pub const PIECE: usize = 16;

/// Put a chaining value where a backend loads its first four words at once.
#[inline(always)]
pub fn store_state(to: &mut State, state: State) {
    #[cfg(target_arch = "x86_64")]
    {
        let [a, b, c, d, e] = state.map(u128::from);
        // SAFETY: the first four of five words are 16 writable bytes.
        let first = unsafe { &mut *(&raw mut *to).cast::<[u8; PIECE]>() };
        store_piece(first, a | b << 32 | c << 64 | d << 96);
        to[4] = e as u32;
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        *to = state;
    }
}

/// One 16-byte store. (The compiler, left alone, stores a `u128` as two halves.)
#[inline(always)]
pub fn store_piece(to: &mut [u8; PIECE], value: u128) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_mm_set_epi64x, _mm_storeu_si128};
        // SAFETY: SSE2 is part of x86-64; `to` is 16 writable bytes, and the
        // store needs no alignment.
        unsafe {
            let vector = _mm_set_epi64x((value >> 64) as i64, value as i64);
            _mm_storeu_si128(to.as_mut_ptr().cast(), vector);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        *to = value.to_le_bytes();
    }
}

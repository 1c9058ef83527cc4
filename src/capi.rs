//! The C ABI: what the skins share.
//!
//! Each skin is one foreign API in one file of `extern "C"` functions. They
//! borrow the caller's context and buffers for the length of a call and keep
//! nothing. None of them unwinds, allocates or takes a lock.

pub mod bytes;
pub mod git;
pub mod gnulib;
pub mod libiberty;
mod many;
pub mod native;
pub mod sha1dc;

use core::ffi::c_uchar;

use crate::block::{BLOCK_LEN, Block, Digest};
use crate::hasher::{self, Context, Plain};

/// The first 16 words of a context's buffer as the bytes that they hold.
#[inline(always)]
fn as_block<const N: usize>(words: &mut [u32; N]) -> &mut Block {
    const { assert!(N >= 16) };
    // SAFETY: 16 words are a block's 64 bytes; bytes need no alignment.
    unsafe { &mut *words.as_mut_ptr().cast::<Block>() }
}

/// Call `f` with the bytes at `data`: in one slice, or in two where there are
/// more than a slice can hold (over half of a 32-bit address space).
///
/// # Safety
/// `data` must be readable for `len` bytes; it may be NULL when `len` is 0.
#[inline(always)]
unsafe fn with_bytes(data: *const u8, len: usize, mut f: impl FnMut(&[u8])) {
    // Whole blocks, which `sha1_process_block` takes.
    const MOST: usize = isize::MAX as usize & !(BLOCK_LEN - 1);
    if len == 0 {
        f(&[]);
        return;
    }
    let first = len.min(MOST);
    // SAFETY: readable for `first` bytes by this function's contract.
    f(unsafe { core::slice::from_raw_parts(data, first) });
    // No object fills more than half of a 64-bit address space.
    if usize::BITS < 64 && len > MOST {
        // SAFETY: the rest of the same bytes. (The minimum is for a whole
        // address space, which nothing can fill.)
        f(unsafe { core::slice::from_raw_parts(data.add(MOST), (len - MOST).min(isize::MAX as usize)) });
    }
}

/// `update` for a plain context.
///
/// # Safety
/// `ctx` must point to a context; `data` as in [`with_bytes`].
#[inline(always)]
unsafe fn update<C: Context>(ctx: *mut C, data: *const u8, len: usize) {
    // SAFETY: both by this function's contract.
    unsafe {
        let ctx = &mut *ctx;
        with_bytes(data, len, |bytes| hasher::update::<C, Plain>(ctx, bytes));
    }
}

/// `final` for a plain context.
///
/// # Safety
/// `ctx` must point to a context and `digest` to 20 writable bytes.
#[inline(always)]
unsafe fn finish<C: Context>(digest: *mut c_uchar, ctx: *mut C) {
    // SAFETY: both by this function's contract. The context is done with when
    // the digest is written: the two may overlap.
    unsafe { write_digest(digest, hasher::finish::<C, Plain>(&mut *ctx)) }
}

/// Store a digest at any alignment.
///
/// # Safety
/// `to` must be writable for 20 bytes.
#[inline(always)]
unsafe fn write_digest(to: *mut c_uchar, digest: Digest) {
    // SAFETY: writable by contract; a byte array has no alignment.
    unsafe { *to.cast::<Digest>() = digest }
}

#[cfg(all(not(test), panic = "abort"))]
mod panic {
    /// Nothing here should panic; if it does, stop before a digest is wrong.
    #[panic_handler]
    fn panic(_: &core::panic::PanicInfo) -> ! {
        // SAFETY: `abort` may be called at any time.
        unsafe { libc::abort() }
    }
}

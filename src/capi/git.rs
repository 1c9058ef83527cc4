//! git's block-sha1: `block-sha1/sha1.h`.

use core::ffi::{c_uchar, c_uint, c_ulonglong, c_void};
use core::mem::MaybeUninit;

use super::{as_waiting, finish, update};
use crate::block::{INITIAL, State};
use crate::hasher::{Context, Waiting};

/// A SHA-1 computation in progress, field for field git's own.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_snake_case)]
pub struct blk_SHA_CTX {
    /// Bytes hashed so far.
    size: c_ulonglong,
    /// The chaining value.
    H: [c_uint; 5],
    /// The last size % 64 bytes, as they came.
    W: [MaybeUninit<c_uint>; 16],
}

impl Context for blk_SHA_CTX {
    #[inline(always)]
    fn parts(&mut self) -> (&mut State, &mut Waiting) {
        (&mut self.H, as_waiting(&mut self.W))
    }
    #[inline(always)]
    fn length(&self) -> u64 {
        self.size
    }
    #[inline(always)]
    fn set_length(&mut self, len: u64) {
        self.size = len;
    }
}

/// Start a computation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blk_SHA1_Init(ctx: *mut blk_SHA_CTX) {
    let fresh = blk_SHA_CTX { size: 0, H: INITIAL, W: [MaybeUninit::uninit(); 16] };
    // SAFETY: the caller's context is writable.
    unsafe { ctx.write(fresh) }
}

/// Hash len more bytes; dataIn may be NULL when len is 0.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub unsafe extern "C" fn blk_SHA1_Update(ctx: *mut blk_SHA_CTX, dataIn: *const c_void, len: usize) {
    // SAFETY: the caller's context is initialised, and its data readable for len bytes.
    unsafe { update(ctx, dataIn.cast(), len) }
}

/// Finish, and write the 20 bytes of the digest.
/// cbindgen:ptrs-as-arrays=[[hashout;20]]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blk_SHA1_Final(hashout: *mut c_uchar, ctx: *mut blk_SHA_CTX) {
    // SAFETY: the caller's context is initialised, and its digest writable.
    unsafe { finish(hashout, ctx) }
}

const _: () = {
    use core::mem::{align_of, offset_of, size_of};
    assert!(size_of::<blk_SHA_CTX>() == (8 + 20 + 64usize).next_multiple_of(align_of::<u64>()));
    assert!(offset_of!(blk_SHA_CTX, H) == 8);
    assert!(offset_of!(blk_SHA_CTX, W) == 28);
};

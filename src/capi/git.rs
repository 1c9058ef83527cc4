//! git's block-sha1: `block-sha1/sha1.h`. Its context and functions are those of `shaone.h`
//! under other names.

use core::ffi::{c_uchar, c_uint, c_ulonglong, c_void};
use core::mem::MaybeUninit;

use super::native::{self, shaone_ctx};

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

/// Start a computation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blk_SHA1_Init(ctx: *mut blk_SHA_CTX) {
    // SAFETY: this function has the same contract, and its context the same layout.
    unsafe { native::shaone_init(ctx.cast()) }
}

/// Hash len more bytes; dataIn may be NULL when len is 0.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub unsafe extern "C" fn blk_SHA1_Update(ctx: *mut blk_SHA_CTX, dataIn: *const c_void, len: usize) {
    // SAFETY: this function has the same contract, and its context the same layout.
    unsafe { native::shaone_update(ctx.cast(), dataIn, len) }
}

/// Finish, and write the 20 bytes of the digest.
/// cbindgen:ptrs-as-arrays=[[hashout;20]]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blk_SHA1_Final(hashout: *mut c_uchar, ctx: *mut blk_SHA_CTX) {
    // SAFETY: this function has the same contract, and its context the same layout.
    unsafe { native::shaone_final(hashout, ctx.cast()) }
}

const _: () = {
    use core::mem::{align_of, offset_of, size_of};
    assert!(size_of::<blk_SHA_CTX>() == size_of::<shaone_ctx>());
    assert!(align_of::<blk_SHA_CTX>() == align_of::<shaone_ctx>());
    assert!(offset_of!(blk_SHA_CTX, H) == 8);
    assert!(offset_of!(blk_SHA_CTX, W) == 28);
};

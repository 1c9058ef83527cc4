//! Our own API: `shaone.h`.

use core::ffi::{c_char, c_int, c_uchar, c_void};
use core::mem::MaybeUninit;

use super::{finish, update, with_bytes, write_digest};
use crate::barrier::settle_block;
use crate::block::{BLOCK_LEN, Block, INITIAL, State};
use crate::compress;
use crate::detect::{Attack, Checked, CheckedContext, CheckedHasher, Options};
use crate::hasher::{self, Context, Hasher, Waiting};

/// A SHA-1 computation in progress.
///
/// Plain data, 96 bytes (92 on i386): no pointers, nothing to free. Copy it with = or
/// memcpy to fork a computation; drop it without a call. The layout is that
/// of git's blk_SHA_CTX. One thread at a time may use one context.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct shaone_ctx {
    /// Bytes hashed so far, modulo 2^64.
    size: u64,
    /// The chaining value H0..H4.
    h: [u32; 5],
    /// The last size % 64 bytes, not yet compressed.
    block: [MaybeUninit<u8>; 64],
}

impl Context for shaone_ctx {
    #[inline(always)]
    fn parts(&mut self) -> (&mut State, &mut Waiting) {
        (&mut self.h, &mut self.block)
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

impl shaone_ctx {
    /// A hash of nothing yet.
    #[inline(always)]
    pub(super) const fn new() -> Self {
        shaone_ctx { size: 0, h: INITIAL, block: [MaybeUninit::uninit(); BLOCK_LEN] }
    }

    /// The block of waiting bytes, and behind them any others.
    #[inline(always)]
    pub(super) fn waiting_block(mut self) -> Block {
        *settle_block(&mut self.block, (self.size % BLOCK_LEN as u64) as usize)
    }
}

/// Start a computation. ctx need not have been initialised before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shaone_init(ctx: *mut shaone_ctx) {
    // SAFETY: the caller's context is writable.
    unsafe { ctx.write(shaone_ctx::new()) }
}

/// Hash len more bytes: any length, any alignment; data may be NULL when len
/// is 0.
#[unsafe(no_mangle)]
#[inline(never)] // The other names jump here.
pub unsafe extern "C" fn shaone_update(ctx: *mut shaone_ctx, data: *const c_void, len: usize) {
    // SAFETY: the caller's context is initialised, and its data readable for len bytes.
    unsafe { update(ctx, data.cast(), len) }
}

/// Finish: write the 20 bytes of the digest, at any alignment. ctx is used up
/// and may go to shaone_init again.
/// cbindgen:ptrs-as-arrays=[[digest;20]]
#[unsafe(no_mangle)]
#[inline(never)] // The other names jump here.
pub unsafe extern "C" fn shaone_final(digest: *mut c_uchar, ctx: *mut shaone_ctx) {
    // SAFETY: the caller's context is initialised, and its digest writable.
    unsafe { finish(digest, ctx) }
}

/// Write the digest of what was hashed so far; the computation goes on.
/// cbindgen:ptrs-as-arrays=[[digest;20]]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shaone_peek(digest: *mut c_uchar, ctx: *const shaone_ctx) {
    // SAFETY: the caller's context is readable.
    let mut copy = unsafe { ctx.read() };
    // SAFETY: the copy is initialised, if the context is, and the caller's digest writable.
    unsafe { finish(digest, &raw mut copy) }
}

/// Write the digest of len bytes at data: any length, any alignment; data may
/// be NULL when len is 0.
/// cbindgen:ptrs-as-arrays=[[digest;20]]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shaone_digest(data: *const c_void, len: usize, digest: *mut c_uchar) {
    let mut hasher = Hasher::new();
    // SAFETY: the hasher is initialised, the caller's data readable for len bytes, and its
    // digest writable.
    unsafe {
        update(&raw mut hasher, data.cast(), len);
        finish(digest, &raw mut hasher);
    }
}

/// Write the digest of what can be read from the file descriptor fd, from its
/// current offset to its end.
///
/// Returns 0; or -1 with errno as read(2) set it, and digest is untouched. A
/// read that a signal interrupts is begun again. Blocks as long as read does. Takes
/// 36 KiB of stack. (On Windows: a descriptor of the C runtime's, opened with O_BINARY.)
/// cbindgen:ptrs-as-arrays=[[digest;20]]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shaone_digest_fd(fd: c_int, digest: *mut c_uchar) -> c_int {
    let mut hasher = Hasher::new();
    let mut piece = [MaybeUninit::<u8>::uninit(); PIECE_LEN];
    loop {
        // SAFETY: the piece has as many writable bytes.
        match unsafe { libc::read(fd, piece.as_mut_ptr().cast(), PIECE_LEN as _) } {
            0 => break,
            // SAFETY: the hasher is initialised, and read has written that many bytes.
            n @ 1.. => unsafe { update(&raw mut hasher, piece.as_ptr().cast(), n as usize) },
            _ if errno::errno().0 == libc::EINTR => {}
            _ => return -1,
        }
    }
    // SAFETY: the hasher is initialised, and the caller's digest writable.
    unsafe { finish(digest, &raw mut hasher) };
    0
}

/// What `shaone_digest_fd` reads at once: large enough that the calls do not
/// count, small enough for a thread's stack.
const PIECE_LEN: usize = 32 * 1024;

/// A SHA-1 computation with collision detection (Stevens and Shumow, USENIX Security
/// 2017) in progress.
///
/// Plain data like shaone_ctx, 96 bytes. One thread at a time may use one context.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct shaone_checked_ctx {
    /// Bytes hashed so far, modulo 2^64.
    size: u64,
    /// The chaining value H0..H4.
    h: [u32; 5],
    /// The last size % 64 bytes, not yet compressed.
    block: [MaybeUninit<u8>; 64],
    /// 1 if a collision attack was found so far, otherwise 0.
    found: c_int,
}

impl Context for shaone_checked_ctx {
    #[inline(always)]
    fn parts(&mut self) -> (&mut State, &mut Waiting) {
        (&mut self.h, &mut self.block)
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

impl CheckedContext for shaone_checked_ctx {
    #[inline(always)]
    fn options(&self) -> Options {
        Options::DETECT
    }
    fn attack_found(&mut self, _: &Attack) {
        self.found = 1;
    }
}

/// Start a computation with collision detection. ctx need not have been initialised
/// before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shaone_checked_init(ctx: *mut shaone_checked_ctx) {
    let fresh =
        shaone_checked_ctx { size: 0, h: INITIAL, block: [MaybeUninit::uninit(); BLOCK_LEN], found: 0 };
    // SAFETY: the caller's context is writable.
    unsafe { ctx.write(fresh) }
}

/// Hash and check len more bytes: any length, any alignment; data may be NULL when len
/// is 0. Takes 20 KiB of stack.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shaone_checked_update(
    ctx: *mut shaone_checked_ctx,
    data: *const c_void,
    len: usize,
) {
    // SAFETY: the caller's context is initialised, and its data readable for len bytes.
    unsafe {
        let ctx = &mut *ctx;
        with_bytes(data.cast(), len, |bytes| hasher::update(ctx, Checked, bytes));
    }
}

/// Finish: write the 20 bytes of the digest, at any alignment, which is SHA-1's in any
/// case. ctx is used up and may go to shaone_checked_init again.
///
/// Returns 0; or 1 if the message is part of a collision attack. Takes 20 KiB of stack.
/// cbindgen:ptrs-as-arrays=[[digest;20]]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shaone_checked_final(digest: *mut c_uchar, ctx: *mut shaone_checked_ctx) -> c_int {
    // SAFETY: the caller's context is initialised, and its digest writable.
    unsafe {
        let ctx = &mut *ctx;
        let finished = hasher::finish(ctx, Checked);
        let found = ctx.found;
        write_digest(digest, finished);
        found
    }
}

/// shaone_digest with collision detection. The digest is SHA-1's in any case.
///
/// Returns 0; or 1 if the message is part of a collision attack. Takes 20 KiB of
/// stack.
/// cbindgen:ptrs-as-arrays=[[digest;20]]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shaone_checked_digest(
    data: *const c_void,
    len: usize,
    digest: *mut c_uchar,
) -> c_int {
    let mut hasher = CheckedHasher::new();
    // SAFETY: the caller's data is readable for len bytes, and its digest writable.
    unsafe {
        with_bytes(data.cast(), len, |bytes| hasher::update(&mut hasher, Checked, bytes));
        write_digest(digest, hasher::finish(&mut hasher, Checked));
    }
    hasher.attack_found.into()
}

/// The name of the compression backend in use on this CPU, for people to read.
#[unsafe(no_mangle)]
pub extern "C" fn shaone_backend() -> *const c_char {
    compress::best().name.as_ptr()
}

/// The version of the library at run time; SHAONE_VERSION is that of the header.
#[unsafe(no_mangle)]
pub extern "C" fn shaone_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// In `force-backend` builds only: the names that SHAONE_BACKEND may have on
/// this machine (or, if playable is false, on others only), by their index; then NULL.
#[cfg(feature = "force-backend")]
#[unsafe(no_mangle)]
pub extern "C" fn shaone_level(index: usize, playable: bool) -> *const c_char {
    crate::cpu::levels(playable).nth(index).map_or(core::ptr::null(), |(name, _)| name.as_ptr())
}

const _: () = {
    use core::mem::{align_of, offset_of, size_of};
    assert!(size_of::<shaone_ctx>() == (8 + 20 + 64usize).next_multiple_of(align_of::<u64>()));
    assert!(offset_of!(shaone_ctx, size) == 0);
    assert!(offset_of!(shaone_ctx, h) == 8);
    assert!(offset_of!(shaone_ctx, block) == 28);
    assert!(size_of::<shaone_checked_ctx>() == 8 + 20 + 64 + 4);
    assert!(offset_of!(shaone_checked_ctx, h) == 8 && offset_of!(shaone_checked_ctx, block) == 28);
    assert!(offset_of!(shaone_checked_ctx, found) == 92);
};

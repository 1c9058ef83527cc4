//! gnulib's crypto/sha1 and crypto/hmac-sha1, which libiberty shares: `sha1.h`.
//!
//! Its habits are part of the contract. `total` counts only what has been
//! compressed. A block that a call fills exactly stays in the buffer, to be
//! compressed when more comes (so `buflen` can be 64); one that a call brings
//! whole is compressed at once.

use core::ffi::{c_int, c_void};
use core::mem::MaybeUninit;

use libc::FILE;

use super::{as_waiting, with_bytes, write_digest};
use crate::barrier::settle_block;
use crate::block::{self, BLOCK_LEN, DIGEST_LEN, Digest, INITIAL, State};
use crate::compress;
use crate::hasher::{self, Context, Plain, Waiting};

/// A SHA-1 computation in progress, field for field gnulib's own.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_snake_case)]
pub struct sha1_ctx {
    /// The chaining value.
    A: u32,
    B: u32,
    C: u32,
    D: u32,
    E: u32,
    /// Bytes compressed so far: the low word, then the high one.
    total: [u32; 2],
    /// Bytes waiting in the buffer, up to 128.
    buflen: u32,
    /// The waiting bytes, as they came.
    buffer: [MaybeUninit<u32>; 32],
}

impl sha1_ctx {
    /// A hash of nothing yet.
    #[inline(always)]
    fn new() -> Self {
        let [a, b, c, d, e] = INITIAL;
        sha1_ctx {
            A: a,
            B: b,
            C: c,
            D: d,
            E: e,
            total: [0; 2],
            buflen: 0,
            buffer: [MaybeUninit::uninit(); 32],
        }
    }

    #[inline(always)]
    fn total(&self) -> u64 {
        u64::from(self.total[1]) << 32 | u64::from(self.total[0])
    }

    #[inline(always)]
    fn set_total(&mut self, total: u64) {
        self.total = [total as u32, (total >> 32) as u32];
    }

    /// Compress whole blocks that wait in the buffer.
    #[inline(always)]
    fn compress_waiting(&mut self) {
        while self.buflen as usize >= BLOCK_LEN {
            let (state, waiting) = self.parts();
            compress::compress(state, core::slice::from_ref(settle_block(waiting, BLOCK_LEN)));
            self.buffer.copy_within(16.., 0);
            self.buflen -= BLOCK_LEN as u32;
            self.set_total(self.total().wrapping_add(BLOCK_LEN as u64));
        }
    }

    #[inline(never)]
    fn process_bytes(&mut self, bytes: &[u8]) {
        let waiting = self.buflen as usize;
        if waiting > BLOCK_LEN || waiting == BLOCK_LEN && !bytes.is_empty() {
            self.compress_waiting();
        } else if waiting > 0 && waiting + bytes.len() == BLOCK_LEN {
            settle_block(self.parts().1, waiting)[waiting..].copy_from_slice(bytes);
            self.buflen = BLOCK_LEN as u32;
            return;
        }
        hasher::update(self, Plain, bytes);
    }

    #[inline(never)]
    fn finish(&mut self) -> Digest {
        self.compress_waiting();
        hasher::finish(self, Plain)
    }
}

/// The digest of `len` bytes.
///
/// The exported functions share this, and do not call each other: a program may
/// have functions of its own under their names, which then take the calls.
///
/// # Safety
/// `buffer` as in [`with_bytes`].
unsafe fn digest(buffer: *const u8, len: usize) -> Digest {
    let mut ctx = sha1_ctx::new();
    // SAFETY: this function has the same contract.
    unsafe { with_bytes(buffer, len, |bytes| ctx.process_bytes(bytes)) };
    ctx.finish()
}

/// With fewer than 64 bytes waiting, `total + buflen` is the usual length.
impl Context for sha1_ctx {
    #[inline(always)]
    fn parts(&mut self) -> (&mut State, &mut Waiting) {
        // SAFETY: A to E are the first five words of the context, one behind the other, and
        // the buffer is none of them.
        let state = unsafe { &mut *(&raw mut *self).cast::<State>() };
        (state, as_waiting(&mut self.buffer))
    }
    #[inline(always)]
    fn length(&self) -> u64 {
        self.total().wrapping_add(u64::from(self.buflen))
    }
    #[inline(always)]
    fn set_length(&mut self, len: u64) {
        let waiting = len % BLOCK_LEN as u64;
        self.set_total(len - waiting);
        self.buflen = waiting as u32;
    }
}

/// Start a computation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shaone_sha1_init_ctx(ctx: *mut sha1_ctx) {
    // SAFETY: the caller's context is writable.
    unsafe { ctx.write(sha1_ctx::new()) }
}

/// Hash len more bytes, a multiple of 64, while nothing waits in the buffer.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C" fn shaone_sha1_process_block(buffer: *const c_void, len: usize, ctx: *mut sha1_ctx) {
    // SAFETY: the caller's context is initialised, and its data readable for len bytes.
    unsafe {
        let ctx = &mut *ctx;
        ctx.set_total(ctx.total().wrapping_add(len as u64));
        with_bytes(buffer.cast(), len & !(BLOCK_LEN - 1), |bytes| {
            compress::compress(ctx.parts().0, bytes.as_chunks().0);
        });
    }
}

/// Hash len more bytes; buffer may be NULL when len is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shaone_sha1_process_bytes(buffer: *const c_void, len: usize, ctx: *mut sha1_ctx) {
    // SAFETY: the caller's context is initialised, and its data readable for len bytes.
    unsafe { process_bytes(buffer, len, ctx) }
}

/// sha1_process_bytes, for calls from here.
///
/// # Safety
/// As for sha1_process_bytes.
pub(super) unsafe extern "C" fn process_bytes(buffer: *const c_void, len: usize, ctx: *mut sha1_ctx) {
    // SAFETY: the context is initialised, and the data readable for len bytes.
    unsafe {
        let ctx = &mut *ctx;
        with_bytes(buffer.cast(), len, |bytes| ctx.process_bytes(bytes));
    }
}

/// Hash what waits and the padding; write the digest to the 20 bytes at resbuf,
/// at any alignment, and return resbuf.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C" fn shaone_sha1_finish_ctx(ctx: *mut sha1_ctx, resbuf: *mut c_void) -> *mut c_void {
    // SAFETY: the caller's context is initialised, and its result writable.
    unsafe { write_digest(resbuf.cast(), (*ctx).finish()) };
    resbuf
}

/// Write the chaining value, whatever waits in the buffer, to the 20 bytes at
/// resbuf, most significant bytes first, and return resbuf. After
/// sha1_finish_ctx that is the digest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shaone_sha1_read_ctx(ctx: *const sha1_ctx, resbuf: *mut c_void) -> *mut c_void {
    // SAFETY: the caller's context is initialised as far as these fields go, and its result
    // writable.
    unsafe {
        let sha1_ctx { A, B, C, D, E, .. } = &*ctx;
        write_digest(resbuf.cast(), block::digest(&[*A, *B, *C, *D, *E]));
    }
    resbuf
}

/// Write the digest of len bytes to resblock, and return resblock.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C" fn shaone_sha1_buffer(
    buffer: *const c_void,
    len: usize,
    resblock: *mut c_void,
) -> *mut c_void {
    // SAFETY: the caller's data is readable for len bytes, and its result writable.
    unsafe { write_digest(resblock.cast(), digest(buffer.cast(), len)) };
    resblock
}

/// Write the digest of stream, from its position to its end, to resblock.
///
/// Returns 0 and leaves the stream at its end; or 1 with errno on a read error, and
/// resblock is untouched. Takes 36 KiB of stack.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C" fn shaone_sha1_stream(stream: *mut FILE, resblock: *mut c_void) -> c_int {
    const PIECE_LEN: usize = 32 * 1024;
    let mut ctx = sha1_ctx::new();
    let mut piece = [MaybeUninit::<u8>::uninit(); PIECE_LEN];
    // SAFETY: the caller's stream is open, and its result writable. fread writes no more than
    // the piece, and tells how much.
    unsafe {
        // Asked first: a terminal at its end must not be read once more.
        while libc::feof(stream) == 0 {
            let n = libc::fread(piece.as_mut_ptr().cast(), 1, PIECE_LEN, stream);
            if n == 0 && libc::ferror(stream) != 0 {
                return 1;
            }
            if n == 0 {
                break;
            }
            with_bytes(piece.as_ptr().cast(), n, |bytes| ctx.process_bytes(bytes));
        }
        write_digest(resblock.cast(), ctx.finish());
    }
    0
}

/// HMAC-SHA-1 (RFC 2104) of inlen bytes at in under a key of keylen bytes, to
/// the 20 bytes at resbuf. Returns 0.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C" fn shaone_hmac_sha1(
    key: *const c_void,
    keylen: usize,
    r#in: *const c_void,
    inlen: usize,
    resbuf: *mut c_void,
) -> c_int {
    let mut short_key = [0; BLOCK_LEN];
    // SAFETY: the caller's key and input are readable for keylen and inlen bytes, and its
    // result is writable.
    unsafe {
        if keylen > BLOCK_LEN {
            short_key[..DIGEST_LEN].copy_from_slice(&digest(key.cast(), keylen));
        } else {
            with_bytes(key.cast(), keylen, |bytes| short_key[..keylen].copy_from_slice(bytes));
        }
        let padded = |pad: u8| {
            let mut ctx = sha1_ctx::new();
            ctx.process_bytes(&short_key.map(|byte| byte ^ pad));
            ctx
        };
        let (mut inner, mut outer) = (padded(0x36), padded(0x5c));
        with_bytes(r#in.cast(), inlen, |bytes| inner.process_bytes(bytes));
        outer.process_bytes(&inner.finish());
        write_digest(resbuf.cast(), outer.finish());
    }
    0
}

const _: () = {
    use core::mem::{align_of, offset_of, size_of};
    assert!(size_of::<sha1_ctx>() == 160 && align_of::<sha1_ctx>() == 4);
    assert!(offset_of!(sha1_ctx, A) == 0 && offset_of!(sha1_ctx, E) == 16);
    assert!(offset_of!(sha1_ctx, total) == 20);
    assert!(offset_of!(sha1_ctx, buflen) == 28);
    assert!(offset_of!(sha1_ctx, buffer) == 32);
};

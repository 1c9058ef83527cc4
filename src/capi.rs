//! The C ABI: what the skins share.
//!
//! Each skin is one foreign API in one file of `extern "C"` functions. They
//! borrow the caller's context and buffers for the length of a call and keep
//! nothing. None of them unwinds, allocates or takes a lock.

pub mod bytes;
mod dropin;
pub mod git;
pub mod gnulib;
pub mod libiberty;
pub mod many;
pub mod native;
pub mod sha1dc;

use core::ffi::{c_uchar, c_void};
use core::mem::MaybeUninit;
use core::slice;

use crate::block::{BLOCK_LEN, Digest};
use crate::hasher::{self, Context, Plain, Waiting};

/// The first 16 words of a context's buffer as the bytes that they hold.
#[inline(always)]
fn as_waiting<const N: usize>(words: &mut [MaybeUninit<u32>; N]) -> &mut Waiting {
    const { assert!(N >= 16) };
    // SAFETY: 16 words are a block's 64 bytes, which need no alignment; neither type asks
    // anything of the values.
    unsafe { &mut *words.as_mut_ptr().cast::<Waiting>() }
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
    f(unsafe { slice::from_raw_parts(data, first) });
    // No object fills more than half of a 64-bit address space.
    if usize::BITS < 64 && len > MOST {
        // SAFETY: readable by this function's contract, as the rest of the same bytes. (The
        // minimum is for a whole address space, which nothing can fill.)
        f(unsafe { slice::from_raw_parts(data.add(MOST), (len - MOST).min(isize::MAX as usize)) });
    }
}

/// `update` for a plain context.
///
/// # Safety
/// `ctx` must point to a context that was initialised, and that nobody else uses during
/// the call; `data` as in [`with_bytes`].
#[inline(always)]
unsafe fn update<C: Context>(ctx: *mut C, data: *const u8, len: usize) {
    // SAFETY: `ctx` points to a context of which the call has exclusive use.
    let ctx = unsafe { &mut *ctx };
    // SAFETY: `data` has the contract of `with_bytes`.
    unsafe { with_bytes(data, len, |bytes| hasher::update(ctx, Plain, bytes)) }
}

/// `final` for a plain context.
///
/// # Safety
/// `ctx` must point to a context that was initialised, and that nobody else uses during
/// the call, and `digest` to 20 writable bytes.
#[inline(always)]
unsafe fn finish<C: Context>(digest: *mut c_uchar, ctx: *mut C) {
    // SAFETY: `ctx` points to a context of which the call has exclusive use.
    let finished = hasher::finish(unsafe { &mut *ctx }, Plain);
    // SAFETY: `digest` is writable. The context is not used any more, so that the two may
    // overlap.
    unsafe { write_digest(digest, finished) }
}

/// Store a digest at any alignment.
///
/// # Safety
/// `to` must be writable for 20 bytes.
#[inline(always)]
unsafe fn write_digest(to: *mut c_uchar, digest: Digest) {
    // SAFETY: `to` is writable by this function's contract; bytes need no alignment.
    unsafe { *to.cast::<Digest>() = digest }
}

/// The `n` elements at `array`.
///
/// # Safety
/// They must be readable, and nobody may write them, for as long as the result is used.
/// `array` may be NULL when `n` is 0.
#[inline(always)]
unsafe fn elements<'a, T>(array: *const T, n: usize) -> &'a [T] {
    if n == 0 {
        return &[];
    }
    // SAFETY: readable by this function's contract; what C allocates is no larger than a
    // slice may be.
    unsafe { slice::from_raw_parts(array, n) }
}

/// The `n` elements at `array`, which need not have been written.
///
/// # Safety
/// They must be writable, and nobody else may use them, for as long as the result is used.
/// `array` may be NULL when `n` is 0.
#[inline(always)]
unsafe fn elements_mut<'a, T>(array: *mut T, n: usize) -> &'a mut [MaybeUninit<T>] {
    if n == 0 {
        return &mut [];
    }
    // SAFETY: writable by this function's contract, of which `MaybeUninit` asks no values;
    // what C allocates is no larger than a slice may be.
    unsafe { slice::from_raw_parts_mut(array.cast(), n) }
}

/// The `n` bytes at `array`, set to zero.
///
/// # Safety
/// As for [`elements_mut`].
#[inline(always)]
unsafe fn elements_zeroed<'a>(array: *mut u8, n: usize) -> &'a mut [u8] {
    if n == 0 {
        return &mut [];
    }
    // SAFETY: the bytes are writable, and nobody else's, by this function's contract; they
    // are written here.
    unsafe {
        array.write_bytes(0, n);
        slice::from_raw_parts_mut(array, n)
    }
}

/// Several buffers, as C has them: an array of pointers and an array of lengths.
#[derive(Clone, Copy)]
struct Buffers<'a> {
    /// As many as there are lengths.
    data: *const *const c_void,
    len: &'a [usize],
}

impl<'a> Buffers<'a> {
    /// # Safety
    /// `data` and `len` must have `n` elements, and each `data[i]` must be readable for
    /// `len[i]` bytes, no more than PTRDIFF_MAX; nobody may write any of that for as long
    /// as the result is used. `data[i]` may be NULL when `len[i]` is 0, and `data` and
    /// `len` when `n` is 0.
    #[inline(always)]
    unsafe fn new(n: usize, data: *const *const c_void, len: *const usize) -> Self {
        // SAFETY: `len` has n elements by this function's contract.
        Buffers { data, len: unsafe { elements(len, n) } }
    }

    /// How many there are.
    #[inline(always)]
    fn count(&self) -> usize {
        self.len.len()
    }

    /// One of them.
    #[inline(always)]
    fn get(&self, i: usize) -> &'a [u8] {
        let len = self.len[i];
        // SAFETY: by the contract of `new`, `data` has as many elements as `len`, and each
        // is readable for as many bytes.
        unsafe { elements((*self.data.add(i)).cast(), len) }
    }
}

// Where there is Rust's std, it has one already.
#[cfg(not(any(test, feature = "std", panic = "unwind")))]
mod panic {
    /// Nothing here should panic; if it does, stop before a digest is wrong.
    #[panic_handler]
    fn panic(_: &core::panic::PanicInfo) -> ! {
        // SAFETY: C allows `abort` to be called at any time.
        unsafe { libc::abort() }
    }
}

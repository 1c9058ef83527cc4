//! sha1collisiondetection: `sha1dc/sha1.h` and `libsha1detectcoll`.

use core::ffi::{c_char, c_int, c_uchar};
use core::mem::MaybeUninit;

use super::{with_bytes, write_digest};
use crate::block::{INITIAL, State};
use crate::detect::{Attack, Checked, CheckedContext, Options};
use crate::hasher::{self, Context, Waiting};

/// Told of each block that is part of a collision attack, while it is hashed:
/// the block's byte offset in the message, the chaining values (5 words) before
/// this block and before the attack's other block, and the expanded messages
/// (80 words) of the two. The pointers are good only during the call, which
/// must not use the context.
pub type collision_block_callback = Option<
    unsafe extern "C" fn(offset: u64, ihvin1: *const u32, ihvin2: *const u32, m1: *const u32, m2: *const u32),
>;

/// A SHA-1 computation with collision detection in progress, field for field
/// sha1collisiondetection's own: 2400 bytes (2396 on i386), plain data.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct SHA1_CTX {
    /// Bytes hashed so far.
    total: u64,
    /// The chaining value.
    ihv: [u32; 5],
    /// The last total % 64 bytes.
    buffer: [MaybeUninit<c_uchar>; 64],
    /// Whether an attack was found so far.
    found_collision: c_int,
    /// What the setters below set.
    safe_hash: c_int,
    detect_coll: c_int,
    ubc_check: c_int,
    reduced_round_coll: c_int,
    callback: collision_block_callback,
    /// The attack that was found last, as the callback is told; undefined before that.
    ihv1: MaybeUninit<[u32; 5]>,
    ihv2: MaybeUninit<[u32; 5]>,
    m1: MaybeUninit<[u32; 80]>,
    m2: MaybeUninit<[u32; 80]>,
    /// Not used; here so that the size is the same.
    states: MaybeUninit<[[u32; 5]; 80]>,
}

impl Context for SHA1_CTX {
    #[inline(always)]
    fn parts(&mut self) -> (&mut State, &mut Waiting) {
        (&mut self.ihv, &mut self.buffer)
    }
    #[inline(always)]
    fn length(&self) -> u64 {
        self.total
    }
    #[inline(always)]
    fn set_length(&mut self, len: u64) {
        self.total = len;
    }
}

impl CheckedContext for SHA1_CTX {
    #[inline(always)]
    fn options(&self) -> Options {
        // The compiler would load all four as a vector, which has to wait until what a
        // setter has just stored in one of them has left the store buffer. Volatile loads
        // are done one by one.
        // SAFETY: a reference is readable.
        let is_set = |flag: &c_int| unsafe { core::ptr::from_ref(flag).read_volatile() } != 0;
        Options {
            detect: is_set(&self.detect_coll),
            conditions: is_set(&self.ubc_check),
            reduced_round: is_set(&self.reduced_round_coll),
            safe_hash: is_set(&self.safe_hash),
        }
    }
    #[cold]
    fn attack_found(&mut self, attack: &Attack) {
        self.found_collision = 1;
        [self.ihv1, self.ihv2] = attack.ihv_in.map(|ihv| MaybeUninit::new(*ihv));
        [self.m1, self.m2] = attack.words.map(|words| MaybeUninit::new(*words));
        if let Some(callback) = self.callback {
            let [ihv1, ihv2] = attack.ihv_in.map(|ihv| ihv.as_ptr());
            let [m1, m2] = attack.words.map(|words| words.as_ptr());
            // SAFETY: the caller's function may be called with arrays that outlive the call.
            unsafe { callback(attack.at, ihv1, ihv2, m1, m2) };
        }
    }
}

/// Start a computation, with safe hash, the unavoidable bit conditions and
/// detection on, reduced rounds off and no callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn SHA1DCInit(ctx: *mut SHA1_CTX) {
    // SAFETY: the caller's context is writable. (There is no reference to it, and the rest of
    // its 2400 bytes need no value.)
    unsafe {
        (*ctx).total = 0;
        (*ctx).ihv = INITIAL;
        (*ctx).found_collision = 0;
        (*ctx).safe_hash = 1;
        (*ctx).detect_coll = 1;
        (*ctx).ubc_check = 1;
        (*ctx).reduced_round_coll = 0;
        (*ctx).callback = None;
    }
}

/// Safe hash, by default on: give a message with an attack a digest of its own,
/// which the attack's other message does not share. Off, the digest is SHA-1's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn SHA1DCSetSafeHash(ctx: *mut SHA1_CTX, safe_hash: c_int) {
    // SAFETY: the caller's context is writable.
    unsafe { (*ctx).safe_hash = c_int::from(safe_hash != 0) }
}

/// The unavoidable bit conditions, by default on: without them every block is
/// recompressed 32 times, to the same verdict.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn SHA1DCSetUseUBC(ctx: *mut SHA1_CTX, ubc_check: c_int) {
    // SAFETY: the caller's context is writable.
    unsafe { (*ctx).ubc_check = c_int::from(ubc_check != 0) }
}

/// Detection, by default on; off, this is plain SHA-1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn SHA1DCSetUseDetectColl(ctx: *mut SHA1_CTX, detect_coll: c_int) {
    // SAFETY: the caller's context is writable.
    unsafe { (*ctx).detect_coll = c_int::from(detect_coll != 0) }
}

/// Attacks on SHA-1 with fewer steps, by default off: report them too. Slow
/// where a block has candidates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn SHA1DCSetDetectReducedRoundCollision(ctx: *mut SHA1_CTX, reduced_round_coll: c_int) {
    // SAFETY: the caller's context is writable.
    unsafe { (*ctx).reduced_round_coll = c_int::from(reduced_round_coll != 0) }
}

/// The function to call for each block with an attack; NULL for none. It may leave
/// by longjmp: ctx then has to go to SHA1DCInit before it is used again. It must not
/// throw a C++ exception.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn SHA1DCSetCallback(ctx: *mut SHA1_CTX, callback: collision_block_callback) {
    // SAFETY: the caller's context is writable.
    unsafe { (*ctx).callback = callback }
}

/// Hash len more bytes; buf may be NULL when len is 0. Takes 20 KiB of stack, as
/// does SHA1DCFinal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn SHA1DCUpdate(ctx: *mut SHA1_CTX, buf: *const c_char, len: usize) {
    // SAFETY: the caller's context is initialised, and its data readable for len bytes.
    unsafe {
        let ctx = &mut *ctx;
        with_bytes(buf.cast(), len, |bytes| hasher::update(ctx, Checked, bytes));
    }
}

/// Finish, and write the 20 bytes of the digest.
///
/// Returns 0; or 1 if the message is part of a collision attack.
/// cbindgen:ptrs-as-arrays=[[output;20]]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn SHA1DCFinal(output: *mut c_uchar, ctx: *mut SHA1_CTX) -> c_int {
    // SAFETY: the caller's context is initialised, and its digest writable.
    unsafe {
        let ctx = &mut *ctx;
        let digest = hasher::finish(ctx, Checked);
        let found = ctx.found_collision;
        write_digest(output, digest);
        found
    }
}

#[cfg(target_pointer_width = "64")]
const _: () = {
    use core::mem::{offset_of, size_of};
    assert!(size_of::<SHA1_CTX>() == 2400);
    assert!(offset_of!(SHA1_CTX, ihv) == 8 && offset_of!(SHA1_CTX, buffer) == 28);
    assert!(offset_of!(SHA1_CTX, found_collision) == 92 && offset_of!(SHA1_CTX, safe_hash) == 96);
    assert!(offset_of!(SHA1_CTX, detect_coll) == 100 && offset_of!(SHA1_CTX, ubc_check) == 104);
    assert!(offset_of!(SHA1_CTX, reduced_round_coll) == 108 && offset_of!(SHA1_CTX, callback) == 112);
    assert!(offset_of!(SHA1_CTX, ihv1) == 120 && offset_of!(SHA1_CTX, ihv2) == 140);
    assert!(offset_of!(SHA1_CTX, m1) == 160 && offset_of!(SHA1_CTX, m2) == 480);
    assert!(offset_of!(SHA1_CTX, states) == 800);
};

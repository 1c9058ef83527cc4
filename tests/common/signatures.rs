//! The C functions of ours and of the peers, as tests and benches find them in a shared
//! library.

use std::ffi::{c_char, c_int, c_void};

/// A digest.
pub type Digest = [u8; 20];

/// init(ctx), which most return nothing from; OpenSSL's returns an int.
pub type Init<R = ()> = unsafe extern "C" fn(*mut c_void) -> R;
/// update(ctx, data, len).
pub type Update<R = ()> = unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> R;
/// final(digest, ctx). sha1collisiondetection's returns whether an attack was found.
pub type Final<R = ()> = unsafe extern "C" fn(*mut u8, *mut c_void) -> R;
/// SHA1DCSetSafeHash and its like.
pub type Set = unsafe extern "C" fn(*mut c_void, c_int);

/// shaone_digest, and shaone_checked_digest, which returns whether an attack was found.
pub type OneShot<R = ()> = unsafe extern "C" fn(*const c_void, usize, *mut u8) -> R;
/// shaone_digest_many.
pub type DigestMany = unsafe extern "C" fn(usize, *const *const c_void, *const usize, *mut Digest);
/// shaone_checked_digest_many.
pub type CheckedMany =
    unsafe extern "C" fn(usize, *const *const c_void, *const usize, *mut Digest, *mut u8) -> usize;

/// shaone_backend and shaone_version.
pub type Name = unsafe extern "C" fn() -> *const c_char;
/// shaone_level, in builds with the feature force-backend.
pub type Level = unsafe extern "C" fn(usize, bool) -> *const c_char;

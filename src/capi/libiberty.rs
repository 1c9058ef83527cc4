//! What libiberty's `sha1.h` has beyond gnulib's.

use core::ffi::c_void;

use super::gnulib::{process_bytes, sha1_ctx};

/// The type of sha1_process_bytes.
pub type sha1_process_bytes_fn =
    Option<unsafe extern "C" fn(buffer: *const c_void, len: usize, ctx: *mut sha1_ctx)>;

/// The fastest sha1_process_bytes for this CPU: here there is only one, which
/// chooses by itself.
#[unsafe(no_mangle)]
pub extern "C" fn shaone_sha1_choose_process_bytes() -> sha1_process_bytes_fn {
    // Not by its exported name, which a program may have given to a function of its own.
    Some(process_bytes)
}

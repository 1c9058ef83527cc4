//! The names that programs have for SHA-1 today, for those whose own headers declare them.
//!
//! Other libraries have functions of the same names, with other arguments. So no header of
//! ours refers to these: `shaone.h` and the headers of `compat/` have the linker look for
//! the `shaone_*` functions that are called here.

use core::ffi::{c_int, c_uchar, c_void};

use libc::FILE;

use super::gnulib::{self, sha1_ctx};
use super::libiberty::{self, sha1_process_bytes_fn};
use super::native::{self, shaone_ctx};

/// Another name for a function of ours: `fn name(arguments) -> result = ours`.
macro_rules! another_name {
    (fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? = $ours:path) => {
        #[doc = concat!("See `", stringify!($ours), "`.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) $(-> $result)? {
            // SAFETY: this function has the same contract.
            unsafe { $ours($($argument),*) }
        }
    };
}

another_name!(fn sha1_init(ctx: *mut shaone_ctx) = native::shaone_init);
another_name!(fn sha1_update(ctx: *mut shaone_ctx, data: *const c_void, len: usize) = native::shaone_update);
another_name!(fn sha1_final(digest: *mut c_uchar, ctx: *mut shaone_ctx) = native::shaone_final);

// gnulib, and libiberty
another_name!(fn sha1_init_ctx(ctx: *mut sha1_ctx) = gnulib::shaone_sha1_init_ctx);
another_name!(
    fn sha1_process_block(data: *const c_void, len: usize, ctx: *mut sha1_ctx)
        = gnulib::shaone_sha1_process_block
);
another_name!(
    fn sha1_process_bytes(data: *const c_void, len: usize, ctx: *mut sha1_ctx)
        = gnulib::shaone_sha1_process_bytes
);
another_name!(
    fn sha1_finish_ctx(ctx: *mut sha1_ctx, digest: *mut c_void) -> *mut c_void
        = gnulib::shaone_sha1_finish_ctx
);
another_name!(
    fn sha1_read_ctx(ctx: *const sha1_ctx, digest: *mut c_void) -> *mut c_void
        = gnulib::shaone_sha1_read_ctx
);
another_name!(
    fn sha1_buffer(data: *const c_void, len: usize, digest: *mut c_void) -> *mut c_void
        = gnulib::shaone_sha1_buffer
);
another_name!(
    fn sha1_stream(stream: *mut FILE, digest: *mut c_void) -> c_int = gnulib::shaone_sha1_stream
);
another_name!(
    fn hmac_sha1(key: *const c_void, key_len: usize, data: *const c_void, len: usize, mac: *mut c_void)
        -> c_int
        = gnulib::shaone_hmac_sha1
);

/// See `libiberty::shaone_sha1_choose_process_bytes`.
#[unsafe(no_mangle)]
pub extern "C" fn sha1_choose_process_bytes() -> sha1_process_bytes_fn {
    libiberty::shaone_sha1_choose_process_bytes()
}

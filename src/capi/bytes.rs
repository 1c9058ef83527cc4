//! Integers in memory, in either byte order and at any alignment: the functions
//! of `shaone/be.h`, for callers that cannot use C's static inline ones.

use core::ffi::c_void;

macro_rules! get_and_put {
    ($type:ty, $get:ident, $put:ident, $from:ident, $to:ident, $order:literal) => {
        #[doc = concat!("Read a ", $order, "-endian integer at p, which need not be aligned.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $get(p: *const c_void) -> $type {
            // SAFETY: the caller's bytes are readable; a byte array needs no alignment.
            <$type>::$from(unsafe { *p.cast() })
        }
        #[doc = concat!("Write a ", $order, "-endian integer at p, which need not be aligned.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $put(p: *mut c_void, value: $type) {
            // SAFETY: the caller's bytes are writable; a byte array needs no alignment.
            unsafe { *p.cast() = value.$to() }
        }
    };
}

get_and_put!(u16, get_be16, put_be16, from_be_bytes, to_be_bytes, "big");
get_and_put!(u32, get_be32, put_be32, from_be_bytes, to_be_bytes, "big");
get_and_put!(u64, get_be64, put_be64, from_be_bytes, to_be_bytes, "big");
get_and_put!(u16, get_le16, put_le16, from_le_bytes, to_le_bytes, "little");
get_and_put!(u32, get_le32, put_le32, from_le_bytes, to_le_bytes, "little");
get_and_put!(u64, get_le64, put_le64, from_le_bytes, to_le_bytes, "little");

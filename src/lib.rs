//! SHA-1 (FIPS 180-4) at the speed of the CPU, with collision detection.
//!
//! | to hash | use |
//! |---|---|
//! | bytes that are in memory | [`digest`](digest()) |
//! | a message piece by piece | [`Sha1`] |
//! | many messages, several times as fast | [`digest_many_into`], [`digest_many`]* |
//! | a file, or what can be read | [`digest_file`]*, [`digest_reader`]*, or `Sha1` as a writer* |
//! | what an attacker may have made | [`checked_digest`], [`CheckedSha1`], [`checked_digest_many`]* |
//!
//! What is marked with a star needs the feature `std`. With the feature `digest`, [`Sha1`]
//! has the traits of the crate of that name. Without any feature the crate needs neither
//! `std` nor an allocator.
//!
//! ```
//! let digest = shaone::digest("Hello World!");
//! assert_eq!(digest[..4], [0x2e, 0xf7, 0xbd, 0xe6]);
//! ```
//!
//! The backend is chosen at run time, from what the CPU has: SHA instructions with and
//! without AVX-512 on x86, those of AArch64, and portable code elsewhere; AVX-512, AVX2,
//! SSSE3 or NEON lanes for many messages. Nothing fails or allocates (but what returns a
//! `Vec` and what reads); nothing keeps state but the choice of a backend.
//!
//! SHA-1 is broken where an attacker chooses the messages: for new designs take SHA-256 or
//! BLAKE3. Where a protocol or a file format prescribes SHA-1, as git does, the checked
//! functions tell when a message is part of a collision attack.
//!
//! The same code is a C library, which takes the place of git's, gnulib's and
//! sha1collisiondetection's SHA-1: that is what the feature `capi` is for. A Rust program
//! that wants the C functions too enables `capi` and `std` together, lest there be two panic
//! handlers.
#![no_std]
#![deny(unsafe_code)]

#[cfg(any(test, feature = "std", all(feature = "capi", panic = "unwind")))]
extern crate std;

#[doc(hidden)]
#[allow(unsafe_code)]
pub mod arch;
#[allow(unsafe_code)]
mod barrier;
mod batch;
#[doc(hidden)]
pub mod block;
// What C callers must keep to is in each function's text, as C programmers put it.
#[cfg(feature = "capi")]
#[doc(hidden)]
#[allow(unsafe_code, non_camel_case_types, clippy::missing_safety_doc, rustdoc::broken_intra_doc_links)]
pub mod capi;
#[doc(hidden)]
#[allow(unsafe_code)]
pub mod compress;
#[doc(hidden)]
#[cfg_attr(feature = "force-backend", allow(unsafe_code))]
pub mod cpu;
#[doc(hidden)]
pub mod detect;
#[doc(hidden)]
pub mod hasher;
#[doc(hidden)]
#[allow(unsafe_code)]
pub mod lanes;
#[doc(hidden)]
pub mod many;
#[doc(hidden)]
#[allow(unsafe_code)]
pub mod recompress;
#[doc(hidden)]
pub mod rounds;
mod sha1;
#[allow(unsafe_code)]
mod stores;
#[doc(hidden)]
pub mod trace;

pub use block::{BLOCK_LEN, DIGEST_LEN, Digest};
pub use sha1::{CheckedDigest, CheckedSha1, Sha1, checked_digest, digest, digest_many_into};
#[cfg(feature = "std")]
pub use sha1::{checked_digest_many, digest_file, digest_many, digest_reader};

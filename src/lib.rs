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
//! What is marked with a star needs the feature `std`. A digest is `[u8; 20]`, most
//! significant byte first:
//!
//! ```
//! let digest = shaone::digest("Hello World!");
//! let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
//! assert_eq!(hex, "2ef7bde608ce5404e97d5f042f95f89f1c232871");
//!
//! let mut sha1 = shaone::Sha1::new();
//! sha1.update("Hello ");
//! sha1.update("World!");
//! assert_eq!(sha1.finalize(), digest);
//!
//! let mut sha1 = shaone::CheckedSha1::new();
//! sha1.update("Hello World!");
//! let checked = sha1.finalize();
//! assert!(!checked.attack_found && checked.digest == digest);
//! ```
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | (none) | `no_std`, no allocator, Rust 1.89 |
//! | `std` | what returns a `Vec`, what reads files, `io::Write` |
//! | `digest` | the traits of the crate `digest` 0.11 for [`Sha1`] |
//! | `capi` | the C functions, for the C library; a Rust program that wants them too enables `std` with it, lest there be two panic handlers |
//! | `force-backend` | tests of this crate only |
//!
//! # What to expect
//!
//! The backend is chosen at run time, from what the CPU has: SHA instructions in the way
//! that suits it, with AVX-512 where there is any; else the schedule in AVX2 or SSSE3
//! vectors; the SHA-1 instructions of AArch64; portable code elsewhere; and lanes of
//! AVX-512, AVX2, SSSE3 or NEON for many messages.
//!
//! Nothing keeps state but that choice, and nothing fails but what reads. (Panics are told
//! of where there are any.) Nothing allocates but what needs `std`. Hashing takes less than
//! 1 KiB of stack, with collision detection 20 KiB, many messages 24 KiB, both together 32.
//!
//! SHA-1 is broken where an attacker chooses the messages: for new designs take SHA-256 or
//! BLAKE3. Where a protocol or a file format prescribes SHA-1, as git does, the checked
//! functions tell when a message is part of a collision attack.
//!
//! The same code is a C library, which takes the place of git's, gnulib's and
//! sha1collisiondetection's SHA-1.
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

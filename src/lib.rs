//! SHA-1 (FIPS 180-4) for C programs that already have one.
//!
//! The house from the ground up: [`block`] names the units, [`cpu`] says what
//! the machine can do, [`compress`] holds the backends and the choice among
//! them, [`hasher`] adds buffering, padding and length, and [`capi`] lends all
//! that to C, one foreign API per file. Imports go only downwards.
//!
//! Nothing here fails, allocates or keeps state, but for the cached choice of
//! a backend: every hash function is safe to call from any thread, after a
//! fork, and in a signal handler.

// The C library must not carry Rust's std: beside a second archive with its own
// it would not link. Tests, which unwind, are built with std.
#![cfg_attr(all(not(test), panic = "abort"), no_std)]
#![deny(unsafe_code)]

pub mod block;
// What C callers must keep to is in each function's text, as C programmers put it.
#[cfg(feature = "capi")]
#[allow(unsafe_code, non_camel_case_types, clippy::missing_safety_doc, rustdoc::broken_intra_doc_links)]
pub mod capi;
#[allow(unsafe_code)]
pub mod compress;
#[cfg_attr(feature = "force-backend", allow(unsafe_code))]
pub mod cpu;
pub mod detect;
pub mod hasher;
pub mod many;

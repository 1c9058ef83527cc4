//! The SHA instructions of x86, with a schedule that keeps out of their way.
//!
//! `sha1rnds4` has a latency of four cycles and twenty of them follow each
//! other, so 80 cycles a block is the floor. The usual code does not get near
//! it because `sha1msg2` is microcoded on Intel's cores and stalls all else.
//! From step 32 on the schedule has a second form,
//!
//! ```text
//! W[t] = rotl2(W[t-6] ^ W[t-16] ^ W[t-28] ^ W[t-32])
//! ```
//!
//! (the recurrence of FIPS 180-4 applied twice), which reaches back more than
//! four words and so gives four words at once with plain vector code.
//!
//! On AMD's cores `sha1rnds4` takes six cycles, so 120 a block is the floor, and `sha1msg1`
//! and `sha1msg2` are quick: there the schedule is made with them, which leaves most of the
//! vector units idle for other messages.
//!
//! The SHA instructions have no VEX form. Where the upper halves of the vector
//! registers are dirty, each change between them and VEX code costs hundreds
//! of cycles: the AVX-512VL form therefore begins with `vzeroupper`, and no
//! wider register may appear in either loop (`tests/disassembly.rs` looks).

pub mod recompress;
pub mod rounds;
#[allow(clippy::needless_range_loop)] // A schedule is a matter of indices.
pub mod schedule;
pub mod streams;
pub mod trace;
// Its users move vectors to 64-bit registers.
#[cfg(target_arch = "x86_64")]
pub mod trace_and;
#[cfg(target_arch = "x86_64")]
#[allow(clippy::needless_range_loop)] // Several arrays have an element for each message.
pub mod turns;

//! x86 and x86-64.

pub mod avx2;
// Its masks are 64-bit registers.
#[cfg(target_arch = "x86_64")]
pub mod avx512;
// It moves vectors to 64-bit registers.
#[cfg(target_arch = "x86_64")]
pub mod sha_avx2;
#[cfg(target_feature = "sse2")]
pub mod sse2;

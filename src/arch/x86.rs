//! x86 and x86-64.

pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx2_rounds;
pub mod avx512;
#[cfg(target_arch = "x86_64")]
pub mod scalar_rounds;
pub mod sha;
pub mod ssse3;
#[cfg(target_arch = "x86_64")]
pub mod ssse3_rounds;

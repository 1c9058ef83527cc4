//! x86 and x86-64.

pub mod avx2;
pub mod avx512;
pub mod sha;
pub mod ssse3;

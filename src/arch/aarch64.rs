//! AArch64.

pub mod neon;
pub mod sha2;

//! AArch64.

pub mod neon;

//! What is written for one kind of CPU, a file each. The lists in [`crate::compress`] and
//! [`crate::detect`] choose among them; nothing here knows of the others' existence
//! except by the vectors that they share.

#[cfg(target_arch = "aarch64")]
pub mod aarch64;
pub mod portable;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub mod x86;

//! What the optimiser must not know: every empty `asm!` of this crate.
//!
//! An empty assembly statement costs no instruction. Because the compiler cannot look
//! into it, it must take the values that pass through for changed, and so can neither
//! compute with them beforehand nor move the code before it behind the code after it.

use core::mem::MaybeUninit;

#[cfg(target_arch = "aarch64")]
use core::arch::aarch64::uint32x4_t;
#[cfg(target_arch = "x86")]
use core::arch::x86::__m128i;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::__m128i;

use crate::block::{BLOCK_LEN, Block};

/// Give any bytes that nobody has written a fixed, if arbitrary, value.
///
/// A context that C code allocates has no values in the part of its block that no
/// message byte has reached. Hashing reads whole blocks and masks such bytes out; but to
/// Rust even reading them is undefined. Assembly may read and rewrite whatever is there,
/// so after this statement the block counts as written.
///
/// `written` is how many bytes, from the first on, have been written for certain. Where
/// Rust has no stable assembly, the others are set to zero instead.
#[inline(always)]
pub fn settle_block(block: &mut [MaybeUninit<u8>; BLOCK_LEN], written: usize) -> &mut Block {
    #[cfg(any(
        target_arch = "x86",
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "arm",
        target_arch = "riscv32",
        target_arch = "riscv64",
        target_arch = "loongarch64",
        target_arch = "s390x",
    ))]
    {
        let _ = written;
        // SAFETY: the statement has no instructions. The compiler must assume that it
        // stores to the block through the pointer, which is exclusively borrowed.
        unsafe {
            core::arch::asm!("/* {0} */", in(reg) block.as_mut_ptr(), options(nostack, preserves_flags))
        };
    }
    #[cfg(not(any(
        target_arch = "x86",
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "arm",
        target_arch = "riscv32",
        target_arch = "riscv64",
        target_arch = "loongarch64",
        target_arch = "s390x",
    )))]
    block[written..].fill(MaybeUninit::new(0));
    // SAFETY: all bytes are written: by the assembly, as far as Rust can tell, or as zeros
    // behind the first `written`, which the caller's block has already.
    unsafe { &mut *block.as_mut_ptr().cast::<Block>() }
}

/// The same word, as a sum that the compiler must not take apart and order anew.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[inline(always)]
pub fn opaque_word(mut word: u32) -> u32 {
    // SAFETY: the statement has no instructions.
    unsafe {
        core::arch::asm!("/* {0:e} */", inout(reg) word, options(pure, nomem, nostack, preserves_flags))
    };
    word
}

/// The same mask, as a value that the compiler does not know.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[inline(always)]
pub fn opaque_mask8(mut mask: u8) -> u8 {
    // SAFETY: the statement has no instructions.
    unsafe {
        core::arch::asm!("/* {0} */", inout(reg_byte) mask, options(pure, nomem, nostack, preserves_flags))
    };
    mask
}

/// The same mask, as a value that the compiler does not know.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn opaque_mask64(mut mask: u64) -> u64 {
    // SAFETY: the statement has no instructions.
    unsafe { core::arch::asm!("/* {0} */", inout(reg) mask, options(pure, nomem, nostack, preserves_flags)) };
    mask
}

/// The same vector, as a copy that the compiler must not take for the original.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn opaque_vector(mut vector: __m128i) -> __m128i {
    // SAFETY: the statement has no instructions. Whoever has such a vector has the register
    // for it.
    unsafe {
        core::arch::asm!("/* {0} */", inout(xmm_reg) vector, options(pure, nomem, nostack, preserves_flags))
    };
    vector
}

/// The same two vectors, each of which now seems to depend on both: what makes them has to
/// come before whatever uses one of them.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[inline(always)]
pub fn tie([mut a, mut b]: [__m128i; 2]) -> [__m128i; 2] {
    // SAFETY: the statement has no instructions. Whoever has such vectors has the
    // registers for them.
    unsafe {
        core::arch::asm!("/* {0} {1} */", inout(xmm_reg) a, inout(xmm_reg) b,
            options(pure, nomem, nostack, preserves_flags));
    }
    [a, b]
}

/// The same for four vectors.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[inline(always)]
pub fn tie_four([mut a, mut b, mut c, mut d]: [__m128i; 4]) -> [__m128i; 4] {
    // SAFETY: the statement has no instructions. Whoever has such vectors has the
    // registers for them.
    unsafe {
        core::arch::asm!("/* {0} {1} {2} {3} */", inout(xmm_reg) a, inout(xmm_reg) b, inout(xmm_reg) c,
            inout(xmm_reg) d, options(pure, nomem, nostack, preserves_flags));
    }
    [a, b, c, d]
}

/// The same vector and word, each of which now seems to depend on both: what makes them has
/// to come before whatever uses one of them.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
pub fn tie_word(mut vector: uint32x4_t, mut word: u32) -> (uint32x4_t, u32) {
    // SAFETY: the statement has no instructions. Whoever has such a vector has the registers
    // for both.
    unsafe {
        core::arch::asm!("/* {0:v} {1:s} */", inout(vreg) vector, inout(vreg) word,
            options(pure, nomem, nostack, preserves_flags));
    }
    (vector, word)
}

// SPDX-License-Identifier: MIT OR Apache-2.0

//! Core cycles without performance counters.
//!
//! Virtual machines seldom lend those, and the time-stamp counter ticks at a fixed rate
//! that isn't the core's. A chain of additions that depend on each other takes one core
//! cycle each on every CPU of interest, so timing it tells the frequency of the moment.

use std::time::Instant;

const ROUNDS: u32 = 1000;
const ADDS_PER_ROUND: u32 = 16;

/// Core cycles per nanosecond just now, where a chain is known for this architecture.
pub fn core_ghz() -> Option<f64> {
    // The better of two: an interrupt can only make one seem slower.
    (0..2).filter_map(|_| measure_chain()).max_by(f64::total_cmp)
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn measure_chain() -> Option<f64> {
    let start = Instant::now();
    chain();
    let ns = start.elapsed().as_nanos();
    (ns > 0).then(|| f64::from(ROUNDS * ADDS_PER_ROUND) / ns as f64)
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn measure_chain() -> Option<f64> {
    None
}

/// Register to register: recent cores do the addition of a constant at no cost while
/// renaming.
#[cfg(target_arch = "x86_64")]
fn chain() {
    // SAFETY: touches nothing but the registers and flags it names.
    unsafe {
        std::arch::asm!(
            "2:",
            ".rept 16",
            "add {sum}, {term}",
            ".endr",
            "dec {count:e}",
            "jnz 2b",
            count = inout(reg) ROUNDS => _,
            sum = inout(reg) 0_u64 => _,
            term = in(reg) 1_u64,
            options(nomem, nostack),
        );
    }
}

#[cfg(target_arch = "aarch64")]
fn chain() {
    // SAFETY: touches nothing but the registers and flags it names.
    unsafe {
        std::arch::asm!(
            "2:",
            ".rept 16",
            "add {sum}, {sum}, {term}",
            ".endr",
            "subs {count:w}, {count:w}, #1",
            "b.ne 2b",
            count = inout(reg) ROUNDS => _,
            sum = inout(reg) 0_u64 => _,
            term = in(reg) 1_u64,
            options(nomem, nostack),
        );
    }
}

/// Leaves the vector registers as a fresh process has them: upper halves that one entrant
/// left dirty would slow down the next one's SHA instructions.
pub fn settle() {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx") {
        #[target_feature(enable = "avx")]
        fn zero_upper() {
            std::arch::x86_64::_mm256_zeroupper();
        }
        // SAFETY: AVX is here.
        unsafe { zero_upper() }
    }
}

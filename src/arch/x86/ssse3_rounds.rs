//! One message with SSSE3. (On i686, which has too few registers for the assembly, the same
//! structure is no quicker than portable code.)

use core::arch::asm;
use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use super::scalar_rounds::{self, Group, Rounds, Working, offset};
use crate::block::{Block, State};
use crate::trace::Trace;

/// Compress `blocks` into `state`.
#[target_feature(enable = "ssse3")]
pub fn compress(state: &mut State, blocks: &[Block]) {
    // SAFETY: SSSE3, which `Xmm` needs, is enabled here.
    unsafe { scalar_rounds::compress::<Xmm, Plain>(state, blocks) }
}

/// As [`compress`], with a trace of each block.
///
/// # Panics
/// If there are fewer traces than blocks.
#[target_feature(enable = "ssse3")]
pub fn trace(state: &mut State, blocks: &[Block], traces: &mut [MaybeUninit<Trace>]) {
    // SAFETY: SSSE3, which `Xmm` needs, is enabled here.
    unsafe { scalar_rounds::trace::<Xmm, Plain>(state, blocks, traces) }
}

/// Four words of one block.
#[derive(Clone, Copy)]
struct Xmm(__m128i);

// SAFETY: the vector is 16 bytes.
unsafe impl Group for Xmm {
    const BLOCKS: usize = 1;

    #[inline(always)]
    unsafe fn load([block, _]: [&Block; 2], quarter: usize) -> Self {
        // SAFETY: the CPU has SSSE3 by the trait's contract; a quarter of a block is 16 bytes.
        unsafe {
            let swap = _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
            Self(_mm_shuffle_epi8(_mm_loadu_si128(block.as_ptr().add(16 * quarter).cast()), swap))
        }
    }
    #[inline(always)]
    unsafe fn splat(word: u32) -> Self {
        // SAFETY: the CPU has SSSE3 by the trait's contract.
        Self(unsafe { _mm_set1_epi32(word as i32) })
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: the CPU has SSSE3 by the trait's contract.
        Self(unsafe { _mm_add_epi32(self.0, other.0) })
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: the CPU has SSSE3 by the trait's contract.
        Self(unsafe { _mm_xor_si128(self.0, other.0) })
    }
    #[inline(always)]
    unsafe fn rotl<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        // SAFETY: the CPU has SSSE3 by the trait's contract.
        unsafe { Self(_mm_or_si128(_mm_slli_epi32::<LEFT>(self.0), _mm_srli_epi32::<RIGHT>(self.0))) }
    }
    #[inline(always)]
    unsafe fn middle(self, next: Self) -> Self {
        // SAFETY: the CPU has SSSE3 by the trait's contract.
        Self(unsafe { _mm_alignr_epi8::<8>(next.0, self.0) })
    }
    #[inline(always)]
    unsafe fn last_three(self) -> Self {
        // SAFETY: the CPU has SSSE3 by the trait's contract.
        Self(unsafe { _mm_bsrli_si128::<4>(self.0) })
    }
    #[inline(always)]
    unsafe fn first_word_last(self) -> Self {
        // SAFETY: the CPU has SSSE3 by the trait's contract.
        Self(unsafe { _mm_bslli_si128::<12>(self.0) })
    }
    #[inline(always)]
    unsafe fn store_reversed(self, [to, _]: [*mut u32; 2]) {
        // SAFETY: the CPU has SSSE3 by the trait's contract; there is room for four words.
        unsafe { _mm_storeu_si128(to.cast(), _mm_shuffle_epi32::<0b00_01_10_11>(self.0)) }
    }
}

/// Rounds with what every x86-64 CPU has.
struct Plain;

impl Rounds for Plain {
    #[inline(always)]
    unsafe fn round<G: Group, const SECOND: bool, const PART: usize, const I: usize>(
        Working { a, c, d, e, sum }: Working,
        sums: *const u32,
    ) -> Working {
        let (next_a, b, next_sum): (u32, u32, u32);
        // SAFETY: the sum of the next round is where `offset` says, by the trait's contract.
        unsafe {
            // The f of the round after this one.
            match (20 * PART + I + 1) / 20 {
                // Ch.
                0 => asm!(
                    "mov {x:e}, {c:e}",
                    "xor {x:e}, {d:e}",
                    "and {x:e}, {a:e}",
                    "rol {a:e}, 5",
                    "add {s:e}, {a:e}",
                    "add {e:e}, dword ptr [{sums} + {next}]",
                    "xor {x:e}, {d:e}",
                    "add {e:e}, {x:e}",
                    "ror {a:e}, 7",
                    a = inout(reg) a => b,
                    c = in(reg) c,
                    d = in(reg) d,
                    e = inout(reg) e => next_sum,
                    s = inout(reg) sum => next_a,
                    x = out(reg) _,
                    sums = in(reg) sums,
                    next = const offset::<G, SECOND>(20 * PART + I + 1),
                    options(readonly, nostack),
                ),
                // Maj, as the sum of two terms without a common bit.
                2 => asm!(
                    "mov {y:e}, {c:e}",
                    "and {y:e}, {d:e}",
                    "mov {x:e}, {c:e}",
                    "xor {x:e}, {d:e}",
                    "add {e:e}, dword ptr [{sums} + {next}]",
                    "mov {r:e}, {a:e}",
                    "rol {r:e}, 5",
                    "add {e:e}, {y:e}",
                    "and {x:e}, {a:e}",
                    "add {s:e}, {r:e}",
                    "rol {a:e}, 30",
                    "add {e:e}, {x:e}",
                    a = inout(reg) a => b,
                    c = in(reg) c,
                    d = in(reg) d,
                    e = inout(reg) e => next_sum,
                    s = inout(reg) sum => next_a,
                    y = out(reg) _,
                    x = out(reg) _,
                    r = out(reg) _,
                    sums = in(reg) sums,
                    next = const offset::<G, SECOND>(20 * PART + I + 1),
                    options(readonly, nostack),
                ),
                // Parity.
                _ => asm!(
                    "mov {x:e}, {c:e}",
                    "xor {x:e}, {d:e}",
                    "mov {r:e}, {a:e}",
                    "rol {r:e}, 5",
                    "xor {x:e}, {a:e}",
                    "add {s:e}, {r:e}",
                    "add {e:e}, dword ptr [{sums} + {next}]",
                    "rol {a:e}, 30",
                    "add {e:e}, {x:e}",
                    a = inout(reg) a => b,
                    c = in(reg) c,
                    d = in(reg) d,
                    e = inout(reg) e => next_sum,
                    s = inout(reg) sum => next_a,
                    x = out(reg) _,
                    r = out(reg) _,
                    sums = in(reg) sums,
                    next = const offset::<G, SECOND>(20 * PART + I + 1),
                    options(readonly, nostack),
                ),
            }
        }
        Working { a: next_a, c: b, d: c, e: d, sum: next_sum }
    }
}

//! One message with AVX2 and BMI: two blocks' schedule at once.

use core::arch::asm;
use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use super::scalar_rounds::{self, Group, Rounds, Working, offset};
use crate::block::{Block, State};
use crate::trace::Trace;

/// Compress `blocks` into `state`.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub fn compress(state: &mut State, blocks: &[Block]) {
    // SAFETY: AVX2, which `Ymm` needs, and BMI and BMI2, which `Bmi` needs, are enabled here.
    unsafe { scalar_rounds::compress::<Ymm, Bmi>(state, blocks) }
}

/// As [`compress`], with a trace of each block.
///
/// # Panics
/// If there are fewer traces than blocks.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub fn trace(state: &mut State, blocks: &[Block], traces: &mut [MaybeUninit<Trace>]) {
    // SAFETY: AVX2, which `Ymm` needs, and BMI and BMI2, which `Bmi` needs, are enabled here.
    unsafe { scalar_rounds::trace::<Ymm, Bmi>(state, blocks, traces) }
}

/// Four words of each of two blocks, the first block's in the lower half.
#[derive(Clone, Copy)]
struct Ymm(__m256i);

// SAFETY: the vector is two times 16 bytes.
unsafe impl Group for Ymm {
    const BLOCKS: usize = 2;

    #[inline(always)]
    unsafe fn load(blocks: [&Block; 2], quarter: usize) -> Self {
        // SAFETY: the CPU has AVX2 by the trait's contract; a quarter of a block is 16 bytes.
        unsafe {
            let [first, second] = blocks.map(|block| block.as_ptr().add(16 * quarter).cast());
            let words = _mm256_loadu2_m128i(second, first);
            let swap =
                _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203));
            Self(_mm256_shuffle_epi8(words, swap))
        }
    }
    #[inline(always)]
    unsafe fn splat(word: u32) -> Self {
        // SAFETY: the CPU has AVX2 by the trait's contract.
        Self(unsafe { _mm256_set1_epi32(word as i32) })
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: the CPU has AVX2 by the trait's contract.
        Self(unsafe { _mm256_add_epi32(self.0, other.0) })
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: the CPU has AVX2 by the trait's contract.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }
    #[inline(always)]
    unsafe fn rotl<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        // SAFETY: the CPU has AVX2 by the trait's contract.
        unsafe {
            Self(_mm256_or_si256(_mm256_slli_epi32::<LEFT>(self.0), _mm256_srli_epi32::<RIGHT>(self.0)))
        }
    }
    #[inline(always)]
    unsafe fn middle(self, next: Self) -> Self {
        // SAFETY: the CPU has AVX2 by the trait's contract.
        Self(unsafe { _mm256_alignr_epi8::<8>(next.0, self.0) })
    }
    #[inline(always)]
    unsafe fn last_three(self) -> Self {
        // SAFETY: the CPU has AVX2 by the trait's contract.
        Self(unsafe { _mm256_bsrli_epi128::<4>(self.0) })
    }
    #[inline(always)]
    unsafe fn first_word_last(self) -> Self {
        // SAFETY: the CPU has AVX2 by the trait's contract.
        Self(unsafe { _mm256_bslli_epi128::<12>(self.0) })
    }
    #[inline(always)]
    unsafe fn store_reversed(self, [first, second]: [*mut u32; 2]) {
        // SAFETY: the CPU has AVX2 by the trait's contract; there is room for four words at each pointer.
        unsafe {
            let reversed = _mm256_shuffle_epi32::<0b00_01_10_11>(self.0);
            _mm_storeu_si128(second.cast(), _mm256_extracti128_si256::<1>(reversed));
            _mm_storeu_si128(first.cast(), _mm256_castsi256_si128(reversed));
        }
    }
}

/// Rounds with BMI and BMI2: `rorx` and `andn` leave their operands as they are.
struct Bmi;

impl Rounds for Bmi {
    #[inline(always)]
    unsafe fn round<G: Group, const SECOND: bool, const PART: usize, const I: usize>(
        Working { a, c, d, e, sum }: Working,
        sums: *const u32,
    ) -> Working {
        let (next_a, b, next_sum): (u32, u32, u32);
        // SAFETY: the CPU has BMI and BMI2, and the sum of the next round is where `offset` says,
        // by the trait's contract.
        unsafe {
            // The f of the round after this one.
            match (20 * PART + I + 1) / 20 {
                // Ch, as the sum of two terms without a common bit.
                0 => asm!(
                    "rorx {r:e}, {a:e}, 27",
                    "rorx {b:e}, {a:e}, 2",
                    "andn {x:e}, {a:e}, {d:e}",
                    "and {a:e}, {c:e}",
                    "add {e:e}, dword ptr [{sums} + {next}]",
                    "add {s:e}, {r:e}",
                    "add {e:e}, {x:e}",
                    "add {e:e}, {a:e}",
                    a = inout(reg) a => _,
                    b = out(reg) b,
                    c = in(reg) c,
                    d = in(reg) d,
                    e = inout(reg) e => next_sum,
                    s = inout(reg) sum => next_a,
                    r = out(reg) _,
                    x = out(reg) _,
                    sums = in(reg) sums,
                    next = const offset::<G, SECOND>(20 * PART + I + 1),
                    options(readonly, nostack),
                ),
                // Maj, likewise.
                2 => asm!(
                    "rorx {r:e}, {a:e}, 27",
                    "add {s:e}, {r:e}",
                    "mov {x:e}, {c:e}",
                    "xor {x:e}, {d:e}",
                    "add {e:e}, dword ptr [{sums} + {next}]",
                    "mov {y:e}, {c:e}",
                    "and {y:e}, {d:e}",
                    "rorx {b:e}, {a:e}, 2",
                    "add {e:e}, {y:e}",
                    "and {a:e}, {x:e}",
                    "add {e:e}, {a:e}",
                    a = inout(reg) a => _,
                    b = out(reg) b,
                    c = in(reg) c,
                    d = in(reg) d,
                    e = inout(reg) e => next_sum,
                    s = inout(reg) sum => next_a,
                    r = out(reg) _,
                    x = out(reg) _,
                    y = out(reg) _,
                    sums = in(reg) sums,
                    next = const offset::<G, SECOND>(20 * PART + I + 1),
                    options(readonly, nostack),
                ),
                // Parity.
                _ => asm!(
                    "rorx {b:e}, {a:e}, 2",
                    "rorx {r:e}, {a:e}, 27",
                    "xor {a:e}, {c:e}",
                    "add {s:e}, {r:e}",
                    "add {e:e}, dword ptr [{sums} + {next}]",
                    "xor {a:e}, {d:e}",
                    "add {e:e}, {a:e}",
                    a = inout(reg) a => _,
                    b = out(reg) b,
                    c = in(reg) c,
                    d = in(reg) d,
                    e = inout(reg) e => next_sum,
                    s = inout(reg) sum => next_a,
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

//! The conditions of four blocks at once: NEON.
//!
//! There is no `pmovmskb`; but three pairwise additions collect the bits, each
//! moved to its own place, of 16 vectors into two: four columns each.

use core::arch::aarch64::*;
use core::mem::MaybeUninit;

use crate::arch::aarch64::neon::Quad;
use crate::detect::conditions::{self, ConditionVector, ConditionWord, Live};
use crate::detect::lanes;
use crate::detect::phase::Suspects;
use crate::lanes::{States, Step};
use crate::trace::{Trace, Window};

/// The live vectors of each traced block, and the set of blocks with any.
#[target_feature(enable = "neon")]
pub fn live(traces: &[Trace], live: &mut [MaybeUninit<Live>]) -> Suspects {
    // SAFETY: NEON is enabled here.
    unsafe { conditions::live_in_lanes::<Quad, 4>(traces, live) }
}

/// 4 messages, checked: a [`Kernel`](crate::lanes::Kernel).
///
/// # Safety
/// In every step the first 4 lanes must be filled.
#[target_feature(enable = "neon")]
pub unsafe fn four(states: &mut States, steps: &mut [Step]) {
    // SAFETY: NEON is enabled here; the lanes are filled by this function's contract.
    unsafe { lanes::run_checked::<Quad, 4>(states, steps) }
}

impl ConditionWord for Quad {
    #[inline(always)]
    fn shift(self, by: i8) -> Self {
        // SAFETY: a `Quad` exists only where there is NEON. (A shift to the left by a negative number goes right.)
        Self(unsafe { vshlq_u32(self.0, vdupq_n_s32(-i32::from(by))) })
    }
    #[inline(always)]
    fn and_or(self, b: Self, c: Self) -> Self {
        // SAFETY: a `Quad` exists only where there is NEON.
        Self(unsafe { vandq_u32(self.0, vorrq_u32(b.0, c.0)) })
    }
}

impl ConditionVector<4> for Quad {
    #[inline(always)]
    unsafe fn columns(window: &Window, put: impl FnMut(usize, u32)) {
        // SAFETY: the CPU has NEON by the trait's contract.
        unsafe { columns(window, put) }
    }
    #[inline(always)]
    fn any(self, other: Self) -> bool {
        // SAFETY: a `Quad` exists only where there is NEON.
        unsafe { vmaxvq_u32(vorrq_u32(self.0, other.0)) != 0 }
    }
}

/// The columns of a block.
#[inline]
#[target_feature(enable = "neon")]
fn columns(window: &Window, mut put: impl FnMut(usize, u32)) {
    // SAFETY: a window is twice 64 bytes. Bytes 0 to 3 of the words, apart.
    let [late, early] = [0, 16].map(|at| unsafe { vld4q_u8(window[at..at + 16].as_ptr().cast()) });
    let mut four = |early, late, bit: u32| {
        let mut columns = [0u32; 4];
        // SAFETY: four words are 16 bytes.
        unsafe { vst1q_u32(columns.as_mut_ptr(), four_columns(early, late, bit as u8 % 8)) };
        for (bit, column) in (bit..).zip(columns) {
            put(conditions::column_index(bit), column);
        }
    };
    four(early.0, late.0, 0);
    four(early.0, late.0, 4);
    four(early.3, late.3, 28);
}

/// The columns of bits `first` to `first + 3` of the bytes, each half from its last
/// word on.
#[inline]
#[target_feature(enable = "neon")]
fn four_columns(early: uint8x16_t, late: uint8x16_t, first: u8) -> uint32x4_t {
    let [a, b, c, d] = [0, 1, 2, 3].map(|i| {
        let bit = vdupq_n_u8(1 << (first + i));
        // The bit of a byte's place, the first in memory the highest.
        let place = vreinterpretq_u8_u64(vdupq_n_u64(0x0102_0408_1020_4080));
        vpaddq_u8(vandq_u8(vtstq_u8(early, bit), place), vandq_u8(vtstq_u8(late, bit), place))
    });
    // Of each column now bytes 1, 0, 3, 2.
    let bytes = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
    vreinterpretq_u32_u8(vrev16q_u8(bytes))
}

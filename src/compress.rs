//! The compression function: the list of backends and that of kernels for several
//! messages, and the choice among them.

use core::ffi::CStr;
use core::mem::MaybeUninit;
use core::slice;

#[cfg(target_arch = "aarch64")]
use crate::arch::aarch64::{neon, sha2};
use crate::arch::portable;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use crate::arch::x86::{avx2, avx512, sha, ssse3};
#[cfg(target_arch = "x86_64")]
use crate::arch::x86::{avx2_rounds, ssse3_rounds};
use crate::block::{Block, State};
#[cfg(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64"))]
use crate::cpu::Feature::*;
use crate::cpu::{Available, Dispatch, Feature, Variant};
use crate::lanes::{LaneKernel, LaneKernels};
use crate::trace::{Candidate, Confirmed, Suspect, Trace};

/// One way to compress, for one kind of CPU.
///
/// All functions may be called only on a CPU that has what the backend needs. Outside of
/// this file there are no backends but [`Available`] ones.
pub struct Backend {
    /// What `shaone_backend` calls it.
    pub name: &'static CStr,
    needs: &'static [Feature],
    /// Compresses any number of blocks into the chaining value.
    compress: unsafe fn(&mut State, &[Block]),
    /// The same, with a trace of each block, for which there is room. All traces are
    /// written.
    trace: unsafe fn(&mut State, &[Block], &mut [MaybeUninit<Trace>]),
    /// Finds the first of a suspect's candidates that is part of an attack.
    recompress: unsafe fn(&Suspect, &[Candidate]) -> Option<Confirmed>,
}

impl Variant for Backend {
    fn needs(&self) -> &'static [Feature] {
        self.needs
    }
}

impl Available<Backend> {
    /// Compress `blocks` into `state`.
    #[inline]
    pub fn compress(self, state: &mut State, blocks: &[Block]) {
        // SAFETY: the CPU has what the backend needs, as `Available` proves.
        unsafe { (self.compress)(state, blocks) }
    }

    /// The same, with a trace of each block.
    ///
    /// # Panics
    /// Where there is room for fewer traces than there are blocks.
    #[inline]
    pub fn trace<'a>(
        self,
        state: &mut State,
        blocks: &[Block],
        traces: &'a mut [MaybeUninit<Trace>],
    ) -> &'a [Trace] {
        let traces = &mut traces[..blocks.len()];
        // SAFETY: the CPU has what the backend needs, as `Available` proves, and there is
        // a trace for each block.
        unsafe { (self.trace)(state, blocks, traces) };
        // SAFETY: the backend has written all of them.
        unsafe { slice::from_raw_parts(traces.as_ptr().cast(), traces.len()) }
    }

    /// The first of a suspect's candidates that is part of an attack, if one is.
    #[inline]
    pub fn recompress(self, suspect: &Suspect, candidates: &[Candidate]) -> Option<Confirmed> {
        // SAFETY: the CPU has what the backend needs, as `Available` proves.
        unsafe { (self.recompress)(suspect, candidates) }
    }
}

/// All backends of this architecture, best first. The last runs everywhere.
static BACKENDS: Dispatch<Backend> = Dispatch::new(&[
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Backend {
        name: c"x86-sha-msg",
        needs: &[ShaSchedule],
        compress: sha::streams::compress_msg,
        trace: sha::trace::trace_msg,
        recompress: sha::recompress::recompress_msg,
    },
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Backend {
        name: c"x86-sha-avx512vl",
        needs: &[Sha, Avx512Vl],
        compress: sha::streams::compress_vl,
        trace: sha::trace::trace_vl,
        recompress: sha::recompress::recompress_vl,
    },
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Backend {
        name: c"x86-sha",
        needs: &[Sha],
        compress: sha::streams::compress,
        trace: sha::trace::trace,
        recompress: sha::recompress::recompress,
    },
    #[cfg(target_arch = "x86_64")]
    Backend {
        name: c"x86-avx2",
        needs: &[Avx2Bmi],
        compress: avx2_rounds::compress,
        trace: avx2_rounds::trace,
        recompress: portable::recompress,
    },
    #[cfg(target_arch = "x86_64")]
    Backend {
        name: c"x86-ssse3",
        needs: &[Ssse3],
        compress: ssse3_rounds::compress,
        trace: ssse3_rounds::trace,
        recompress: portable::recompress,
    },
    #[cfg(target_arch = "aarch64")]
    Backend {
        name: c"aarch64-sha2",
        needs: &[Sha2],
        compress: sha2::compress,
        trace: sha2::trace,
        recompress: sha2::recompress,
    },
    Backend {
        name: c"portable",
        needs: &[],
        compress: portable::compress,
        trace: portable::trace,
        recompress: portable::recompress,
    },
]);

/// The backends that this CPU and its operating system can run, best first.
pub fn backends() -> impl Iterator<Item = Available<Backend>> {
    BACKENDS.available()
}

/// The best of them.
#[inline(always)]
pub fn best() -> Available<Backend> {
    BACKENDS.best()
}

/// Compress `blocks` into `state` with the best backend of this CPU.
#[inline(always)]
pub fn compress(state: &mut State, blocks: &[Block]) {
    best().compress(state, blocks);
}

/// The kernels for several messages. The first that fits the CPU and the number of
/// messages is the best.
///
/// In cycles on Emerald Rapids: a block in each lane takes 431 with 16 lanes of AVX-512,
/// 287 with 8, 245 and 128 with 4 and 2 messages in turns, and 85 alone; with AVX2 8 lanes
/// take 522, and a message alone 113 with the SHA instructions and 300 without. On Zen 3: 4,
/// 3 and 2 messages in turns take 178, 162 and 130, one alone 121, and 8 lanes of AVX2 456;
/// without SHA instructions one alone takes 173 with AVX2 and 195 with SSSE3.
///
/// The CPUs that have AVX-512 without SHA instructions (Skylake-SP to Cooper Lake) lower
/// their clock for 512-bit work, which was not measured: they get 8 lanes.
#[rustfmt::skip]
#[allow(unused_unsafe)] // Some architectures have no kernel.
// SAFETY: each kernel has the width that is given with it, and enables the features that
// it needs and no others.
static LANE_KERNELS: LaneKernels = LaneKernels::new(unsafe { &[
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    LaneKernel::new(&[Avx512Bw, Sha], 11, 16, avx512::sixteen),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    LaneKernel::new(&[Avx512Bw, Sha], 5, 8, avx512::eight),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    LaneKernel::new(&[Avx512Bw], 2, 8, avx512::eight).unless(&[Sha]),
    #[cfg(target_arch = "x86_64")]
    LaneKernel::new(&[ShaSchedule], 4, 4, sha::turns::four_msg),
    #[cfg(target_arch = "x86_64")]
    LaneKernel::new(&[ShaSchedule], 3, 3, sha::turns::three_msg),
    #[cfg(target_arch = "x86_64")]
    LaneKernel::new(&[ShaSchedule], 2, 2, sha::turns::two_msg),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    LaneKernel::new(&[Sha, Avx512Vl], 4, 4, sha::streams::four_vl),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    LaneKernel::new(&[Sha, Avx512Vl], 2, 2, sha::streams::two_vl),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    LaneKernel::new(&[Avx2], 5, 8, avx2::eight),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    LaneKernel::new(&[Avx2], 3, 8, avx2::eight).unless(&[Sha]),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    LaneKernel::new(&[Ssse3], 3, 4, ssse3::four).unless(&[Sha]),
    #[cfg(target_arch = "aarch64")]
    LaneKernel::new(&[], 2, 4, neon::four).unless(&[Sha2]),
] });

/// All kernels that this CPU and its operating system can run.
pub fn lane_kernels() -> impl Iterator<Item = Available<LaneKernel>> {
    LANE_KERNELS.available()
}

/// The best kernel for `count` messages, if that is not to hash one after the other.
pub fn for_count(count: usize) -> Option<Available<LaneKernel>> {
    LANE_KERNELS.for_count(count)
}

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
use crate::lanes::{LaneKernel, LaneKernels, MAX_WIDTH};
use crate::trace::{Candidate, Trace};

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
}

/// All backends of this architecture, best first. The last runs everywhere.
static BACKENDS: Dispatch<Backend> = Dispatch::new(&[
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Backend {
        name: c"x86-sha-msg",
        needs: &[ShaSchedule],
        compress: sha::streams::compress_msg,
        trace: sha::trace::trace_msg,
    },
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Backend {
        name: c"x86-sha-avx512vl",
        needs: &[Sha, Avx512Vl],
        compress: sha::streams::compress_vl,
        trace: sha::trace::trace_vl,
    },
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Backend { name: c"x86-sha", needs: &[Sha], compress: sha::streams::compress, trace: sha::trace::trace },
    #[cfg(target_arch = "x86_64")]
    Backend {
        name: c"x86-avx2",
        needs: &[Avx2Bmi],
        compress: avx2_rounds::compress,
        trace: avx2_rounds::trace,
    },
    #[cfg(target_arch = "x86_64")]
    Backend {
        name: c"x86-ssse3",
        needs: &[Ssse3],
        compress: ssse3_rounds::compress,
        trace: ssse3_rounds::trace,
    },
    #[cfg(target_arch = "aarch64")]
    Backend { name: c"aarch64-sha2", needs: &[Sha2], compress: sha2::compress, trace: sha2::trace },
    Backend { name: c"portable", needs: &[], compress: portable::compress, trace: portable::trace },
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

/// One way to recompress several candidates together, for one kind of CPU.
///
/// Its function may be called only on a CPU that has what it needs. Outside of this file
/// there are none but [`Available`] ones.
pub struct Recompressor {
    needs: &'static [Feature],
    /// How many candidates it takes at most.
    width: usize,
    /// Tells which of up to `width` candidates are part of an attack: bit n is the nth.
    recompress: unsafe fn(&[Candidate]) -> u32,
}

impl Variant for Recompressor {
    fn needs(&self) -> &'static [Feature] {
        self.needs
    }
}

impl Available<Recompressor> {
    /// How many candidates it takes at most.
    #[inline(always)]
    pub fn width(self) -> usize {
        self.width
    }

    /// Which of some candidates are part of an attack: bit n is the nth.
    ///
    /// # Panics
    /// Where there are more than it takes.
    #[inline]
    pub fn recompress(self, candidates: &[Candidate]) -> u32 {
        assert!(candidates.len() <= self.width);
        // SAFETY: the CPU has what it needs, as `Available` proves.
        unsafe { (self.recompress)(candidates) }
    }
}

/// All ways to recompress, best first. The last runs everywhere.
static RECOMPRESSORS: Dispatch<Recompressor> = {
    const ALL: &[Recompressor] = &[
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Recompressor {
            needs: &[ShaSchedule],
            width: sha::recompress::RECOMPRESSED,
            recompress: sha::recompress::recompress_msg,
        },
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Recompressor {
            needs: &[Sha, Avx512Vl],
            width: sha::recompress::RECOMPRESSED,
            recompress: sha::recompress::recompress_vl,
        },
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Recompressor {
            needs: &[Sha],
            width: sha::recompress::RECOMPRESSED,
            recompress: sha::recompress::recompress,
        },
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Recompressor { needs: &[Avx2], width: 8, recompress: avx2::recompress },
        #[cfg(target_arch = "aarch64")]
        Recompressor { needs: &[], width: 4, recompress: neon::recompress },
        #[cfg(not(target_arch = "aarch64"))]
        Recompressor { needs: &[], width: portable::RECOMPRESSED, recompress: portable::recompress },
    ];
    let mut i = 0;
    while i < ALL.len() {
        assert!(ALL[i].width <= MAX_WIDTH);
        i += 1;
    }
    Dispatch::new(ALL)
};

/// All ways to recompress that this CPU and its operating system can run, best first.
pub fn recompressors() -> impl Iterator<Item = Available<Recompressor>> {
    RECOMPRESSORS.available()
}

/// The best of them.
#[inline(always)]
pub fn best_recompressor() -> Available<Recompressor> {
    RECOMPRESSORS.best()
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
/// Estimates of llvm-mca 19, not measurements, for Neoverse N1, Neoverse V2 and Apple M1: a
/// message alone takes 103, 103 and 145 cycles a block (OpenSSL's loop 102, 102 and 142), two
/// in turns 145, 144 and 153 for a block of each, four 292, 291 and 288, and four in NEON
/// lanes 657, 644 and 564.
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
    // (More lanes share the cost of beginning and ending messages.)
    #[cfg(target_arch = "x86_64")]
    LaneKernel::new(&[ShaSchedule, Avx2], 16, 8, avx2::eight).only_short(),
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
    LaneKernel::new(&[Sha2], 3, 4, sha2::four),
    #[cfg(target_arch = "aarch64")]
    LaneKernel::new(&[Sha2], 2, 2, sha2::two),
    #[cfg(target_arch = "aarch64")]
    LaneKernel::new(&[], 2, 4, neon::four),
] });

/// All kernels that this CPU and its operating system can run.
pub fn lane_kernels() -> impl Iterator<Item = Available<LaneKernel>> {
    LANE_KERNELS.available()
}

/// The best kernel for `count` messages, if that is not to hash one after the other; `short`
/// if all of them have one or two blocks.
pub fn for_count(count: usize, short: bool) -> Option<Available<LaneKernel>> {
    LANE_KERNELS.for_count(count, short)
}

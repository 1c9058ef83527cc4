//! The compression function: the list of backends, and the choice among them.

#[cfg(target_arch = "aarch64")]
mod aarch64_sha2;
pub mod lanes;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
mod portable;
pub mod recompress;
pub mod rounds;
pub mod tail;
pub mod trace;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub(crate) mod x86_avx2;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub(crate) mod x86_avx512;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[allow(clippy::needless_range_loop)] // A schedule is a matter of indices.
pub(crate) mod x86_sha;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub(crate) mod x86_ssse3;

use core::ffi::CStr;
use core::mem::MaybeUninit;
use core::slice;

use crate::block::{Block, State};
use crate::cpu::{Best, Feature, Way};
use lanes::Record;
use trace::{Candidate, Confirmed, Suspect, Trace, Window};

/// One way to compress, for one kind of CPU.
pub struct Backend {
    /// What `shaone_backend` calls it.
    pub name: &'static CStr,
    /// What the CPU must have.
    needs: &'static [Feature],
    /// Compresses any number of blocks into the chaining value. It may be
    /// called only on a CPU that has what it needs.
    compress: unsafe fn(&mut State, &[Block]),
    /// The same, with a trace of each block.
    trace: unsafe fn(&mut State, &[Block], &mut [MaybeUninit<Trace>]),
    /// A trace from the working words before step 55, the window (but W\[65\]) and
    /// the chaining value before the block, if that is quicker than to trace it.
    retrace: Option<fn(&State, Window, State) -> Trace>,
    /// The candidate of a block, traced by this backend, that is part of
    /// an attack, if one is.
    recompress: unsafe fn(&Suspect, &[Candidate]) -> Option<Confirmed>,
}

impl Backend {
    /// Compress `blocks` into `state`.
    #[inline]
    pub fn compress(&self, state: &mut State, blocks: &[Block]) {
        // SAFETY: the CPU has what it needs: see `backends`.
        unsafe { (self.compress)(state, blocks) }
    }

    /// The same, with a trace of each block.
    ///
    /// # Panics
    /// Where there are fewer traces than blocks.
    #[inline]
    pub fn trace<'a>(
        &self,
        state: &mut State,
        blocks: &[Block],
        traces: &'a mut [MaybeUninit<Trace>],
    ) -> &'a [Trace] {
        let traces = &mut traces[..blocks.len()];
        // SAFETY: the CPU has what the backend needs, and every block is traced.
        unsafe {
            (self.trace)(state, blocks, traces);
            slice::from_raw_parts(traces.as_ptr().cast(), traces.len())
        }
    }

    /// The trace of a block in a lane of a record.
    pub fn trace_recorded(&self, record: &Record, lane: usize, block: &Block) -> Trace {
        let mut before = record.before.state(lane);
        if let Some(retrace) = self.retrace {
            return retrace(
                &record.at_55.state(lane),
                record.window.each_ref().map(|words| words[lane]),
                before,
            );
        }
        let mut traces = [MaybeUninit::uninit()];
        self.trace(&mut before, slice::from_ref(block), &mut traces)[0]
    }

    /// The candidate of a block, traced by this backend, that is part of
    /// an attack, if one is.
    #[inline]
    pub fn recompress(&self, suspect: &Suspect, candidates: &[Candidate]) -> Option<Confirmed> {
        // SAFETY: the CPU has what the backend needs.
        unsafe { (self.recompress)(suspect, candidates) }
    }
}

/// All backends of this architecture, best first. The last runs everywhere.
static BACKENDS: &[Backend] = &[
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Backend {
        name: c"x86-sha-avx512vl",
        needs: &[Feature::Sha, Feature::Avx512Vl],
        compress: x86_sha::compress_vl,
        trace: x86_sha::trace_vl,
        retrace: Some(x86_sha::retrace),
        recompress: x86_sha::recompress_vl,
    },
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Backend {
        name: c"x86-sha",
        needs: &[Feature::Sha],
        compress: x86_sha::compress,
        trace: x86_sha::trace,
        retrace: Some(x86_sha::retrace),
        recompress: x86_sha::recompress,
    },
    #[cfg(target_arch = "aarch64")]
    Backend {
        name: c"aarch64-sha2",
        needs: &[Feature::Sha2],
        compress: aarch64_sha2::compress,
        trace: aarch64_sha2::trace,
        retrace: None,
        recompress: aarch64_sha2::recompress,
    },
    Backend {
        name: c"portable",
        needs: &[],
        compress: portable::compress,
        trace: portable::trace,
        retrace: None,
        recompress: portable::recompress,
    },
];

impl Way for Backend {
    fn needs(&self) -> &'static [Feature] {
        self.needs
    }
}

/// The backends that this CPU and its operating system can run, best first.
/// There is no other way to a backend: one that is here can be called.
pub fn backends() -> impl Iterator<Item = &'static Backend> {
    BACKENDS.iter().filter(|backend| backend.available())
}

/// The best of them.
#[inline(always)]
pub fn best() -> &'static Backend {
    static BEST: Best = Best::new();
    BEST.of(BACKENDS)
}

/// Compress `blocks` into `state` with the best backend of this CPU.
#[inline(always)]
pub fn compress(state: &mut State, blocks: &[Block]) {
    best().compress(state, blocks);
}

//! SHA-1 with collision detection: the [`Checked`] engine.
//!
//! Stevens and Shumow, "Speeding up detection of SHA-1 collision attacks using
//! unavoidable attack conditions" (USENIX Security 2017). An attack makes two
//! messages whose blocks differ along one of 32 disturbance [`vectors`]. One of
//! the two is enough to notice it: flip the vector's bits in the block, and if
//! the changed block leads to the same result, it is an attack. Trying that 32
//! times a block is slow; the paper's unavoidable bit [`conditions`] on the
//! block's expanded message rule out all vectors for 95 blocks in 100.
//!
//! The work is done in phases of some blocks: hash them with the SHA
//! instructions, noting the expanded words; check the conditions of all; then
//! recompress the few candidates. A phase never outlives the call that brought
//! its blocks. Which of two messages is hashed does not matter, nor does what
//! comes after: a found attack is reported for every block that has one.

pub mod conditions;
#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code)]
mod neon;
pub mod vectors;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[allow(unsafe_code)]
mod x86_avx2;
// Its masks are 64-bit registers.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86_avx512;
#[cfg(all(any(target_arch = "x86", target_arch = "x86_64"), target_feature = "sse2"))]
#[allow(unsafe_code)]
mod x86_sse2;

use core::array;
use core::mem::MaybeUninit;
use core::slice;

use arrayvec::ArrayVec;

use crate::block::{BLOCK_LEN, Block, State};
use crate::compress;
#[cfg(target_arch = "x86_64")]
use crate::compress::lanes::Record;
use crate::compress::lanes::{self, Lanes};
use crate::compress::recompress::{self, Other};
use crate::compress::trace::{Candidate, Confirmed, Suspect, Trace};
use crate::cpu::{Best, Feature, Way};
use crate::hasher::{Context, Engine, Plain};
use conditions::Live;
use vectors::VECTORS;

/// What a context asks of detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Look for attacks at all.
    pub detect: bool,
    /// Rule out vectors by the unavoidable bit conditions; without it, all are
    /// tried for every block, which finds the same.
    pub conditions: bool,
    /// Also report a block whose other message begins with the same chaining
    /// value: what attacks on fewer steps look like.
    pub reduced_round: bool,
    /// Give attacked messages a digest of their own: a block with an attack is
    /// compressed twice more.
    pub safe_hash: bool,
}

impl Options {
    /// Detection, and the plain digest whatever is found.
    pub const DETECT: Self = Self { detect: true, conditions: true, reduced_round: false, safe_hash: false };
}

/// An attack: two blocks with two chaining values and one result.
pub struct Attack<'a> {
    /// The byte of the message at which the block begins.
    pub at: u64,
    /// The chaining value before the message's block, and before the other's.
    pub before: [&'a State; 2],
    /// The expanded words of both.
    pub words: [&'a [u32; 80]; 2],
}

/// A context whose blocks can be checked.
pub trait CheckedContext: Context {
    /// What it wants.
    fn options(&self) -> Options;
    /// Take note of an attack.
    fn found(&mut self, attack: &Attack);
}

/// The engine that checks while it hashes.
pub struct Checked;

impl<C: CheckedContext> Engine<C> for Checked {
    #[inline(always)]
    fn compress(ctx: &mut C, mut blocks: &[Block], mut at: u64) {
        let options = ctx.options();
        if !options.detect {
            return Plain::compress(ctx, blocks, at);
        }
        while !blocks.is_empty() {
            let (done, finding) = check(ctx.parts().0, &blocks[..blocks.len().min(PHASE)], options);
            if let Some(finding) = finding {
                report(ctx, &blocks[done - 1], &finding, at);
            }
            blocks = &blocks[done..];
            at = at.wrapping_add((done * BLOCK_LEN) as u64);
        }
    }

    #[inline(always)]
    fn compress_waiting(ctx: &mut C, at: u64) {
        let options = ctx.options();
        if !options.detect {
            return Plain::compress_waiting(ctx, at);
        }
        let (state, block) = ctx.parts();
        let (_, finding) = check(state, slice::from_ref(block), options);
        if let Some(finding) = finding {
            let block = *ctx.parts().1;
            report(ctx, &block, &finding, at);
        }
    }
}

/// An attack in the last of some blocks.
struct Finding {
    /// How many blocks are before it.
    index: usize,
    /// The number of its vector.
    number: usize,
    /// The chaining values before the message's block and before the other's.
    before: [State; 2],
}

#[cold]
fn report<C: CheckedContext>(ctx: &mut C, block: &Block, finding: &Finding, at: u64) {
    let words = recompress::expand(block);
    let difference = VECTORS[finding.number].difference();
    let other_words = array::from_fn(|t| words[t] ^ difference[79 - t]);
    ctx.found(&Attack {
        at: at.wrapping_add((finding.index * BLOCK_LEN) as u64),
        before: finding.before.each_ref(),
        words: [&words, &other_words],
    });
}

/// Blocks in a phase: enough that its beginning and end do not count, few
/// enough that its traces (8 KiB) are no burden on a caller's stack.
pub const PHASE: usize = 32;

/// Compress and check a phase, up to the first block with an attack: returns
/// how many blocks that were, and the attack in the last of them.
#[inline(never)]
fn check(state: &mut State, blocks: &[Block], options: Options) -> (usize, Option<Finding>) {
    let backend = compress::best();
    let mut traces = [const { MaybeUninit::uninit() }; PHASE];
    let mut live = [const { MaybeUninit::uninit() }; PHASE];
    let (traces, live, mut suspects) = scan(state, blocks, &mut traces, &mut live, options);
    let mut candidates = Candidates::new();
    while suspects != 0 {
        let index = suspects.trailing_zeros() as usize;
        suspects &= suspects - 1;
        let (block, trace) = (&blocks[index], &traces[index]);
        let after = traces.get(index + 1).map_or(*state, |next| next.before);
        let suspect = Suspect { block, trace, after: &after };
        list(&mut candidates, live[index]);
        let confirmed = if options.reduced_round {
            candidates.iter().find_map(|candidate| of_fewer_rounds(&suspect, candidate))
        } else {
            backend.recompress(&suspect, &candidates)
        };
        if let Some(Confirmed { number, before }) = confirmed {
            let finding = Finding { index, number, before: [trace.before, before] };
            // Attacks are rare enough to hash the rest of the phase again.
            *state = after;
            if options.safe_hash {
                compress::compress(state, &[*block; 2]);
            }
            return (index + 1, Some(finding));
        }
    }
    (blocks.len(), None)
}

/// Which of the suspect lanes' blocks are part of an attack.
#[cfg(target_arch = "x86_64")]
#[cold]
fn confirm<const N: usize>(blocks: [&Block; N], record: &Record, suspects: u32, live: &[Live; N]) -> u32 {
    let backend = compress::best();
    let mut found = 0;
    let mut candidates = Candidates::new();
    for lane in (0..N).filter(|lane| suspects >> lane & 1 != 0) {
        let block = blocks[lane];
        let trace = backend.trace_recorded(record, lane, block);
        let after = record.after.state(lane);
        let suspect = Suspect { block, trace: &trace, after: &after };
        list(&mut candidates, live[lane]);
        let attack = backend.recompress(&suspect, &candidates);
        found |= u32::from(attack.is_some()) << lane;
    }
    found
}

/// The best way to hash and check `count` messages at once, if it is not one after
/// the other. It finds what [`Options::DETECT`] finds.
pub fn lanes_for_count(count: usize) -> Option<&'static Lanes> {
    lanes::best_of(WAYS, count)
}

/// All ways. (In cycles, a block in each of 16 lanes takes about 800, and one alone
/// 104.)
static WAYS: &[Lanes] = &[
    #[cfg(target_arch = "x86_64")]
    // SAFETY: that is what the kernel enables, and what the compression wants.
    #[allow(unsafe_code)]
    unsafe {
        Lanes::new(&[Feature::Avx512Vbmi], 9, 16, x86_avx512::sixteen)
    },
];

/// Compress `blocks` into `state` and say whether there is an attack in them.
pub fn compress_checked(state: &mut State, mut blocks: &[Block]) -> bool {
    let mut found = false;
    while !blocks.is_empty() {
        let (done, finding) = check(state, &blocks[..blocks.len().min(PHASE)], Options::DETECT);
        found |= finding.is_some();
        blocks = &blocks[done..];
    }
    found
}

/// The candidates of a block.
type Candidates = ArrayVec<Candidate, { VECTORS.len() }>;

/// Those that live vectors make. (Returned, they would be copied.)
#[inline]
fn list(candidates: &mut Candidates, live: Live) {
    candidates.clear();
    for number in conditions::numbers(live) {
        let vector = &VECTORS[number];
        candidates.push(Candidate { number, difference: vector.difference(), start: vector.start() });
    }
}

/// As [`Confirmed`], if the candidate is part of an attack on all rounds, or on those
/// up to its start.
fn of_fewer_rounds(suspect: &Suspect, candidate: &Candidate) -> Option<Confirmed> {
    let Other { before, collides } = recompress::from_start(suspect, candidate);
    (collides || before == suspect.trace.before).then_some(Confirmed { number: candidate.number, before })
}

/// A set of blocks of a phase: bit i is block i.
pub type Suspects = u64;

/// One way to check the conditions of many blocks, for one kind of CPU.
pub struct Check {
    needs: &'static [Feature],
    /// Finds the live vectors of each traced block of a phase, and the set of
    /// blocks that have any. May be called only on a CPU that has what it needs.
    live: unsafe fn(&[Trace], &mut [MaybeUninit<Live>]) -> Suspects,
    /// Compresses the blocks of a phase with a trace of each, as the best backend
    /// does, and checks them meanwhile; if that is quicker than one after the other.
    scan: Option<Scan>,
}

type Scan = unsafe fn(&mut State, &[Block], &mut [MaybeUninit<Trace>], &mut [MaybeUninit<Live>]) -> Suspects;

impl Check {
    /// The live vectors of each traced block of a phase, and the blocks with any.
    ///
    /// # Panics
    /// Where there are fewer sets than traces, or more traces than a phase has.
    #[inline]
    #[allow(unsafe_code)]
    pub fn live<'a>(&self, traces: &[Trace], live: &'a mut [MaybeUninit<Live>]) -> (&'a [Live], Suspects) {
        assert!(traces.len() <= PHASE);
        let live = &mut live[..traces.len()];
        // SAFETY: the CPU has what the check needs (see `checks`), which finds a set
        // for each trace.
        unsafe {
            let suspects = (self.live)(traces, live);
            (slice::from_raw_parts(live.as_ptr().cast(), live.len()), suspects)
        }
    }
}

impl Way for Check {
    fn needs(&self) -> &'static [Feature] {
        self.needs
    }
}

/// All ways, best first.
static CHECKS: &[Check] = &[
    #[cfg(target_arch = "x86_64")]
    Check {
        needs: &[Feature::Sha, Feature::Avx512Vbmi],
        live: x86_avx512::live,
        scan: Some(x86_avx512::scan),
    },
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Check { needs: &[Feature::Avx2], live: x86_avx2::live, scan: None },
    #[cfg(all(any(target_arch = "x86", target_arch = "x86_64"), target_feature = "sse2"))]
    Check { needs: &[], live: x86_sse2::live, scan: None },
    #[cfg(target_arch = "aarch64")]
    Check { needs: &[], live: neon::live, scan: None },
    #[cfg(not(any(target_feature = "sse2", target_arch = "aarch64")))]
    Check { needs: &[], live: portable, scan: None },
];

/// The checks that this CPU and its operating system can run, best first. There is
/// no other way to a check: one that is here can be called.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    CHECKS.iter().filter(|check| check.available())
}

#[cfg(not(any(target_feature = "sse2", target_arch = "aarch64")))]
fn portable(traces: &[Trace], live: &mut [MaybeUninit<Live>]) -> Suspects {
    let mut suspects = 0;
    for (index, (trace, live)) in traces.iter().zip(live).enumerate() {
        let vectors = conditions::live(&trace.window);
        live.write(vectors);
        suspects |= Suspects::from(vectors != 0) << index;
    }
    suspects
}

/// Compress the blocks of a phase with a trace of each: the traces, the live vectors
/// of each block, and the blocks with any.
#[allow(unsafe_code)]
#[inline]
fn scan<'a>(
    state: &mut State,
    blocks: &[Block],
    traces: &'a mut [MaybeUninit<Trace>; PHASE],
    live: &'a mut [MaybeUninit<Live>; PHASE],
    options: Options,
) -> (&'a [Trace], &'a [Live], Suspects) {
    static BEST: Best = Best::new();
    const { assert!(PHASE <= Suspects::BITS as usize) };
    let check = BEST.of(CHECKS);
    if options.conditions
        && let Some(scan) = check.scan
    {
        let (traces, live) = (&mut traces[..blocks.len()], &mut live[..blocks.len()]);
        // SAFETY: the CPU has what the check needs; it writes a trace and a set for
        // each block.
        unsafe {
            let suspects = scan(state, blocks, traces, live);
            let traces = slice::from_raw_parts(traces.as_ptr().cast(), traces.len());
            return (traces, slice::from_raw_parts(live.as_ptr().cast(), live.len()), suspects);
        }
    }
    let traces = compress::best().trace(state, blocks, traces);
    if options.conditions {
        let (live, suspects) = check.live(traces, live);
        return (traces, live, suspects);
    }
    let live = &mut live[..traces.len()];
    live.fill(MaybeUninit::new(conditions::ALL));
    // SAFETY: all are filled.
    let live = unsafe { slice::from_raw_parts(live.as_ptr().cast(), live.len()) };
    (traces, live, Suspects::MAX >> (Suspects::BITS as usize - traces.len()))
}

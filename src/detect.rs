//! SHA-1 with collision detection: the [`Checked`] engine.
//!
//! Stevens and Shumow, "Speeding up detection of SHA-1 collision attacks using
//! unavoidable attack conditions" (USENIX Security 2017). An attack makes two messages
//! whose blocks differ along one of 32 disturbance [`vectors`] (DVs). One of the two is
//! enough to notice it: flip the bits of the DV's message difference in the block, and if
//! some other chaining value before it leads through the changed block to the same one after
//! it, that is an attack. [Recompression](crate::recompress) finds the only value that it
//! could be. To try that for 32 DVs a block is slow. The paper's unavoidable bit [`conditions`] (UBCs) on the block's
//! expanded message rule out all DVs for 95 blocks in 100.
//!
//! The work is done in [phases](phase) of some blocks: hash them, keeping a trace of each;
//! check the conditions of all; then recompress the few candidates. A phase never outlives
//! the call that brought its blocks. An attack is reported for every block that is part of
//! one.

#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code)]
mod aarch64;
pub mod conditions;
mod confirm;
#[allow(unsafe_code)]
#[cfg(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64"))]
mod lanes;
pub mod phase;
pub mod vectors;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[allow(unsafe_code)]
mod x86;

use core::mem::MaybeUninit;
use core::slice;

use crate::barrier::settle_block;
use crate::block::{BLOCK_LEN, Block, Digest, State};
use crate::compress;
use crate::cpu::{Available, Dispatch, Feature, Variant};
use crate::hasher::{self, Context, Engine, Hasher, Plain, Waiting};
use crate::lanes::{LaneKernel, LaneKernels};
use crate::recompress::{self, recompress_one};
use crate::trace::{Candidate, Suspect, Trace};
use conditions::Live;
use confirm::{CandidateQueue, candidates, is_reduced_round_attack};
use phase::{PHASE, Suspects};
use vectors::VECTORS;

/// What a context asks of detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Look for attacks at all.
    pub detect: bool,
    /// Rule out DVs by the unavoidable bit conditions. Without that all are tried for every
    /// block, which finds the same.
    pub conditions: bool,
    /// Also report a block whose other message has the same chaining value before it: what
    /// attacks on fewer rounds look like.
    pub reduced_round: bool,
    /// Give attacked messages a digest of their own: a block with an attack is
    /// compressed twice more.
    pub safe_hash: bool,
}

impl Options {
    /// Detection, and the plain digest whatever is found.
    pub const DETECT: Self = Self { detect: true, conditions: true, reduced_round: false, safe_hash: false };
}

/// An attack: two blocks with two chaining values before them and one after them.
pub struct Attack<'a> {
    /// The byte of the message at which the block begins.
    pub at: u64,
    /// The chaining value before the message's block, and before the other block.
    pub ihv_in: [&'a State; 2],
    /// The expanded messages of both.
    pub words: [&'a [u32; 80]; 2],
}

/// A context whose blocks can be checked.
pub trait CheckedContext: Context {
    /// What it asks for.
    fn options(&self) -> Options;
    /// Take note of an attack.
    fn attack_found(&mut self, attack: &Attack);
}

/// The engine that checks while it hashes.
#[derive(Clone, Copy)]
pub struct Checked;

impl<C: CheckedContext> Engine<C> for Checked {
    #[inline(always)]
    fn compress(self, ctx: &mut C, mut blocks: &[Block], mut at: u64) {
        let options = ctx.options();
        if !options.detect {
            return Plain.compress(ctx, blocks, at);
        }
        while !blocks.is_empty() {
            let (done, finding) = check(ctx.parts().0, &blocks[..blocks.len().min(SPAN)], options);
            if let Some(finding) = finding {
                report(ctx, &blocks[done - 1], &finding, at);
            }
            blocks = &blocks[done..];
            at = at.wrapping_add((done * BLOCK_LEN) as u64);
        }
    }

    #[inline(always)]
    fn compress_waiting(self, ctx: &mut C, at: u64) {
        let options = ctx.options();
        if !options.detect {
            return Plain.compress_waiting(ctx, at);
        }
        let (state, waiting) = ctx.parts();
        let block = settle_block(waiting, BLOCK_LEN);
        let (_, finding) = check(state, slice::from_ref(block), options);
        if let Some(finding) = finding {
            let block = *block;
            report(ctx, &block, &finding, at);
        }
    }
}

/// An attack in the last of some blocks.
struct Finding {
    /// How many blocks are before it.
    index: usize,
    /// The number of its DV.
    dv: usize,
    /// The chaining values before the message's block and before the other block.
    ihv_in: [State; 2],
}

#[cold]
fn report<C: CheckedContext>(ctx: &mut C, block: &Block, finding: &Finding, at: u64) {
    let words = recompress::expand(block);
    let other_words = VECTORS[finding.dv].difference().apply(&words);
    ctx.attack_found(&Attack {
        at: at.wrapping_add((finding.index * BLOCK_LEN) as u64),
        ihv_in: finding.ihv_in.each_ref(),
        words: [&words, &other_words],
    });
}

/// Blocks whose candidates may wait for each other. For an attack in the last of them, so
/// many are hashed again.
const SPAN: usize = 8 * PHASE;

/// Compress and check up to [`SPAN`] blocks, or fewer, if one of them is part of an attack:
/// returns how many blocks that were, and the attack in the last of them.
#[inline(never)]
fn check(state: &mut State, blocks: &[Block], options: Options) -> (usize, Option<Finding>) {
    let ihv_in = *state;
    let Some(FirstAttack { index, dv, other_ihv_in }) = first_attack(state, blocks, options) else {
        return (blocks.len(), None);
    };
    // The blocks before it are hashed again, and by the caller those behind it: attacks are
    // rare enough.
    *state = ihv_in;
    compress::compress(state, &blocks[..index]);
    let finding = Finding { index, dv, ihv_in: [*state, other_ihv_in] };
    let times = if options.safe_hash { 3 } else { 1 };
    compress::compress(state, &[blocks[index]; 3][..times]);
    (index + 1, Some(finding))
}

/// The first attack in some blocks.
struct FirstAttack {
    /// How many blocks are before it.
    index: usize,
    /// The number of its DV.
    dv: usize,
    /// The chaining value before the other block.
    other_ihv_in: State,
}

/// Note an attack, if it is the first.
#[cold]
fn note_first(first: &mut Option<FirstAttack>, index: usize, candidate: &Candidate) {
    first.get_or_insert_with(|| FirstAttack {
        index,
        dv: candidate.dv,
        other_ihv_in: recompress_one(candidate).ihv_in,
    });
}

/// Compress blocks and find the first that is part of an attack, if one is: then the
/// chaining value is that after some block behind it.
#[inline(always)]
fn first_attack(state: &mut State, blocks: &[Block], options: Options) -> Option<FirstAttack> {
    let mut attack = None;
    let mut queue = None;
    let mut traces = [const { MaybeUninit::uninit() }; PHASE];
    let mut live = [const { MaybeUninit::uninit() }; PHASE];
    for (phase, first) in blocks.chunks(PHASE).zip((0..).step_by(PHASE)) {
        let (traces, live, mut suspects) = scan(state, phase, &mut traces, &mut live, options);
        while suspects != 0 {
            let i = suspects.trailing_zeros() as usize;
            suspects &= suspects - 1;
            let ihv_out = traces.get(i + 1).map_or(*state, |next| next.ihv_in);
            let suspect = Suspect { block: &phase[i], at_56: traces[i].at_56(), ihv_out };
            if options.reduced_round {
                candidates(suspect, live[i])
                    .filter(|candidate| is_reduced_round_attack(candidate, &traces[i].ihv_in))
                    .for_each(|candidate| note_first(&mut attack, first + i, &candidate));
            } else {
                let queue = queue.get_or_insert_with(CandidateQueue::new);
                queue.push(suspect, live[i], first + i, |index, candidate| {
                    note_first(&mut attack, index, candidate);
                });
            }
        }
        if attack.is_some() {
            return attack;
        }
    }
    if let Some(mut queue) = queue {
        queue.recompress(|index, candidate| note_first(&mut attack, index, candidate));
    }
    attack
}

/// The digest of `data`, and whether it is part of a collision attack.
pub fn checked_digest(data: &[u8]) -> (Digest, bool) {
    let mut hasher = CheckedHasher::new();
    let digest = if data.len() < hasher::SHORT {
        hasher::digest_short(&mut hasher, Checked, data)
    } else {
        hasher::update(&mut hasher, Checked, data);
        hasher::finish(&mut hasher, Checked)
    };
    (digest, hasher.attack_found)
}

/// The checked context of all who have no foreign layout to keep to. It asks for
/// [`Options::DETECT`].
#[derive(Clone, Copy, Default)]
pub struct CheckedHasher {
    hasher: Hasher,
    /// Whether an attack was found so far.
    pub attack_found: bool,
}

impl CheckedHasher {
    /// A hash of nothing yet.
    #[inline(always)]
    pub const fn new() -> Self {
        Self { hasher: Hasher::new(), attack_found: false }
    }
}

impl Context for CheckedHasher {
    #[inline(always)]
    fn parts(&mut self) -> (&mut State, &mut Waiting) {
        self.hasher.parts()
    }
    #[inline(always)]
    fn length(&self) -> u64 {
        self.hasher.length()
    }
    #[inline(always)]
    fn set_length(&mut self, len: u64) {
        self.hasher.set_length(len);
    }
}

impl CheckedContext for CheckedHasher {
    #[inline(always)]
    fn options(&self) -> Options {
        Options::DETECT
    }
    fn attack_found(&mut self, _: &Attack) {
        self.attack_found = true;
    }
}

/// Compress `blocks` into `state` and tell whether there is an attack in them.
pub fn compress_checked(state: &mut State, mut blocks: &[Block]) -> bool {
    let mut found = false;
    while !blocks.is_empty() {
        let (done, finding) = check(state, &blocks[..blocks.len().min(SPAN)], Options::DETECT);
        found |= finding.is_some();
        blocks = &blocks[done..];
    }
    found
}

/// All checking kernels that this CPU and its operating system can run.
pub fn lane_kernels() -> impl Iterator<Item = Available<LaneKernel>> {
    LANE_KERNELS.available()
}

/// The best kernel to hash and check `count` messages, if that is not to do so one after
/// the other. It finds what [`Options::DETECT`] finds.
pub fn kernel_for_count(count: usize) -> Option<Available<LaneKernel>> {
    LANE_KERNELS.for_count(count, false)
}

/// The checking kernels.
///
/// In cycles on Emerald Rapids, a block in each of 16 lanes takes about 800, and one alone
/// 104. On Zen 3, a block in each of 8 lanes takes 780, and one alone 125 with the SHA
/// instructions and 570 without: 6 messages are quicker one by one, 7 in lanes.
#[allow(unsafe_code)]
#[allow(unused_unsafe)] // Some architectures have no kernel.
// SAFETY: each kernel has the width that is given with it, and enables the features that
// it needs and no others.
static LANE_KERNELS: LaneKernels = LaneKernels::new(unsafe {
    &[
        #[cfg(target_arch = "x86_64")]
        LaneKernel::new(&[Feature::Avx512Vbmi], 9, 16, x86::avx512::sixteen),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        LaneKernel::new(&[Feature::Avx2], 7, 8, x86::avx2::eight).unless(&[Feature::Avx512Vbmi]),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        LaneKernel::new(&[Feature::Avx2], 2, 8, x86::avx2::eight).unless(&[Feature::Sha]),
        #[cfg(target_arch = "aarch64")]
        LaneKernel::new(&[], 2, 4, aarch64::neon::four).unless(&[Feature::Sha2]),
    ]
});

/// One way to check the conditions of many blocks, for one kind of CPU.
///
/// Its functions may be called only on a CPU that has what it needs. Outside of this file
/// there are no checks but [`Available`] ones.
pub struct Check {
    needs: &'static [Feature],
    /// Writes the live vectors of each traced block of a phase, for which there is room,
    /// and returns the set of blocks that have any.
    live: unsafe fn(&[Trace], &mut [MaybeUninit<Live>]) -> Suspects,
    /// Compresses the blocks of a phase as the best backend does, and checks them
    /// meanwhile, where that is quicker than one after the other. Writes a trace and the
    /// live vectors of each block, for which there is room.
    scan: Option<Scan>,
}

type Scan = unsafe fn(&mut State, &[Block], &mut [MaybeUninit<Trace>], &mut [MaybeUninit<Live>]) -> Suspects;

impl Variant for Check {
    fn needs(&self) -> &'static [Feature] {
        self.needs
    }
}

impl Available<Check> {
    /// The live vectors of each traced block of a phase, and the blocks with any.
    ///
    /// # Panics
    /// Where there is room for fewer sets than there are traces, or there are more traces
    /// than a phase has blocks.
    #[inline]
    #[allow(unsafe_code)]
    pub fn live<'a>(self, traces: &[Trace], live: &'a mut [MaybeUninit<Live>]) -> (&'a [Live], Suspects) {
        assert!(traces.len() <= PHASE);
        let live = &mut live[..traces.len()];
        // SAFETY: the CPU has what the check needs, as `Available` proves, and there is
        // room for as many sets as there are traces.
        let suspects = unsafe { (self.live)(traces, live) };
        // SAFETY: the check has written all of them.
        (unsafe { slice::from_raw_parts(live.as_ptr().cast(), live.len()) }, suspects)
    }

    /// Compress the blocks of a phase and check them meanwhile, if this check has a way to
    /// do so: the traces, the live vectors of each block, and the blocks with any.
    ///
    /// # Panics
    /// Where there is room for fewer traces or sets than there are blocks, or there are more
    /// blocks than a phase has.
    #[inline]
    #[allow(unsafe_code)]
    pub fn scan<'a>(
        self,
        state: &mut State,
        blocks: &[Block],
        traces: &'a mut [MaybeUninit<Trace>],
        live: &'a mut [MaybeUninit<Live>],
    ) -> Option<(&'a [Trace], &'a [Live], Suspects)> {
        let scan = self.scan?;
        assert!(blocks.len() <= PHASE);
        let (traces, live) = (&mut traces[..blocks.len()], &mut live[..blocks.len()]);
        // SAFETY: the CPU has what the check needs, as `Available` proves, and there is
        // room for a trace and a set of each block.
        let suspects = unsafe { scan(state, blocks, traces, live) };
        // SAFETY: the check has written all of them.
        unsafe {
            let traces = slice::from_raw_parts(traces.as_ptr().cast(), traces.len());
            Some((traces, slice::from_raw_parts(live.as_ptr().cast(), live.len()), suspects))
        }
    }
}

/// All checks, best first.
static CHECKS: Dispatch<Check> = Dispatch::new(&[
    #[cfg(target_arch = "x86_64")]
    Check {
        needs: &[Feature::Sha, Feature::Avx512Vbmi],
        live: x86::avx512::live,
        scan: Some(x86::avx512::scan),
    },
    #[cfg(target_arch = "x86_64")]
    Check {
        needs: &[Feature::ShaSchedule, Feature::Avx2],
        live: x86::avx2::live,
        scan: Some(x86::sha_avx2::scan),
    },
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Check { needs: &[Feature::Avx2], live: x86::avx2::live, scan: None },
    #[cfg(all(any(target_arch = "x86", target_arch = "x86_64"), target_feature = "sse2"))]
    Check { needs: &[], live: x86::sse2::live, scan: None },
    #[cfg(target_arch = "aarch64")]
    Check { needs: &[], live: aarch64::neon::live, scan: None },
    #[cfg(not(any(target_feature = "sse2", target_arch = "aarch64")))]
    Check { needs: &[], live: conditions::live_one_by_one, scan: None },
]);

/// The checks that this CPU and its operating system can run, best first.
pub fn checks() -> impl Iterator<Item = Available<Check>> {
    CHECKS.available()
}

/// Compress the blocks of a phase with a trace of each: the traces, the live vectors of
/// each block, and the blocks with any.
#[allow(unsafe_code)]
#[inline]
fn scan<'a>(
    state: &mut State,
    blocks: &[Block],
    traces: &'a mut [MaybeUninit<Trace>; PHASE],
    live: &'a mut [MaybeUninit<Live>; PHASE],
    options: Options,
) -> (&'a [Trace], &'a [Live], Suspects) {
    let check = CHECKS.best();
    // (To ask `scan` at once would lend it the memory for too long.)
    if options.conditions && check.scan.is_some() {
        return check.scan(state, blocks, traces, live).expect("it has one");
    }
    let traces = compress::best().trace(state, blocks, traces);
    if options.conditions {
        let (live, suspects) = check.live(traces, live);
        return (traces, live, suspects);
    }
    let live = &mut live[..traces.len()];
    live.fill(MaybeUninit::new(conditions::ALL));
    // SAFETY: all are written.
    let live = unsafe { slice::from_raw_parts(live.as_ptr().cast(), live.len()) };
    (traces, live, Suspects::MAX >> (Suspects::BITS as usize - traces.len()))
}

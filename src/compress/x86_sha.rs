//! The SHA instructions of x86, with a schedule that keeps out of their way.
//!
//! `sha1rnds4` has a latency of four cycles and twenty of them follow each
//! other, so 80 cycles a block is the floor. The usual code does not get near
//! it because `sha1msg2` is microcoded on Intel's cores and stalls all else.
//! From step 32 on the schedule has a second form,
//!
//! ```text
//! W[t] = rotl2(W[t-6] ^ W[t-16] ^ W[t-28] ^ W[t-32])
//! ```
//!
//! (the recurrence of FIPS 180-4 applied twice), which reaches back more than
//! four words and so gives four words at once with plain vector code.
//!
//! The SHA instructions have no VEX form. Where the upper halves of the vector
//! registers are dirty, each change between them and VEX code costs hundreds
//! of cycles: the AVX-512VL form therefore begins with `vzeroupper`, and no
//! wider register may appear in either loop (`tests/disassembly.rs` looks).

use core::arch::asm;
#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::array;
use core::mem::MaybeUninit;

use super::lanes::{self, Exchange, States, Step};
use super::recompress::onwards;
use super::trace::{Candidate, Confirmed, Suspect, TOP, Trace, Window};
use crate::block::{Block, State};

/// Compress with SSE rotates: any CPU with SHA instructions.
#[target_feature(enable = "sha,ssse3,sse4.1")]
pub fn compress(state: &mut State, blocks: &[Block]) {
    // SAFETY: `Sse` needs the features enabled here.
    unsafe { streams::<Sse, 1>([state], [blocks]) }
}

/// Compress with the rotates and three-way logic of AVX-512VL.
#[target_feature(enable = "sha,ssse3,sse4.1,avx2,avx512f,avx512vl")]
pub fn compress_vl(state: &mut State, blocks: &[Block]) {
    // The caller may hand over dirty upper halves: see the module's head.
    _mm256_zeroupper();
    // SAFETY: `Vl` needs the features enabled here.
    unsafe { streams::<Vl, 1>([state], [blocks]) }
}

/// Four words of the schedule: the first in the highest lane, as `sha1rnds4` wants.
type Group = __m128i;

/// The plain vector operations that the two forms do in different ways.
///
/// # Safety
/// All may be called only where the CPU has the form's features.
trait Form {
    /// Rotate each word left by `LEFT`; `RIGHT` is `32 - LEFT`.
    unsafe fn rotl<const LEFT: i32, const RIGHT: i32>(x: Group) -> Group;
    unsafe fn xor3(a: Group, b: Group, c: Group) -> Group;
    /// The fifth word for the next four rounds, added to their `words`: `abcd`
    /// is as before the present four, and its A will be E after a rotation.
    unsafe fn add_next_e(words: Group, abcd: __m128i) -> Group;
}

struct Sse;

impl Form for Sse {
    #[inline(always)]
    unsafe fn rotl<const LEFT: i32, const RIGHT: i32>(x: Group) -> Group {
        // SAFETY: the trait's contract.
        unsafe { _mm_or_si128(_mm_slli_epi32::<LEFT>(x), _mm_srli_epi32::<RIGHT>(x)) }
    }
    #[inline(always)]
    unsafe fn xor3(a: Group, b: Group, c: Group) -> Group {
        // SAFETY: the trait's contract.
        unsafe { _mm_xor_si128(_mm_xor_si128(a, b), c) }
    }
    #[inline(always)]
    unsafe fn add_next_e(words: Group, abcd: __m128i) -> Group {
        // SAFETY: the trait's contract.
        unsafe { _mm_sha1nexte_epu32(abcd, words) }
    }
}

struct Vl;

impl Form for Vl {
    #[inline(always)]
    unsafe fn rotl<const LEFT: i32, const RIGHT: i32>(x: Group) -> Group {
        // SAFETY: the trait's contract.
        unsafe { _mm_rol_epi32::<LEFT>(x) }
    }
    #[inline(always)]
    unsafe fn xor3(a: Group, b: Group, c: Group) -> Group {
        // SAFETY: the trait's contract.
        unsafe { _mm_ternarylogic_epi32::<0x96>(a, b, c) }
    }
    /// `sha1nexte` is three operations; a masked rotate and an addition are two.
    #[inline(always)]
    unsafe fn add_next_e(words: Group, abcd: __m128i) -> Group {
        let mut top: __mmask8 = 0b1000;
        // SAFETY: an empty instruction. It keeps the mask's value from the
        // compiler, which would turn the masked rotate into two operations;
        // being pure, it is done once, outside the loop.
        unsafe {
            asm!("/* {0} */", inout(reg_byte) top, options(pure, nomem, nostack, preserves_flags));
        }
        // SAFETY: the trait's contract.
        unsafe { _mm_add_epi32(words, _mm_maskz_rol_epi32::<30>(top, abcd)) }
    }
}

/// Words 16 to 31, from the four groups before: the recurrence of FIPS 180-4,
/// section 6.1.2. Its W[t-3] of the last word is the first word of this group.
#[inline(always)]
unsafe fn early<F: Form>(g4: Group, g3: Group, g2: Group, g1: Group) -> Group {
    // SAFETY: the caller has the form's features.
    unsafe {
        let x = F::xor3(g4, g2, _mm_alignr_epi8::<8>(g4, g3));
        let x = _mm_xor_si128(x, _mm_slli_si128::<4>(g1));
        let first = _mm_srli_si128::<12>(x);
        _mm_xor_si128(F::rotl::<1, 31>(x), F::rotl::<2, 30>(first))
    }
}

/// Words 32 to 79: the recurrence applied twice.
#[inline(always)]
unsafe fn late<F: Form>(g8: Group, g7: Group, g4: Group, g2: Group, g1: Group) -> Group {
    // SAFETY: the caller has the form's features.
    unsafe {
        let x = F::xor3(g8, g7, g4);
        F::rotl::<2, 30>(_mm_xor_si128(x, _mm_alignr_epi8::<8>(g2, g1)))
    }
}

/// The expanded message of one block: 20 groups.
#[inline(always)]
unsafe fn expand<F: Form>(block: &Block) -> [Group; 20] {
    // SAFETY: the caller has the form's features; a block is four 16-byte pieces.
    unsafe {
        let reverse = _mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
        let mut w = [_mm_setzero_si128(); 20];
        for (group, piece) in w.iter_mut().zip(block.as_chunks::<16>().0) {
            *group = _mm_shuffle_epi8(_mm_loadu_si128(piece.as_ptr().cast()), reverse);
        }
        for i in 4..8 {
            w[i] = early::<F>(w[i - 4], w[i - 3], w[i - 2], w[i - 1]);
        }
        for i in 8..20 {
            w[i] = late::<F>(w[i - 8], w[i - 7], w[i - 4], w[i - 2], w[i - 1]);
        }
        w
    }
}

/// The chaining value of one stream, or its five words on the way.
#[derive(Clone, Copy)]
struct Working {
    /// A in the highest lane, D in the lowest.
    abcd: __m128i,
    /// E, with the words of the next four rounds added.
    e: __m128i,
}

/// Four rounds of part `PART`, and then the words `next` of the four after.
#[inline(always)]
unsafe fn four_rounds<F: Form, const PART: i32>(s: Working, next: Group) -> Working {
    // SAFETY: the caller has the form's features.
    unsafe { Working { e: F::add_next_e(next, s.abcd), abcd: _mm_sha1rnds4_epu32::<PART>(s.abcd, s.e) } }
}

/// Rounds `20 * PART` to `20 * PART + 19`; `next` are the words of four rounds
/// later.
#[inline(always)]
unsafe fn twenty<F: Form, const PART: i32>(s: Working, next: [Group; 5]) -> Working {
    // SAFETY: the caller has the form's features.
    next.into_iter().fold(s, |s, next| unsafe { four_rounds::<F, PART>(s, next) })
}

/// The chaining value in registers.
#[inline(always)]
unsafe fn load(state: &State) -> Working {
    // SAFETY: the caller has SSE2; four of five words are loaded at once.
    unsafe {
        Working {
            abcd: _mm_shuffle_epi32::<0x1b>(_mm_loadu_si128(state.as_ptr().cast())),
            e: _mm_set_epi32(state[4] as i32, 0, 0, 0),
        }
    }
}

/// The chaining value back in memory.
#[inline(always)]
unsafe fn store(state: *mut State, hash: Working) {
    // SAFETY: the caller has SSE4.1, and the state is writable; four of its five
    // words are stored at once.
    unsafe {
        _mm_storeu_si128(state.cast(), _mm_shuffle_epi32::<0x1b>(hash.abcd));
        (*state)[4] = _mm_extract_epi32::<3>(hash.e) as u32;
    }
}

/// `N` messages side by side, as many blocks of each.
#[inline(always)]
unsafe fn streams<F: Form, const N: usize>(states: [&mut State; N], blocks: [&[Block]; N]) {
    // SAFETY: the caller has the form's features; all N slices have the length
    // of the first.
    unsafe {
        let mut hash = states.each_ref().map(|state| load(state));
        for i in 0..blocks[0].len() {
            let mut s: [Stream; N] = array::from_fn(|n| Stream::start(hash[n], blocks[n].get_unchecked(i)));
            group::<F, 0, 0, N>(&mut s);
            group::<F, 1, 0, N>(&mut s);
            group::<F, 2, 0, N>(&mut s);
            group::<F, 3, 0, N>(&mut s);
            group::<F, 4, 0, N>(&mut s);
            group::<F, 5, 1, N>(&mut s);
            group::<F, 6, 1, N>(&mut s);
            group::<F, 7, 1, N>(&mut s);
            group::<F, 8, 1, N>(&mut s);
            group::<F, 9, 1, N>(&mut s);
            group::<F, 10, 2, N>(&mut s);
            group::<F, 11, 2, N>(&mut s);
            group::<F, 12, 2, N>(&mut s);
            group::<F, 13, 2, N>(&mut s);
            group::<F, 14, 2, N>(&mut s);
            group::<F, 15, 3, N>(&mut s);
            group::<F, 16, 3, N>(&mut s);
            group::<F, 17, 3, N>(&mut s);
            group::<F, 18, 3, N>(&mut s);
            group::<F, 19, 3, N>(&mut s);
            hash = array::from_fn(|n| Working {
                abcd: _mm_add_epi32(hash[n].abcd, s[n].working.abcd),
                e: s[n].working.e,
            });
        }
        for (state, hash) in states.into_iter().zip(hash) {
            store(state, hash);
        }
    }
}

/// One of several messages: its working words and schedule.
#[derive(Clone, Copy)]
struct Stream {
    working: Working,
    /// The groups, and as the last one the chaining value's own E.
    w: [Group; 21],
}

impl Stream {
    /// The first four groups.
    #[inline(always)]
    unsafe fn start(hash: Working, block: &Block) -> Self {
        // SAFETY: the caller has SSSE3; a block is four 16-byte pieces.
        unsafe {
            let reverse = _mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
            let mut w = [_mm_setzero_si128(); 21];
            for (group, piece) in w.iter_mut().zip(block.as_chunks::<16>().0) {
                *group = _mm_shuffle_epi8(_mm_loadu_si128(piece.as_ptr().cast()), reverse);
            }
            w[20] = hash.e;
            Self { working: Working { abcd: hash.abcd, e: _mm_add_epi32(hash.e, w[0]) }, w }
        }
    }
}

/// Four rounds of each message, and the words of four groups later.
///
/// Left alone, the compiler would first make all words and put them away, and then
/// one message's whole chain behind the other's; the CPU does not look that far
/// ahead.
#[inline(always)]
unsafe fn group<F: Form, const G: usize, const PART: i32, const N: usize>(streams: &mut [Stream; N]) {
    for s in streams.iter_mut() {
        // SAFETY: the caller has the form's features.
        unsafe {
            let w = &mut s.w;
            if G < 4 {
                w[G + 4] = early::<F>(w[G], w[G + 1], w[G + 2], w[G + 3]);
            } else if G < 16 {
                w[G + 4] = late::<F>(w[G - 4], w[G - 3], w[G], w[G + 2], w[G + 3]);
            }
            s.working = four_rounds::<F, PART>(s.working, w[G + 1]);
        }
    }
    let newest = if G < 16 { G + 4 } else { 20 };
    for n in 1..N {
        let (mut a, mut b) = (streams[n - 1].working.abcd, streams[n].working.abcd);
        let (mut v, mut w) = (streams[n - 1].w[newest], streams[n].w[newest]);
        // SAFETY: an empty instruction that seems to use them all.
        unsafe {
            asm!("/* {0} {1} {2} {3} */", inout(xmm_reg) a, inout(xmm_reg) b, inout(xmm_reg) v, inout(xmm_reg) w,
                options(pure, nomem, nostack, preserves_flags));
        }
        (streams[n - 1].working.abcd, streams[n].working.abcd) = (a, b);
        (streams[n - 1].w[newest], streams[n].w[newest]) = (v, w);
    }
}

/// Two messages in turns: a [`Kernel`](super::lanes::Kernel).
///
/// # Safety
/// As for any kernel.
pub unsafe fn two(states: &mut States, steps: &[Step], others: &mut [Exchange]) {
    // SAFETY: the caller has the features.
    lanes::run_with(states, steps, others, |states, blocks| unsafe { two_vl(states, blocks) });
}

/// Four messages in turns: a [`Kernel`](super::lanes::Kernel).
///
/// # Safety
/// As for any kernel.
pub unsafe fn four(states: &mut States, steps: &[Step], others: &mut [Exchange]) {
    // SAFETY: the caller has the features.
    lanes::run_with(states, steps, others, |states, blocks| unsafe { four_vl(states, blocks) });
}

#[target_feature(enable = "sha,ssse3,sse4.1,avx2,avx512f,avx512vl")]
fn two_vl(states: [&mut State; 2], blocks: [&[Block]; 2]) {
    _mm256_zeroupper();
    // SAFETY: `Vl` needs the features enabled here.
    unsafe { streams::<Vl, 2>(states, blocks) }
}

#[target_feature(enable = "sha,ssse3,sse4.1,avx2,avx512f,avx512vl")]
fn four_vl(states: [&mut State; 4], blocks: [&[Block]; 4]) {
    _mm256_zeroupper();
    // SAFETY: `Vl` needs the features enabled here.
    unsafe { streams::<Vl, 4>(states, blocks) }
}

/// As [`compress`], with a trace of each block.
#[target_feature(enable = "sha,ssse3,sse4.1")]
pub fn trace(state: &mut State, blocks: &[Block], traces: &mut [MaybeUninit<Trace>]) {
    // SAFETY: `Sse` needs the features enabled here.
    unsafe { trace_with::<Sse>(state, blocks, traces, &mut ()) }
}

/// As [`compress_vl`], with a trace of each block.
#[target_feature(enable = "sha,ssse3,sse4.1,avx2,avx512f,avx512vl")]
pub fn trace_vl(state: &mut State, blocks: &[Block], traces: &mut [MaybeUninit<Trace>]) {
    // SAFETY: the features are enabled here, and nothing is inspected.
    unsafe { trace_vl_and(state, blocks, traces, &mut ()) }
}

/// What is done with the window of a block beside its last rounds.
pub trait Inspect {
    /// Inspect the window of the next block, which is written.
    ///
    /// The code must stay where it is put, among the rounds, so it is to look as if
    /// it changed `tie`; and out of the registers that the SHA instructions can name,
    /// as far as they are wider than 128 bits: see the module's head.
    ///
    /// # Safety
    /// The CPU must have what the code needs.
    unsafe fn inspect(&mut self, window: *const Window, tie: &mut __m128i);
}

/// Nothing.
impl Inspect for () {
    #[inline(always)]
    unsafe fn inspect(&mut self, _: *const Window, _: &mut __m128i) {}
}

/// As [`trace_vl`], and inspect each window.
///
/// # Safety
/// The CPU must have what [`trace_vl`] and the inspection need.
#[inline(always)]
pub unsafe fn trace_vl_and(
    state: &mut State,
    blocks: &[Block],
    traces: &mut [MaybeUninit<Trace>],
    inspection: &mut impl Inspect,
) {
    // SAFETY: the caller's contract.
    unsafe {
        _mm256_zeroupper();
        trace_with::<Vl>(state, blocks, traces, inspection);
    }
}

/// The inner working words of a trace are A to D before step 52 and before step
/// 56, whose E is the rotated A of four steps before.
#[inline(always)]
unsafe fn trace_with<F: Form>(
    state: &mut State,
    blocks: &[Block],
    traces: &mut [MaybeUninit<Trace>],
    inspection: &mut impl Inspect,
) {
    // SAFETY: the caller has the form's features; the fields of a trace are
    // written through pointers that its pointer gives, in multiples of 16 bytes
    // except for `before`, which is a chaining value.
    unsafe {
        let mut hash = load(state);
        for (block, trace) in blocks.iter().zip(traces) {
            let trace = trace.as_mut_ptr();
            store(&raw mut (*trace).before, hash);
            let w = expand::<F>(block);
            let window: *mut __m128i = (&raw mut (*trace).window).cast();
            // Four words each from W[34] on: two of a group and two of the next, as
            // they were put together for the schedule.
            for i in 8..16 {
                let words = _mm_alignr_epi8::<8>(w[i], w[i + 1]);
                _mm_store_si128(window.add(15 - i), words);
            }
            let inner: *mut __m128i = (&raw mut (*trace).inner).cast();
            let mut s = Working { abcd: hash.abcd, e: _mm_add_epi32(hash.e, w[0]) };
            s = twenty::<F, 0>(s, [w[1], w[2], w[3], w[4], w[5]]);
            s = twenty::<F, 1>(s, [w[6], w[7], w[8], w[9], w[10]]);
            s = four_rounds::<F, 2>(s, w[11]);
            s = four_rounds::<F, 2>(s, w[12]);
            inspection.inspect(&raw const (*trace).window, &mut s.abcd);
            s = four_rounds::<F, 2>(s, w[13]);
            _mm_store_si128(inner, s.abcd);
            s = four_rounds::<F, 2>(s, w[14]);
            _mm_store_si128(inner.add(1), s.abcd);
            s = four_rounds::<F, 2>(s, w[15]);
            s = twenty::<F, 3>(s, [w[16], w[17], w[18], w[19], hash.e]);
            hash = Working { abcd: _mm_add_epi32(hash.abcd, s.abcd), e: s.e };
        }
        store(state, hash);
    }
}

/// The same trace, from the working words before step 55 and the window but W\[65\].
pub fn retrace(at_55: &State, mut window: Window, before: State) -> Trace {
    let word = |t: usize| window[TOP - t];
    let mut w = [0; 80];
    w[55] = word(55);
    window[TOP - 65] = (word(62) ^ word(57) ^ word(51) ^ word(49)).rotate_left(1);
    let [a, b, c, d, e] = onwards(*at_55, &w, 55..56);
    Trace { window, inner: [[0, 0, 0, e.rotate_right(30)], [d, c, b, a], [0; 4], [0; 4]], before }
}

/// Recompress with SSE rotates.
#[target_feature(enable = "sha,ssse3,sse4.1")]
pub fn recompress(suspect: &Suspect, candidates: &[Candidate]) -> Option<Confirmed> {
    // SAFETY: `Sse` needs the features enabled here.
    unsafe { recompress_with::<Sse>(suspect, candidates) }
}

/// Recompress with AVX-512VL.
#[target_feature(enable = "sha,ssse3,sse4.1,avx2,avx512f,avx512vl")]
pub fn recompress_vl(suspect: &Suspect, candidates: &[Candidate]) -> Option<Confirmed> {
    _mm256_zeroupper();
    // SAFETY: `Vl` needs the features enabled here.
    unsafe { recompress_with::<Vl>(suspect, candidates) }
}

/// The expanded message of a traced block: what the window has need not be made
/// again, so that the last groups are there without the long way to them.
#[inline(always)]
unsafe fn expand_traced<F: Form>(c: &Suspect) -> [Group; 20] {
    // SAFETY: the caller has the form's features; a window is eight vectors.
    unsafe {
        let mut w = expand::<F>(c.block);
        // Four words each from W[34] on: between two groups, but the schedule is
        // the same at any t.
        let window: *const __m128i = c.trace.window.as_ptr().cast();
        let mut v = [_mm_setzero_si128(); 20];
        for (i, words) in v[8..16].iter_mut().rev().enumerate() {
            *words = _mm_load_si128(window.add(i));
        }
        for i in 16..20 {
            v[i] = late::<F>(v[i - 8], v[i - 7], v[i - 4], v[i - 2], v[i - 1]);
        }
        for i in 9..20 {
            w[i] = _mm_alignr_epi8::<8>(v[i - 1], v[i]);
        }
        w
    }
}

/// The candidate whose other message leads to the block's result from some
/// chaining value, if the two have the same working words before step 58 or 65.
///
/// There are no instructions for steps backwards. So: from the traced working
/// words onwards, with the other message from step 58 or 65 on, which gives its
/// last ones; these and the result give its chaining value; from there through
/// all of the other message to step 68, where the working words must be the same.
/// (Two candidates side by side take as long as one after the other: 20 groups of
/// rounds are enough to keep the unit busy.)
#[inline(always)]
unsafe fn recompress_with<F: Form>(suspect: &Suspect, candidates: &[Candidate]) -> Option<Confirmed> {
    // SAFETY: the caller has the form's features.
    unsafe {
        let w = expand_traced::<F>(suspect);
        for candidate in candidates {
            if let Some(before) = recompress_one::<F>(suspect, &w, candidate) {
                return Some(Confirmed { number: candidate.number, before });
            }
        }
        None
    }
}

/// The chaining value before the candidate's other message, if it is part of an attack.
#[inline(always)]
unsafe fn recompress_one<F: Form>(
    suspect: &Suspect,
    w: &[Group; 20],
    candidate: &Candidate,
) -> Option<State> {
    // SAFETY: the caller has the form's features; `inner` begins with two
    // vectors, and a difference has five times 16 words.
    unsafe {
        let zero = _mm_setzero_si128();
        // The difference begins with its last group, in the order that is wanted here.
        let difference =
            |i: usize| _mm_loadu_si128(candidate.difference.as_ptr().add(76 - 4 * i).cast::<__m128i>());
        // A group of the other message; and one that is the block's own before the start.
        let other = |i: usize| _mm_xor_si128(w[i], difference(i));
        let mixed = |i: usize| {
            let start = _mm_set1_epi32(candidate.start as i32);
            let t = _mm_add_epi32(_mm_set_epi32(0, 1, 2, 3), _mm_set1_epi32(4 * i as i32));
            _mm_xor_si128(w[i], _mm_andnot_si128(_mm_cmplt_epi32(t, start), difference(i)))
        };
        let inner: *const __m128i = (&raw const suspect.trace.inner).cast();
        let e = F::add_next_e(mixed(14), _mm_load_si128(inner));
        let s = Working { abcd: _mm_load_si128(inner.add(1)), e };
        let s = four_rounds::<F, 2>(s, mixed(15));
        let s = four_rounds::<F, 3>(s, mixed(16));
        let common = four_rounds::<F, 3>(s, other(17));
        let s = four_rounds::<F, 3>(common, other(18));
        let s = four_rounds::<F, 3>(s, other(19));
        let last = four_rounds::<F, 3>(s, zero);

        let after = load(suspect.after);
        let before =
            Working { abcd: _mm_sub_epi32(after.abcd, last.abcd), e: _mm_sub_epi32(after.e, last.e) };
        let s = Working { abcd: before.abcd, e: _mm_add_epi32(before.e, other(0)) };
        let s = twenty::<F, 0>(s, [other(1), other(2), other(3), other(4), other(5)]);
        let s = twenty::<F, 1>(s, [other(6), other(7), other(8), other(9), other(10)]);
        let s = twenty::<F, 2>(s, [other(11), other(12), other(13), other(14), other(15)]);
        let s = four_rounds::<F, 3>(s, other(16));
        let s = four_rounds::<F, 3>(s, other(17));
        let differ = _mm_or_si128(_mm_xor_si128(s.abcd, common.abcd), _mm_xor_si128(s.e, common.e));
        if _mm_testz_si128(differ, differ) == 0 {
            return None;
        }
        let mut state = [0; 5];
        store(&raw mut state, before);
        Some(state)
    }
}

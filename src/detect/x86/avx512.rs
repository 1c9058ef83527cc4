//! The conditions of one block in 24 instructions: AVX-512 with VBMI and GFNI.
//!
//! The same steps as [`live`](crate::detect::conditions::live). `vpermb` gathers bytes 0 and 3
//! of the words into squares of eight, `vgf2p8affineqb` transposes all eight
//! squares at once, and two more `vpermb` lay out the columns P\[b1\] and P\[b2\] of
//! all 16 relations, one in each lane. Of the uses, eight lanes take those of type
//! I and eight those of type II, four after each other.
//!
//! Where there are 16 blocks, it is cheaper to transpose the columns of all, so that each
//! block has a lane to itself. Where there is only one, its check is put among its own last
//! rounds, which leave most of the CPU idle.

use core::arch::asm;
use core::arch::x86_64::*;
use core::array;
use core::mem::{MaybeUninit, offset_of};
use core::slice;

use crate::arch::x86::avx512::Zmm;
use crate::arch::x86::sha::trace::{self, trace_vl, trace_vl_and};
use crate::barrier;
use crate::block::{Block, State};
use crate::detect::conditions::{ALL, ConditionWord, Live, RELATIONS, TYPES, column_index, evaluate};
use crate::detect::lanes::LaneQueue;
use crate::detect::phase::Suspects;
use crate::lanes::{self, Inspect, LaneTraces, SimdWord, States, Step};
use crate::trace::{FIRST_T, Trace, Window, index};

/// A vector's worth of constants.
#[repr(C, align(64))]
struct Aligned<T>(T);

/// Words on each of the window's two lines.
const HALF: usize = 16;

/// Where each byte of the squares comes from: in the half of the window with the
/// late words and in the one with the early words. In a square, W[t] stands before
/// W[t - 1], because `vgf2p8affineqb` takes a matrix from its last row on.
const fn gather(late: bool) -> [u8; 64] {
    let mut from = [0; 64];
    let mut i = 0;
    while i < 64 {
        let (byte, word) = (3 * (i / 32), index(time(i)));
        if (word < HALF) == late {
            from[i] = (word % HALF * 4 + byte) as u8;
        }
        i += 1;
    }
    from
}

/// The t of byte i of the squares.
const fn time(i: usize) -> usize {
    FIRST_T + 8 * (i % 32 / 8) + 7 - i % 8
}

/// The bytes of the squares that the early words give.
const EARLY: u64 = {
    let mut mask = 0;
    let mut i = 0;
    while i < 64 {
        if index(time(i)) >= HALF {
            mask |= 1 << i;
        }
        i += 1;
    }
    mask
};

static FROM_LATE: Aligned<[u8; 64]> = Aligned(gather(true));
static FROM_EARLY: Aligned<[u8; 64]> = Aligned(gather(false));

/// Where each relation's column is in the transposed squares.
const fn layout(second: bool) -> [u8; 64] {
    let mut from = [0; 64];
    let mut i = 0;
    while i < 64 {
        let r = &RELATIONS[i / 4];
        let column = column_index(if second { r.b2 } else { r.b1 });
        from[i] = (column / 8 * 32 + i % 4 * 8 + column % 8) as u8;
        i += 1;
    }
    from
}

/// The same for the columns themselves.
static COLUMNS: Aligned<[u8; 64]> = {
    let mut from = [0; 64];
    let mut i = 0;
    while i < 64 {
        from[i] = (i / 32 * 32 + i % 4 * 8 + i / 4 % 8) as u8;
        i += 1;
    }
    Aligned(from)
};

static COLUMN_1: Aligned<[u8; 64]> = Aligned(layout(false));
static COLUMN_2: Aligned<[u8; 64]> = Aligned(layout(true));

/// The relations' shifts, and all ones where the two bits must be equal.
static SHIFT: Aligned<[u32; 16]> = Aligned(relations(true));
static EQUAL: Aligned<[u32; 16]> = Aligned(relations(false));

const fn relations(shift: bool) -> [u32; 16] {
    let mut all = [0; 16];
    let mut i = 0;
    while i < 16 {
        all[i] = if shift { RELATIONS[i].d } else { RELATIONS[i].s.wrapping_sub(1) };
        i += 1;
    }
    all
}

/// Four uses after each other in every lane.
struct Uses {
    relation: [Aligned<[u32; 16]>; 4],
    rotate: [Aligned<[u32; 16]>; 4],
    others: [Aligned<[u32; 16]>; 4],
}

static USES: Uses = {
    const NONE: [Aligned<[u32; 16]>; 4] = [const { Aligned([0; 16]) }; 4];
    let mut uses = Uses { relation: NONE, rotate: NONE, others: NONE };
    let mut i = 0;
    while i < 64 {
        let (pass, lane) = (i / 16, i % 16);
        let step = TYPES[kind(lane)][pass * 8 + lane / 8 * 4 + lane % 4];
        uses.relation[pass].0[lane] = step.relation as u32;
        uses.rotate[pass].0[lane] = step.shift as u32 & 31;
        uses.others[pass].0[lane] = step.others;
        i += 1;
    }
    uses
};

/// The type, less one, to which a lane belongs.
const fn kind(lane: usize) -> usize {
    lane / 4 % 2
}

/// All DVs of each lane's type.
static ALL_OF_TYPE: Aligned<[u32; 16]> = {
    let mut all = [0; 16];
    let mut i = 0;
    while i < 16 {
        all[i] = (ALL >> (32 * kind(i))) as u32;
        i += 1;
    }
    Aligned(all)
};

/// What the check of a block beside its rounds reads.
#[repr(C, align(64))]
struct Constants {
    /// The bytes 0 and 3 of each word.
    ends: [u32; 8],
    /// Where the bytes 0, and 3, of two pieces are.
    low: [[u8; 32]; 2],
    high: [[u8; 32]; 2],
    /// Where the columns of each relation are; and of the second, how far it is
    /// rotated, of their sum, whether it shall be zero.
    first: [[u8; 32]; 2],
    second: [[u8; 32]; 2],
    rotate_second: [[u32; 8]; 2],
    equal: [[u32; 8]; 2],
    /// All DVs of each lane's type: I and II alternate.
    all_of_type: [u32; 8],
    /// Eight uses after each other in every lane.
    relation: [[u32; 8]; 8],
    rotate: [[u32; 8]; 8],
    others: [[u32; 8]; 8],
    bits: u64,
}

/// A relation between the column `first` at any t and the column `second` at t + d.
#[derive(Clone, Copy)]
struct Columns {
    relation: usize,
    first: u32,
    second: u32,
    d: i32,
}

/// The relations: first eight whose second column is of byte 0, then eight for which
/// it is of byte 3. To get there, some have their two columns exchanged.
const COLUMNS_OF: [Columns; 16] = {
    let mut all = [Columns { relation: 0, first: 0, second: 0, d: 0 }; 16];
    let (mut low, mut high) = (0, 8);
    let mut i = 0;
    while i < 16 {
        let r = &RELATIONS[i];
        let to = if r.b1 < 8 && r.b2 < 8 { &mut low } else { &mut high };
        all[*to] = if r.b1 >= 8 && r.b2 < 8 {
            Columns { relation: i, first: r.b2, second: r.b1, d: -(r.d as i32) }
        } else {
            Columns { relation: i, first: r.b1, second: r.b2, d: r.d as i32 }
        };
        *to += 1;
        i += 1;
    }
    assert!(low == 8 && high == 16);
    all
};

static CONSTANTS: Constants = {
    let mut all = Constants {
        ends: [0xff00_00ff; 8],
        low: [[0; 32]; 2],
        high: [[0; 32]; 2],
        first: [[0; 32]; 2],
        second: [[0; 32]; 2],
        rotate_second: [[0; 8]; 2],
        equal: [[0; 8]; 2],
        all_of_type: [0; 8],
        relation: [[0; 8]; 8],
        rotate: [[0; 8]; 8],
        others: [[0; 8]; 8],
        bits: BITS,
    };
    let mut i = 0;
    while i < 32 {
        // Of the odd pieces, the bytes 0 and 3 stand in places 2 and 1. What belongs to
        // the other two pieces becomes zero.
        let (word, piece) = (i % 4 * 4, i / 4 % 4);
        all.low[piece / 2][i] = (word + if piece % 2 == 0 { 0 } else { 2 }) as u8;
        all.high[piece / 2][i] = (word + if piece % 2 == 0 { 3 } else { 1 }) as u8;
        all.low[1 - piece / 2][i] = 0x80;
        all.high[1 - piece / 2][i] = 0x80;
        i += 1;
    }
    let mut position = [0; 16];
    let mut i = 0;
    while i < 64 {
        let (at, byte) = (i / 4, i % 4);
        let columns = &COLUMNS_OF[at];
        // The last square has the earliest words.
        let square = 8 * (3 - byte);
        let first = square + columns.first as usize % 8 + if columns.first < 8 { 0 } else { 32 };
        all.first[at / 8][i % 32] = first as u8;
        all.second[at / 8][i % 32] = (square + columns.second as usize % 8) as u8;
        all.rotate_second[at / 8][at % 8] = columns.d as u32 & 31;
        all.equal[at / 8][at % 8] = RELATIONS[columns.relation].s.wrapping_sub(1);
        position[columns.relation] = at;
        i += 1;
    }
    let mut i = 0;
    while i < 64 {
        let (pass, lane, kind) = (i / 8, i % 8, i % 2);
        let step = TYPES[kind][pass * 4 + lane / 2];
        let at = position[step.relation as usize];
        // Where the columns are exchanged, t is that of the second bit.
        let d = COLUMNS_OF[at].d;
        let rotate = step.shift as i32 + if d < 0 { -d } else { 0 };
        all.all_of_type[lane] = (ALL >> (32 * kind)) as u32;
        all.relation[pass][lane] = at as u32;
        all.rotate[pass][lane] = rotate as u32 & 31;
        all.others[pass][lane] = step.others;
        i += 1;
    }
    all
};

/// The matrix by which `vgf2p8affineqb` transposes what it is given.
const BITS: u64 = 0x8040_2010_0804_0201;

/// A constant or 16 words of a window.
#[inline]
#[target_feature(enable = "avx512f")]
fn load<T>(from: &T) -> __m512i {
    const { assert!(size_of::<T>() == 64) };
    // SAFETY: `from` is 64 readable bytes, and the load needs no alignment.
    unsafe { _mm512_loadu_si512((&raw const *from).cast()) }
}

/// The live vectors of each traced block, and the set of blocks with any.
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,gfni,avx2")]
pub fn live(traces: &[Trace], live: &mut [MaybeUninit<Live>]) -> Suspects {
    let mut suspects = 0;
    let mut index = 0;
    let (batches, rest) = traces.as_chunks::<LANES>();
    let (live_batches, live_rest) = live.as_chunks_mut::<LANES>();
    for (traces, live) in batches.iter().zip(live_batches) {
        suspects |= Suspects::from(batch(traces, live)) << index;
        index += LANES;
    }
    let (fours, rest) = rest.as_chunks::<4>();
    let (live_fours, live_rest) = live_rest.as_chunks_mut::<4>();
    for (traces, live) in fours.iter().zip(live_fours) {
        suspects |= Suspects::from(four(traces.each_ref(), live)) << index;
        index += 4;
    }
    if let Some(last) = rest.last() {
        let mut four_live = [MaybeUninit::uninit(); 4];
        let any = four(array::from_fn(|i| rest.get(i).unwrap_or(last)), &mut four_live);
        live_rest.copy_from_slice(&four_live[..rest.len()]);
        suspects |= Suspects::from(any & (0xf >> (4 - rest.len()))) << index;
    }
    suspects
}

/// The live vectors of four blocks.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,gfni,avx2")]
fn four(traces: [&Trace; 4], live: &mut [MaybeUninit<Live>; 4]) -> __mmask8 {
    let [a, b, c, d] = traces.map(|trace| conditions(trace));
    // Each step puts the halves of what it takes side by side.
    let ab = _mm256_and_si256(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
    let cd = _mm256_and_si256(_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
    let all = _mm256_and_si256(_mm256_unpacklo_epi64(ab, cd), _mm256_unpackhi_epi64(ab, cd));
    let (one, two) = (_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all));
    let to: *mut __m128i = live.as_mut_ptr().cast();
    // SAFETY: four sets are two vectors.
    unsafe {
        _mm_storeu_si128(to, _mm_unpacklo_epi32(one, two));
        _mm_storeu_si128(to.add(1), _mm_unpackhi_epi32(one, two));
    }
    let any = _mm_or_si128(one, two);
    _mm_test_epi32_mask(any, any)
}

/// Compress blocks with a trace of each, and find the live vectors of each and the
/// set of blocks with any. Fewer than four blocks are checked while they are hashed.
///
/// # Safety
/// There must be room for a trace and a set for each block.
#[target_feature(enable = "sha,ssse3,sse4.1,avx512f,avx512vl,avx512bw,avx512vbmi,gfni,avx2")]
pub unsafe fn scan(
    state: &mut State,
    blocks: &[Block],
    traces: &mut [MaybeUninit<Trace>],
    live: &mut [MaybeUninit<Live>],
) -> Suspects {
    if blocks.len() < 4 {
        let mut beside = Beside { live: live.iter_mut(), index: 0, suspects: 0 };
        // SAFETY: what `trace_vl` and the inspection want is enabled here.
        unsafe { trace_vl_and(state, blocks, traces, &mut beside) };
        return beside.suspects;
    }
    trace_vl(state, blocks, traces);
    // SAFETY: there is room for a trace of each block by this function's contract, and
    // `trace_vl` writes them.
    self::live(unsafe { slice::from_raw_parts(traces.as_ptr().cast(), blocks.len()) }, live)
}

/// The check of one block after the other, each beside its rounds.
struct Beside<'a> {
    live: slice::IterMut<'a, MaybeUninit<Live>>,
    index: usize,
    suspects: Suspects,
}

/// The steps of [`conditions`], with 256-bit vectors: while a 512-bit instruction
/// waits, no other vector instruction gets port 1. Written as assembly, because a
/// compiler would take the registers that the SHA instructions can name.
impl trace::Inspect for Beside<'_> {
    #[inline(always)]
    unsafe fn inspect(&mut self, window: *const Window, tie: &mut __m128i) {
        let vectors: Live;
        // SAFETY: reads the window, in pieces as it was written, and the constants.
        unsafe {
            asm!(
                // Pieces i and i + 4 of the window's eight; then the ends of the words of
                // two; then bytes 0 of all, and bytes 3, in squares of eight.
                "vmovdqa32 xmm16, [{w}]",
                "vmovdqa32 xmm17, [{w} + 16]",
                "vmovdqa32 xmm18, [{w} + 32]",
                "vmovdqa32 xmm19, [{w} + 48]",
                "vinserti32x4 ymm16, ymm16, [{w} + 64], 1",
                "vinserti32x4 ymm17, ymm17, [{w} + 80], 1",
                "vinserti32x4 ymm18, ymm18, [{w} + 96], 1",
                "vinserti32x4 ymm19, ymm19, [{w} + 112], 1",
                "vmovdqa32 ymm20, [{c} + {ends}]",
                "vprold ymm17, ymm17, 16",
                "vprold ymm19, ymm19, 16",
                "vpternlogd ymm17, ymm16, ymm20, 0xd8",
                "vpternlogd ymm19, ymm18, ymm20, 0xd8",
                "vpshufb ymm16, ymm17, [{c} + {low}]",
                "vpshufb ymm18, ymm19, [{c} + {low} + 32]",
                "vpshufb ymm17, ymm17, [{c} + {high}]",
                "vpshufb ymm19, ymm19, [{c} + {high} + 32]",
                "vpord ymm16, ymm16, ymm18",
                "vpord ymm17, ymm17, ymm19",
                // The columns.
                "vpbroadcastq ymm18, [{c} + {bits}]",
                "vgf2p8affineqb ymm16, ymm18, ymm16, 0",
                "vgf2p8affineqb ymm17, ymm18, ymm17, 0",
                // The relations.
                "vmovdqa32 ymm20, [{c} + {first}]",
                "vmovdqa32 ymm21, [{c} + {first} + 32]",
                "vmovdqa32 ymm18, [{c} + {second}]",
                "vmovdqa32 ymm19, [{c} + {second} + 32]",
                "vpermb ymm20, ymm20, ymm16",
                "vpermb ymm18, ymm18, ymm16",
                "vpermi2b ymm21, ymm16, ymm17",
                "vpermb ymm19, ymm19, ymm17",
                "vprorvd ymm18, ymm18, [{c} + {rotate_second}]",
                "vprorvd ymm19, ymm19, [{c} + {rotate_second} + 32]",
                "vpternlogd ymm18, ymm20, [{c} + {equal}], 0x96",
                "vpternlogd ymm19, ymm21, [{c} + {equal} + 32], 0x96",
                // The uses.
                "vmovdqa32 ymm16, [{c} + {all_of_type}]",
                "vmovdqa32 ymm24, [{c} + {relation} + 0]",
                "vpermi2d ymm24, ymm18, ymm19",
                "vprorvd ymm24, ymm24, [{c} + {rotate} + 0]",
                "vpternlogd ymm16, ymm24, [{c} + {others} + 0], 0xe0",
                "vmovdqa32 ymm25, [{c} + {relation} + 32]",
                "vpermi2d ymm25, ymm18, ymm19",
                "vprorvd ymm25, ymm25, [{c} + {rotate} + 32]",
                "vpternlogd ymm16, ymm25, [{c} + {others} + 32], 0xe0",
                "vmovdqa32 ymm26, [{c} + {relation} + 64]",
                "vpermi2d ymm26, ymm18, ymm19",
                "vprorvd ymm26, ymm26, [{c} + {rotate} + 64]",
                "vpternlogd ymm16, ymm26, [{c} + {others} + 64], 0xe0",
                "vmovdqa32 ymm27, [{c} + {relation} + 96]",
                "vpermi2d ymm27, ymm18, ymm19",
                "vprorvd ymm27, ymm27, [{c} + {rotate} + 96]",
                "vpternlogd ymm16, ymm27, [{c} + {others} + 96], 0xe0",
                "vmovdqa32 ymm24, [{c} + {relation} + 128]",
                "vpermi2d ymm24, ymm18, ymm19",
                "vprorvd ymm24, ymm24, [{c} + {rotate} + 128]",
                "vpternlogd ymm16, ymm24, [{c} + {others} + 128], 0xe0",
                "vmovdqa32 ymm25, [{c} + {relation} + 160]",
                "vpermi2d ymm25, ymm18, ymm19",
                "vprorvd ymm25, ymm25, [{c} + {rotate} + 160]",
                "vpternlogd ymm16, ymm25, [{c} + {others} + 160], 0xe0",
                "vmovdqa32 ymm26, [{c} + {relation} + 192]",
                "vpermi2d ymm26, ymm18, ymm19",
                "vprorvd ymm26, ymm26, [{c} + {rotate} + 192]",
                "vpternlogd ymm16, ymm26, [{c} + {others} + 192], 0xe0",
                "vmovdqa32 ymm27, [{c} + {relation} + 224]",
                "vpermi2d ymm27, ymm18, ymm19",
                "vprorvd ymm27, ymm27, [{c} + {rotate} + 224]",
                "vpternlogd ymm16, ymm27, [{c} + {others} + 224], 0xe0",
                // The lanes of a type.
                "vextracti32x4 xmm17, ymm16, 1",
                "vpandd xmm16, xmm16, xmm17",
                "vpshufd xmm17, xmm16, 0x4e",
                "vpandd xmm16, xmm16, xmm17",
                "vmovq {live}, xmm16",
                "/* {tie} */",
                w = in(reg) window,
                c = in(reg) &CONSTANTS,
                tie = inout(xmm_reg) *tie,
                live = lateout(reg) vectors,
                ends = const offset_of!(Constants, ends),
                low = const offset_of!(Constants, low),
                high = const offset_of!(Constants, high),
                bits = const offset_of!(Constants, bits),
                first = const offset_of!(Constants, first),
                second = const offset_of!(Constants, second),
                rotate_second = const offset_of!(Constants, rotate_second),
                equal = const offset_of!(Constants, equal),
                relation = const offset_of!(Constants, relation),
                rotate = const offset_of!(Constants, rotate),
                others = const offset_of!(Constants, others),
                all_of_type = const offset_of!(Constants, all_of_type),
                out("zmm16") _, out("zmm17") _, out("zmm18") _, out("zmm19") _, out("zmm20") _, out("zmm21") _,
                out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _,
                options(readonly, nostack, preserves_flags),
            );
        }
        if let Some(live) = self.live.next() {
            live.write(vectors);
        }
        self.suspects |= Suspects::from(vectors != 0) << self.index;
        self.index += 1;
    }
}

/// Blocks in a batch: one in each lane.
const LANES: usize = 16;

/// The live vectors of 16 blocks: their columns are transposed into one lane each, and
/// then every relation and every use is two operations for all.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,gfni,avx2")]
fn batch(traces: &[Trace; LANES], live: &mut [MaybeUninit<Live>; LANES]) -> __mmask16 {
    let columns = transpose(traces.each_ref().map(|trace| {
        let [late, early] = trace.window.as_chunks::<HALF>().0 else { unreachable!() };
        _mm512_permutexvar_epi8(load(&COLUMNS), transposed_squares(load(late), load(early)))
    }));
    live_of_columns(&columns.map(Zmm), live)
}

/// The columns of blocks that have a lane each already.
#[inline]
#[target_feature(enable = "avx512f")]
fn columns_of_lanes(traces: &LaneTraces<LANES>) -> [__m512i; 16] {
    // Byte k of word j in `low` and in `high`: the bytes 0 and 3 of W[34 + 8 * k + j].
    let (mut low, mut high) = ([_mm512_setzero_si512(); 8], [_mm512_setzero_si512(); 8]);
    let (ends, even) = (_mm512_set1_epi32(0xff00_00ffu32 as i32), _mm512_set1_epi32(0x00ff_00ff));
    for j in 0..8 {
        let [a, b, c, d] = [0, 8, 16, 24].map(|k| load(&traces.window[index(FIRST_T + k + j)]));
        let (ac, bd) =
            (select(ends, a, _mm512_rol_epi32::<16>(c)), select(ends, b, _mm512_rol_epi32::<16>(d)));
        low[j] = select(even, ac, _mm512_rol_epi32::<8>(bd));
        high[j] = select(even, _mm512_rol_epi32::<8>(ac), _mm512_rol_epi32::<16>(bd));
    }
    let ([a, b, c, d, e, f, g, h], [i, j, k, l, m, n, o, p]) = (transpose_8x8(low), transpose_8x8(high));
    [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
}

/// Transpose the 8 by 8 bits that each byte of eight words has: bit j of word i becomes
/// bit i of word j (Hacker's Delight, section 7-3).
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose_8x8(mut x: [__m512i; 8]) -> [__m512i; 8] {
    for i in 0..4 {
        swap_bits::<4, 0x0f0f_0f0f>(&mut x, i);
    }
    for i in [0, 1, 4, 5] {
        swap_bits::<2, 0x3333_3333>(&mut x, i);
    }
    for i in [0, 2, 4, 6] {
        swap_bits::<1, 0x5555_5555>(&mut x, i);
    }
    x
}

/// Exchange the bits of word i that are not in the mask with those of word i + BY that
/// are.
#[inline]
#[target_feature(enable = "avx512f")]
fn swap_bits<const BY: u32, const MASK: i32>(x: &mut [__m512i; 8], i: usize) {
    let (a, b, mask) = (x[i], x[i + BY as usize], _mm512_set1_epi32(MASK));
    x[i] = select(mask, a, _mm512_slli_epi32::<BY>(b));
    x[i + BY as usize] = select(mask, _mm512_srli_epi32::<BY>(a), b);
}

/// `a` where the mask is one, `b` where it is zero.
#[inline]
#[target_feature(enable = "avx512f")]
fn select(mask: __m512i, a: __m512i, b: __m512i) -> __m512i {
    _mm512_ternarylogic_epi32::<0xca>(mask, a, b)
}

/// 16 messages, checked: a [`Kernel`](lanes::Kernel).
///
/// # Safety
/// In every step the first 16 lanes must be filled.
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,gfni,avx2")]
pub unsafe fn sixteen(states: &mut States, steps: &mut [Step]) {
    let mut check = LaneCheck(LaneQueue::new());
    // SAFETY: what the vectors and the check need is enabled here; the lanes are filled by
    // this function's contract.
    unsafe { lanes::run_inspected::<Zmm, LANES>(states, steps, &mut check) }
    check.0.finish(steps);
}

/// The check of the blocks in all lanes.
struct LaneCheck<'a>(LaneQueue<'a>);

impl<'a> Inspect<'a, LANES> for LaneCheck<'a> {
    #[inline(always)]
    unsafe fn inspect(
        &mut self,
        blocks: [&'a Block; LANES],
        traces: &LaneTraces<LANES>,
        steps: &mut [Step<'a>],
        step: usize,
    ) {
        // SAFETY: the CPU has AVX-512 F by the trait's contract.
        unsafe {
            let [one, two] = evaluate(&columns_of_lanes(traces).map(Zmm));
            let any = _mm512_or_si512(one.0, two.0);
            if _mm512_test_epi32_mask(any, any) != 0 {
                let mut live = [[0; LANES]; 2];
                one.store(&mut live[0]);
                two.store(&mut live[1]);
                self.0.push(&blocks, traces, &live, steps, step);
            }
        }
    }
}

/// The live vectors of 16 blocks whose columns are in one lane each.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,gfni,avx2")]
fn live_of_columns(columns: &[Zmm; 16], live: &mut [MaybeUninit<Live>; LANES]) -> __mmask16 {
    let [Zmm(one), Zmm(two)] = evaluate(columns);
    let first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    let second = _mm512_add_epi32(first, _mm512_set1_epi32(8));
    let to: *mut __m512i = live.as_mut_ptr().cast();
    // SAFETY: 16 sets are two vectors; the stores need no alignment.
    unsafe {
        _mm512_storeu_si512(to, _mm512_permutex2var_epi32(one, first, two));
        _mm512_storeu_si512(to.add(1), _mm512_permutex2var_epi32(one, second, two));
    }
    let any = _mm512_or_si512(one, two);
    _mm512_test_epi32_mask(any, any)
}

impl ConditionWord for Zmm {
    #[inline(always)]
    fn shift(self, by: i8) -> Self {
        // SAFETY: a `Zmm` exists only where there is AVX-512 F.
        Self(unsafe { _mm512_rorv_epi32(self.0, _mm512_set1_epi32(by.into())) })
    }
    #[inline(always)]
    fn and_or(self, b: Self, c: Self) -> Self {
        // SAFETY: a `Zmm` exists only where there is AVX-512 F.
        Self(unsafe { _mm512_ternarylogic_epi32::<0xe0>(self.0, b.0, c.0) })
    }
}

/// Turn 16 vectors of 16 words: word j of vector i becomes word i of vector j.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose(mut x: [__m512i; 16]) -> [__m512i; 16] {
    // Pairs of words, then of pairs, in each quarter; then the quarters.
    for i in (0..16).step_by(2) {
        let (a, b) = (x[i], x[i + 1]);
        x[i] = _mm512_unpacklo_epi32(a, b);
        x[i + 1] = _mm512_unpackhi_epi32(a, b);
    }
    for i in (0..16).step_by(4) {
        let [a, b, c, d] = [x[i], x[i + 1], x[i + 2], x[i + 3]];
        x[i] = _mm512_unpacklo_epi64(a, c);
        x[i + 1] = _mm512_unpackhi_epi64(a, c);
        x[i + 2] = _mm512_unpacklo_epi64(b, d);
        x[i + 3] = _mm512_unpackhi_epi64(b, d);
    }
    // Now quarter q of x[4 * i + j] is word 4 * q + j of vectors 4 * i and on.
    let mut y = x;
    for j in 0..4 {
        let [a, b, c, d] = [x[j], x[4 + j], x[8 + j], x[12 + j]];
        let even_ab = _mm512_shuffle_i32x4::<0x88>(a, b);
        let even_cd = _mm512_shuffle_i32x4::<0x88>(c, d);
        let odd_ab = _mm512_shuffle_i32x4::<0xdd>(a, b);
        let odd_cd = _mm512_shuffle_i32x4::<0xdd>(c, d);
        y[j] = _mm512_shuffle_i32x4::<0x88>(even_ab, even_cd);
        y[8 + j] = _mm512_shuffle_i32x4::<0xdd>(even_ab, even_cd);
        y[4 + j] = _mm512_shuffle_i32x4::<0x88>(odd_ab, odd_cd);
        y[12 + j] = _mm512_shuffle_i32x4::<0xdd>(odd_ab, odd_cd);
    }
    y
}

/// Bytes 0 and 3 of a window's words in squares of eight, each transposed so that a
/// byte holds one bit of all eight words.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,gfni,avx2")]
fn transposed_squares(late: __m512i, early: __m512i) -> __m512i {
    // With a mask that the compiler knows it would permute first and blend then.
    let from_early = barrier::opaque_mask64(EARLY);
    let squares = _mm512_permutexvar_epi8(load(&FROM_LATE), late);
    let squares = _mm512_mask_permutexvar_epi8(squares, from_early, load(&FROM_EARLY), early);
    let bits = _mm512_set1_epi64(BITS as i64);
    _mm512_gf2p8affine_epi64_epi8::<0>(bits, squares)
}

/// The conditions of a block: in lanes 0 to 3 for type I, in lanes 4 to 7 for type
/// II. A vector is alive if all four say so.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,gfni,avx2")]
fn conditions(trace: &Trace) -> __m256i {
    let [late, early] = trace.window.as_chunks::<HALF>().0 else { unreachable!() };
    let squares = transposed_squares(load(late), load(early));
    let first = _mm512_permutexvar_epi8(load(&COLUMN_1), squares);
    let second = _mm512_permutexvar_epi8(load(&COLUMN_2), squares);
    let second = _mm512_srlv_epi32(second, load(&SHIFT));
    let holds = _mm512_ternarylogic_epi32::<0x96>(first, second, load(&EQUAL));

    let mut all = load(&ALL_OF_TYPE);
    for ((relation, rotate), others) in USES.relation.iter().zip(&USES.rotate).zip(&USES.others) {
        let bits = _mm512_permutexvar_epi32(load(relation), holds);
        let bits = _mm512_rorv_epi32(bits, load(rotate));
        // all & (bits | others)
        all = _mm512_ternarylogic_epi32::<0xe0>(all, bits, load(others));
    }
    _mm256_and_si256(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64::<1>(all))
}

//! The conditions of one block in 24 instructions: AVX-512 with VBMI and GFNI.
//!
//! The same steps as [`super::conditions::live`]. `vpermb` gathers bytes 0 and 3
//! of the words into squares of eight, `vgf2p8affineqb` transposes all eight
//! squares at once, and two more `vpermb` lay out the columns P\[b1\] and P\[b2\] of
//! all 16 relations, one in each lane. Of the uses, eight lanes take those of type
//! I and eight those of type II, four after each other.
//!
//! Where there are 16 blocks, it is cheaper to turn the columns of all, so that
//! each block has a lane to itself.

use core::arch::asm;
use core::arch::x86_64::*;
use core::array;
use core::mem::MaybeUninit;

use super::conditions::{ALL, FIRST, LAST, Lanes, Live, RELATIONS, TYPES, column, evaluate};
use super::{Suspects, confirm};
use crate::block::Block;
use crate::compress::lanes::{self, Exchange, Record, States, Step};
use crate::compress::trace::{TOP, Trace};
use crate::compress::x86_avx512::Zmm;

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
        let (byte, word) = (3 * (i / 32), TOP - time(i));
        if (word < HALF) == late {
            from[i] = (word % HALF * 4 + byte) as u8;
        }
        i += 1;
    }
    from
}

/// The t of byte i of the squares: 32 from FIRST on, but none that is not in the
/// window.
const fn time(i: usize) -> usize {
    let t = FIRST + 8 * (i % 32 / 8) + 7 - i % 8;
    if t > LAST { LAST } else { t }
}

/// The bytes of the squares that the early words give.
const EARLY: u64 = {
    let mut mask = 0;
    let mut i = 0;
    while i < 64 {
        if TOP - time(i) >= HALF {
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
        let column = column(if second { r.b2 } else { r.b1 });
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
        let (turn, lane) = (i / 16, i % 16);
        let step = TYPES[kind(lane)][turn * 8 + lane / 8 * 4 + lane % 4];
        uses.relation[turn].0[lane] = step.relation as u32;
        uses.rotate[turn].0[lane] = step.shift as u32 & 31;
        uses.others[turn].0[lane] = step.others;
        i += 1;
    }
    uses
};

/// The type, less one, to which a lane belongs.
const fn kind(lane: usize) -> usize {
    lane / 4 % 2
}

/// The vectors of each lane's type.
static CANDIDATES: Aligned<[u32; 16]> = {
    let mut all = [0; 16];
    let mut i = 0;
    while i < 16 {
        all[i] = (ALL >> (32 * kind(i))) as u32;
        i += 1;
    }
    Aligned(all)
};

/// A constant or 16 words of a window.
#[inline]
#[target_feature(enable = "avx512f")]
fn load<T>(from: &T) -> __m512i {
    const { assert!(size_of::<T>() == 64) };
    // SAFETY: 64 readable bytes; the load needs no alignment.
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
        let [a, b, c, d] = traces.each_ref().map(|trace| conditions(trace));
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
        suspects |= Suspects::from(_mm_test_epi32_mask(any, any)) << index;
        index += 4;
    }
    for (trace, live) in rest.iter().zip(live_rest) {
        let all = conditions(trace);
        let all = _mm256_and_si256(all, _mm256_shuffle_epi32::<0x4e>(all));
        let all = _mm256_and_si256(all, _mm256_shuffle_epi32::<0xb1>(all));
        let (one, two) = (_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all));
        let vectors = _mm_cvtsi128_si64(_mm_unpacklo_epi32(one, two)) as Live;
        live.write(vectors);
        suspects |= Suspects::from(vectors != 0) << index;
        index += 1;
    }
    suspects
}

/// Blocks in a batch: one in each lane.
const LANES: usize = 16;

/// The live vectors of 16 blocks: their columns are turned to stand in one lane
/// each, and then every relation and every use is two operations for all.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,gfni,avx2")]
fn batch(traces: &[Trace; LANES], live: &mut [MaybeUninit<Live>; LANES]) -> __mmask16 {
    let columns = traces.each_ref().map(|trace| {
        let [late, early] = trace.window.as_chunks::<HALF>().0 else { unreachable!() };
        _mm512_permutexvar_epi8(load(&COLUMNS), squares(load(late), load(early)))
    });
    live_of_columns(columns, live)
}

/// The live vectors of the blocks in a record.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,gfni,avx2")]
fn live_of_record(record: &Record, live: &mut [MaybeUninit<Live>; LANES]) -> __mmask16 {
    let [late, early] = record.window.as_chunks::<HALF>().0 else { unreachable!() };
    let late = transpose(late.each_ref().map(|words| load(words)));
    let early = transpose(early.each_ref().map(|words| load(words)));
    let columns =
        array::from_fn(|lane| _mm512_permutexvar_epi8(load(&COLUMNS), squares(late[lane], early[lane])));
    live_of_columns(columns, live)
}

/// 16 messages, checked: a [`Kernel`](lanes::Kernel).
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,gfni,avx2")]
pub fn sixteen(states: &mut States, steps: &[Step], others: &mut [Exchange]) {
    let inspect = |blocks: [&Block; LANES], record: &Record| {
        let mut live = [const { MaybeUninit::uninit() }; LANES];
        let suspects = live_of_record(record, &mut live);
        if suspects == 0 {
            return 0;
        }
        // SAFETY: there is a set for each lane.
        let live = live.map(|live| unsafe { live.assume_init() });
        confirm(blocks, record, suspects.into(), &live)
    };
    // SAFETY: the features are enabled here.
    unsafe { lanes::run_recorded::<Zmm, LANES>(states, steps, others, inspect) }
}

/// The live vectors of 16 blocks, of each of which `columns` has the columns.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,gfni,avx2")]
fn live_of_columns(columns: [__m512i; LANES], live: &mut [MaybeUninit<Live>; LANES]) -> __mmask16 {
    let [one, two] = evaluate(&transpose(columns).map(Sixteen)).map(|Sixteen(live)| live);
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

/// A word of 16 blocks. There is one only where there is AVX-512.
#[derive(Clone, Copy)]
struct Sixteen(__m512i);

impl Lanes for Sixteen {
    #[inline(always)]
    fn splat(self, value: u32) -> Self {
        // SAFETY: there is AVX-512.
        Self(unsafe { _mm512_set1_epi32(value as i32) })
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: there is AVX-512.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) })
    }
    #[inline(always)]
    fn shift(self, by: i8) -> Self {
        // SAFETY: there is AVX-512.
        Self(unsafe { _mm512_rorv_epi32(self.0, _mm512_set1_epi32(by.into())) })
    }
    #[inline(always)]
    fn and_or(self, b: Self, c: Self) -> Self {
        // SAFETY: there is AVX-512.
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

/// Bytes 0 and 3 of a window's words in squares of eight, each turned so that a
/// byte holds one bit of all eight words.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,gfni,avx2")]
fn squares(late: __m512i, early: __m512i) -> __m512i {
    // Known, the mask would become a blend of its own.
    let mut from_early = EARLY;
    // SAFETY: an empty instruction.
    unsafe {
        asm!("/* {0} */", inout(reg) from_early, options(pure, nomem, nostack, preserves_flags));
    }
    let squares = _mm512_permutexvar_epi8(load(&FROM_LATE), late);
    let squares = _mm512_mask_permutexvar_epi8(squares, from_early, load(&FROM_EARLY), early);
    let bits = _mm512_set1_epi64(0x8040_2010_0804_0201u64 as i64);
    _mm512_gf2p8affine_epi64_epi8::<0>(bits, squares)
}

/// The conditions of a block: in lanes 0 to 3 for type I, in lanes 4 to 7 for type
/// II. A vector is alive if all four say so.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,gfni,avx2")]
fn conditions(trace: &Trace) -> __m256i {
    let [late, early] = trace.window.as_chunks::<HALF>().0 else { unreachable!() };
    let squares = squares(load(late), load(early));
    let first = _mm512_permutexvar_epi8(load(&COLUMN_1), squares);
    let second = _mm512_permutexvar_epi8(load(&COLUMN_2), squares);
    let second = _mm512_srlv_epi32(second, load(&SHIFT));
    let holds = _mm512_ternarylogic_epi32::<0x96>(first, second, load(&EQUAL));

    let mut all = load(&CANDIDATES);
    for ((relation, rotate), others) in USES.relation.iter().zip(&USES.rotate).zip(&USES.others) {
        let bits = _mm512_permutexvar_epi32(load(relation), holds);
        let bits = _mm512_rorv_epi32(bits, load(rotate));
        // all & (bits | others)
        all = _mm512_ternarylogic_epi32::<0xe0>(all, bits, load(others));
    }
    _mm256_and_si256(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64::<1>(all))
}

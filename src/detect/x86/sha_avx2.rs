//! The conditions beside the rounds: SHA instructions with AVX2.
//!
//! Twenty times `sha1rnds4` follow each other, and while they wait for one another
//! three quarters of the CPU are idle. So the check is put between them: not behind,
//! because a CPU does not look far enough ahead, and not in vectors of 256 bits,
//! because a SHA instruction with dirty upper halves costs hundreds of cycles (see
//! the head of `arch/x86/sha.rs`).
//!
//! Of many blocks, the columns are found beside each one's own rounds, by `vpmovmskb`,
//! and the conditions of four evaluated beside the rounds of four later ones, each block
//! in a lane. Of few, each block's conditions are evaluated beside its own rounds, with
//! a use in each lane.

use core::arch::x86_64::*;
use core::mem::{self, MaybeUninit};
use core::ops::Range;
use core::{array, ptr, slice};

use crate::arch::x86::avx2::Ymm;
use crate::arch::x86::sha::trace_and::{BetweenRounds, trace_fours_and, trace_singles_and};
use crate::barrier;
use crate::block::{Block, State};
use crate::detect::conditions::{ALL, Live, RELATIONS, TYPES, evaluate};
use crate::detect::phase::{PHASE, Suspects};
use crate::trace::{Trace, Window};

/// Fewer blocks than this are checked each beside its own rounds.
const FEW: usize = 4;

/// Compress blocks with a trace of each, and find the live vectors of each and the
/// set of blocks with any.
///
/// # Safety
/// The CPU must have the features, there must be a trace and a set for each block, and
/// no more blocks than a phase has.
#[target_feature(enable = "sha,ssse3,sse4.1,avx2")]
pub unsafe fn scan(
    state: &mut State,
    blocks: &[Block],
    traces: &mut [MaybeUninit<Trace>],
    live: &mut [MaybeUninit<Live>],
) -> Suspects {
    // SAFETY: both have this function's contract.
    unsafe {
        if blocks.len() < FEW {
            singles_vex(state, blocks, traces, live)
        } else {
            fours_vex(state, blocks, traces, live)
        }
    }
}

/// How many columns are in any condition.
const COLUMNS: usize = 11;

/// The number of a bit's column among those.
const fn number(bit: u32) -> usize {
    if bit < 8 { bit as usize } else { bit as usize - 20 }
}

/// Bytes 0, and bytes 3, of the words of half a window, in order of t.
///
/// # Safety
/// The CPU must have SSSE3, and that half of the window be written.
#[inline(always)]
unsafe fn gather<const HALF: usize>(window: *const Window, tied: &mut __m128i) -> [__m128i; 2] {
    // SAFETY: the CPU has SSSE3, and that half is written, by this function's contract.
    unsafe {
        let ends = _mm_set_epi64x(0, 0x0307_0b0f_0004_080c);
        let pieces: *const __m128i = window.cast();
        let piece = |i: usize| _mm_shuffle_epi8(_mm_load_si128(pieces.add(7 - 4 * HALF - i)), ends);
        let ab = _mm_unpacklo_epi32(piece(0), piece(1));
        let cd = _mm_unpacklo_epi32(piece(2), piece(3));
        let [mut low, mut high] = [_mm_unpacklo_epi64(ab, cd), _mm_unpackhi_epi64(ab, cd)];
        tie(&mut low, tied);
        tie(&mut high, tied);
        [low, high]
    }
}

// Many blocks.

/// How many places the columns of a block stand behind its own number. The conditions of
/// four places are evaluated beside the blocks of their number: when all their columns
/// have long been stored, since a load waits for several stores to what it covers.
const LAG: usize = 5;

/// Lanes of the last evaluation.
const LAST: usize = 8;

/// Places for a phase, and what is behind its last block.
const PLACES: usize = PHASE + 2 * LAST;
const _: () = assert!(PHASE + LAG + LAST <= PLACES && PLACES <= Suspects::BITS as usize);

/// What is found in the blocks of a phase.
#[repr(C, align(32))]
struct Found {
    /// The columns, each in two halves.
    columns: [[[u16; 2]; PLACES]; COLUMNS],
    /// The live vectors.
    live: [Live; PLACES],
}

/// The check of four blocks beside the rounds of four others.
struct FourCheck {
    found: *mut Found,
    /// The present block's.
    place: usize,
    /// By place.
    suspects: u64,
    /// Bytes 0 and bytes 3 of half a window.
    bytes: [__m128i; 2],
    /// Where the two bits of the present relation differ.
    differ: __m128i,
    /// The vectors of type I and II that are still alive.
    live: [__m128i; 2],
}

/// One step of an evaluation.
#[derive(Clone, Copy)]
enum Item {
    /// The relation of this number.
    Relation(usize),
    /// A use of the last one: the type, how far to shift to the right, the bits that it
    /// does not concern, and by what the relation's two bits shall differ.
    Use(usize, i8, u32, u32),
}

/// The relations, each with its uses behind it.
const ITEMS: [Item; 76] = {
    let mut items = [Item::Relation(0); 76];
    let (mut n, mut relation) = (0, 0);
    while relation < RELATIONS.len() {
        items[n] = Item::Relation(relation);
        n += 1;
        let mut i = 0;
        while i < 64 {
            let step = TYPES[i / 32][i % 32];
            if step.relation as usize == relation && step.others != !0 {
                items[n] = Item::Use(i / 32, step.shift, step.others, RELATIONS[relation].s);
                n += 1;
            }
            i += 1;
        }
        relation += 1;
    }
    assert!(n == items.len());
    items
};

/// The step for group `G` of block `B` of four: one for each.
struct At<const B: usize, const G: usize>;

impl<const B: usize, const G: usize> At<B, G> {
    const ITEM: Option<Item> = if 20 * B + G < ITEMS.len() { Some(ITEMS[20 * B + G]) } else { None };
}

impl FourCheck {
    /// Stores these bits of bytes 0, or of bytes 3, highest first.
    ///
    /// # Safety
    /// The CPU must have SSE2, and the place be one of the phase's.
    #[inline(always)]
    unsafe fn put<const HALF: usize>(&mut self, bits: Range<u32>, tied: &mut __m128i) {
        let high = bits.start >= 8;
        let bytes = &mut self.bytes[usize::from(high)];
        for bit in bits.rev() {
            // SAFETY: the CPU has SSE2, and the place is one of the phase's, by this function's
            // contract.
            unsafe {
                // Of bytes 3, bit 31 is in no condition.
                if high {
                    *bytes = _mm_add_epi8(*bytes, *bytes);
                    tie(bytes, tied);
                }
                let places: *mut [u16; 2] = (&raw mut (*self.found).columns[number(bit)]).cast();
                (*places.add(self.place))[HALF] = _mm_movemask_epi8(*bytes) as u16;
                // A sum: to shift it would take a unit that the rounds want.
                if !high {
                    *bytes = _mm_add_epi8(*bytes, *bytes);
                    tie(bytes, tied);
                }
            }
        }
    }

    /// A step of the evaluation.
    ///
    /// # Safety
    /// The CPU must have AVX, and all places up to the present one be written.
    #[inline(always)]
    unsafe fn step<const B: usize, const G: usize>(&mut self, tied: &mut __m128i) {
        // SAFETY: the CPU has AVX; all places up to the present one's are written, and those
        // before the first block's.
        unsafe {
            let first = self.place - LAG - B;
            if B == 0 && G == 0 {
                self.live = array::from_fn(|kind| _mm_set1_epi32((ALL >> (32 * kind)) as i32));
            }
            match At::<B, G>::ITEM {
                Some(Item::Relation(which)) => {
                    let r = &RELATIONS[which];
                    let column = |bit: u32| {
                        let places: *const [u16; 2] = (&raw const (*self.found).columns[number(bit)]).cast();
                        _mm_loadu_si128(places.add(first).cast())
                    };
                    self.differ = _mm_xor_si128(column(r.b1), shifted(column(r.b2), r.d as i8));
                    tie(&mut self.differ, tied);
                }
                Some(Item::Use(kind, by, others, s)) => {
                    let bits = shifted(self.differ, by);
                    let live = &mut self.live[kind];
                    *live = if s == 1 {
                        _mm_and_si128(*live, _mm_or_si128(bits, _mm_set1_epi32(others as i32)))
                    } else {
                        _mm_andnot_si128(_mm_and_si128(bits, _mm_set1_epi32(!others as i32)), *live)
                    };
                    tie(live, tied);
                }
                None => {}
            }
            if B == 3 && G == 17 {
                let [one, two] = self.live;
                let to: *mut __m128i = (&raw mut (*self.found).live).cast::<Live>().add(first).cast();
                _mm_store_si128(to, _mm_unpacklo_epi32(one, two));
                _mm_store_si128(to.add(1), _mm_unpackhi_epi32(one, two));
                let none = _mm_cmpeq_epi32(_mm_or_si128(one, two), _mm_setzero_si128());
                let any = !_mm_movemask_ps(_mm_castsi128_ps(none)) & 0xf;
                self.suspects |= (any as u64) << first;
            }
        }
    }
}

/// Shift to the right, or to the left by a negative number.
///
/// # Safety
/// The CPU must have SSE2.
#[inline(always)]
unsafe fn shifted(x: __m128i, by: i8) -> __m128i {
    // SAFETY: the CPU has SSE2 by this function's contract.
    unsafe {
        let count = _mm_cvtsi32_si128(by.unsigned_abs().into());
        if by < 0 { _mm_sll_epi32(x, count) } else { _mm_srl_epi32(x, count) }
    }
}

impl BetweenRounds for FourCheck {
    #[inline(always)]
    unsafe fn after_group<const B: usize, const G: usize>(
        &mut self,
        window: *const Window,
        tied: &mut __m128i,
    ) {
        // SAFETY: the CPU has AVX2 by the contract of those who call for the rounds; half the
        // window is written by group 9, all by 13.
        unsafe {
            match G {
                0 => self.place += 1,
                9 => self.bytes = gather::<0>(window, tied),
                10 => self.put::<0>(4..8, tied),
                11 => self.put::<0>(0..4, tied),
                12 => self.put::<0>(28..31, tied),
                14 => self.bytes = gather::<1>(window, tied),
                15 => self.put::<1>(4..8, tied),
                16 => self.put::<1>(0..4, tied),
                17 => self.put::<1>(28..31, tied),
                _ => {}
            }
            if B < 4 {
                self.step::<B, G>(tied);
            }
        }
    }
}

/// As [`scan`], of four blocks or more. (With AVX2, the compiler would put halves together.)
///
/// # Safety
/// There must be room for a trace and a set for each block, four or more, but no more
/// than a phase has.
#[target_feature(enable = "sha,ssse3,sse4.1,avx")]
#[inline(never)]
unsafe fn fours_vex(
    state: &mut State,
    blocks: &[Block],
    traces: &mut [MaybeUninit<Trace>],
    live: &mut [MaybeUninit<Live>],
) -> Suspects {
    // The caller may hand over dirty upper halves.
    _mm256_zeroupper();
    let zero = _mm_setzero_si128();
    let mut found = MaybeUninit::<Found>::uninit();
    let found = found.as_mut_ptr();
    // SAFETY: the CPU has the features; there is room for each block by this function's
    // contract. Of `found`, all that is read is written: the places
    // before the first block and behind the last one here.
    unsafe {
        for column in &mut *(&raw mut (*found).columns).cast::<[MaybeUninit<[[u16; 2]; PLACES]>; COLUMNS]>() {
            let places: *mut [u16; 2] = column.as_mut_ptr().cast();
            for to in [0, 4, blocks.len() + LAG, blocks.len() + LAG + 4] {
                _mm_storeu_si128(places.add(to).cast(), zero);
            }
        }
        let mut many =
            FourCheck { found, place: LAG - 1, suspects: 0, bytes: [zero; 2], differ: zero, live: [zero; 2] };
        trace_fours_and(state, blocks, traces, &mut many);
        let suspects = many.suspects | last(found, blocks.len() / 4 * 4);
        let from: *const Live = (&raw const (*found).live[LAG]).cast();
        ptr::copy_nonoverlapping(from, live.as_mut_ptr().cast(), blocks.len());
        suspects >> LAG & Suspects::MAX >> (Suspects::BITS as usize - blocks.len())
    }
}

/// Evaluate the conditions of the last places, from `first` on.
///
/// # Safety
/// So many places must be written.
#[target_feature(enable = "avx2")]
#[inline(never)]
unsafe fn last(found: *mut Found, first: usize) -> Suspects {
    // SAFETY: so many places are written by this function's contract.
    unsafe {
        let batch = array::from_fn(|place| {
            // The other columns are in no condition.
            let number = if (12..15).contains(&place) { place - 4 } else { place % 8 };
            Ymm(_mm256_loadu_si256((&raw const (*found).columns[number][first]).cast()))
        });
        let [Ymm(one), Ymm(two)] = evaluate(&batch);
        let to: *mut __m256i = (&raw mut (*found).live[first]).cast();
        let (a, b) = (_mm256_unpacklo_epi32(one, two), _mm256_unpackhi_epi32(one, two));
        _mm256_storeu_si256(to, _mm256_permute2x128_si256::<0x20>(a, b));
        _mm256_storeu_si256(to.add(1), _mm256_permute2x128_si256::<0x31>(a, b));
        let none = _mm256_cmpeq_epi32(_mm256_or_si256(one, two), _mm256_setzero_si256());
        Suspects::from(!_mm256_movemask_ps(_mm256_castsi256_ps(none)) as u8) << first
    }
}

// Few blocks.

/// The relations, four to a vector: so chosen that there are few vectors of uses, and few
/// moves to make these.
const QUADS: [[usize; 4]; 4] = [[4, 6, 12, 13], [3, 10, 9, 14], [1, 11, 7, 8], [0, 2, 5, 15]];

/// Four uses: two of type I and two of type II; those of a type take one quad, and all
/// shift to the same side.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Uses {
    shift: [u32; 4],
    others: [u32; 4],
    /// The quad of each type, and the places there.
    quad: [usize; 2],
    lanes: [usize; 4],
    left: bool,
}

static USES: [Uses; 16] = {
    const NONE: Uses = Uses { shift: [0; 4], others: [!0; 4], quad: [0; 2], lanes: [0; 4], left: false };
    let mut all = [NONE; 16];
    // How many there are that shift to the right, and to the left from the end.
    let mut n = [[0; 2]; 2];
    let mut kind = 0;
    while kind < 2 {
        let mut side = 0;
        while side < 2 {
            let mut quad = 0;
            while quad < 4 {
                let mut pending = 0;
                let mut i = 0;
                while i < 32 {
                    let step = TYPES[kind][i];
                    let left = step.shift < 0;
                    let mut lane = 0;
                    while lane < 4 {
                        if QUADS[quad][lane] == step.relation as usize
                            && step.others != !0
                            && left == (side == 1)
                        {
                            let at = if left { all.len() - 1 - n[kind][1] } else { n[kind][0] };
                            let uses = &mut all[at];
                            let to = 2 * kind + pending;
                            uses.left = left;
                            uses.quad[kind] = quad;
                            uses.lanes[to] = lane;
                            uses.shift[to] = step.shift.unsigned_abs() as u32;
                            uses.others[to] = step.others;
                            n[kind][side] += pending;
                            pending = 1 - pending;
                        }
                        lane += 1;
                    }
                    i += 1;
                }
                n[kind][side] += pending;
                quad += 1;
            }
            side += 1;
        }
        kind += 1;
    }
    let right = if n[0][0] > n[1][0] { n[0][0] } else { n[1][0] };
    let left = if n[0][1] > n[1][1] { n[0][1] } else { n[1][1] };
    assert!(right + left <= all.len());
    all
};

/// The distances and the differences of the relations of a quad.
const fn quad(which: usize, shift: bool) -> [u32; 4] {
    let mut all = [0; 4];
    let mut i = 0;
    while i < 4 {
        let r = &RELATIONS[QUADS[which][i]];
        all[i] = if shift { r.d } else { r.s.wrapping_sub(1) };
        i += 1;
    }
    all
}

static DISTANCES: [[u32; 4]; 4] = [quad(0, true), quad(1, true), quad(2, true), quad(3, true)];
static EQUAL: [[u32; 4]; 4] = [quad(0, false), quad(1, false), quad(2, false), quad(3, false)];

/// The check of each block beside its own rounds.
struct SingleCheck<'a> {
    live: slice::IterMut<'a, MaybeUninit<Live>>,
    index: usize,
    suspects: Suspects,
    /// Bytes 0, and bytes 3, of each half of the window; and then their columns.
    low: [__m128i; 2],
    high: [__m128i; 2],
    /// Where each relation holds.
    holds: [__m128i; 4],
    /// The vectors that are still alive: two lanes for each type.
    alive: __m128i,
}

impl SingleCheck<'_> {
    /// The columns of bits 0 to 3, of 4 to 7, and of 28 to 30.
    ///
    /// # Safety
    /// The CPU must have SSSE3.
    #[inline(always)]
    unsafe fn columns(&self) -> [__m128i; 3] {
        // SAFETY: the CPU has SSSE3 by this function's contract.
        unsafe {
            let pairs = _mm_set_epi32(0x0f07_0e06, 0x0d05_0c04, 0x0b03_0a02, 0x0901_0800);
            let [early, late] = self.low.map(|low| _mm_shuffle_epi8(low, pairs));
            let high = _mm_set_epi32(-1, 0x0a02_0e06, 0x0901_0d05, 0x0800_0c04);
            [
                _mm_unpacklo_epi16(early, late),
                _mm_unpackhi_epi16(early, late),
                _mm_shuffle_epi8(self.high[0], high),
            ]
        }
    }

    /// The relations of a quad.
    ///
    /// # Safety
    /// The CPU must have AVX2.
    #[inline(always)]
    unsafe fn relations<const Q: usize>(&mut self, columns: &[__m128i; 3], tied: &mut __m128i) {
        // SAFETY: the CPU has AVX2 by this function's contract.
        unsafe {
            let column = |bit: u32| (columns[number(bit) / 4], number(bit) % 4);
            let first = lanes(QUADS[Q].map(|relation| column(RELATIONS[relation].b1)));
            let second = lanes(QUADS[Q].map(|relation| column(RELATIONS[relation].b2)));
            let differ = _mm_xor_si128(first, _mm_srlv_epi32(second, vector(DISTANCES[Q])));
            self.holds[Q] = _mm_xor_si128(differ, vector(EQUAL[Q]));
            tie(&mut self.holds[Q], tied);
        }
    }

    /// These uses.
    ///
    /// # Safety
    /// The CPU must have AVX2.
    #[inline(always)]
    unsafe fn uses(&mut self, range: Range<usize>, tied: &mut __m128i) {
        for i in range {
            let uses = &USES[i];
            // SAFETY: the CPU has AVX2 by this function's contract.
            unsafe {
                let [one, two] = uses.quad.map(|quad| self.holds[quad]);
                let [a, b, c, d] = uses.lanes;
                let bits = lanes([(one, a), (one, b), (two, c), (two, d)]);
                let by = vector(uses.shift);
                let bits = if uses.left { _mm_sllv_epi32(bits, by) } else { _mm_srlv_epi32(bits, by) };
                self.alive = _mm_and_si128(self.alive, _mm_or_si128(bits, vector(uses.others)));
                tie(&mut self.alive, tied);
            }
        }
    }

    /// What is left.
    ///
    /// # Safety
    /// The CPU must have SSE2, and there must be a set left.
    #[inline(always)]
    unsafe fn finish(&mut self) {
        // SAFETY: the CPU has SSE2, and there is a set for each block, by this function's contract.
        unsafe {
            let alive = _mm_and_si128(self.alive, _mm_shuffle_epi32::<0b1011_0001>(self.alive));
            let vectors = _mm_cvtsi128_si64(_mm_shuffle_epi32::<0b1000>(alive)) as Live;
            self.live.next().unwrap_unchecked().write(vectors);
            self.suspects |= Suspects::from(vectors != 0) << self.index;
            self.index += 1;
        }
    }
}

/// Put what makes a vector before all that uses the other: see [`barrier::tie`].
#[inline(always)]
fn tie(a: &mut __m128i, b: &mut __m128i) {
    [*a, *b] = barrier::tie([*a, *b]);
}

/// A vector of these lanes of others.
#[inline(always)]
fn lanes(from: [(__m128i, usize); 4]) -> __m128i {
    // SAFETY: both are four words.
    vector(from.map(|(words, lane)| unsafe { mem::transmute::<__m128i, [u32; 4]>(words) }[lane]))
}

#[inline(always)]
fn vector(words: [u32; 4]) -> __m128i {
    // SAFETY: both are four words.
    unsafe { mem::transmute(words) }
}

/// Transpose two squares of 8 by 8 bits: see [`super::conditions::columns`].
///
/// # Safety
/// The CPU must have SSE2.
#[inline(always)]
unsafe fn transpose(x: &mut __m128i, tied: &mut __m128i) {
    // SAFETY: the CPU has SSE2 by this function's contract.
    unsafe {
        let y = _mm_xor_si128(*x, _mm_srli_epi64::<7>(*x));
        let y = _mm_and_si128(y, _mm_set1_epi64x(0x00aa_00aa_00aa_00aa));
        *x = _mm_xor_si128(_mm_xor_si128(*x, y), _mm_slli_epi64::<7>(y));
        tie(x, tied);
        let y = _mm_xor_si128(*x, _mm_srli_epi64::<14>(*x));
        let y = _mm_and_si128(y, _mm_set1_epi64x(0x0000_cccc_0000_cccc));
        *x = _mm_xor_si128(_mm_xor_si128(*x, y), _mm_slli_epi64::<14>(y));
        tie(x, tied);
        let y = _mm_xor_si128(*x, _mm_srli_epi64::<28>(*x));
        let y = _mm_and_si128(y, _mm_set1_epi64x(0xf0f0_f0f0));
        *x = _mm_xor_si128(_mm_xor_si128(*x, y), _mm_slli_epi64::<28>(y));
        tie(x, tied);
    }
}

impl BetweenRounds for SingleCheck<'_> {
    #[inline(always)]
    unsafe fn after_group<const B: usize, const G: usize>(
        &mut self,
        window: *const Window,
        tied: &mut __m128i,
    ) {
        // SAFETY: the CPU has AVX2 by the contract of those who call for the rounds; half the
        // window is written by group 9, all by 13.
        unsafe {
            match G {
                9 => [self.low[0], self.high[0]] = gather::<0>(window, tied),
                10 => transpose(&mut self.low[0], tied),
                13 => [self.low[1], self.high[1]] = gather::<1>(window, tied),
                14 => transpose(&mut self.low[1], tied),
                15 => {
                    // Bits 4 to 6 of the early bytes 3, and those of the late ones below.
                    let early = _mm_and_si128(self.high[0], _mm_set1_epi8(0x70));
                    let late = _mm_and_si128(_mm_srli_epi64::<4>(self.high[1]), _mm_set1_epi8(0x07));
                    self.high[0] = _mm_or_si128(early, late);
                    transpose(&mut self.high[0], tied);
                }
                16 => {
                    let columns = self.columns();
                    self.relations::<0>(&columns, tied);
                    self.relations::<1>(&columns, tied);
                    self.relations::<2>(&columns, tied);
                    self.relations::<3>(&columns, tied);
                }
                17 => {
                    let [one, two] = [ALL as i32, (ALL >> 32) as i32];
                    self.alive = _mm_set_epi32(two, two, one, one);
                    self.uses(0..5, tied);
                }
                18 => self.uses(5..11, tied),
                19 => {
                    self.uses(11..16, tied);
                    self.finish();
                }
                _ => {}
            }
        }
    }
}

/// As [`scan`], of few blocks.
///
/// # Safety
/// There must be room for a trace and a set for each block.
#[target_feature(enable = "sha,ssse3,sse4.1,avx2")]
#[inline(never)]
unsafe fn singles_vex(
    state: &mut State,
    blocks: &[Block],
    traces: &mut [MaybeUninit<Trace>],
    live: &mut [MaybeUninit<Live>],
) -> Suspects {
    // The caller may hand over dirty upper halves.
    _mm256_zeroupper();
    let zero = _mm_setzero_si128();
    let mut few = SingleCheck {
        live: live.iter_mut(),
        index: 0,
        suspects: 0,
        low: [zero; 2],
        high: [zero; 2],
        holds: [zero; 4],
        alive: zero,
    };
    // SAFETY: the features are enabled here; there is room for each block by this
    // function's contract.
    unsafe { trace_singles_and(state, blocks, traces, &mut few) };
    few.suspects
}

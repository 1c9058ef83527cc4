//! The unavoidable bit conditions (UBCs), which rule out almost every vector.
//!
//! Stevens and Shumow, section 4: a block that is part of an attack along a disturbance
//! vector (DV) has expanded message words W\[35\] to W\[64\] that satisfy the DV's conditions,
//! each a linear equation between two bits. The paper has 156 of them. Here are others: for
//! each DV a system of equations with the same solutions, so chosen that all are instances
//! of 16 [`Relation`]s, shifted along with K. `tests/detection.rs` compares the two.
//!
//! That is what makes the check fast. Let P\[b\] be the *column* of bit b: the
//! word whose bit t - 34 is bit b of W\[t\]. Then one word operation,
//! `P[b1] ^ (P[b2] >> d) ^ s`, evaluates a relation at every t, and a rotation
//! turns its bits over t into bits over K: one AND for all DVs of a type and
//! b. 11 columns, 16 relations and 60 uses do the work of 32 DVs.

use core::array;
use core::mem::MaybeUninit;

use super::phase::{PHASE, Suspects};
use super::vectors::{DisturbanceVector, VECTORS};
use crate::lanes::{MAX_WIDTH, SimdWord};
use crate::rounds::Word;
use crate::trace::{self, FIRST_T, Trace, Window};

/// Bit b1 of W\[t\] xor bit b2 of W\[t + d\] is s, for some t.
pub struct Relation {
    /// How many words the second bit comes after the first.
    pub d: u32,
    /// The first bit's place in its word.
    pub b1: u32,
    /// The second bit's.
    pub b2: u32,
    /// What the two bits differ by.
    pub s: u32,
    /// Where it is a condition.
    pub uses: &'static [Use],
}

/// The relation at t = K + offset is a condition of the vectors (kind, K, b).
pub struct Use {
    /// The vectors' type.
    pub kind: u8,
    /// The vectors' b.
    pub b: u8,
    /// t - K.
    pub offset: i32,
    /// The K of each vector.
    pub k: &'static [u8],
}

/// All conditions.
#[rustfmt::skip]
pub const RELATIONS: [Relation; 16] = [
    Relation { d: 1, b1: 0, b2: 5, s: 1, uses: &[
        Use { kind: 1, b: 0, offset: 15, k: &[43, 44, 45, 46, 47, 48] },
        Use { kind: 2, b: 0, offset: 15, k: &[45, 46, 47, 48] },
        Use { kind: 2, b: 2, offset: -13, k: &[49, 50, 51] },
    ] },
    Relation { d: 1, b1: 1, b2: 6, s: 1, uses: &[
        Use { kind: 1, b: 2, offset: -11, k: &[46, 47, 48, 49, 50, 51] },
        Use { kind: 1, b: 2, offset: -7, k: &[46, 47, 48, 49, 50, 51] },
        Use { kind: 2, b: 2, offset: -10, k: &[46, 49, 50, 51] },
        Use { kind: 2, b: 2, offset: 1, k: &[46, 49, 50, 51] },
        Use { kind: 2, b: 2, offset: -5, k: &[46, 49, 50, 51] },
        Use { kind: 1, b: 2, offset: -14, k: &[49, 50, 51] },
        Use { kind: 1, b: 0, offset: 18, k: &[43, 44, 45] },
        Use { kind: 2, b: 0, offset: 18, k: &[45] },
    ] },
    Relation { d: 1, b1: 2, b2: 7, s: 1, uses: &[
        Use { kind: 1, b: 2, offset: 15, k: &[46, 47, 48] },
        Use { kind: 2, b: 2, offset: 15, k: &[46] },
    ] },
    Relation { d: 1, b1: 6, b2: 1, s: 0, uses: &[
        Use { kind: 2, b: 2, offset: -4, k: &[46, 49, 50, 51] },
        Use { kind: 1, b: 2, offset: -10, k: &[49, 50, 51] },
        Use { kind: 2, b: 2, offset: -9, k: &[49, 50, 51] },
    ] },
    Relation { d: 1, b1: 6, b2: 6, s: 1, uses: &[
        Use { kind: 1, b: 2, offset: -14, k: &[51] },
    ] },
    Relation { d: 1, b1: 29, b2: 4, s: 0, uses: &[
        Use { kind: 1, b: 0, offset: -3, k: &[43, 44, 45, 46, 47, 48, 49, 50, 51, 52] },
        Use { kind: 1, b: 0, offset: -1, k: &[43, 44, 45, 46, 47, 48, 49, 50, 51, 52] },
        Use { kind: 2, b: 0, offset: -15, k: &[55, 56] },
    ] },
    Relation { d: 2, b1: 4, b2: 4, s: 1, uses: &[
        Use { kind: 1, b: 0, offset: -2, k: &[43, 44, 45, 46, 47, 48, 49, 50, 51, 52] },
        Use { kind: 2, b: 0, offset: 2, k: &[45, 46, 47, 48, 49, 50, 51, 52, 53] },
        Use { kind: 2, b: 0, offset: -16, k: &[52, 53, 54, 55, 56] },
        Use { kind: 2, b: 0, offset: -18, k: &[54, 55, 56] },
    ] },
    Relation { d: 2, b1: 4, b2: 29, s: 0, uses: &[
        Use { kind: 2, b: 0, offset: -4, k: &[45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56] },
        Use { kind: 2, b: 0, offset: 2, k: &[45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55] },
        Use { kind: 2, b: 0, offset: -9, k: &[47, 48, 49, 50, 51, 52, 53, 54, 55, 56] },
        Use { kind: 1, b: 0, offset: -6, k: &[44, 45, 46, 47, 48, 49, 50, 51, 52] },
        Use { kind: 1, b: 0, offset: -10, k: &[48, 49, 50, 51, 52] },
        Use { kind: 2, b: 0, offset: -18, k: &[56] },
    ] },
    Relation { d: 2, b1: 6, b2: 6, s: 0, uses: &[
        Use { kind: 1, b: 2, offset: -6, k: &[46, 47, 48, 49, 50, 51] },
        Use { kind: 1, b: 2, offset: -2, k: &[46, 47, 48, 49, 50, 51] },
        Use { kind: 1, b: 2, offset: -4, k: &[46, 47, 48, 49, 50, 51] },
        Use { kind: 2, b: 2, offset: 2, k: &[46, 49, 50, 51] },
    ] },
    Relation { d: 3, b1: 4, b2: 29, s: 0, uses: &[
        Use { kind: 2, b: 0, offset: -4, k: &[45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56] },
        Use { kind: 2, b: 0, offset: -9, k: &[46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56] },
        Use { kind: 2, b: 0, offset: 2, k: &[45, 46, 47, 48, 49, 50, 51, 52, 53, 54] },
        Use { kind: 1, b: 0, offset: 0, k: &[43, 44, 45, 46, 47, 48, 49, 50, 51, 52] },
        Use { kind: 1, b: 0, offset: -4, k: &[43, 44, 45, 46, 47, 48, 49, 50, 51, 52] },
        Use { kind: 1, b: 0, offset: -6, k: &[43, 44, 45, 46, 47, 48, 49, 50, 51, 52] },
        Use { kind: 1, b: 0, offset: -2, k: &[43, 44, 45, 46, 47, 48, 49, 50, 51, 52] },
        Use { kind: 2, b: 0, offset: 4, k: &[45, 46, 47, 48, 49, 50, 51, 52] },
        Use { kind: 1, b: 0, offset: -10, k: &[47, 48, 49, 50, 51, 52] },
        Use { kind: 2, b: 0, offset: -16, k: &[53, 54, 55, 56] },
    ] },
    Relation { d: 3, b1: 6, b2: 1, s: 0, uses: &[
        Use { kind: 1, b: 2, offset: -2, k: &[46, 47, 48, 49, 50, 51] },
        Use { kind: 2, b: 2, offset: 2, k: &[46, 49, 50, 51] },
    ] },
    Relation { d: 4, b1: 3, b2: 28, s: 0, uses: &[
        Use { kind: 2, b: 0, offset: -12, k: &[47, 48, 49, 50, 51, 52, 53, 54, 55, 56] },
        Use { kind: 1, b: 0, offset: -16, k: &[51] },
    ] },
    Relation { d: 4, b1: 4, b2: 29, s: 0, uses: &[
        Use { kind: 2, b: 0, offset: 4, k: &[45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56] },
        Use { kind: 2, b: 0, offset: -9, k: &[45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56] },
        Use { kind: 2, b: 0, offset: -4, k: &[45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56] },
        Use { kind: 2, b: 0, offset: -12, k: &[47, 48, 49, 50, 51, 52, 53, 54, 55, 56] },
        Use { kind: 1, b: 0, offset: 0, k: &[43, 44, 45, 46, 47, 48, 49, 50, 51, 52] },
        Use { kind: 1, b: 0, offset: -10, k: &[45, 46, 47, 48, 49, 50, 51, 52] },
        Use { kind: 1, b: 0, offset: -13, k: &[48, 49, 50, 51, 52] },
    ] },
    Relation { d: 4, b1: 5, b2: 30, s: 0, uses: &[
        Use { kind: 2, b: 2, offset: -12, k: &[49, 50, 51] },
        Use { kind: 1, b: 0, offset: 16, k: &[43, 44] },
        Use { kind: 1, b: 2, offset: -16, k: &[51] },
    ] },
    Relation { d: 5, b1: 4, b2: 29, s: 1, uses: &[
        Use { kind: 1, b: 0, offset: -14, k: &[50, 51, 52] },
    ] },
    Relation { d: 5, b1: 30, b2: 28, s: 1, uses: &[
        Use { kind: 2, b: 0, offset: -13, k: &[48, 49, 50, 51, 52] },
    ] },
];

/// The vectors that the conditions do not rule out, as a set: see [`bit_of`].
pub type Live = u64;

/// The bit of a vector in a [`Live`] set. The low half has type I, the high one type II; in
/// each, b = 0 begins with K = 43 at bit 0, and b = 2 with K = 46 at bit 16.
pub const fn bit_of(vector: &DisturbanceVector) -> u32 {
    let half = if vector.kind == 1 { 0 } else { 32 };
    half + (vector.k as i32 + bit_minus_k(vector.b)) as u32
}

/// The difference between a vector's bit in its half and its K.
const fn bit_minus_k(b: u8) -> i32 {
    if b == 0 { -43 } else { 16 - 46 }
}

/// All vectors.
pub const ALL: Live = {
    let mut all = 0;
    let mut i = 0;
    while i < VECTORS.len() {
        all |= 1 << bit_of(&VECTORS[i]);
        i += 1;
    }
    all
};

/// The numbers of the vectors in a set.
pub fn numbers(mut live: Live) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        if live == 0 {
            return None;
        }
        let at = live.trailing_zeros();
        live &= live - 1;
        Some(usize::from(NUMBERS[at as usize]))
    })
}

/// The number of the vector of each bit.
static NUMBERS: [u8; 64] = {
    let mut numbers = [0xff; 64];
    let mut i = 0;
    while i < VECTORS.len() {
        numbers[bit_of(&VECTORS[i]) as usize] = i as u8;
        i += 1;
    }
    numbers
};

/// One use, ready to be applied to the relation's bits over t.
#[derive(Clone, Copy)]
pub struct PackedUse {
    /// Which relation.
    pub relation: u8,
    /// How far its bits are to be shifted to the right, or to the left if negative.
    pub shift: i8,
    /// The bits that the use does not concern.
    pub others: u32,
}

/// The most uses that one type has.
pub const USES: usize = 32;

/// The uses of each type, filled up with some that concern no bit.
pub const TYPES: [[PackedUse; USES]; 2] = [steps(1), steps(2)];

const fn steps(kind: u8) -> [PackedUse; USES] {
    let mut all = [PackedUse { relation: 0, shift: 0, others: !0 }; USES];
    let mut n = 0;
    let mut i = 0;
    while i < RELATIONS.len() {
        let mut j = 0;
        while j < RELATIONS[i].uses.len() {
            let u = &RELATIONS[i].uses[j];
            if u.kind == kind {
                // t - FIRST_T is the bit; K + bit_minus_k is where it has to be.
                let shift_by = u.offset - FIRST_T as i32 - bit_minus_k(u.b);
                let mut others = !0;
                let mut m = 0;
                while m < u.k.len() {
                    others &= !(1 << (u.k[m] as i32 + bit_minus_k(u.b)));
                    m += 1;
                }
                all[n] = PackedUse { relation: i as u8, shift: shift_by as i8, others };
                n += 1;
            }
            j += 1;
        }
        i += 1;
    }
    // Those that concern the same bits stand side by side: see `evaluate`.
    let mut i = 1;
    while i < n {
        let mut j = i;
        while j > 0 && all[j - 1].others > all[j].others {
            (all[j - 1], all[j]) = (all[j], all[j - 1]);
            j -= 1;
        }
        i += 1;
    }
    all
}

/// Where the column of bit b is in the result of [`columns`].
pub const fn column_index(b: u32) -> usize {
    if b < 8 { b as usize } else { b as usize - 16 }
}

/// The columns of bits 0 to 7 and 24 to 31.
#[inline(always)]
pub fn columns(window: &Window) -> [u32; 16] {
    // Bytes 0 and 3 of each word, in order of t, eight to a square.
    let word = |i: usize| window[trace::index(FIRST_T + i)];
    let low: [u8; 32] = array::from_fn(|i| word(i) as u8);
    let high: [u8; 32] = array::from_fn(|i| (word(i) >> 24) as u8);
    let squares: [u64; 8] = array::from_fn(|i| {
        let bytes = if i < 4 { &low[8 * i..8 * i + 8] } else { &high[8 * i - 32..8 * i - 24] };
        u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
    });
    // Transpose each square of 8 by 8 bits (Hacker's Delight, section 7-3).
    let squares = squares.map(|x| {
        let swap = |x: u64, by: u32, mask: u64| {
            let y = (x ^ (x >> by)) & mask;
            x ^ y ^ (y << by)
        };
        let x = swap(x, 7, 0x00aa_00aa_00aa_00aa);
        let x = swap(x, 14, 0x0000_cccc_0000_cccc);
        swap(x, 28, 0x0000_0000_f0f0_f0f0).to_le_bytes()
    });
    array::from_fn(|column| {
        let (plane, bit) = (4 * (column / 8), column % 8);
        u32::from_le_bytes(array::from_fn(|i| squares[plane + i][bit]))
    })
}

/// The vectors all of whose conditions the window satisfies.
pub fn live(window: &Window) -> Live {
    live_of_columns(&columns(window))
}

/// The live vectors of each traced block of a phase, and the set of blocks with any, one
/// after the other: for CPUs without vectors.
pub fn live_one_by_one(traces: &[Trace], live: &mut [MaybeUninit<Live>]) -> Suspects {
    let mut suspects = 0;
    for (index, (trace, live)) in traces.iter().zip(live).enumerate() {
        let vectors = self::live(&trace.window);
        live.write(vectors);
        suspects |= Suspects::from(vectors != 0) << index;
    }
    suspects
}

/// The same from the columns.
#[inline(never)]
fn live_of_columns(columns: &[u32; 16]) -> Live {
    let [one, two] = evaluate(columns);
    Live::from(one) | Live::from(two) << 32
}

/// What [`evaluate`] needs of a word of a block, or of a vector of such words.
pub trait ConditionWord: Word {
    /// Shift to the right, or to the left by a negative number. The bits that come in may
    /// be anything: no condition depends on them.
    fn shift(self, by: i8) -> Self;
    /// `self & (b | c)`.
    fn and_or(self, b: Self, c: Self) -> Self;
}

/// One block.
impl ConditionWord for u32 {
    #[inline(always)]
    fn shift(self, by: i8) -> Self {
        self.rotate_right(by as u32 & 31)
    }
    #[inline(always)]
    fn and_or(self, b: Self, c: Self) -> Self {
        self & (b | c)
    }
}

/// From the [`columns`] of several blocks the live vectors of type I and those of
/// type II: what [`live`] does for one.
#[inline(always)]
pub fn evaluate<L: ConditionWord>(columns: &[L; 16]) -> [L; 2] {
    // The tables become constants in the code: left to itself, the compiler would
    // not unroll such loops, and read the tables for every block.
    macro_rules! holds {
        ($($i:literal)*) => { [$( {
            const R: &Relation = &RELATIONS[$i];
            let differ = columns[column_index(R.b1)].xor(columns[column_index(R.b2)].shift(R.d as i8));
            if R.s == 1 { differ } else { differ.xor(columns[0].splat(!0)) }
        } ),*] };
    }
    let holds = holds!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    macro_rules! live {
        ($kind:literal $($i:literal)*) => { {
            let live = columns[0].splat((ALL >> (32 * $kind)) as u32);
            // What all uses so far say that concern the same bits.
            let same = columns[0].splat(!0);
            $( let (live, same) = {
                const STEP: PackedUse = TYPES[$kind][$i];
                const IS_LAST: bool = $i + 1 == USES || TYPES[$kind][($i + 1) % USES].others != STEP.others;
                let bits = holds[STEP.relation as usize].shift(STEP.shift);
                let same = same.and_or(bits, bits);
                if IS_LAST {
                    (live.and_or(same, columns[0].splat(STEP.others)), columns[0].splat(!0))
                } else {
                    (live, same)
                }
            }; )*
            let _ = same;
            live
        } };
    }
    [
        live!(0 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31),
        live!(1 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31),
    ]
}

/// The columns of a block in each lane, from the words W\[65\] down to W\[34\] of each.
/// (There are no closures in this, because the compiler does not inline those that take or
/// return wide vectors.)
///
/// # Safety
/// The CPU must have the vectors of `V`.
#[inline(always)]
#[allow(unsafe_code)]
pub unsafe fn columns_in_lanes<V: ConditionWord + SimdWord<N>, const N: usize>(
    window: &[[u32; N]; 32],
) -> [V; 16] {
    // Byte k of word j in `low` and in `high`: the bytes 0 and 3 of W[34 + 8 * k + j].
    // SAFETY: the CPU has the vectors of `V` by this function's contract.
    let first = unsafe { V::load(&window[0]) };
    let (mut low, mut high) = ([first; 8], [first; 8]);
    for j in 0..8 {
        // SAFETY: the CPU has the vectors of `V` by this function's contract.
        let (a, b, c, d) = unsafe {
            let a = V::load(&window[trace::index(FIRST_T + j)]);
            let b = V::load(&window[trace::index(FIRST_T + 8 + j)]);
            let c = V::load(&window[trace::index(FIRST_T + 16 + j)]);
            (a, b, c, V::load(&window[trace::index(FIRST_T + 24 + j)]))
        };
        let ac = select_bits::<V, 0xffff>(a, c.shift(-16));
        let bd = select_bits::<V, 0xffff>(b, d.shift(-16));
        low[j] = select_bits::<V, 0x00ff_00ff>(ac, bd.shift(-8));
        let ac = select_bits::<V, 0xffff>(a.shift(16), c);
        let bd = select_bits::<V, 0xffff>(b.shift(16), d);
        high[j] = select_bits::<V, 0x00ff_00ff>(ac.shift(8), bd);
    }
    let ([a, b, c, d, e, f, g, h], [i, j, k, l, m, n, o, p]) = (transpose_8x8(low), transpose_8x8(high));
    [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
}

/// `x` where the mask is one, `y` where it is zero.
#[inline(always)]
fn select_bits<V: ConditionWord, const MASK: u32>(x: V, y: V) -> V {
    V::ch(x.splat(MASK), x, y)
}

/// Transpose the 8 by 8 bits that each byte of eight words has: bit j of word i becomes
/// bit i of word j (Hacker's Delight, section 7-3).
#[inline(always)]
fn transpose_8x8<V: ConditionWord>(mut x: [V; 8]) -> [V; 8] {
    for i in 0..4 {
        swap_bits::<V, 4, 0x0f0f_0f0f>(&mut x, i);
    }
    for i in [0, 1, 4, 5] {
        swap_bits::<V, 2, 0x3333_3333>(&mut x, i);
    }
    for i in [0, 2, 4, 6] {
        swap_bits::<V, 1, 0x5555_5555>(&mut x, i);
    }
    x
}

/// Exchange the bits of word i that are not in the mask with those of word i + BY that
/// are.
#[inline(always)]
fn swap_bits<V: ConditionWord, const BY: usize, const MASK: u32>(x: &mut [V; 8], i: usize) {
    let (a, b, mask) = (x[i], x[i + BY], x[i].splat(MASK));
    let differ = a.shift(BY as i8).xor(b).and_or(mask, mask);
    x[i + BY] = b.xor(differ);
    x[i] = a.xor(differ.shift(-(BY as i8)));
}

/// What [`live_in_lanes`] needs of a CPU.
pub trait ConditionVector<const N: usize>: ConditionWord + SimdWord<N> {
    /// Give each of the [`columns`] that the conditions speak of to `put`, after its index.
    ///
    /// # Safety
    /// The CPU must have such vectors.
    #[allow(unsafe_code)]
    unsafe fn columns(window: &Window, put: impl FnMut(usize, u32));
    /// Whether any bit is set in one of the two.
    fn any(self, other: Self) -> bool;
}

/// The live vectors of each traced block of a phase, and the set of blocks with any,
/// `N` blocks at a time.
///
/// # Safety
/// The CPU must have the vectors of `V`.
#[inline(always)]
#[allow(unsafe_code)]
pub unsafe fn live_in_lanes<V: ConditionVector<N>, const N: usize>(
    traces: &[Trace],
    live: &mut [MaybeUninit<Live>],
) -> Suspects {
    let mut suspects = 0;
    if traces.len() < 3 {
        for (index, (trace, live)) in traces.iter().zip(live).enumerate() {
            let mut columns = [0; 16];
            // SAFETY: the CPU has the vectors of `V` by this function's contract.
            unsafe { V::columns(&trace.window, |index, column| columns[index] = column) };
            let vectors = live_of_columns(&columns);
            live.write(vectors);
            suspects |= Suspects::from(vectors != 0) << index;
        }
        return suspects;
    }
    // First the columns of all blocks, then their evaluation: a vector load that covers
    // several stores has to wait until these have left the store buffer. The words behind
    // the last block's are never looked at.
    let mut columns = [[0; PHASE + MAX_WIDTH]; 16];
    for (index, trace) in traces.iter().enumerate() {
        // SAFETY: the CPU has the vectors of `V` by this function's contract.
        unsafe { V::columns(&trace.window, |of, column| columns[of][index] = column) };
    }
    for (first, live) in (0..).step_by(N).zip(live.chunks_mut(N)) {
        let batch = columns.each_ref().map(|column| {
            let words = column[first..].first_chunk().expect("there are so many behind the last block");
            // SAFETY: the CPU has the vectors of `V` by this function's contract.
            unsafe { V::load(words) }
        });
        let [one, two] = evaluate(&batch);
        if !one.any(two) {
            live.fill(MaybeUninit::new(0));
            continue;
        }
        let mut sets = [[0; N]; 2];
        one.store(&mut sets[0]);
        two.store(&mut sets[1]);
        for (lane, live) in live.iter_mut().enumerate() {
            let vectors = Live::from(sets[0][lane]) | Live::from(sets[1][lane]) << 32;
            live.write(vectors);
            suspects |= Suspects::from(vectors != 0) << (first + lane);
        }
    }
    suspects
}

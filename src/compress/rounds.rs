//! The 80 rounds of FIPS 180-4, section 6.1.2, written once.
//!
//! A [`Word`] is one `u32`, or a vector in which every lane is a word of a
//! message of its own. The schedule lives in a window of 16 words (section
//! 6.1.3): a word is made just before the round that uses it.

use core::array;
use core::hint::black_box;

use crate::block::K;

/// What the rounds need of a 32-bit word.
pub trait Word: Copy {
    /// A constant in every lane. The word that is there already shows that the
    /// CPU has vectors like it: only unsafe code makes the first one.
    fn splat(self, value: u32) -> Self;
    /// Addition modulo 2^32.
    fn add(self, other: Self) -> Self;
    /// The same value, as a sum that the compiler must not rearrange.
    #[inline(always)]
    fn settle(self) -> Self {
        self
    }
    /// Exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Rotation to the left; `RIGHT` is `32 - LEFT`.
    fn rotl<const LEFT: i32, const RIGHT: i32>(self) -> Self;
    /// Ch(x, y, z): y where x is one, z where it is zero.
    fn ch(x: Self, y: Self, z: Self) -> Self;
    /// Parity(x, y, z).
    #[inline(always)]
    fn parity(x: Self, y: Self, z: Self) -> Self {
        x.xor(y).xor(z)
    }
    /// a + Maj(x, y, z).
    fn add_maj(a: Self, x: Self, y: Self, z: Self) -> Self;
}

/// Compress one block, given as its 16 words, into the chaining value.
#[inline(always)]
pub fn compress<W: Word>(state: &mut [W; 5], w: &mut [W; 16]) {
    let mut s = *state;
    s = twenty::<W, 0>(s, w);
    s = twenty::<W, 1>(s, w);
    s = twenty::<W, 2>(s, w);
    s = twenty::<W, 3>(s, w);
    for (word, s) in state.iter_mut().zip(s) {
        *word = word.add(s);
    }
}

/// The same in loops.
#[inline(always)]
pub fn compress_rolled<W: Word>(state: &mut [W; 5], block: &[W; 16]) {
    let mut w = [block[0]; 80];
    w[..16].copy_from_slice(block);
    for t in 16..80 {
        let x = w[t - 3].xor(w[t - 8]);
        let y = w[t - 14].xor(w[t - 16]);
        w[t] = x.xor(y).rotl::<1, 31>();
    }
    let mut s = *state;
    s = twenty_rolled::<W, 0>(s, &w);
    s = twenty_rolled::<W, 1>(s, &w);
    s = twenty_rolled::<W, 2>(s, &w);
    s = twenty_rolled::<W, 3>(s, &w);
    for (word, s) in state.iter_mut().zip(s) {
        *word = word.add(s);
    }
}

#[inline(always)]
fn twenty_rolled<W: Word, const PART: usize>(
    [mut a, mut b, mut c, mut d, mut e]: [W; 5],
    w: &[W; 80],
) -> [W; 5] {
    // The compiler would unroll what it can count.
    for w in w[20 * PART..20 * PART + black_box(20)].as_chunks::<5>().0 {
        round::<W, PART>(a, &mut b, c, d, &mut e, w[0]);
        round::<W, PART>(e, &mut a, b, c, &mut d, w[1]);
        round::<W, PART>(d, &mut e, a, b, &mut c, w[2]);
        round::<W, PART>(c, &mut d, e, a, &mut b, w[3]);
        round::<W, PART>(b, &mut c, d, e, &mut a, w[4]);
    }
    [a, b, c, d, e]
}

/// The expanded message of one block (section 6.1.2, step 1).
#[inline(always)]
pub fn expand<W: Word>(block: [W; 16]) -> [W; 80] {
    let mut window = block;
    array::from_fn(|t| word(&mut window, t))
}

/// What a trace keeps of a block on the way.
pub struct Kept<W> {
    /// The working words before step 55 and before step 65.
    pub inner: [[W; 5]; 2],
    /// W\[34\] to W\[49\], in the order of t modulo 16.
    pub early: [W; 16],
    /// W\[49\] to W\[64\], likewise.
    pub late: [W; 16],
}

/// As [`compress`], and keep what a trace wants.
#[inline(always)]
pub fn trace<W: Word>(state: &mut [W; 5], w: &mut [W; 16]) -> Kept<W> {
    let mut s = *state;
    s = twenty::<W, 0>(s, w);
    s = twenty::<W, 1>(s, w);
    s = five::<W, 2>(s, w, 40);
    s = five::<W, 2>(s, w, 45);
    let early = *w;
    s = five::<W, 2>(s, w, 50);
    let at_55 = s;
    s = five::<W, 2>(s, w, 55);
    s = five::<W, 3>(s, w, 60);
    let kept = Kept { inner: [at_55, s], early, late: *w };
    s = five::<W, 3>(s, w, 65);
    s = five::<W, 3>(s, w, 70);
    s = five::<W, 3>(s, w, 75);
    for (word, s) in state.iter_mut().zip(s) {
        *word = word.add(s);
    }
    kept
}

/// Rounds `20 * PART` to `20 * PART + 19`: one function f and one constant K.
#[inline(always)]
pub fn twenty<W: Word, const PART: usize>(s: [W; 5], w: &mut [W; 16]) -> [W; 5] {
    let t = 20 * PART;
    let s = five::<W, PART>(s, w, t);
    let s = five::<W, PART>(s, w, t + 5);
    let s = five::<W, PART>(s, w, t + 10);
    five::<W, PART>(s, w, t + 15)
}

/// Five rounds from round t on, after which every word is back under its own
/// name.
#[inline(always)]
fn five<W: Word, const PART: usize>(
    [mut a, mut b, mut c, mut d, mut e]: [W; 5],
    w: &mut [W; 16],
    t: usize,
) -> [W; 5] {
    round::<W, PART>(a, &mut b, c, d, &mut e, word(w, t));
    round::<W, PART>(e, &mut a, b, c, &mut d, word(w, t + 1));
    round::<W, PART>(d, &mut e, a, b, &mut c, word(w, t + 2));
    round::<W, PART>(c, &mut d, e, a, &mut b, word(w, t + 3));
    round::<W, PART>(b, &mut c, d, e, &mut a, word(w, t + 4));
    [a, b, c, d, e]
}

/// One round. Instead of moving five words along, it leaves the new a in e's
/// place and the rotated b in b's own.
#[inline(always)]
fn round<W: Word, const PART: usize>(a: W, b: &mut W, c: W, d: W, e: &mut W, w: W) {
    // The sum that does not wait for the round before.
    let sum = e.add(w).add(w.splat(K[PART])).settle();
    let sum = match PART {
        0 => sum.add(W::ch(*b, c, d)),
        2 => W::add_maj(sum, *b, c, d),
        _ => sum.add(W::parity(*b, c, d)),
    };
    *e = sum.add(a.rotl::<5, 27>());
    *b = b.rotl::<30, 2>();
}

/// One round as the standard has it: five words that move along.
#[inline(always)]
pub fn round_moved<W: Word, const PART: usize>([a, mut b, c, d, mut e]: [W; 5], w: W) -> [W; 5] {
    round::<W, PART>(a, &mut b, c, d, &mut e, w);
    [e, a, b, c, d]
}

/// W[t], made from the window when t is 16 or more.
#[inline(always)]
fn word<W: Word>(w: &mut [W; 16], t: usize) -> W {
    if t >= 16 {
        let x = w[(t + 13) % 16].xor(w[(t + 8) % 16]);
        let y = w[(t + 2) % 16].xor(w[t % 16]);
        w[t % 16] = x.xor(y).rotl::<1, 31>();
    }
    w[t % 16]
}

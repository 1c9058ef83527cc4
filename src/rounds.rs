//! The 80 rounds of FIPS 180-4, section 6.1.2, written once.
//!
//! A [`Word`] is one `u32`, or a vector in which every lane is a word of a message of its
//! own. The schedule lives in a window of 16 words (section 6.1.3): a word is made just
//! before the round that uses it.

use core::array;
use core::hint::black_box;

use crate::block::{K, State};

/// What the rounds need of a 32-bit word.
pub trait Word: Copy {
    /// A constant in every lane. It is a method, because the word that is there already
    /// proves that the CPU has such vectors: only unsafe code makes the first one.
    fn splat(self, value: u32) -> Self;
    /// Addition modulo 2^32.
    fn add(self, other: Self) -> Self;
    /// The same value. On x86 it hides a word's sum from the optimiser, which would otherwise
    /// add in another order and so lengthen the chain from round to round.
    #[inline(always)]
    fn keep_sum(self) -> Self {
        self
    }
    /// Exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Rotation to the left; `RIGHT` is `32 - LEFT`, which Rust cannot compute here.
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

impl Word for u32 {
    #[inline(always)]
    fn splat(self, value: u32) -> Self {
        value
    }
    /// The compiler would add the constant K last, where the next round waits for the sum.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    #[inline(always)]
    fn keep_sum(self) -> Self {
        crate::barrier::opaque_word(self)
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }
    #[inline(always)]
    fn rotl<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        self.rotate_left(LEFT as u32)
    }
    #[inline(always)]
    fn ch(x: Self, y: Self, z: Self) -> Self {
        (x & (y ^ z)) ^ z
    }
    /// The two terms have no bit in common, so they can be added one by one, which keeps
    /// the chain through the sum short.
    #[inline(always)]
    fn add_maj(a: Self, x: Self, y: Self, z: Self) -> Self {
        a.wrapping_add(y & z).wrapping_add(x & (y ^ z))
    }
}

/// Compress one block, given as its 16 words, into the chaining value.
#[inline(always)]
pub fn compress<W: Word>(state: &mut [W; 5], w: &mut [W; 16]) {
    let mut s = *state;
    s = twenty::<W, 0>(s, w);
    s = twenty::<W, 1>(s, w);
    s = twenty::<W, 2>(s, w);
    s = twenty::<W, 3>(s, w);
    add_to(state, s);
}

/// The last step of section 6.1.2: add the working words to the chaining value.
#[inline(always)]
pub fn add_to<W: Word>(state: &mut [W; 5], working: [W; 5]) {
    for (word, working) in state.iter_mut().zip(working) {
        *word = word.add(working);
    }
}

/// The expanded message of one block (section 6.1.2, step 1).
#[inline(always)]
pub fn expand<W: Word>(block: [W; 16]) -> [W; 80] {
    let mut window = block;
    array::from_fn(|t| word(&mut window, t))
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

/// Five rounds from round t on, after which every word is back under its own name.
#[inline(always)]
pub fn five<W: Word, const PART: usize>(s: [W; 5], w: &mut [W; 16], t: usize) -> [W; 5] {
    word(w, t);
    five_from::<W, PART>(s, w, t)
}

/// The same where W\[t\] is in the window already.
#[inline(always)]
pub fn five_from<W: Word, const PART: usize>(
    [mut a, mut b, mut c, mut d, mut e]: [W; 5],
    w: &mut [W; 16],
    t: usize,
) -> [W; 5] {
    round::<W, PART>(a, &mut b, c, d, &mut e, w[t % 16]);
    round::<W, PART>(e, &mut a, b, c, &mut d, word(w, t + 1));
    round::<W, PART>(d, &mut e, a, b, &mut c, word(w, t + 2));
    round::<W, PART>(c, &mut d, e, a, &mut b, word(w, t + 3));
    round::<W, PART>(b, &mut c, d, e, &mut a, word(w, t + 4));
    [a, b, c, d, e]
}

/// One round. Instead of moving five words along, it leaves the new a in e's place and the
/// rotated b in b's own.
#[inline(always)]
fn round<W: Word, const PART: usize>(a: W, b: &mut W, c: W, d: W, e: &mut W, w: W) {
    // The sum that does not wait for the round before.
    let sum = e.add(w).add(w.splat(K[PART])).keep_sum();
    let sum = match PART {
        0 => sum.add(W::ch(*b, c, d)),
        2 => W::add_maj(sum, *b, c, d),
        _ => sum.add(W::parity(*b, c, d)),
    };
    *e = sum.add(a.rotl::<5, 27>());
    *b = b.rotl::<30, 2>();
}

/// Rounds of part `PART`, one for each of the words, in a loop.
#[inline(always)]
pub fn run<W: Word, const PART: usize>(mut s: [W; 5], words: &[W]) -> [W; 5] {
    let (fives, rest) = words.as_chunks::<5>();
    // (The compiler would unroll the loop where it knows the number.)
    for w in if fives.len() > 1 { black_box(fives) } else { fives } {
        let [mut a, mut b, mut c, mut d, mut e] = s;
        round::<W, PART>(a, &mut b, c, d, &mut e, w[0]);
        round::<W, PART>(e, &mut a, b, c, &mut d, w[1]);
        round::<W, PART>(d, &mut e, a, b, &mut c, w[2]);
        round::<W, PART>(c, &mut d, e, a, &mut b, w[3]);
        round::<W, PART>(b, &mut c, d, e, &mut a, w[4]);
        s = [a, b, c, d, e];
    }
    for &w in rest {
        s = moved::<W, PART>(s, w);
    }
    s
}

/// One round as the standard has it: the five words move along by one place.
#[inline(always)]
pub fn moved<W: Word, const PART: usize>([a, mut b, c, d, mut e]: [W; 5], w: W) -> [W; 5] {
    round::<W, PART>(a, &mut b, c, d, &mut e, w);
    [e, a, b, c, d]
}

/// Step t (section 6.1.2, step 3) of one message.
#[inline(always)]
pub fn step([a, b, c, d, e]: State, t: usize, w: u32) -> State {
    let next = a.rotate_left(5).wrapping_add(round_sum(t, w, b, c, d)).wrapping_add(e);
    [next, a, b.rotate_left(30), c, d]
}

/// Step t undone: the working words before it, from those after it.
#[inline(always)]
pub fn step_back([next, a, b, c, d]: State, t: usize, w: u32) -> State {
    let b = b.rotate_right(30);
    let e = next.wrapping_sub(a.rotate_left(5)).wrapping_sub(round_sum(t, w, b, c, d));
    [a, b, c, d, e]
}

/// f(b, c, d) + K + W of step t.
#[inline(always)]
fn round_sum(t: usize, w: u32, b: u32, c: u32, d: u32) -> u32 {
    let f = match t / 20 {
        0 => u32::ch(b, c, d),
        2 => u32::add_maj(0, b, c, d),
        _ => u32::parity(b, c, d),
    };
    f.wrapping_add(K[t / 20]).wrapping_add(w)
}

/// W\[t\], made from the window when t is 16 or more.
#[inline(always)]
pub fn word<W: Word>(w: &mut [W; 16], t: usize) -> W {
    if t >= 16 {
        let x = w[(t + 13) % 16].xor(w[(t + 8) % 16]);
        let y = w[(t + 2) % 16].xor(w[t % 16]);
        w[t % 16] = x.xor(y).rotl::<1, 31>();
    }
    w[t % 16]
}

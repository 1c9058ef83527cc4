//! Many messages at once, one in each lane of a vector.
//!
//! The rounds are those of `rounds`, with a vector for a word. What is left is
//! to keep the lanes fed: a [`Step`] says which blocks come next in each lane, and
//! which messages end with them. While a block is hashed, the next one is loaded
//! and transposed a quarter at a time: the rounds need one half of the vector
//! units more, the shuffles of a transposition the other.

use core::array;

#[cfg(target_arch = "aarch64")]
use super::neon;
use super::rounds::{self, Word};
use super::trace::TOP;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use super::{x86_avx2, x86_avx512, x86_sha, x86_ssse3};
use crate::block::{Block, INITIAL, State};
#[cfg(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64"))]
use crate::cpu::Feature::*;
use crate::cpu::{self, Feature};

/// The most lanes that there are.
pub const WIDEST: usize = 16;

/// The five words of a chaining value, for up to 16 messages.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct States(pub [[u32; WIDEST]; 5]);

impl States {
    /// The initial hash value in every lane.
    #[inline(always)]
    pub fn initial() -> Self {
        Self(INITIAL.map(|word| [word; WIDEST]))
    }

    /// The chaining value in a lane.
    #[inline(always)]
    pub fn state(&self, lane: usize) -> State {
        array::from_fn(|word| self.0[word][lane])
    }

    /// Put a chaining value into a lane.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, state: &State) {
        for (words, word) in self.0.iter_mut().zip(state) {
            words[lane] = *word;
        }
    }
}

/// Some blocks of each message.
#[derive(Clone, Copy)]
pub struct Step<'a> {
    /// Each lane's blocks. Those of lanes that the kernel does not have are not looked
    /// at.
    pub blocks: [&'a [Block]; WIDEST],
    /// How many of them: no more than any lane has, and at least one.
    pub count: usize,
    /// The lanes whose message ends here: bit n is lane n.
    pub ends: u32,
}

/// What goes into a step, and what comes out of it.
#[derive(Clone, Copy)]
pub struct Exchange {
    /// Before: the states with which messages begin after the step. Afterwards, in
    /// the lanes whose message ended: its state. Of other lanes it tells nothing.
    pub states: States,
    /// The lanes in which a checking kernel found an attack in the step.
    pub found: u32,
}

/// Compresses step after step into the states. After a step that ends messages,
/// their lanes exchange their states for those in the step's place in the last
/// argument.
///
/// # Safety
/// The CPU must have what the kernel is for.
pub type Kernel = unsafe fn(&mut States, &[Step], &mut [Exchange]);

/// One way to hash several messages.
pub struct Lanes {
    /// What the CPU must have.
    needs: &'static [Feature],
    /// With what it is better not to use it.
    unless: &'static [Feature],
    /// How many messages there must be for it to be the best way.
    from: usize,
    /// How many lanes it has.
    pub count: usize,
    kernel: Kernel,
}

impl Lanes {
    /// # Safety
    /// The kernel must need no more of a CPU than this says.
    pub const unsafe fn new(needs: &'static [Feature], from: usize, count: usize, kernel: Kernel) -> Self {
        Self { needs, unless: &[], from, count, kernel }
    }

    /// Compress step after step: see [`Kernel`].
    #[inline]
    pub fn run(&self, states: &mut States, steps: &[Step], others: &mut [Exchange]) {
        // SAFETY: `best_of` lets out only what the CPU can run.
        unsafe { (self.kernel)(states, steps, others) }
    }
}

/// All ways: the first that fits the CPU and the number of messages is the best.
///
/// In cycles on Emerald Rapids: a block in each lane takes 431 with 16 lanes, 287
/// with 8, 245 and 128 with 4 and 2 messages in turns, and 85 alone; with
/// AVX2 8 lanes take 522, and a message alone 113 with the SHA instructions and
/// 300 without.
#[rustfmt::skip]
static WAYS: &[Lanes] = &[
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Lanes { needs: &[Avx512Bw], unless: &[], from: 11, count: 16, kernel: x86_avx512::sixteen },
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Lanes { needs: &[Avx512Bw], unless: &[], from: 5, count: 8, kernel: x86_avx512::eight },
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Lanes { needs: &[Avx512Vl, Sha], unless: &[], from: 4, count: 4, kernel: x86_sha::four },
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Lanes { needs: &[Avx512Vl, Sha], unless: &[], from: 2, count: 2, kernel: x86_sha::two },
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Lanes { needs: &[Avx2], unless: &[], from: 5, count: 8, kernel: x86_avx2::eight },
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Lanes { needs: &[Avx2], unless: &[Sha], from: 2, count: 8, kernel: x86_avx2::eight },
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Lanes { needs: &[Ssse3], unless: &[Sha], from: 2, count: 4, kernel: x86_ssse3::four },
    #[cfg(target_arch = "aarch64")]
    Lanes { needs: &[], unless: &[Sha2], from: 2, count: 4, kernel: neon::four },
];

/// The best way to hash `count` messages, if it is not one after the other.
pub fn for_count(count: usize) -> Option<&'static Lanes> {
    best_of(WAYS, count)
}

/// The first of some ways that fits the CPU and the number of messages.
pub fn best_of(ways: &'static [Lanes], count: usize) -> Option<&'static Lanes> {
    ways.iter().find(|way| {
        way.from <= count && cpu::has(way.needs) && (way.unless.is_empty() || !cpu::has(way.unless))
    })
}

/// A vector with a word of each of `N` messages, the first of 16.
pub trait Vector<const N: usize>: Word {
    /// # Safety
    /// The CPU must have such vectors.
    unsafe fn load(words: &[u32; WIDEST]) -> Self;
    /// The words.
    fn store(self, words: &mut [u32; WIDEST]);
    /// `other` in the lanes whose bit is set in `mask`.
    fn choose(self, other: Self, mask: u32) -> Self;
    /// Words `4 * quarter` to `4 * quarter + 3` of each lane's block.
    ///
    /// # Safety
    /// The CPU must have such vectors.
    unsafe fn quarter(blocks: [&Block; N], quarter: usize) -> [Self; 4];
}

/// What collision detection needs to know of the compression of a block in each
/// lane: a [`Trace`](super::trace::Trace) of each, word by word.
#[repr(C, align(64))]
pub struct Record {
    /// The expanded words W\[65\] down to W\[34\]; but W\[65\] is not set.
    pub window: [[u32; WIDEST]; 32],
    /// The working words before step 55.
    pub at_55: States,
    /// The chaining values before the block.
    pub before: States,
    /// The chaining values after it.
    pub after: States,
}

/// What a kernel does with a block. (A trait, and no closure: the compiler does not
/// put closures that deal in wide vectors into their place.)
trait EachBlock<V, const N: usize> {
    /// Compress a block, given as its words, and return the words of the next, and
    /// the lanes in which there is an attack.
    ///
    /// # Safety
    /// The CPU must have such vectors.
    unsafe fn compress(
        &mut self,
        state: &mut [V; 5],
        w: &mut [V; 16],
        block: [&Block; N],
        next: [&Block; N],
    ) -> ([V; 16], u32);
}

/// Only compress.
struct Plain;

/// Only compress, with a quarter of the code.
struct Rolled;

/// Make a record of the block, and show it to a function that says in which lanes
/// there is an attack.
struct Recorded<F> {
    record: Record,
    inspect: F,
}

/// What most kernels do.
///
/// # Safety
/// The CPU must have such vectors.
#[inline(always)]
pub unsafe fn run<V: Vector<N>, const N: usize>(
    states: &mut States,
    steps: &[Step],
    others: &mut [Exchange],
) {
    // SAFETY: the caller's contract.
    unsafe { run_each::<V, N>(states, steps, others, &mut Plain) }
}

/// The same with a quarter of the code: for CPUs that are seldom met.
///
/// # Safety
/// The CPU must have such vectors.
#[inline(always)]
pub unsafe fn run_rolled<V: Vector<N>, const N: usize>(
    states: &mut States,
    steps: &[Step],
    others: &mut [Exchange],
) {
    // SAFETY: the caller's contract.
    unsafe { run_each::<V, N>(states, steps, others, &mut Rolled) }
}

/// The same, with a record of each block, which is shown to `inspect`: it says in
/// which lanes there is an attack.
///
/// # Safety
/// The CPU must have such vectors.
#[inline(always)]
pub unsafe fn run_recorded<V: Vector<N>, const N: usize>(
    states: &mut States,
    steps: &[Step],
    others: &mut [Exchange],
    inspect: impl Fn([&Block; N], &Record) -> u32,
) {
    let initial = States::initial();
    let record = Record { window: [[0; WIDEST]; 32], at_55: initial, before: initial, after: initial };
    // SAFETY: the caller's contract.
    unsafe { run_each::<V, N>(states, steps, others, &mut Recorded { record, inspect }) }
}

/// # Safety
/// The CPU must have such vectors.
#[inline(always)]
unsafe fn run_each<V: Vector<N>, const N: usize>(
    states: &mut States,
    steps: &[Step],
    others: &mut [Exchange],
    each: &mut impl EachBlock<V, N>,
) {
    let Some(first) = steps.first() else { return };
    // SAFETY: the caller has the vectors.
    let mut s = unsafe { load::<V, N>(states) };
    let mut w = [s[0]; 16];
    for quarter in 0..4 {
        // SAFETY: as above.
        let words = unsafe { V::quarter(array::from_fn(|lane| &first.blocks[lane][0]), quarter) };
        w[4 * quarter..4 * quarter + 4].copy_from_slice(&words);
    }
    for (i, (step, others)) in steps.iter().zip(others).enumerate() {
        for block in 0..step.count {
            // SAFETY: each lane has `count` blocks.
            let nth = |block| array::from_fn(|lane| unsafe { step.blocks[lane].get_unchecked(block) });
            let next = if block + 1 < step.count {
                nth(block + 1)
            } else {
                // After the last block of all, the first is loaded for nothing.
                let next = steps.get(i + 1).unwrap_or(first);
                array::from_fn(|lane| &next.blocks[lane][0])
            };
            // SAFETY: as above.
            let (words, found) = unsafe { each.compress(&mut s, &mut w, nth(block), next) };
            w = words;
            others.found |= found;
        }
        if step.ends != 0 {
            // SAFETY: as above.
            let begun = unsafe { load::<V, N>(&others.states) };
            for ((s, words), begun) in s.iter_mut().zip(&mut others.states.0).zip(begun) {
                s.store(words);
                *s = s.choose(begun, step.ends);
            }
        }
    }
    store(&s, states);
}

impl<V: Vector<N>, const N: usize> EachBlock<V, N> for Plain {
    #[inline(always)]
    unsafe fn compress(
        &mut self,
        state: &mut [V; 5],
        w: &mut [V; 16],
        _: [&Block; N],
        next: [&Block; N],
    ) -> ([V; 16], u32) {
        // SAFETY: the caller's contract, four times.
        unsafe {
            let mut s = *state;
            s = rounds::twenty::<V, 0>(s, w);
            let [a, b, c, d] = V::quarter(next, 0);
            s = rounds::twenty::<V, 1>(s, w);
            let [e, f, g, h] = V::quarter(next, 1);
            s = rounds::twenty::<V, 2>(s, w);
            let [i, j, k, l] = V::quarter(next, 2);
            s = rounds::twenty::<V, 3>(s, w);
            let [m, n, o, p] = V::quarter(next, 3);
            for (word, s) in state.iter_mut().zip(s) {
                *word = word.add(s);
            }
            ([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p], 0)
        }
    }
}

impl<V: Vector<N>, const N: usize> EachBlock<V, N> for Rolled {
    #[inline(always)]
    unsafe fn compress(
        &mut self,
        state: &mut [V; 5],
        w: &mut [V; 16],
        _: [&Block; N],
        next: [&Block; N],
    ) -> ([V; 16], u32) {
        rounds::compress_rolled(state, w);
        // SAFETY: the caller's contract.
        (unsafe { all_quarters(next) }, 0)
    }
}

/// The words of a block in each lane.
///
/// # Safety
/// The CPU must have such vectors.
#[inline(always)]
unsafe fn all_quarters<V: Vector<N>, const N: usize>(blocks: [&Block; N]) -> [V; 16] {
    // SAFETY: the caller's contract, four times.
    unsafe {
        let [a, b, c, d] = V::quarter(blocks, 0);
        let [e, f, g, h] = V::quarter(blocks, 1);
        let [i, j, k, l] = V::quarter(blocks, 2);
        let [m, n, o, p] = V::quarter(blocks, 3);
        [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
    }
}

impl<V: Vector<N>, const N: usize, F: Fn([&Block; N], &Record) -> u32> EachBlock<V, N> for Recorded<F> {
    #[inline(always)]
    unsafe fn compress(
        &mut self,
        state: &mut [V; 5],
        w: &mut [V; 16],
        block: [&Block; N],
        next: [&Block; N],
    ) -> ([V; 16], u32) {
        let record = &mut self.record;
        store(state, &mut record.before);
        let kept = rounds::trace(state, w);
        store(state, &mut record.after);
        store(&kept.inner[0], &mut record.at_55);
        for t in 34..65 {
            let words = if t < 50 { kept.early[t % 16] } else { kept.late[t % 16] };
            words.store(&mut record.window[TOP - t]);
        }
        let found = (self.inspect)(block, record);
        // SAFETY: the caller's contract.
        (unsafe { all_quarters(next) }, found)
    }
}

#[inline(always)]
fn store<V: Vector<N>, const N: usize>(vectors: &[V; 5], states: &mut States) {
    for (vector, words) in vectors.iter().zip(&mut states.0) {
        vector.store(words);
    }
}

/// What a kernel does that has the states of its messages one by one: `compress`
/// takes as many blocks of each. It uses the first `N` lanes.
#[inline(always)]
pub fn run_with<const N: usize>(
    states: &mut States,
    steps: &[Step],
    others: &mut [Exchange],
    compress: impl Fn([&mut State; N], [&[Block]; N]),
) {
    let mut streams: [State; N] = array::from_fn(|lane| states.state(lane));
    for (step, others) in steps.iter().zip(others) {
        compress(streams.each_mut(), array::from_fn(|lane| &step.blocks[lane][..step.count]));
        for (lane, stream) in streams.iter_mut().enumerate() {
            if step.ends >> lane & 1 != 0 {
                let begun = others.states.state(lane);
                others.states.set(lane, stream);
                *stream = begun;
            }
        }
    }
    for (lane, stream) in streams.iter().enumerate() {
        states.set(lane, stream);
    }
}

/// # Safety
/// The CPU must have such vectors.
#[inline(always)]
unsafe fn load<V: Vector<N>, const N: usize>(states: &States) -> [V; 5] {
    let [a, b, c, d, e] = &states.0;
    // SAFETY: the caller's contract.
    unsafe { [V::load(a), V::load(b), V::load(c), V::load(d), V::load(e)] }
}

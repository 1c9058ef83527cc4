//! Rounds in scalar registers beside a message schedule in vectors, for x86 CPUs
//! without SHA instructions.
//!
//! A round is a chain of two operations, a rotation and an addition, so 160 cycles a
//! block is the floor. The five or six operations beside that chain fill the four
//! integer units of today's cores nearly as long, so two things count: the schedule
//! must stay away from those units, and a round must not wait for one of its own
//! operations that was late.
//!
//! **Schedule.** It is in vectors, four words at a time and for as many blocks at once
//! as a vector has quarters of 128 bits. The sums W\[t\] + K go to the rounds through
//! a buffer on the stack. From step 32 on the schedule has a second form (the
//! recurrence of FIPS 180-4 applied twice),
//!
//! ```text
//! W[t] = rotl2(W[t-6] ^ W[t-16] ^ W[t-28] ^ W[t-32])
//! ```
//!
//! which reaches back more than four words, so that four words depend only on
//! earlier vectors. The first groups of the next blocks are made among the last rounds
//! of these ones, or the block would begin with rounds that wait for it.
//!
//! **Rounds.** A round makes the next a, and already the f of the round after it,
//! for which it has all it needs: b of that round is a of this one. The order of the
//! operations matters, because a core takes the oldest ready one first: in the order
//! of the standard the rounds alone take 196 cycles a block on Zen 3, in a good one 168. A
//! compiler does not keep an order, so each round is a few lines of assembly, a [`Rounds`];
//! all else is up to the compiler. (With rounds in Rust the compiler delays the rotation that
//! the next round waits for: the same structure then takes 20 % longer.)

use core::arch::asm;
use core::array;
use core::mem::MaybeUninit;

use crate::barrier::opaque_word;
use crate::block::{Block, K, State};
use crate::trace::{self, Trace};

/// Four consecutive words of the schedule, the first in the lowest lane, for each of
/// `BLOCKS` blocks, one block after the other.
///
/// # Safety
/// A vector is `16 * BLOCKS` bytes, and `BLOCKS` is 1 or 2. The functions may be called only
/// where the CPU has the features of the vector.
pub unsafe trait Group: Copy {
    /// How many blocks have words in a vector.
    const BLOCKS: usize;

    /// Four words of the message of each block, or of the first where there is no room
    /// for two: the 16 bytes from `16 * quarter` on. `quarter` is less than 4.
    unsafe fn load(blocks: [&Block; 2], quarter: usize) -> Self;
    /// The same word in every lane.
    unsafe fn splat(word: u32) -> Self;
    /// Addition modulo 2^32.
    unsafe fn add(self, other: Self) -> Self;
    /// Exclusive or.
    unsafe fn xor(self, other: Self) -> Self;
    /// Rotation to the left; `RIGHT` is `32 - LEFT`.
    unsafe fn rotl<const LEFT: i32, const RIGHT: i32>(self) -> Self;
    /// The last two words of this group, then the first two of the `next` one.
    unsafe fn middle(self, next: Self) -> Self;
    /// The last three words, then zero.
    unsafe fn last_three(self) -> Self;
    /// Three zeros, then the first word.
    unsafe fn first_word_last(self) -> Self;
    /// Write the four words of each block, the last one first, to where the block's
    /// pointer says.
    unsafe fn store_reversed(self, to: [*mut u32; 2]);
}

/// The working words between two rounds: before round t, where t is the next.
#[derive(Clone, Copy)]
pub struct Working {
    /// a of round t; it is b of round t + 1.
    pub a: u32,
    /// c of round t + 1: b of round t, rotated.
    pub c: u32,
    /// d of round t + 1.
    pub d: u32,
    /// e of round t + 1.
    pub e: u32,
    /// What makes the next a when the rotated a is added: e + f + W\[t\] + K.
    pub sum: u32,
}

/// A way to do a round with scalar instructions.
pub trait Rounds {
    /// Round t = `20 * PART + I`, less than 79, with the f and the sum of round t + 1.
    ///
    /// # Safety
    /// The CPU must have the features of the instructions; the sum of round t + 1 is
    /// [`offset`] bytes after `sums`.
    unsafe fn round<G: Group, const SECOND: bool, const PART: usize, const I: usize>(
        working: Working,
        sums: *const u32,
    ) -> Working;
}

/// Where the sum for round t of the first or second block of a vector is, in bytes.
pub const fn offset<G: Group, const SECOND: bool>(t: usize) -> usize {
    size_of::<G>() * (t / 4) + 16 * SECOND as usize + 4 * (t % 4)
}

/// What is kept of the blocks' compression on the way.
trait Record {
    /// Keep the chaining value before a block.
    ///
    /// # Safety
    /// There must be room for a block of this number.
    unsafe fn ihv_in(&mut self, block: usize, state: &State);
    /// Keep the working words before step 56.
    ///
    /// # Safety
    /// There must be room for a block of this number.
    unsafe fn at_56(&mut self, block: usize, working: &State);
    /// Keep W\[t\] to W\[t+3\] of the blocks that are in a vector; t is from 34 to 62.
    ///
    /// # Safety
    /// There must be room for blocks of these numbers, and the CPU must have the vector's
    /// features.
    unsafe fn window<G: Group>(&mut self, blocks: [usize; 2], t: usize, words: G);
}

/// Nothing is kept.
impl Record for () {
    #[inline(always)]
    unsafe fn ihv_in(&mut self, _: usize, _: &State) {}
    #[inline(always)]
    unsafe fn at_56(&mut self, _: usize, _: &State) {}
    #[inline(always)]
    unsafe fn window<G: Group>(&mut self, _: [usize; 2], _: usize, _: G) {}
}

/// A [`Trace`] is made of each block. It has room for as many as there are blocks.
struct Traces(*mut Trace);

impl Record for Traces {
    #[inline(always)]
    unsafe fn ihv_in(&mut self, block: usize, state: &State) {
        // SAFETY: there is room for the block's trace by the trait's contract.
        unsafe { (&raw mut (*self.0.add(block)).ihv_in).write(*state) }
    }
    #[inline(always)]
    unsafe fn at_56(&mut self, block: usize, &[a, b, c, d, e]: &State) {
        // SAFETY: there is room for the block's trace by the trait's contract.
        unsafe {
            let trace = self.0.add(block);
            (&raw mut (*trace).dcba_52).write([0, 0, 0, e.rotate_right(30)]);
            (&raw mut (*trace).dcba_56).write([d, c, b, a]);
        }
    }
    #[inline(always)]
    unsafe fn window<G: Group>(&mut self, blocks: [usize; 2], t: usize, words: G) {
        // SAFETY: there is room for the traces of the blocks by the trait's contract; the
        // words from W[t+3] down to W[t] are in a window, as t is from 34 to 62.
        unsafe {
            let to = blocks.map(|block| {
                let window: *mut u32 = (&raw mut (*self.0.add(block)).window).cast();
                window.add(trace::index(t + 3))
            });
            words.store_reversed(to);
        }
    }
}

/// Compress `blocks` into `state`.
///
/// # Safety
/// The CPU must have the features of `G` and `R`.
#[inline(always)]
pub unsafe fn compress<G: Group, R: Rounds>(state: &mut State, blocks: &[Block]) {
    // SAFETY: the CPU has the features by this function's contract; nothing is recorded.
    unsafe { compress_and::<G, R>(state, blocks, &mut ()) }
}

/// As [`compress`], with a trace of each block.
///
/// # Safety
/// The CPU must have the features of `G` and `R`.
///
/// # Panics
/// If there are fewer traces than blocks.
#[inline(always)]
pub unsafe fn trace<G: Group, R: Rounds>(
    state: &mut State,
    blocks: &[Block],
    traces: &mut [MaybeUninit<Trace>],
) {
    let traces = &mut traces[..blocks.len()];
    // SAFETY: the CPU has the features by this function's contract; there is room for as many
    // traces as blocks, of which every field is written.
    unsafe { compress_and::<G, R>(state, blocks, &mut Traces(traces.as_mut_ptr().cast())) }
}

/// Compress `blocks`, and record what is wanted.
///
/// # Safety
/// The CPU must have the features of `G` and `R`; `record` has room for all blocks.
#[inline(always)]
unsafe fn compress_and<G: Group, R: Rounds>(state: &mut State, blocks: &[Block], record: &mut impl Record) {
    let Some(mut next) = of_one_vector::<G>(blocks) else { return };
    // SAFETY: the CPU has the features and `record` the room by this function's contract; the
    // blocks' schedule has begun, that of the first ones here, that of others among the rounds
    // of those before.
    unsafe {
        let mut sums = MaybeUninit::uninit();
        let mut schedule = Schedule::<G>::new(&mut sums);
        schedule.begin(next);
        let mut rest = blocks;
        let mut first = 0;
        while !rest.is_empty() {
            let count = rest.len().min(G::BLOCKS);
            rest = &rest[count..];
            // After the last blocks these are made again, for nothing: a branch costs more.
            next = of_one_vector::<G>(rest).unwrap_or(next);
            let numbers = [first, first + count - 1];
            eighty::<G, R, false>(state, &mut schedule, next, numbers, record);
            if count == 2 {
                eighty::<G, R, true>(state, &mut schedule, next, numbers, record);
            }
            first += count;
        }
    }
}

/// The blocks that go into a vector. If only one is left, it has all of the vector.
#[inline(always)]
fn of_one_vector<G: Group>(blocks: &[Block]) -> Option<[&Block; 2]> {
    let first = blocks.first()?;
    Some([first, blocks.get(G::BLOCKS - 1).unwrap_or(first)])
}

/// The schedule of as many blocks as there are in a vector.
struct Schedule<'a, G> {
    /// The last eight groups: W\[4g\] to W\[4g+3\] at g modulo 8.
    w: [G; 8],
    /// W + K of each group. It is not among the fields, because what assembly has a pointer
    /// to, or to a neighbour of, cannot live in registers.
    sums: &'a mut MaybeUninit<[G; 20]>,
}

impl<'a, G: Group> Schedule<'a, G> {
    /// # Safety
    /// The CPU must have the vector's features, here as in all functions of the schedule.
    #[inline(always)]
    unsafe fn new(sums: &'a mut MaybeUninit<[G; 20]>) -> Self {
        // SAFETY: the CPU has the vector's features by this function's contract.
        Self { w: [unsafe { G::splat(0) }; 8], sums }
    }

    /// Make the groups that [`Self::work`] takes for made when the first block begins.
    #[inline(always)]
    unsafe fn begin(&mut self, blocks: [&Block; 2]) {
        // SAFETY: the CPU has the vector's features by this function's contract.
        unsafe {
            for g in 0..4 {
                self.w[g] = G::load(blocks, g);
                self.put(g);
            }
            if G::BLOCKS == 2 {
                for g in 4..8 {
                    self.w[g] = self.early(g);
                    self.put(g);
                }
            }
        }
    }

    /// The group, if any, that is made among the four rounds from `4 * step` on, so that
    /// all rounds have about as much vector work beside them.
    const fn work(second: bool, step: usize) -> Option<usize> {
        match (G::BLOCKS, second, step) {
            // One block: four groups ahead. Sixteen steps, then the next one's message.
            (1, _, ..16) => Some(step + 4),
            (1, ..) => Some(step - 16),
            // Two: the last twelve groups beside the first block, the next ones' first
            // eight beside the second, which no longer needs the sums in their place.
            (_, false, 4..16) => Some(step + 4),
            (_, true, 8..16) => Some(step - 8),
            _ => None,
        }
    }

    /// Group g of 4 to 7. Its last word depends on its first one.
    #[inline(always)]
    unsafe fn early(&self, g: usize) -> G {
        // SAFETY: the CPU has the vector's features by this function's contract.
        unsafe {
            let x = self.back(g, 4).last_three().xor(self.back(g, 8));
            let x = x.xor(self.back(g, 16).middle(self.back(g, 12)).xor(self.back(g, 16)));
            x.rotl::<1, 31>().xor(x.first_word_last().rotl::<2, 30>())
        }
    }

    /// Group g of 8 to 19, and the one that begins six words before it.
    #[inline(always)]
    unsafe fn late(&self, g: usize) -> [G; 2] {
        // SAFETY: the CPU has the vector's features by this function's contract.
        unsafe {
            let middle = self.back(g, 8).middle(self.back(g, 4));
            let x = middle.xor(self.back(g, 16)).xor(self.back(g, 28).xor(self.back(g, 32)));
            [x.rotl::<2, 30>(), middle]
        }
    }

    /// The group that begins `words` before group g, a multiple of four.
    #[inline(always)]
    fn back(&self, g: usize, words: usize) -> G {
        self.w[(g - words / 4) % 8]
    }

    /// Write the sums of group g, which is made.
    #[inline(always)]
    unsafe fn put(&mut self, g: usize) {
        let sums: *mut G = self.sums.as_mut_ptr().cast();
        // SAFETY: the CPU has the vector's features by this function's contract, and g is less
        // than 20. The assembly has no instructions.
        unsafe {
            sums.add(g).write(self.w[g % 8].add(G::splat(K[g / 5])));
            // It seems to change the sums. Otherwise the compiler would take the words
            // out of the vector one by one, instead of reading them where they are written.
            asm!("/* {0} */", in(reg) sums, options(nostack, preserves_flags));
        }
    }

    /// The sum for round t.
    ///
    /// # Safety
    /// It must have been [put](Self::put).
    #[inline(always)]
    unsafe fn sum<const SECOND: bool>(&self, t: usize) -> u32 {
        let sums: *const u8 = self.sums.as_ptr().cast();
        // SAFETY: the sums are written, and t is less than 80.
        unsafe { sums.add(offset::<G, SECOND>(t)).cast::<u32>().read() }
    }
}

/// Compress one block, with the vector work that belongs beside it.
///
/// # Safety
/// The CPU must have the features of `G` and `R`; `record` has room for the blocks
/// `numbers`; the block's schedule has begun.
#[inline(always)]
unsafe fn eighty<G: Group, R: Rounds, const SECOND: bool>(
    state: &mut State,
    schedule: &mut Schedule<'_, G>,
    next: [&Block; 2],
    numbers: [usize; 2],
    record: &mut impl Record,
) {
    let [a, b, c, d, e] = *state;
    // SAFETY: this function has the same contract; groups 0 to 3 are put before round 0, and
    // `work` puts each other one before the round that needs it.
    unsafe {
        record.ihv_in(numbers[usize::from(SECOND)], state);
        // b is the last word to be known but for a.
        let sum = opaque_word(e.wrapping_add(schedule.sum::<SECOND>(0)));
        let sum = opaque_word(sum.wrapping_add(!b & d)).wrapping_add(b & c);
        let working = Working { a, c: b.rotate_left(30), d: c, e: d, sum };
        let mut block = Beside { schedule, next, numbers, record };
        let working = block.twenty::<R, SECOND, 0>(working);
        let working = block.twenty::<R, SECOND, 1>(working);
        let working = block.twenty::<R, SECOND, 2>(working);
        let working = block.twenty::<R, SECOND, 3>(working);
        // Round 79, which has no other after it.
        block.vectors::<SECOND>(79);
        let next_a = working.sum.wrapping_add(working.a.rotate_left(5));
        let s = [next_a, working.a, working.c, working.d, working.e];
        *state = array::from_fn(|i| state[i].wrapping_add(s[i]));
    }
}

/// What is done beside the rounds of a block.
struct Beside<'a, 's, G, T> {
    schedule: &'a mut Schedule<'s, G>,
    /// The next blocks to be scheduled.
    next: [&'a Block; 2],
    /// The numbers of the blocks that are in the schedule.
    numbers: [usize; 2],
    record: &'a mut T,
}

impl<G: Group, T: Record> Beside<'_, '_, G, T> {
    /// The rounds from `20 * PART` on: twenty, but not round 79.
    ///
    /// # Safety
    /// As for [`eighty`].
    #[inline(always)]
    unsafe fn twenty<R: Rounds, const SECOND: bool, const PART: usize>(
        &mut self,
        working: Working,
    ) -> Working {
        // SAFETY: this function has the same contract.
        unsafe {
            let s = self.round::<R, SECOND, PART, 0>(working);
            let s = self.round::<R, SECOND, PART, 1>(s);
            let s = self.round::<R, SECOND, PART, 2>(s);
            let s = self.round::<R, SECOND, PART, 3>(s);
            let s = self.round::<R, SECOND, PART, 4>(s);
            let s = self.round::<R, SECOND, PART, 5>(s);
            let s = self.round::<R, SECOND, PART, 6>(s);
            let s = self.round::<R, SECOND, PART, 7>(s);
            let s = self.round::<R, SECOND, PART, 8>(s);
            let s = self.round::<R, SECOND, PART, 9>(s);
            let s = self.round::<R, SECOND, PART, 10>(s);
            let s = self.round::<R, SECOND, PART, 11>(s);
            let s = self.round::<R, SECOND, PART, 12>(s);
            let s = self.round::<R, SECOND, PART, 13>(s);
            let s = self.round::<R, SECOND, PART, 14>(s);
            let s = self.round::<R, SECOND, PART, 15>(s);
            let s = self.round::<R, SECOND, PART, 16>(s);
            let s = self.round::<R, SECOND, PART, 17>(s);
            let s = self.round::<R, SECOND, PART, 18>(s);
            if PART == 3 { s } else { self.round::<R, SECOND, PART, 19>(s) }
        }
    }

    /// Round t = `20 * PART + I`, less than 79, and what is to be done beside it.
    ///
    /// # Safety
    /// As for [`eighty`].
    #[inline(always)]
    unsafe fn round<R: Rounds, const SECOND: bool, const PART: usize, const I: usize>(
        &mut self,
        s: Working,
    ) -> Working {
        let t = 20 * PART + I;
        // SAFETY: this function has the same contract; the sums of this round and the next are
        // put.
        unsafe {
            self.vectors::<SECOND>(t);
            if t == 56 {
                // b and e are no longer there as they were.
                let (b, c, d) = (s.c.rotate_left(2), s.d, s.e);
                let f = (c & d).wrapping_add(b & (c ^ d));
                let e = s.sum.wrapping_sub(f).wrapping_sub(self.schedule.sum::<SECOND>(t));
                let number = self.numbers[usize::from(SECOND)];
                self.record.at_56(number, &[s.a, b, c, d, e]);
            }
            R::round::<G, SECOND, PART, I>(s, self.schedule.sums.as_ptr().cast())
        }
    }

    /// The vector work beside round t, if any. All of it is before the last of four
    /// rounds: of the places that were tried on Zen 3, the quickest for AVX2, and
    /// within a percent of it for SSSE3.
    ///
    /// # Safety
    /// As for [`eighty`].
    #[inline(always)]
    unsafe fn vectors<const SECOND: bool>(&mut self, t: usize) {
        if let (Some(g), 3) = (Schedule::<G>::work(SECOND, t / 4), t % 4) {
            // SAFETY: this function has the same contract.
            unsafe {
                self.make(g);
                self.schedule.put(g);
            }
        }
    }

    /// Make group g, of these blocks or the next.
    ///
    /// # Safety
    /// As for [`eighty`].
    #[inline(always)]
    unsafe fn make(&mut self, g: usize) {
        // SAFETY: this function has the same contract; a window is of the eight groups from
        // W[34] on.
        unsafe {
            self.schedule.w[g % 8] = match g {
                ..4 => G::load(self.next, g),
                4..8 => self.schedule.early(g),
                _ => {
                    let [group, middle] = self.schedule.late(g);
                    if (10..18).contains(&g) {
                        self.record.window(self.numbers, 4 * g - 6, middle);
                    }
                    group
                }
            };
        }
    }
}

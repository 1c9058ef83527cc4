//! Many messages at once, one in each lane of a vector.
//!
//! The rounds are those of [`rounds`], with a vector for a word. What is left is to keep
//! the lanes fed: a [`Step`] says which blocks come next in each lane, and which messages
//! end with them. While a block is hashed, the next one is loaded and transposed a quarter
//! at a time: the rounds need one half of the vector units more, the shuffles of a
//! transposition the other.

use core::array;
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

use crate::block::{Block, INITIAL, State};
use crate::cpu::{Available, Feature, Variant, has};
use crate::rounds::{self, Word};
use crate::stores::store_state;
use crate::trace::{self, FIRST_T, LAST_T, Suspect};

/// The most lanes that a kernel has.
pub const MAX_WIDTH: usize = 16;

/// Five words, chaining values or working words, of up to 16 messages.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct States(pub [[u32; MAX_WIDTH]; 5]);

impl States {
    /// The initial hash value in every lane.
    pub const INITIAL: Self = {
        let [a, b, c, d, e] = INITIAL;
        Self([[a; MAX_WIDTH], [b; MAX_WIDTH], [c; MAX_WIDTH], [d; MAX_WIDTH], [e; MAX_WIDTH]])
    };

    /// The words in a lane.
    #[inline(always)]
    pub fn get(&self, lane: usize) -> State {
        self.0.each_ref().map(|words| words[lane])
    }

    /// Put words into a lane.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, state: &State) {
        for (words, word) in self.0.iter_mut().zip(state) {
            words[lane] = *word;
        }
    }
}

/// Some blocks of each message: as many in every lane.
#[derive(Clone, Copy)]
pub struct Step<'a> {
    /// Each lane's blocks, `count` or more. An empty slice where the lane is not filled.
    blocks: [&'a [Block]; MAX_WIDTH],
    /// How many blocks of each lane are hashed; never 0.
    count: usize,
    /// The lanes that have blocks: bit n is lane n.
    filled: u32,
    /// The lanes whose message ends here.
    pub ends: u32,
    /// For the lanes of `ends`. Before the step is run: the chaining value with which the
    /// lane's next message begins. Afterwards: that of the message that has ended.
    pub exchange: States,
    /// Out: the lanes in which a checking kernel found an attack in these blocks.
    pub found: u32,
}

impl<'a> Step<'a> {
    /// A step of `count` blocks in each lane, none of which is filled yet. Lanes whose
    /// message ends go on with the initial hash value.
    ///
    /// # Panics
    /// Where `count` is 0.
    #[inline(always)]
    pub fn new(count: usize) -> Self {
        assert!(count > 0, "a step has blocks");
        Self { blocks: [&[]; MAX_WIDTH], count, filled: 0, ends: 0, exchange: States::INITIAL, found: 0 }
    }

    /// How many blocks of each lane are hashed.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Put blocks into a lane.
    ///
    /// # Panics
    /// Where there are fewer than the step's count.
    #[inline(always)]
    pub fn fill(&mut self, lane: usize, blocks: &'a [Block]) {
        assert!(blocks.len() >= self.count, "a lane has blocks for the whole step");
        self.blocks[lane] = blocks;
        self.filled |= 1 << lane;
    }

    /// Give the blocks of lane 0 to all lanes below `width` that are not filled.
    ///
    /// # Panics
    /// Where lane 0 is not filled itself.
    #[inline]
    pub fn fill_up(&mut self, width: usize) {
        let first = self.blocks[0];
        for lane in 1..width {
            if self.filled >> lane & 1 == 0 {
                self.fill(lane, first);
            }
        }
    }

    /// The nth block of each of the first `N` lanes.
    ///
    /// # Safety
    /// The first `N` lanes must be filled, and n less than the step's count.
    #[inline(always)]
    pub unsafe fn nth<const N: usize>(&self, n: usize) -> [&'a Block; N] {
        // SAFETY: a filled lane has at least `count` blocks, which is more than n.
        array::from_fn(|lane| unsafe { self.blocks[lane].get_unchecked(n) })
    }
}

/// All lanes of a width, as the bits of a set.
#[inline(always)]
pub const fn all_lanes(width: usize) -> u32 {
    u32::MAX >> (u32::BITS as usize - width)
}

/// Compresses step after step into the chaining values of the lanes. After a step that
/// ends messages, their lanes exchange their chaining values for those in the step.
///
/// # Safety
/// The CPU must have what the kernel is for, and in every step all of the kernel's lanes
/// must be filled.
pub type Kernel = unsafe fn(&mut States, &mut [Step]);

/// One way to hash several messages, for one kind of CPU.
pub struct LaneKernel {
    needs: &'static [Feature],
    /// It is not chosen on a CPU that has all of these. Empty: there is no such exception.
    unless_features: &'static [Feature],
    /// How many messages there must be for it to be the best way.
    min_messages: usize,
    width: usize,
    /// Whether it is the best way only if all messages have one or two blocks.
    only_short: bool,
    kernel: Kernel,
}

impl Variant for LaneKernel {
    fn needs(&self) -> &'static [Feature] {
        self.needs
    }
}

impl LaneKernel {
    /// A kernel of `width` lanes that is worth it from `min_messages` messages on.
    ///
    /// # Safety
    /// The kernel must have that width and need no more of a CPU than `needs`.
    pub const unsafe fn new(
        needs: &'static [Feature],
        min_messages: usize,
        width: usize,
        kernel: Kernel,
    ) -> Self {
        assert!(width >= 1 && width <= MAX_WIDTH);
        Self { needs, unless_features: &[], min_messages, width, only_short: false, kernel }
    }

    /// The same, but only for messages of one or two blocks.
    pub const fn only_short(mut self) -> Self {
        self.only_short = true;
        self
    }

    /// The same, but not for CPUs that have all of some features.
    pub const fn unless(mut self, features: &'static [Feature]) -> Self {
        self.unless_features = features;
        self
    }

    /// How many lanes it has.
    #[inline(always)]
    pub fn width(&self) -> usize {
        self.width
    }

    fn suits(&self, count: usize, short: bool) -> bool {
        self.min_messages <= count
            && (short || !self.only_short)
            && (self.unless_features.is_empty() || !has(self.unless_features))
    }
}

/// A list of kernels, best first, and the cached choice for each number of messages.
pub struct LaneKernels {
    kernels: &'static [LaneKernel],
    /// For 0 to [`MAX_WIDTH`] messages, and then for as many short ones:
    /// [`UNKNOWN`](Self::UNKNOWN), the place of the best kernel in the list, or
    /// [`NONE`](Self::NONE).
    best: [[AtomicU8; MAX_WIDTH + 1]; 2],
}

impl LaneKernels {
    const UNKNOWN: u8 = u8::MAX;
    const NONE: u8 = u8::MAX - 1;

    /// The first kernel that fits the CPU and the number of messages is the best.
    pub const fn new(kernels: &'static [LaneKernel]) -> Self {
        assert!(kernels.len() < Self::NONE as usize);
        Self { kernels, best: [const { [const { AtomicU8::new(Self::UNKNOWN) }; MAX_WIDTH + 1] }; 2] }
    }

    /// All kernels that this CPU and its operating system can run.
    pub fn available(&self) -> impl Iterator<Item = Available<LaneKernel>> + use<> {
        self.kernels.iter().filter_map(Available::new)
    }

    /// The best kernel for `count` messages, if that is not to hash one after the other;
    /// `short` if all of them have one or two blocks.
    #[inline]
    pub fn for_count(&self, count: usize, short: bool) -> Option<Available<LaneKernel>> {
        let count = count.min(MAX_WIDTH);
        match self.best[usize::from(short)][count].load(Relaxed) {
            Self::NONE => None,
            Self::UNKNOWN => self.choose(count, short),
            best => Available::new(&self.kernels[usize::from(best)]),
        }
    }

    #[cold]
    fn choose(&self, count: usize, short: bool) -> Option<Available<LaneKernel>> {
        let best = self.kernels.iter().position(|kernel| kernel.suits(count, short) && has(kernel.needs));
        self.best[usize::from(short)][count].store(best.map_or(Self::NONE, |best| best as u8), Relaxed);
        Available::new(&self.kernels[best?])
    }
}

impl Available<LaneKernel> {
    /// Compress step after step: see [`Kernel`].
    ///
    /// # Panics
    /// Where a step has a lane of the kernel's that is not filled.
    #[inline]
    pub fn run(self, states: &mut States, steps: &mut [Step]) {
        let all = all_lanes(self.width);
        assert!(steps.iter().all(|step| step.filled & all == all), "every lane of a step is filled");
        // SAFETY: the CPU has what the kernel needs, as `Available` proves; `new`'s contract
        // says that this is enough, and that no other lanes than these are the kernel's.
        unsafe { (self.kernel)(states, steps) }
    }
}

/// A vector with a word of each of `N` messages.
pub trait SimdWord<const N: usize>: Word {
    /// A vector of these words.
    ///
    /// # Safety
    /// The CPU must have such vectors.
    unsafe fn load(words: &[u32; N]) -> Self;
    /// Its words.
    fn store(self, words: &mut [u32; N]);
    /// `other` in the lanes whose bit is set in `mask`, `self` in the rest.
    fn select(self, other: Self, mask: u32) -> Self;
    /// Words `4 * quarter` to `4 * quarter + 3` of the blocks: each vector has one of these
    /// words of every block.
    ///
    /// # Safety
    /// The CPU must have such vectors, and for `Xmm` also SSSE3; `quarter` must be less than
    /// 4.
    unsafe fn transposed(blocks: [&Block; N], quarter: usize) -> [Self; 4];
}

/// What collision detection needs to know of the compression of a block in each lane: a
/// [`Trace`](crate::trace::Trace) of each, word by word.
#[repr(C, align(64))]
pub struct LaneTraces<const N: usize> {
    /// The expanded words W\[65\] down to W\[34\].
    pub window: [[u32; N]; 32],
    /// The working words before step 56.
    pub at_56: States,
    /// The chaining values after the block.
    pub ihv_out: States,
}

impl<const N: usize> LaneTraces<N> {
    /// The block in a lane, as a suspect.
    #[inline(always)]
    pub fn suspect<'a>(&self, lane: usize, block: &'a Block) -> Suspect<'a> {
        Suspect { block, at_56: self.at_56.get(lane), ihv_out: self.ihv_out.get(lane) }
    }
}

/// What a kernel does with a block in each lane. (This is a trait, because the compiler
/// does not inline closures that take or return wide vectors.)
trait Compression<'a, V, const N: usize> {
    /// Compress `block`, given as its words, and return the words of `next`. The blocks are
    /// some of those of step number `step`.
    ///
    /// # Safety
    /// The CPU must have the vectors of `V`, and what an inspection needs.
    unsafe fn compress(
        &mut self,
        state: &mut [V; 5],
        w: &mut [V; 16],
        block: [&'a Block; N],
        next: [&'a Block; N],
        steps: &mut [Step<'a>],
        step: usize,
    ) -> [V; 16];
}

/// Compress and nothing else.
struct Plain;

/// Keep a trace of the blocks, and have it inspected.
struct Traced<'i, I, const N: usize> {
    traces: LaneTraces<N>,
    inspection: &'i mut I,
}

/// What is done with the traces of a block in each lane.
pub trait Inspect<'a, const N: usize> {
    /// Inspect the traces of some blocks of step number `step`. Attacks are noted in the
    /// `steps`.
    ///
    /// # Safety
    /// The CPU must have what the inspection needs.
    unsafe fn inspect(
        &mut self,
        blocks: [&'a Block; N],
        traces: &LaneTraces<N>,
        steps: &mut [Step<'a>],
        step: usize,
    );
}

/// The [`Kernel`] that hashes with the vectors of `V`.
///
/// # Safety
/// The CPU must have the vectors of `V`, and in every step the first `N` lanes must be
/// filled.
#[inline(always)]
pub unsafe fn run<V: SimdWord<N>, const N: usize>(states: &mut States, steps: &mut [Step]) {
    // SAFETY: this function has the same contract.
    unsafe { run_with::<V, N>(states, steps, &mut Plain) }
}

/// The same, with traces of the blocks, which are inspected.
///
/// # Safety
/// The CPU must have the vectors of `V` and what the inspection needs, and in every step
/// the first `N` lanes must be filled.
#[inline(always)]
pub unsafe fn run_inspected<'a, V: SimdWord<N>, const N: usize>(
    states: &mut States,
    steps: &mut [Step<'a>],
    inspection: &mut impl Inspect<'a, N>,
) {
    let traces = LaneTraces { window: [[0; N]; 32], at_56: States::INITIAL, ihv_out: States::INITIAL };
    // SAFETY: this function has the same contract.
    unsafe { run_with::<V, N>(states, steps, &mut Traced { traces, inspection }) }
}

/// # Safety
/// The CPU must have the vectors of `V` and what an inspection needs, and in every step the
/// first `N` lanes must be filled.
#[inline(always)]
unsafe fn run_with<'a, V: SimdWord<N>, const N: usize>(
    states: &mut States,
    steps: &mut [Step<'a>],
    compression: &mut impl Compression<'a, V, N>,
) {
    let Some(first) = steps.first() else { return };
    // SAFETY: the CPU has the vectors, all lanes are filled, and every step has a block 0,
    // by this function's contract and that of `Step::new`.
    let (mut s, first, mut w) = unsafe {
        let first = first.nth::<N>(0);
        (load::<V, N>(states), first, all_transposed(first))
    };
    for i in 0..steps.len() {
        for n in 0..steps[i].count {
            // SAFETY: all lanes are filled by this function's contract, and n, n + 1 and 0
            // are less than the count of the step that they are asked of.
            let (block, next) = unsafe {
                let next = if n + 1 < steps[i].count {
                    steps[i].nth(n + 1)
                } else {
                    // What is loaded after the very last block is thrown away.
                    steps.get(i + 1).map_or(first, |step| step.nth(0))
                };
                (steps[i].nth(n), next)
            };
            // SAFETY: the CPU has the vectors, and what an inspection needs, by this
            // function's contract.
            w = unsafe { compression.compress(&mut s, &mut w, block, next, steps, i) };
        }
        let Step { ends, exchange, .. } = &mut steps[i];
        if *ends != 0 {
            // SAFETY: the CPU has the vectors by this function's contract.
            let begun = unsafe { load::<V, N>(exchange) };
            store(&s, exchange);
            for (s, begun) in s.iter_mut().zip(begun) {
                *s = s.select(begun, *ends);
            }
        }
    }
    store(&s, states);
}

impl<'a, V: SimdWord<N>, const N: usize> Compression<'a, V, N> for Plain {
    #[inline(always)]
    unsafe fn compress(
        &mut self,
        state: &mut [V; 5],
        w: &mut [V; 16],
        _: [&'a Block; N],
        next: [&'a Block; N],
        _: &mut [Step<'a>],
        _: usize,
    ) -> [V; 16] {
        // SAFETY: the CPU has the vectors of `V` by the trait's contract.
        unsafe {
            let mut s = *state;
            s = rounds::twenty::<V, 0>(s, w);
            let [a, b, c, d] = V::transposed(next, 0);
            s = rounds::twenty::<V, 1>(s, w);
            let [e, f, g, h] = V::transposed(next, 1);
            s = rounds::twenty::<V, 2>(s, w);
            let [i, j, k, l] = V::transposed(next, 2);
            s = rounds::twenty::<V, 3>(s, w);
            let [m, n, o, p] = V::transposed(next, 3);
            rounds::add_to(state, s);
            [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
        }
    }
}

impl<'a, V: SimdWord<N>, const N: usize, I: Inspect<'a, N>> Compression<'a, V, N> for Traced<'_, I, N> {
    /// (What is kept is stored on the way, because there are no registers for it.)
    #[inline(always)]
    unsafe fn compress(
        &mut self,
        state: &mut [V; 5],
        w: &mut [V; 16],
        block: [&'a Block; N],
        next: [&'a Block; N],
        steps: &mut [Step<'a>],
        step: usize,
    ) -> [V; 16] {
        let traces = &mut self.traces;
        // SAFETY: the CPU has the vectors of `V`, and what the inspection needs, by the
        // trait's contract.
        unsafe {
            let mut s = *state;
            s = rounds::twenty::<V, 0>(s, w);
            let [a, b, c, d] = V::transposed(next, 0);
            s = rounds::twenty::<V, 1>(s, w);
            let [e, f, g, h] = V::transposed(next, 1);
            s = rounds::five::<V, 2>(s, w, 40);
            s = rounds::five::<V, 2>(s, w, 45);
            for t in FIRST_T..50 {
                w[t % 16].store(&mut traces.window[trace::index(t)]);
            }
            s = rounds::five::<V, 2>(s, w, 50);
            s = rounds::moved::<V, 2>(s, rounds::word(w, 55));
            store(&s, &mut traces.at_56);
            for t in 56..60 {
                s = rounds::moved::<V, 2>(s, rounds::word(w, t));
            }
            let [i, j, k, l] = V::transposed(next, 2);
            s = rounds::five::<V, 3>(s, w, 60);
            // The next round uses this word too, and finds it made.
            rounds::word(w, LAST_T);
            for t in 50..=LAST_T {
                w[t % 16].store(&mut traces.window[trace::index(t)]);
            }
            s = rounds::five_from::<V, 3>(s, w, 65);
            s = rounds::five::<V, 3>(s, w, 70);
            s = rounds::five::<V, 3>(s, w, 75);
            let [m, n, o, p] = V::transposed(next, 3);
            rounds::add_to(state, s);
            store(state, &mut traces.ihv_out);
            self.inspection.inspect(block, traces, steps, step);
            [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
        }
    }
}

/// All words of a block in each lane.
///
/// # Safety
/// The CPU must have the vectors of `V`.
#[inline(always)]
pub unsafe fn all_transposed<V: SimdWord<N>, const N: usize>(blocks: [&Block; N]) -> [V; 16] {
    // SAFETY: the CPU has the vectors of `V` by this function's contract.
    unsafe {
        let [a, b, c, d] = V::transposed(blocks, 0);
        let [e, f, g, h] = V::transposed(blocks, 1);
        let [i, j, k, l] = V::transposed(blocks, 2);
        let [m, n, o, p] = V::transposed(blocks, 3);
        [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
    }
}

/// The words of the first `N` lanes.
///
/// # Safety
/// The CPU must have the vectors of `V`.
#[inline(always)]
pub unsafe fn load<V: SimdWord<N>, const N: usize>(states: &States) -> [V; 5] {
    let [a, b, c, d, e] = states.0.each_ref().map(|words| words.first_chunk().expect(NO_WIDER));
    // SAFETY: the CPU has the vectors of `V` by this function's contract.
    unsafe { [V::load(a), V::load(b), V::load(c), V::load(d), V::load(e)] }
}

/// Store into the first `N` lanes.
#[inline(always)]
pub fn store<V: SimdWord<N>, const N: usize>(vectors: &[V; 5], states: &mut States) {
    for (vector, words) in vectors.iter().zip(&mut states.0) {
        vector.store(words.first_chunk_mut().expect(NO_WIDER));
    }
}

/// What holds for every vector.
const NO_WIDER: &str = "no vector has more lanes than there are";

/// The [`Kernel`] of `N` messages that have no vector in common: `compress` takes as many
/// blocks of each.
///
/// # Panics
/// Where one of the first `N` lanes of a step is not filled.
#[inline(always)]
pub fn run_streams<const N: usize>(
    states: &mut States,
    steps: &mut [Step],
    compress: impl Fn([&mut State; N], [&[Block]; N]),
) {
    let mut streams: [State; N] = array::from_fn(|lane| states.get(lane));
    for step in steps {
        compress(streams.each_mut(), array::from_fn(|lane| &step.blocks[lane][..step.count]));
        for (lane, stream) in streams.iter_mut().enumerate() {
            if step.ends >> lane & 1 != 0 {
                let begun = step.exchange.get(lane);
                step.exchange.set(lane, stream);
                store_state(stream, begun);
            }
        }
    }
    for (lane, stream) in streams.iter().enumerate() {
        states.set(lane, stream);
    }
}

/// One lane, where a CPU has nothing wider that this crate knows of.
impl SimdWord<1> for u32 {
    #[inline(always)]
    unsafe fn load(words: &[u32; 1]) -> Self {
        words[0]
    }
    #[inline(always)]
    fn store(self, words: &mut [u32; 1]) {
        words[0] = self;
    }
    #[inline(always)]
    fn select(self, other: Self, mask: u32) -> Self {
        if mask & 1 == 0 { self } else { other }
    }
    #[inline(always)]
    unsafe fn transposed([block]: [&Block; 1], quarter: usize) -> [Self; 4] {
        array::from_fn(|i| crate::block::words(block)[4 * quarter + i])
    }
}

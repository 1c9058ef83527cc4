//! Random batches of messages over each kernel for lanes that this CPU has:
//! every message comes out as a crate that shares no code with ours has it.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use rustcrypto_sha1::Digest as _;
use rustcrypto_sha1::block_api;
use shaone::block::{self, BLOCK_LEN, Block, INITIAL, State};
use shaone::compress;
use shaone::cpu::Available;
use shaone::detect;
use shaone::lanes::LaneKernel;
use shaone::many;
use shaone::many::job::{Batch, End, Job};

/// A message as a batch gives it.
#[derive(Clone, Debug)]
struct Message {
    start: State,
    before: Option<Block>,
    rest: Vec<u8>,
    end: Ending,
}

#[derive(Clone, Copy, Debug)]
enum Ending {
    Open,
    Padded,
    LengthBlock,
}

impl Message {
    /// A whole one.
    fn fresh(bytes: &[u8]) -> Self {
        Message { start: INITIAL, before: None, rest: bytes.into(), end: Ending::Padded }
    }

    /// Bytes in all; where the 1 bit is in already, it is in the last block, behind 56
    /// bytes.
    fn len(&self) -> u64 {
        let len = self.before.map_or(0, |block| block.len()) + self.rest.len();
        let more = if let Ending::LengthBlock = self.end { BLOCK_LEN - 56 } else { 0 };
        (len - more) as u64
    }

    fn job(&self, id: usize) -> Job<'_> {
        let end = match self.end {
            Ending::Open => End::Open,
            Ending::Padded => End::Padded(self.len()),
            Ending::LengthBlock => End::LengthBlock(self.len()),
        };
        Job { id, has_head: self.before.is_some(), rest: &self.rest, end }
    }

    /// The same by RustCrypto's function for blocks.
    fn want(&self) -> State {
        let mut bytes: Vec<u8> = self.before.into_iter().flatten().collect();
        bytes.extend_from_slice(&self.rest);
        match self.end {
            Ending::Open => {}
            Ending::Padded => {
                bytes.push(0x80);
                while bytes.len() % BLOCK_LEN != 56 {
                    bytes.push(0);
                }
                bytes.extend_from_slice(&(self.len() * 8).to_be_bytes());
            }
            Ending::LengthBlock => {
                bytes.extend_from_slice(&[0; 56]);
                bytes.extend_from_slice(&(self.len() * 8).to_be_bytes());
            }
        }
        let mut state = self.start;
        block_api::compress(&mut state, bytes.as_chunks().0);
        state
    }
}

/// Which kernel takes what: the one that [`many`] would, or always the same.
#[derive(Clone, Copy)]
enum Way {
    Best,
    BestChecked,
    Only(Available<LaneKernel>),
}

/// All kernels that this CPU has, checking ones too.
fn ways() -> Vec<Way> {
    let kernels = compress::lane_kernels().chain(detect::lane_kernels()).map(Way::Only);
    [Way::Best, Way::BestChecked].into_iter().chain(kernels).collect()
}

struct Messages<'a> {
    messages: &'a [Message],
    way: Way,
    fresh: bool,
    next: usize,
    /// The chaining values of those that have ended.
    states: Vec<Option<State>>,
    found: Vec<bool>,
}

impl<'a> Messages<'a> {
    fn run(messages: &'a [Message], way: Way) -> Self {
        let fresh = messages.iter().all(|message| message.start == INITIAL);
        let count = messages.len();
        let mut batch =
            Messages { messages, way, fresh, next: 0, states: vec![None; count], found: vec![false; count] };
        many::run(&mut batch);
        batch
    }

    fn wrong(&self) -> Vec<usize> {
        let all = 0..self.messages.len();
        all.filter(|&id| self.states[id] != Some(self.messages[id].want())).collect()
    }
}

impl<'a> Batch<'a> for Messages<'a> {
    fn all_begin_initial(&self) -> bool {
        self.fresh
    }
    fn next(&mut self) -> Option<Job<'a>> {
        let message = self.messages.get(self.next)?;
        self.next += 1;
        Some(message.job(self.next - 1))
    }
    fn ihv(&self, id: usize) -> State {
        self.messages[id].start
    }
    fn head(&self, id: usize) -> Block {
        self.messages[id].before.unwrap()
    }
    fn finish(&mut self, id: usize, state: &State) {
        assert!(self.states[id].is_none(), "message {id} ended twice");
        self.states[id] = Some(*state);
    }
    fn kernel(&self, count: usize) -> Option<Available<LaneKernel>> {
        match self.way {
            Way::Best => compress::for_count(count, false),
            Way::BestChecked => detect::kernel_for_count(count),
            Way::Only(kernel) => (count > 0).then_some(kernel),
        }
    }
    fn compress(&mut self, id: usize, state: &mut State, blocks: &[Block]) {
        match self.way {
            Way::BestChecked => self.found[id] |= detect::compress_checked(state, blocks),
            Way::Best => block_api::compress(state, blocks),
            Way::Only(_) => {
                // Messages may be too few for any kernel.
                self.found[id] |= detect::compress_checked(&mut state.clone(), blocks);
                block_api::compress(state, blocks);
            }
        }
    }
    fn attack_found(&mut self, id: usize) {
        self.found[id] = true;
    }
}

/// Mostly a few blocks, sometimes many, often about as many as fit one block less.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => vec(any::<u8>(), 0..300),
        2 => (0usize..4, 53usize..67).prop_flat_map(|(blocks, len)| vec(any::<u8>(), 64 * blocks + len)),
        1 => vec(any::<u8>(), 0..6000),
    ]
}

/// Begun and to be continued, or at its end in one of the ways that there are.
fn message() -> impl Strategy<Value = Message> {
    let before = any::<Option<[u64; 8]>>()
        .prop_map(|words| words.map(|words| std::array::from_fn(|i| words[i / 8].to_be_bytes()[i % 8])));
    (any::<State>(), before, bytes(), 0..3).prop_map(|(start, before, mut rest, end)| {
        let end = match end {
            0 if before.is_some() || rest.len() >= BLOCK_LEN => Ending::Open,
            1 => {
                // Up to the end of a block of which 56 bytes are the message's.
                rest.resize(rest.len().next_multiple_of(BLOCK_LEN).max(BLOCK_LEN), 0);
                let marked = rest.len() - BLOCK_LEN + 56;
                rest[marked..].fill(0);
                rest[marked] = 0x80;
                Ending::LengthBlock
            }
            _ => Ending::Padded,
        };
        Message { start, before, rest, end }
    })
}

proptest! {
    // Each is a whole batch, over every kernel.
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whole_messages(batch in vec(bytes(), 0..70)) {
        let messages: Vec<Message> = batch.iter().map(|bytes| Message::fresh(bytes)).collect();
        for (number, way) in ways().into_iter().enumerate() {
            let hashed = Messages::run(&messages, way);
            for (bytes, state) in batch.iter().zip(&hashed.states) {
                let want: block::Digest = rustcrypto_sha1::Sha1::digest(bytes).into();
                prop_assert_eq!(state.map(|state| block::digest(&state)), Some(want), "way {}", number);
            }
            prop_assert!(!hashed.found.contains(&true), "way {}", number);
        }
    }

    /// Any chaining values, with a block before, with and without an end.
    #[test]
    fn parts_of_messages(messages in vec(message(), 0..70)) {
        for (number, way) in ways().into_iter().enumerate() {
            let wrong = Messages::run(&messages, way).wrong();
            prop_assert!(wrong.is_empty(), "way {}: messages {:?} of {}", number, wrong, messages.len());
        }
    }

    /// One message much longer than all others together.
    #[test]
    fn straggler(batch in vec(vec(any::<u8>(), 0..150), 1..40), at in any::<Index>(), len in 5_000usize..15_000) {
        let mut messages: Vec<Message> = batch.iter().map(|bytes| Message::fresh(bytes)).collect();
        let at = at.index(messages.len());
        messages[at].rest = (0..len).map(|i| ((i * i) >> 7) as u8).collect();
        for (number, way) in ways().into_iter().enumerate() {
            let wrong = Messages::run(&messages, way).wrong();
            prop_assert!(wrong.is_empty(), "way {}: messages {:?}, the long one at {}", number, wrong, at);
        }
    }

    /// Attacks are found by the kernels that check, where they are and nowhere else.
    #[test]
    fn attacks(batch in vec(prop::option::weighted(0.7, bytes()), 0..50)) {
        let attack = include_bytes!("data/collisions/shattered-1.head");
        let messages: Vec<Message> =
            batch.iter().map(|bytes| Message::fresh(bytes.as_deref().unwrap_or(attack))).collect();
        for way in [Way::BestChecked].into_iter().chain(detect::lane_kernels().map(Way::Only)) {
            let hashed = Messages::run(&messages, way);
            prop_assert!(hashed.wrong().is_empty());
            for (id, bytes) in batch.iter().enumerate() {
                prop_assert_eq!(hashed.found[id], bytes.is_none(), "message {} of {}", id, batch.len());
            }
        }
    }
}

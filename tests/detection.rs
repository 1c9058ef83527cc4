//! Collision detection: the conditions, vector by vector, and messages made to
//! be hard on it. Wrong verdicts and wrong digests only: times are for the bench.

#[path = "common/attacks.rs"]
mod attacks;

use std::array;
use std::mem::MaybeUninit;
use std::sync::LazyLock;

use attacks::*;
use shaone::Digest;
use shaone::block::{BLOCK_LEN, Block, INITIAL, State};
use shaone::compress::{self, backends, recompressors};
use shaone::detect::conditions;
use shaone::detect::phase::PHASE;
use shaone::detect::vectors::VECTORS;
use shaone::detect::{Attack, Checked, CheckedContext, Options, checks};
use shaone::hasher::{self, Context, Hasher, Waiting};
use shaone::recompress;
use shaone::trace::{Candidate, Suspect, Trace};

/// Our forms of the conditions and the published one say the same of the words.
#[track_caller]
fn same(w: &Words, what: impl Fn() -> String) -> Vectors {
    let want = published_live(w);
    let got = vectors(conditions::live(&window(w)));
    assert_eq!(got, want, "{}: {got:#x}, published {want:#x}", what());
    every_check(&[*w], &[want], what);
    want
}

/// All checks of this CPU, on a phase of the engine.
#[track_caller]
fn every_check(words: &[Words], want: &[Vectors], what: impl Fn() -> String) {
    static TRACE: LazyLock<Trace> = LazyLock::new(|| {
        let mut trace = [MaybeUninit::uninit()];
        compress::best().trace(&mut INITIAL.clone(), &[[0; BLOCK_LEN]], &mut trace)[0]
    });
    let traces: Vec<Trace> = words
        .iter()
        .map(|w| {
            let mut trace = *TRACE;
            trace.window = window(w);
            trace
        })
        .collect();
    for (i, check) in checks().enumerate() {
        let mut live = [const { MaybeUninit::uninit() }; PHASE];
        let (live, suspects) = check.live(&traces, &mut live);
        let got: Vec<Vectors> = live.iter().map(|&live| vectors(live)).collect();
        assert_eq!(got, want, "{}, check {i}", what());
        let any = want.iter().rev().fold(0, |any, &want| any << 1 | u64::from(want != 0));
        assert_eq!(suspects, any, "{}, check {i}", what());
    }
}

#[test]
fn published_conditions() {
    assert_eq!(published().len(), 156);
    assert!(VECTORS.iter().enumerate().all(|(i, v)| number(v.kind, v.k, v.b) == Some(i)));
}

/// Two messages differ by an expanded message: the schedule is linear. They have
/// the same working words where no disturbance is left to correct: the last one
/// is before K + 4 for type II, before K for type I, the next at K + 15, and to
/// correct one takes five steps.
#[test]
fn differences_are_expanded_messages() {
    for vector in &VECTORS {
        let difference: Words = array::from_fn(|t| vector.difference().word(t));
        assert_eq!(expand(difference[..16].try_into().unwrap()), difference);
        let k = usize::from(vector.k);
        let quiet = k + if vector.kind == 1 { 5 } else { 9 }..k + 15;
        assert!(difference[quiet.clone()].iter().all(|&word| word == 0), "{vector:?}");
        assert!((quiet.start..=quiet.end).contains(&vector.test_step()), "{vector:?}");
    }
}

/// Blocks that satisfy the conditions of one vector, and all their neighbours.
#[test]
fn every_vector_alone() {
    let mut random = Random::new(1);
    for (number, vector) in VECTORS.iter().enumerate() {
        let mut system = System::default();
        assert!(system.add_vector(number), "{vector:?}");
        for _ in 0..rounds(3, 30) {
            let w = expand(&system.solve(&mut random));
            let live = same(&w, || format!("{vector:?}"));
            assert!(live >> number & 1 == 1, "{vector:?} is ruled out");

            let mut flipped = w;
            for condition in published().iter().filter(|condition| condition.of >> number & 1 == 1) {
                for (t, b) in [(condition.t1, condition.b1), (condition.t2, condition.b2)] {
                    flipped[t] ^= 1 << b;
                    let live = same(&flipped, || format!("{vector:?}, W[{t}] bit {b}"));
                    assert!(live >> number & 1 == 0, "{vector:?} goes without W[{t}] bit {b}");
                    flipped[t] ^= 1 << b;
                }
            }
            // Also those on which it does not depend.
            for t in 34..=65 {
                for b in 0..32 {
                    flipped[t] ^= 1 << b;
                    same(&flipped, || format!("{vector:?}, W[{t}] bit {b}"));
                    flipped[t] ^= 1 << b;
                }
            }
        }
    }
}

#[test]
fn random_windows() {
    let mut random = Random::new(2);
    let mut live = 0;
    for i in 0..rounds(100_000, 1_000_000) {
        let mut w = [0; 80];
        w[34..=65].fill_with(|| random.word());
        live += same(&w, || format!("random window {i}")).count_ones();
    }
    // Five of a hundred blocks are candidates, which expand from 16 words.
    assert!(live > 0);
}

/// Windows that differ from one with many live vectors in a few bits.
#[test]
fn hostile_windows() {
    let mut random = Random::new(3);
    for i in 0..rounds(1_000, 10_000) {
        let mut w = expand(&hostile(&mut random, 32));
        for flips in 0..8 {
            same(&w, || format!("hostile window {i}, {flips} bits flipped"));
            w[35 + random.below(30)] ^= 1 << random.below(32);
        }
    }
}

/// Phases of any length.
#[test]
fn many_windows() {
    let mut random = Random::new(11);
    for i in 0..rounds(1_000, 30_000) {
        let words: Vec<Words> = (0..1 + i % PHASE)
            .map(|_| match random.below(3) {
                0 => array::from_fn(|_| random.word()),
                1 => expand(&array::from_fn(|_| random.word())),
                _ => expand(&hostile_block(&mut random)),
            })
            .collect();
        let want: Vec<Vectors> = words.iter().map(published_live).collect();
        every_check(&words, &want, || format!("phase {i}"));
    }
}

/// Phases of any length, where they are checked while they are hashed.
#[test]
fn many_blocks() {
    let mut random = Random::new(12);
    let mut live = 0;
    for i in 0..rounds(3_000, 60_000) {
        let words: Vec<Words> = (0..1 + i % PHASE)
            .map(|_| match random.below(3) {
                0 => expand(&array::from_fn(|_| random.word())),
                1 => expand(&hostile_block(&mut random)),
                _ => {
                    // Most conditions of some vectors: one bit of the window is another.
                    let mut w = expand(&hostile_block(&mut random));
                    w[42 + random.below(16)] ^= 1 << random.below(32);
                    for t in (0..42).rev() {
                        w[t] = w[t + 16].rotate_right(1) ^ w[t + 13] ^ w[t + 8] ^ w[t + 2];
                    }
                    expand(w[..16].try_into().unwrap())
                }
            })
            .collect();
        let blocks: Vec<Block> = words.iter().map(|w| bytes(w[..16].try_into().unwrap())).collect();
        let want: Vec<Vectors> = words.iter().map(published_live).collect();
        live += want.iter().filter(|&&want| want != 0).count();
        let any = want.iter().rev().fold(0, |any, &want| any << 1 | u64::from(want != 0));
        let mut expected = [const { MaybeUninit::uninit() }; PHASE];
        let mut state = INITIAL;
        let expected = compress::best().trace(&mut state, &blocks, &mut expected);
        for (number, check) in checks().enumerate() {
            let mut traces = [const { MaybeUninit::uninit() }; PHASE];
            let mut live = [const { MaybeUninit::uninit() }; PHASE];
            let mut after = INITIAL;
            let Some((traces, live, suspects)) = check.scan(&mut after, &blocks, &mut traces, &mut live)
            else {
                continue;
            };
            let got: Vec<Vectors> = live.iter().map(|&live| vectors(live)).collect();
            assert_eq!((got, suspects), (want.clone(), any), "phase {i}, check {number}");
            assert_eq!(after, state, "phase {i}, check {number}");
            for (trace, expected) in traces.iter().zip(expected) {
                assert_eq!((trace.window, trace.ihv_in), (expected.window, expected.ihv_in), "phase {i}");
                assert_eq!(trace.at_56(), expected.at_56(), "phase {i}, check {number}");
            }
        }
    }
    assert!(live > 0);
}

/// The vectors do not all exclude each other: what an enemy can ask of us.
#[test]
fn many_vectors_at_once() {
    let mut random = Random::new(4);
    let most = (0..rounds(1_000, 10_000))
        .map(|_| same(&expand(&hostile(&mut random, 32)), || "hostile".into()).count_ones())
        .max();
    assert!(most >= Some(12), "{most:?}");
}

/// The working words before step 56.
fn at_56(ihv_in: State, w: &Words) -> State {
    (0..56).fold(ihv_in, |[a, b, c, d, e], t| {
        let (f, k) = match t / 20 {
            0 => ((b & c) | (!b & d), 0x5a82_7999),
            1 => (b ^ c ^ d, 0x6ed9_eba1),
            _ => ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc_u32),
        };
        let next = [a.rotate_left(5), f, e, k, w[t]].into_iter().fold(0, u32::wrapping_add);
        [next, a, b.rotate_left(30), c, d]
    })
}

/// What a backend notes of a block's compression, and that it compresses.
#[test]
fn traces() {
    let mut random = Random::new(9);
    for backend in backends() {
        for count in [1, 2, 3, 64] {
            let words: Vec<[u32; 16]> = (0..count).map(|_| array::from_fn(|_| random.word())).collect();
            let blocks: Vec<Block> = words.iter().map(bytes).collect();
            let mut state: State = array::from_fn(|_| random.word());
            let mut want = state;
            let mut traces = [const { MaybeUninit::uninit() }; 64];
            let traces = backend.trace(&mut state, &blocks, &mut traces);
            assert_eq!(traces.len(), count, "{:?}", backend.name);
            for ((trace, words), block) in traces.iter().zip(&words).zip(&blocks) {
                assert_eq!(trace.window, window(&expand(words)), "{:?}", backend.name);
                assert_eq!(trace.at_56(), at_56(want, &expand(words)), "{:?}", backend.name);
                assert_eq!(trace.ihv_in, want, "{:?}", backend.name);
                rustcrypto_sha1::block_api::compress(&mut want, &[*block]);
            }
            assert_eq!(state, want, "{:?}", backend.name);
        }
    }
}

/// Every way to recompress, along every vector: the attacks that there are, wherever they
/// stand among others, and nothing else.
#[test]
fn recompressions() {
    let (mut random, mut place) = (Random::new(10), Random::new(11));
    let messages = COLLISIONS.iter().map(|collision| collision.data.to_vec());
    let messages = messages.chain((0..rounds(30, 300)).map(|_| hostile_message(&mut random)));
    let mut attacks = 0;
    for message in messages {
        let blocks = message.as_chunks().0;
        let blocks = &blocks[..blocks.len().min(64)];
        let mut state = INITIAL;
        let mut traces = [const { MaybeUninit::uninit() }; 64];
        let traces = compress::best().trace(&mut state, blocks, &mut traces);
        let mut all = Vec::new();
        for (i, block) in blocks.iter().enumerate() {
            let ihv_out = traces.get(i + 1).map_or(state, |next| next.ihv_in);
            let suspect = Suspect { block, at_56: traces[i].at_56(), ihv_out };
            for (dv, vector) in VECTORS.iter().enumerate() {
                let (difference, test_step) = (vector.difference(), vector.test_step());
                let candidate = Candidate { suspect, dv, difference, test_step };
                all.push((candidate, recompress::recompress_one(&candidate).collides));
            }
        }
        attacks += all.iter().filter(|(_, collides)| *collides).count();
        for (number, recompressor) in recompressors().enumerate() {
            for count in 1..=recompressor.width() {
                // Neighbours, which are mostly of one block; and any.
                let neighbours = all.chunks(count).map(|some| some.to_vec());
                let mixed = (0..all.len() / count).map(|_| {
                    let mut some: Vec<_> = (0..count).map(|_| all[place.below(all.len())]).collect();
                    if let Some(attack) = all.iter().find(|(_, collides)| *collides) {
                        some[place.below(count)] = *attack;
                    }
                    some
                });
                for some in neighbours.chain(mixed) {
                    let (some, collide): (Vec<_>, Vec<_>) = some.into_iter().unzip();
                    let want = collide.iter().rev().fold(0, |set, &one| set << 1 | u32::from(one));
                    let got = recompressor.recompress(&some);
                    assert_eq!(got, want, "recompressor {number}, {count} of {}", all.len());
                }
            }
        }
    }
    assert!(attacks >= 4, "{attacks}");
}

/// A context of the checking engine.
struct Hash {
    options: Options,
    hasher: Hasher,
    found: Vec<Found>,
}

struct Found {
    at: u64,
    before: [State; 2],
    words: [Words; 2],
}

impl Context for Hash {
    fn parts(&mut self) -> (&mut State, &mut Waiting) {
        self.hasher.parts()
    }
    fn length(&self) -> u64 {
        self.hasher.length()
    }
    fn set_length(&mut self, len: u64) {
        self.hasher.set_length(len);
    }
}

impl CheckedContext for Hash {
    fn options(&self) -> Options {
        self.options
    }
    fn attack_found(&mut self, attack: &Attack) {
        let (before, words) = (attack.ihv_in.map(|state| *state), attack.words.map(|words| *words));
        self.found.push(Found { at: attack.at, before, words });
    }
}

impl Hash {
    fn new(options: Options) -> Self {
        Hash { options, hasher: Hasher::new(), found: Vec::new() }
    }

    fn update(&mut self, data: &[u8]) {
        hasher::update(self, Checked, data);
    }

    fn finish(mut self) -> (Digest, Vec<Found>) {
        let digest = hasher::finish(&mut self, Checked);
        (digest, self.found)
    }
}

fn hash(message: &[u8], options: Options) -> (Digest, bool) {
    let mut hash = Hash::new(options);
    hash.update(message);
    let (digest, found) = hash.finish();
    (digest, !found.is_empty())
}

#[test]
fn collisions() {
    let mut random = Random::new(5);
    for Collision { name, data } in COLLISIONS {
        for options in all_options() {
            // The last is more than the engine takes at once.
            for more in [0, 1, 64, 700, 20_000] {
                let mut message = data.to_vec();
                message.resize(data.len() + more, 0);
                random.fill(&mut message[data.len()..]);
                let want = reference(&message, options);
                assert_eq!(hash(&message, options), want, "{name} and {more} more bytes, {options:?}");
                let attack = options.detect && (name != "fewer steps" || options.reduced_round);
                assert_eq!(want.1, attack, "{name}, {options:?}");
            }
        }
    }
}

/// Any bit changed, and it is no attack any more.
#[test]
fn changed_collisions() {
    let mut random = Random::new(6);
    for Collision { name, data } in COLLISIONS {
        for _ in 0..rounds(400, 4_000) {
            let mut message = data.to_vec();
            let bit = random.below(8 * data.len());
            message[bit / 8] ^= 1 << (bit % 8);
            let options = all_options().nth(random.below(16)).unwrap();
            let want = reference(&message, options);
            assert_eq!(hash(&message, options), want, "{name} but for bit {bit}, {options:?}");
        }
    }
}

/// What is told of an attack is one: the two blocks are expanded messages and lead
/// from the two chaining values to the same result.
#[test]
fn attacks_are_attacks() {
    let mut random = Random::new(7);
    for Collision { name, data } in COLLISIONS {
        for options in all_options().filter(|options| options.detect && !options.reduced_round) {
            for _ in 0..20 {
                let mut hash = Hash::new(options);
                let mut rest = data;
                while !rest.is_empty() {
                    let (piece, next) = rest.split_at(random.below(rest.len() + 1));
                    hash.update(piece);
                    rest = next;
                }
                let found = hash.finish().1;
                assert_eq!(found.len(), usize::from(name != "fewer steps"), "{name}");
                for Found { at, before, words } in found {
                    assert_eq!(at, data.len() as u64 - 64, "{name}");
                    let mut want = Hash::new(Options { detect: false, ..options });
                    want.update(&data[..at as usize]);
                    assert_eq!(before[0], *want.parts().0, "{name}");
                    assert_eq!(bytes(words[0][..16].try_into().unwrap()), data[at as usize..], "{name}");
                    let results = [0, 1].map(|message| {
                        let (mut state, block) = (before[message], words[message][..16].try_into().unwrap());
                        assert_eq!(expand(&block), words[message], "{name}");
                        shaone::compress::compress(&mut state, &[bytes(&block)]);
                        state
                    });
                    assert_eq!(results[0], results[1], "{name}");
                    assert_ne!(before[0], before[1], "{name}");
                }
            }
        }
    }
}

/// Messages of blocks that each leave many vectors alive.
#[test]
fn hostile_messages() {
    let mut random = Random::new(8);
    let options: Vec<Options> = all_options().collect();
    let mut found = 0;
    let runs = rounds(1_000, 10_000);
    for run in 0..runs {
        let message = hostile_message(&mut random);
        let options = options[run % options.len()];
        let want = reference(&message, options);
        assert_eq!(hash(&message, options), want, "run {run}, {} bytes, {options:?}", message.len());
        let mut hash = Hash::new(options);
        let mut rest = &message[..];
        while !rest.is_empty() {
            let (piece, next) = rest.split_at(random.below(rest.len() + 1));
            hash.update(piece);
            rest = next;
        }
        let (digest, attacks) = hash.finish();
        assert_eq!((digest, !attacks.is_empty()), want, "run {run} in pieces, {options:?}");
        found += usize::from(want.1);
    }
    assert!(found > runs / 10, "{found} of {runs} with an attack");
}

/// The block that the benchmark takes for the worst.
fn worst() -> Block {
    let hex = include_str!("data/collisions/twelve_vectors.hex").trim_end();
    array::from_fn(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap())
}

#[test]
fn worst_block() {
    let words = worst().as_chunks::<4>().0.iter().map(|word| u32::from_be_bytes(*word)).collect::<Vec<_>>();
    let live = same(&expand(words[..].try_into().unwrap()), || "the worst block".into());
    assert_eq!(live.count_ones(), 12, "{live:#x}");
}

/// A whole phase of the engine, and more, of one block that leaves 12 alive.
#[test]
fn nothing_but_the_worst_block() {
    let block = worst();
    for blocks in [1, 2, PHASE - 1, PHASE, PHASE + 1, 2 * PHASE, 200] {
        let message = block.repeat(blocks);
        for options in all_options() {
            assert_eq!(hash(&message, options), reference(&message, options), "{blocks} blocks, {options:?}");
        }
    }
}

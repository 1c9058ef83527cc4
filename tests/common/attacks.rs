//! Blocks made to satisfy unavoidable bit conditions, and messages of them.
//!
//! The expanded message is linear in the 512 bits of a block (FIPS 180-4, section
//! 6.1.2, step 1), and the conditions are linear equations between its bits: a
//! block that satisfies them is the solution of a system over GF(2).
#![allow(dead_code)]

use std::array;
use std::env;
use std::sync::OnceLock;

use shaone::Digest;
use shaone::block::Block;
use shaone::detect::vectors::{DisturbanceVector, VECTORS};
use shaone::detect::{Options, conditions};
use shaone::trace::{LAST_T, Window};

/// Seeded random numbers (splitmix64), the same on every machine.
pub struct Random(u64);

impl Random {
    /// SHAONE_SEED gives others.
    pub fn new(test: u64) -> Self {
        let seed =
            env::var("SHAONE_SEED").map_or(0x5eed, |seed| seed.parse().expect("SHAONE_SEED is a number"));
        Random(seed ^ test << 32)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn word(&mut self) -> u32 {
        self.next() as u32
    }

    /// 0 to limit - 1.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub fn fill(&mut self, bytes: &mut [u8]) {
        bytes.fill_with(|| self.next() as u8);
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

/// How often to do what is done many times: more with SHAONE_LONG.
pub fn rounds(few: usize, many: usize) -> usize {
    if env::var_os("SHAONE_LONG").is_some() { many } else { few }
}

/// A set of vectors: bit i is `VECTORS[i]`.
pub type Vectors = u32;

/// What `conditions::live` found, as such a set.
pub fn vectors(live: conditions::Live) -> Vectors {
    conditions::numbers(live).map(|number| 1 << number).sum()
}

/// The place of a vector, or nothing if it is none of ours.
pub fn number(kind: u8, k: u8, b: u8) -> Option<usize> {
    VECTORS.iter().position(|&vector| vector == DisturbanceVector { kind, k, b })
}

pub type Words = [u32; 80];

/// Bit b1 of W[t1] and bit b2 of W[t2] differ by s.
#[derive(Clone, Copy)]
pub struct Condition {
    pub t1: usize,
    pub b1: usize,
    pub t2: usize,
    pub b2: usize,
    pub s: u32,
    /// If a block is to be part of an attack along one of these.
    pub of: Vectors,
}

impl Condition {
    pub fn holds(&self, w: &Words) -> bool {
        (w[self.t1] >> self.b1 ^ w[self.t2] >> self.b2) & 1 == self.s
    }
}

/// The published conditions: a form of the tables that owes nothing to ours.
pub fn published() -> &'static [Condition] {
    static PUBLISHED: OnceLock<Vec<Condition>> = OnceLock::new();
    PUBLISHED.get_or_init(|| {
        let text = include_str!("../data/collisions/conditions.txt");
        text.lines().filter(|line| !line.starts_with('#')).map(condition).collect()
    })
}

/// A line such as `W[44]:29 W[45]:29 0 I(48,0) II(45,0)`.
fn condition(line: &str) -> Condition {
    let read = || {
        let mut fields = line.split(' ');
        let mut bit = || {
            let (t, b) = fields.next()?.strip_prefix("W[")?.split_once("]:")?;
            Some((t.parse().ok()?, b.parse().ok()?))
        };
        let ((t1, b1), (t2, b2)) = (bit()?, bit()?);
        let s = fields.next()?.parse().ok()?;
        let mut of = 0;
        for name in fields {
            let (kind, place) = name.split_once('(')?;
            let (k, b) = place.strip_suffix(')')?.split_once(',')?;
            of |= 1 << number(kind.len() as u8, k.parse().ok()?, b.parse().ok()?)?;
        }
        Some(Condition { t1, b1, t2, b2, s, of })
    };
    read().unwrap_or_else(|| panic!("not a condition: {line}"))
}

/// The vectors all of whose published conditions hold.
pub fn published_live(w: &Words) -> Vectors {
    published()
        .iter()
        .filter(|condition| !condition.holds(w))
        .fold(!0, |live, condition| live & !condition.of)
}

/// The words that a backend traces.
pub fn window(w: &Words) -> Window {
    array::from_fn(|i| w[LAST_T - i])
}

pub fn expand(block: &[u32; 16]) -> Words {
    let mut w = [0; 80];
    w[..16].copy_from_slice(block);
    for t in 16..80 {
        w[t] = (w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16]).rotate_left(1);
    }
    w
}

pub fn bytes(block: &[u32; 16]) -> Block {
    array::from_fn(|i| block[i / 4].to_be_bytes()[i % 4])
}

/// The sum of some of a block's 512 bits, as a set.
type Sum = [u64; 8];

fn add(a: Sum, b: Sum) -> Sum {
    array::from_fn(|i| a[i] ^ b[i])
}

fn has(sum: &Sum, bit: usize) -> bool {
    sum[bit / 64] >> (bit % 64) & 1 == 1
}

fn first(sum: &Sum) -> Option<usize> {
    let i = sum.iter().position(|&part| part != 0)?;
    Some(64 * i + sum[i].trailing_zeros() as usize)
}

/// Each bit of the expanded message as a sum of the block's.
fn sums() -> &'static [[Sum; 32]; 80] {
    static SUMS: OnceLock<Box<[[Sum; 32]; 80]>> = OnceLock::new();
    SUMS.get_or_init(|| {
        let mut w = Box::new([[[0; 8]; 32]; 80]);
        for t in 0..80 {
            w[t] = array::from_fn(|b| match t {
                0..16 => {
                    let bit = 32 * t + b;
                    array::from_fn(|i| if i == bit / 64 { 1 << (bit % 64) } else { 0 })
                }
                _ => {
                    let from = (b + 31) % 32;
                    [3, 8, 14, 16].map(|back| w[t - back][from]).into_iter().fold([0; 8], add)
                }
            });
        }
        w
    })
}

/// A system of linear equations for the bits of a block, in reduced form: each
/// equation has a bit of its own, which no other has.
#[derive(Clone, Default)]
pub struct System {
    equations: Vec<Equation>,
}

#[derive(Clone, Copy)]
struct Equation {
    own: usize,
    sum: Sum,
    value: u32,
}

impl System {
    /// Add a condition; false, and nothing is added, if the others rule it out.
    pub fn add(&mut self, condition: &Condition) -> bool {
        let Condition { t1, b1, t2, b2, s, .. } = *condition;
        let (mut sum, mut value) = (add(sums()[t1][b1], sums()[t2][b2]), s);
        for equation in self.equations.iter().filter(|equation| has(&sum, equation.own)).collect::<Vec<_>>() {
            sum = add(sum, equation.sum);
            value ^= equation.value;
        }
        let Some(own) = first(&sum) else { return value == 0 };
        for equation in self.equations.iter_mut().filter(|equation| has(&equation.sum, own)) {
            equation.sum = add(equation.sum, sum);
            equation.value ^= value;
        }
        self.equations.push(Equation { own, sum, value });
        true
    }

    /// Add all conditions of a vector, or nothing.
    pub fn add_vector(&mut self, vector: usize) -> bool {
        let mut with = self.clone();
        let good =
            published().iter().filter(|condition| condition.of >> vector & 1 == 1).all(|c| with.add(c));
        if good {
            *self = with;
        }
        good
    }

    /// Any of the solutions, all as likely.
    pub fn solve(&self, random: &mut Random) -> [u32; 16] {
        let mut block = [0; 16];
        block.fill_with(|| random.word());
        for equation in &self.equations {
            block[equation.own / 32] &= !(1 << (equation.own % 32));
        }
        let mut solution = block;
        for Equation { own, sum, value } in &self.equations {
            // The bits of its own are all zero in `block`.
            let ones: u32 =
                (0..16).map(|t| ((sum[t / 2] >> (32 * (t % 2))) as u32 & block[t]).count_ones()).sum();
            solution[own / 32] |= ((ones & 1) ^ value) << (own % 32);
        }
        solution
    }
}

/// The conditions of as many vectors as random choice finds, up to `most`.
pub fn hostile_system(random: &mut Random, most: usize) -> System {
    let mut order: [usize; 32] = array::from_fn(|i| i);
    random.shuffle(&mut order);
    let mut system = System::default();
    let mut left = most;
    for vector in order {
        if left > 0 && system.add_vector(vector) {
            left -= 1;
        }
    }
    system
}

/// A block that leaves so many vectors alive on purpose, and maybe others.
pub fn hostile(random: &mut Random, most: usize) -> [u32; 16] {
    hostile_system(random, most).solve(random)
}

/// The same with any number of them, soon: systems take longer to find than to
/// solve, so here they are found once.
pub fn hostile_block(random: &mut Random) -> [u32; 16] {
    static SYSTEMS: OnceLock<Vec<System>> = OnceLock::new();
    let systems = SYSTEMS.get_or_init(|| {
        let mut random = Random::new(100);
        (0..rounds(160, 1_600)).map(|i| hostile_system(&mut random, 1 + i % 16)).collect()
    });
    systems[random.below(systems.len())].solve(random)
}

/// A published message with an attack in it, or the beginning of one.
pub struct Collision {
    pub name: &'static str,
    pub data: &'static [u8],
}

pub const COLLISIONS: [Collision; 5] = [
    Collision { name: "shattered-1", data: include_bytes!("../data/collisions/shattered-1.head") },
    Collision { name: "shattered-2", data: include_bytes!("../data/collisions/shattered-2.head") },
    Collision { name: "sha-mbles-1", data: include_bytes!("../data/collisions/sha-mbles-1.bin") },
    Collision { name: "sha-mbles-2", data: include_bytes!("../data/collisions/sha-mbles-2.bin") },
    Collision { name: "fewer steps", data: include_bytes!("../data/collisions/sha1_reducedsha_coll.bin") },
];

/// A message of many hostile blocks, half of the time behind a collision; with
/// random blocks among them and some bytes at the end.
pub fn hostile_message(random: &mut Random) -> Vec<u8> {
    let mut message = Vec::new();
    if random.below(2) == 0 {
        let data = COLLISIONS[random.below(COLLISIONS.len())].data;
        let whole = random.below(8) != 0;
        message
            .extend_from_slice(&data[..if whole { data.len() } else { 64 * random.below(data.len() / 64) }]);
    }
    // More than a phase of the checking engine, sometimes.
    let count = if random.below(4) == 0 { random.below(140) } else { random.below(30) };
    let pool: [[u32; 16]; 3] = array::from_fn(|_| hostile_block(random));
    for _ in 0..count {
        let mut block = pool[random.below(3)];
        if random.below(3) == 0 {
            block.fill_with(|| random.word());
        }
        message.extend_from_slice(&bytes(&block));
    }
    let mut tail = [0; 64];
    random.fill(&mut tail);
    message.extend_from_slice(&tail[..random.below(64)]);
    message
}

/// Every combination of options.
pub fn all_options() -> impl Iterator<Item = Options> {
    (0..16).map(|flags: u32| Options {
        detect: flags & 1 == 0,
        conditions: flags & 2 == 0,
        reduced_round: flags & 4 != 0,
        safe_hash: flags & 8 != 0,
    })
}

/// The digest and the verdict, as the crate sha1-checked finds them.
pub fn reference(message: &[u8], options: Options) -> (Digest, bool) {
    use sha1_checked::Digest as _;
    let mut hasher = sha1_checked::Sha1::builder()
        .detect_collision(options.detect)
        .use_ubc(options.conditions)
        .reduced_round_collision(options.reduced_round)
        .safe_hash(options.safe_hash)
        .build();
    hasher.update(message);
    let result = hasher.try_finalize();
    ((*result.hash()).into(), result.has_collision())
}

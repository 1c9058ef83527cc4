// SPDX-License-Identifier: MIT OR Apache-2.0

//! Measures implementations side by side.
//!
//! The machines that this runs on are shared and change their frequency, so single
//! figures drift by tens of per cent while ratios taken within a millisecond don't:
//! everything here is about keeping what is compared close together in time.

pub mod clock;
pub mod peers;
pub mod record;
pub mod table;

use std::hint::black_box;
use std::time::{Duration, Instant};

/// A SHA-1.
pub type Digest = [u8; 20];

/// Hashes the input so many times over and leaves the digests.
type Run<I> = dyn FnMut(&I, u32, &mut [Digest]);

/// An implementation as it takes part in a table. `I` is what it hashes: a message,
/// or a list of them.
pub struct Entrant<I: ?Sized> {
    pub name: String,
    /// Version, backend, where it was found; may be empty.
    pub about: String,
    /// Whether all others are to be compared with it; the first always is.
    pub reference: bool,
    run: Box<Run<I>>,
}

impl<I: ?Sized> Entrant<I> {
    /// The loop is compiled with `hash`, so nothing but its own calls is between two
    /// messages, and that is the same for all.
    pub fn new(
        name: impl Into<String>,
        about: impl Into<String>,
        mut hash: impl FnMut(&I, &mut [Digest]) + 'static,
    ) -> Self {
        let run = move |input: &I, times: u32, digests: &mut [Digest]| {
            for _ in 0..times {
                hash(black_box(input), digests);
                black_box(&mut *digests);
            }
        };
        Entrant { name: name.into(), about: about.into(), reference: false, run: Box::new(run) }
    }

    pub fn into_reference(self) -> Self {
        Entrant { reference: true, ..self }
    }

    fn time(&mut self, input: &I, times: u32, digests: &mut [Digest]) -> Duration {
        clock::settle();
        let start = Instant::now();
        (self.run)(input, times, digests);
        start.elapsed()
    }
}

/// One input of a table.
pub struct Case<'a, I: ?Sized> {
    pub label: String,
    /// Message bytes hashed by one run.
    pub bytes: usize,
    /// Digests made by one run.
    pub digests: usize,
    pub input: &'a I,
}

/// How much time to spend.
#[derive(Clone, Copy)]
pub struct Effort {
    /// Wanted length of a batch: long against the clock's steps, short against the
    /// machine's moods.
    batch: Duration,
    /// For one case, unless that makes fewer than `least` rounds.
    budget: Duration,
    least: usize,
    most: usize,
}

impl Effort {
    pub const FULL: Effort =
        Effort { batch: Duration::from_micros(300), budget: Duration::from_secs(4), least: 7, most: 61 };
    pub const QUICK: Effort =
        Effort { batch: Duration::from_micros(100), budget: Duration::from_millis(300), least: 3, most: 15 };

    pub fn exactly(self, rounds: usize) -> Effort {
        Effort { least: rounds.max(1), most: rounds.max(1), ..self }
    }

    fn rounds(&self, round: Duration) -> usize {
        let affordable = self.budget.as_nanos() / round.as_nanos().max(1);
        usize::try_from(affordable).unwrap_or(usize::MAX).clamp(self.least, self.most)
    }
}

/// What a case came to.
pub struct Outcome {
    pub case: String,
    pub bytes: usize,
    /// Names of the entrants that the ratios are to; the first is the baseline.
    pub references: Vec<String>,
    pub rounds: usize,
    /// In the entrants' order.
    pub rows: Vec<Row>,
}

/// Figures for one run of one entrant, over all rounds.
pub struct Row {
    pub name: String,
    pub min_ns: f64,
    pub median_ns: f64,
    /// Core cycles; not known on every architecture.
    pub min_cycles: Option<f64>,
    pub median_cycles: Option<f64>,
    /// For each reference the median of its time / this one's, within a round.
    pub ratios: Vec<f64>,
}

struct Series {
    times: u32,
    ns: Vec<f64>,
    cycles: Vec<f64>,
}

/// Runs all entrants on a case; the first is the baseline. An error is an entrant whose
/// digests are not the baseline's.
pub fn measure<I: ?Sized>(
    entrants: &mut [Entrant<I>],
    case: &Case<'_, I>,
    effort: Effort,
) -> Result<Outcome, String> {
    let baseline = entrants.first().ok_or("nobody to measure")?.name.clone();
    let references: Vec<usize> = (0..entrants.len()).filter(|&i| i == 0 || entrants[i].reference).collect();
    let mut digests = vec![[0; 20]; case.digests];
    let mut expected = digests.clone();
    let mut series = Vec::new();
    let mut round_time = Duration::ZERO;
    for (i, entrant) in entrants.iter_mut().enumerate() {
        let (times, time) = batch_size(entrant, case, effort.batch, &mut digests);
        if i == 0 {
            expected.copy_from_slice(&digests);
        } else if digests != expected {
            return Err(format!("{} disagrees with {baseline} on {}", entrant.name, case.label));
        }
        round_time += time;
        series.push(Series { times, ns: Vec::new(), cycles: Vec::new() });
    }

    let rounds = effort.rounds(round_time);
    for round in 0..rounds {
        let mut before = clock::core_ghz();
        for position in 0..entrants.len() {
            // Another one begins each time, and every other round runs backwards, so
            // that nobody always follows the same neighbour.
            let turn = (position + round) % entrants.len();
            let i = if round % 2 == 0 { turn } else { entrants.len() - 1 - turn };
            let Series { times, ns, cycles } = &mut series[i];
            let time = entrants[i].time(case.input, *times, &mut digests);
            let after = clock::core_ghz();
            let each = time.as_nanos() as f64 / f64::from(*times);
            ns.push(each);
            if let (Some(before), Some(after)) = (before, after) {
                // The greater: an interrupt during one of them makes it seem slow.
                cycles.push(each * f64::max(before, after));
            }
            before = after;
        }
    }

    let rows = entrants.iter().zip(&series).map(|(entrant, own)| Row {
        name: entrant.name.clone(),
        min_ns: own.ns.iter().copied().fold(f64::INFINITY, f64::min),
        median_ns: median(own.ns.iter().copied()),
        min_cycles: own.cycles.iter().copied().reduce(f64::min),
        median_cycles: (!own.cycles.is_empty()).then(|| median(own.cycles.iter().copied())),
        ratios: references
            .iter()
            .map(|&theirs| median(series[theirs].ns.iter().zip(&own.ns).map(|(theirs, own)| theirs / own)))
            .collect(),
    });
    let rows = rows.collect();
    let references = references.iter().map(|&i| entrants[i].name.clone()).collect();
    Ok(Outcome { case: case.label.clone(), bytes: case.bytes, references, rounds, rows })
}

/// How many runs make a batch, and how long that batch takes; leaves the digests.
fn batch_size<I: ?Sized>(
    entrant: &mut Entrant<I>,
    case: &Case<'_, I>,
    batch: Duration,
    digests: &mut [Digest],
) -> (u32, Duration) {
    let mut times = 1;
    loop {
        let time = entrant.time(case.input, times, digests);
        if time >= batch / 4 {
            let factor = batch.as_secs_f64() / time.as_secs_f64();
            let scaled = (f64::from(times) * factor).max(1.0);
            return (scaled as u32, time.mul_f64(scaled / f64::from(times)));
        }
        times *= 2;
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

/// Bytes without a pattern: some implementations look into what they hash.
pub fn message(len: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut bytes = Vec::with_capacity(len + 8);
    while bytes.len() < len {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(len);
    bytes
}

// SPDX-License-Identifier: MIT OR Apache-2.0

//! Our C ABI against the other SHA-1 implementations, in one process and interleaved.
//!
//! A table is a list of [`Entrant`]s, a list of [`Case`]s and a call of [`measure`];
//! a further table is one more [`Table`] and one more function like [`plain`].

mod harness;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::{Parser, ValueEnum};
use harness::peers::many::{self, Messages};
use harness::record::{self, Record};
use harness::{Case, Effort, Entrant, Outcome, measure, peers, table};

/// Fixed before any option is read, so that runs can be compared.
const PLAIN_SIZES: [Size; 10] = [
    Size(0),
    Size(20),
    Size(55),
    Size(64),
    Size(200),
    Size(1 << 10),
    Size(8 << 10),
    Size(64 << 10),
    Size(1 << 20),
    Size(64 << 20),
];

/// Without those for which detection has special inputs: see [`checked`].
const CHECKED_SIZES: [Size; 5] = [Size(64), Size(512), Size(8 << 10), Size(64 << 10), Size(1 << 20)];

const MANY_COUNTS: [usize; 9] = [1, 2, 3, 4, 8, 16, 32, 64, 1000];
const MANY_SIZES: [Size; 5] = [Size(20), Size(64), Size(1 << 10), Size(16 << 10), Size(1 << 20)];
/// For every path of ours that this CPU can play.
const PATH_SIZES: &str = "20,64,1Ki,64Ki";
/// OPENSSL_ia32cap without what a path of ours does without too, and those paths. OpenSSL looks
/// at the variable when it is loaded, so that each line is a process of its own.
#[cfg(target_arch = "x86_64")]
const PATHS: [(&str, &str, &str); 4] = [
    ("", "openssl", "shaone:x86-sha"),
    (":~0x20000000", "openssl without SHA instructions", "shaone:x86-avx2"),
    (":~0x20000020", "openssl without SHA instructions and AVX2", "shaone:x86-ssse3"),
    ("~0x1000020000000000:~0x20000020", "openssl without SHA instructions, AVX and SSSE3", "shaone:portable"),
];
#[cfg(not(target_arch = "x86_64"))]
const PATHS: [(&str, &str, &str); 1] = [("", "openssl", "shaone:")];

/// More bytes take too long.
const MANY_MOST: usize = 64 << 20;

const LONG_HELP: &str = "\
Every figure is for a whole message: init, update, final. Implementations take
turns in short batches, in another order every round. 'ratio' is the median over
the rounds of (time of the first entrant, OpenSSL's SHA1_Init/Update/Final) /
(time of this one) within one round: 1.38 is 1.38 times as fast as OpenSSL. Cycles
are core cycles: a chain of dependent additions of one cycle each is timed around
every batch, so they don't depend on the frequency.

In the table 'checked' all but OpenSSL and 'shaone' look for collision attacks, and
the ratios to those two and to the reference in C tell what that costs. Each of the
twelve repeated bytes that leave a disturbance vector alive ('9' is one) makes every
block a candidate; the hostile block leaves 12 alive.

In the table 'many' a figure is for all messages of a case: in a loop, or in one call
of shaone_digest_many. ISAL_CRYPTO=PATH, of Intel's libisal_crypto.so, adds its sha1_mb.

All backends: build the shared library with the feature force-backend too and name
it with --forced-lib; each backend it has becomes an entrant 'shaone:BACKEND'.

The table 'paths' has each of these against OpenSSL on a CPU that lacks the same (by
OPENSSL_ia32cap, as on older CPUs).

The class of a CPU is the backend that ours takes on it, and '-avx512' where there are
wide lanes too. benches/bars.csv says how fast each class should be; benches/results/
keeps a file for each, with CPU, date and commit.";

/// SHA-1 side by side: ours, through the C ABI, and everyone else's.
#[derive(Parser)]
#[command(name = "sha1", after_long_help = LONG_HELP)]
struct Options {
    /// Tables to make [default: all]
    tables: Vec<Table>,

    /// Message sizes, such as 0,64,8Ki,1Mi
    #[arg(long, value_delimiter = ',')]
    sizes: Vec<Size>,

    /// Only entrants whose names begin so (the baseline always runs)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,

    /// Rounds for every size [default: up to 61, fewer for long messages]
    #[arg(long)]
    rounds: Option<usize>,

    /// A smoke run: few and short rounds, nothing above 1 MiB
    #[arg(long)]
    quick: bool,

    /// Directory for the results, one TABLE.csv each [default: bench/ in the target directory]
    #[arg(long, value_name = "DIR")]
    csv: Option<PathBuf>,

    /// Our shared library [default: the release build in the target directory]
    #[arg(long, value_name = "PATH", env = "SHAONE_LIB")]
    lib: Option<PathBuf>,

    /// The same with the feature force-backend [default: --lib if it has that feature]
    #[arg(long, value_name = "PATH", env = "SHAONE_FORCED_LIB")]
    forced_lib: Option<PathBuf>,

    /// What scripts/peers.sh has built [default: peers/ in the target directory]
    #[arg(long, value_name = "DIR", env = "SHAONE_PEERS")]
    peers: Option<PathBuf>,

    /// End with an error if a bar of benches/bars.csv is missed
    #[arg(long)]
    strict: bool,

    /// Keep the ratios in benches/results/CLASS.csv
    #[arg(long)]
    save: bool,

    /// Show the ratios beside those of a file that --save has written [default: this class's]
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "")]
    compare: Option<PathBuf>,

    /// Passed by cargo, which starts this in the directory of the package
    #[arg(long, hide = true)]
    bench: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Table {
    /// One message, SHA-1 as it is
    Plain,
    /// One message, SHA-1 with collision detection
    Checked,
    /// Many messages at once
    Many,
    /// One message on each path, against OpenSSL on the same
    Paths,
}

/// A number of bytes, written with or without Ki, Mi, Gi.
#[derive(Clone, Copy)]
struct Size(usize);

impl std::str::FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let shift = match text[digits.len()..].to_ascii_lowercase().as_str() {
            "" => 0,
            "k" | "ki" | "kib" => 10,
            "m" | "mi" | "mib" => 20,
            "g" | "gi" | "gib" => 30,
            unit => return Err(format!("no such unit: {unit}")),
        };
        let number: usize = digits.parse().map_err(|error| format!("{error}"))?;
        number.checked_mul(1 << shift).map(Size).ok_or_else(|| "too large".into())
    }
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            n if n >= 1 << 20 && n % (1 << 20) == 0 => write!(f, "{} Mi", n >> 20),
            n if n >= 1 << 10 && n % (1 << 10) == 0 => write!(f, "{} Ki", n >> 10),
            n => write!(f, "{n}"),
        }
    }
}

impl Options {
    fn sizes(&self, table: &[Size]) -> Vec<Size> {
        if !self.sizes.is_empty() {
            return self.sizes.clone();
        }
        table.iter().copied().filter(|size| !self.quick || size.0 <= 1 << 20).collect()
    }

    fn effort(&self) -> Effort {
        let effort = if self.quick { Effort::QUICK } else { Effort::FULL };
        match self.rounds {
            Some(rounds) => effort.exactly(rounds),
            None => effort,
        }
    }

    /// Those that are here and were asked for. The first is the baseline: it and the
    /// other references always stay.
    fn select<I: ?Sized>(&self, found: impl Iterator<Item = Result<Entrant<I>, String>>) -> Vec<Entrant<I>> {
        let mut entrants = Vec::new();
        for found in found {
            match found {
                Ok(entrant) => entrants.push(entrant),
                Err(missing) => println!("not run: {missing}"),
            }
        }
        let mut first = true;
        entrants.retain(|entrant| {
            std::mem::take(&mut first)
                || entrant.reference
                || self.only.is_empty()
                || self.only.iter().any(|name| entrant.name.starts_with(name.as_str()))
        });
        for entrant in entrants.iter().filter(|entrant| !entrant.about.is_empty()) {
            println!("{}: {}", entrant.name, entrant.about);
        }
        entrants
    }
}

/// The CPU, without which no figure means anything: its name, or else its vendor's numbers.
fn cpu() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = info.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name))?;
        line.split_once(':').map(|(_, value)| value.trim().to_string())
    };
    let names =
        [("model name", ""), ("cpu family", "family "), ("model", "model "), ("stepping", "stepping ")];
    let known: Vec<String> =
        names.iter().filter_map(|(name, before)| Some(format!("{before}{}", field(name)?))).collect();
    if known.is_empty() { std::env::consts::ARCH.into() } else { known.join(" ") }
}

/// What CPUs have in common that run the same of our code.
fn class(lib: &Path) -> Result<String, String> {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let wide = info.split_whitespace().any(|flag| flag == "avx512bw");
    Ok(peers::backend(lib)? + if wide { "-avx512" } else { "" })
}

fn main() -> ExitCode {
    match tables() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("sha1: a bar is missed");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("sha1: {error}");
            ExitCode::FAILURE
        }
    }
}

/// All that was asked for; whether it is well.
fn tables() -> Result<bool, String> {
    let mut options = Options::parse();
    println!("cpu: {}", cpu());
    if options.bench
        && let Err(error) = std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
    {
        return Err(error.to_string());
    }
    let target = target_directory();
    let lib = options.lib.clone().unwrap_or_else(|| target.join("release/libshaone.so"));
    let peers = options.peers.clone().unwrap_or_else(|| target.join("peers"));
    let csv = options.csv.take().unwrap_or_else(|| target.join("bench"));
    let forced = options.forced_lib.clone().unwrap_or_else(|| lib.clone());

    let class = class(&lib)?;
    println!("class: {class}");

    let wanted = |table| options.tables.is_empty() || options.tables.contains(&table);
    let mut records = Vec::new();
    if wanted(Table::Plain) {
        plain(&options, &lib, &forced, &peers, &csv)?;
        records.extend(record::read(&csv, "plain")?);
    }
    if wanted(Table::Checked) {
        checked(&options, &lib, &forced, &peers, &csv)?;
        records.extend(record::read(&csv, "checked")?);
    }
    if wanted(Table::Many) {
        many(&options, &lib, &forced, &csv)?;
        records.extend(record::read(&csv, "many")?);
    }
    if wanted(Table::Paths) {
        records.extend(paths(&options, &lib, &forced, &csv)?);
    }

    let benches = Path::new(env!("CARGO_MANIFEST_DIR"));
    let results = benches.join("results");
    if let Some(file) = &options.compare {
        let of_class = results.join(&class).with_extension("csv");
        record::compare(if file.as_os_str().is_empty() { &of_class } else { file }, &records)?;
    }
    if options.save {
        record::save(&results, &class, &cpu(), &records)?;
    }
    Ok(record::judge(&benches.join("bars.csv"), &class, &records)? || !options.strict)
}

/// This program is TARGET/release/deps/sha1-HASH.
fn target_directory() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    program.ancestors().nth(3).unwrap_or(Path::new("target")).to_path_buf()
}

fn plain(options: &Options, lib: &Path, forced: &Path, peers: &Path, csv: &Path) -> Result<(), String> {
    // Found in this order, so the strongest peer with the widest use is the baseline.
    let found = [peers::openssl()].into_iter();
    let found = found.chain(peers::shaone(lib, forced)).chain(peers::c_libraries(peers));
    let entrants = options.select(found.chain(peers::rust_crates()));
    run("plain", options, entrants, messages(options.sizes(&PLAIN_SIZES)), csv)
}

fn checked(options: &Options, lib: &Path, forced: &Path, peers: &Path, csv: &Path) -> Result<(), String> {
    let ours = peers::shaone_plain(lib).map(Entrant::into_reference);
    let found = [peers::openssl(), ours].into_iter().chain(peers::shaone_checked(lib, forced));
    let found = found.chain([peers::sha1dc(peers).map(Entrant::into_reference)]);
    let entrants = options.select(found.chain(peers::checking_crates()));
    let mut messages = messages(options.sizes(&CHECKED_SIZES));
    messages.push(("64 Ki times '9'".into(), vec![b'9'; 64 << 10]));
    messages.push(("64 Ki hostile bytes".into(), hostile_block().repeat(1024)));
    run("checked", options, entrants, messages, csv)
}

fn many(options: &Options, lib: &Path, forced: &Path, csv: &Path) -> Result<(), String> {
    let found = [many::openssl()].into_iter().chain(many::shaone(lib, forced)).chain([many::isal()]);
    let mut entrants = options.select(found);
    let mut lengths = Vec::new();
    for size in options.sizes(&MANY_SIZES) {
        let counts = MANY_COUNTS.iter().filter(|&&count| count * size.0 <= MANY_MOST);
        lengths.extend(counts.map(|&count| (format!("{count} of {size} bytes"), vec![size.0; count])));
    }
    if options.sizes.is_empty() {
        lengths.push(("4000 git objects".into(), git_object_sizes().take(4000).collect()));
        let mut stragglers = vec![200; 15];
        stragglers.push(16 << 20);
        lengths.push(("15 of 200 bytes, 1 of 16 Mi".into(), stragglers));
    }
    let mut results = Vec::new();
    for (label, lengths) in lengths {
        let messages = Messages::new(lengths);
        let case = Case { label, bytes: messages.total(), digests: messages.count(), input: &messages };
        let result = measure(&mut entrants, &case, options.effort())?;
        table::print("many", &result);
        results.push(result);
    }
    // A line as long as all cases is for nobody.
    let size = |case: &Outcome| case.case.split_once(" of ").map(|(_, size)| size.to_string());
    for same_size in results.chunk_by(|a, b| size(a) == size(b)) {
        table::print_ratios("many", same_size);
    }
    table::write_csv(csv, "many", &results)
}

/// Each path of ours that this CPU can play, and OpenSSL on the same.
fn paths(options: &Options, lib: &Path, forced: &Path, csv: &Path) -> Result<Vec<Record>, String> {
    let mut records: Vec<Record> = Vec::new();
    let mut rows = Vec::new();
    for (mask, to, only) in PATHS {
        let dir = csv.join("paths");
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(program);
        command.args(["plain", "--sizes", PATH_SIZES, "--only", only, "--csv"]).arg(&dir);
        command.arg("--lib").arg(lib).arg("--forced-lib").arg(forced);
        if options.quick {
            command.arg("--quick");
        }
        if let Some(rounds) = options.rounds {
            command.args(["--rounds", &rounds.to_string()]);
        }
        if !mask.is_empty() {
            command.env("OPENSSL_ia32cap", mask);
        }
        let output = command.output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(format!("{to}: {}", String::from_utf8_lossy(&output.stderr)));
        }
        for mut record in record::read(&dir, "plain")? {
            record.table = "paths".into();
            record.to = to.into();
            let row = [&record.name, &record.case, to, &format!("{:.2}", record.ratio)].map(String::from);
            rows.push(row.to_vec());
            records.push(record);
        }
    }
    println!("\npaths, speed as a multiple of that of OpenSSL on the same");
    table::print_rows(&["path", "case", "to", "ratio"], rows);
    Ok(records)
}

/// Those of real repositories, in random order.
fn git_object_sizes() -> impl Iterator<Item = usize> {
    let lines = include_str!("data/git_object_sizes.txt").lines();
    lines.filter(|line| !line.starts_with('#')).map(|line| line.parse().expect("a number of bytes"))
}

/// A block that leaves 12 disturbance vectors alive: tests/detection.rs counts them.
fn hostile_block() -> [u8; 64] {
    let hex = include_str!("../tests/data/collisions/twelve_vectors.hex").trim_end();
    std::array::from_fn(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hex digits"))
}

/// Random messages, with what to call them.
fn messages(sizes: Vec<Size>) -> Vec<(String, Vec<u8>)> {
    sizes.into_iter().map(|size| (format!("{size} bytes"), harness::message(size.0))).collect()
}

fn run(
    title: &str,
    options: &Options,
    mut entrants: Vec<Entrant<[u8]>>,
    messages: Vec<(String, Vec<u8>)>,
    csv: &Path,
) -> Result<(), String> {
    let mut results = Vec::new();
    for (label, message) in messages {
        let case = Case { label, bytes: message.len(), digests: 1, input: &message[..] };
        let result = measure(&mut entrants, &case, options.effort())?;
        table::print(title, &result);
        results.push(result);
    }
    table::print_ratios(title, &results);
    table::write_csv(csv, title, &results)
}

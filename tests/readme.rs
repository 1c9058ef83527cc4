//! The README's figures are those of `benches/results`, one file for each class of CPU.
//!
//! `make figures` (SHAONE_BLESS=1) writes them; otherwise a difference fails.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::Path;

/// A line of the first table: what is measured, and for each figure the bench's table, its
/// case and the entrant.
type Line = (&'static str, &'static [[&'static str; 3]]);

const LINES: &[Line] = &[
    (
        "`sha1_init/update/final`: 64 KiB; 1 KiB; 64 B; 20 B",
        &[
            ["plain", "64 Ki bytes", "shaone"],
            ["plain", "1 Ki bytes", "shaone"],
            ["plain", "64 bytes", "shaone"],
            ["plain", "20 bytes", "shaone"],
        ],
    ),
    (
        "with collision detection: 64 KiB; 64 B",
        &[["checked", "64 Ki bytes", "shaone checked"], ["checked", "64 bytes", "shaone checked"]],
    ),
    (
        "many messages in one call: 2; 4 x 16 KiB",
        &[
            ["many", "2 of 16 Ki bytes", "shaone_digest_many"],
            ["many", "4 of 16 Ki bytes", "shaone_digest_many"],
        ],
    ),
    (
        "... 8; 16; 64 x 16 KiB",
        &[
            ["many", "8 of 16 Ki bytes", "shaone_digest_many"],
            ["many", "16 of 16 Ki bytes", "shaone_digest_many"],
            ["many", "64 of 16 Ki bytes", "shaone_digest_many"],
        ],
    ),
    (
        "... 1000 x 20 B; 64 x 64 B; 4000 git objects",
        &[
            ["many", "1000 of 20 bytes", "shaone_digest_many"],
            ["many", "64 of 64 bytes", "shaone_digest_many"],
            ["many", "4000 git objects", "shaone_digest_many"],
        ],
    ),
    (
        "... 64 x 16 KiB with collision detection",
        &[["many", "64 of 16 Ki bytes", "shaone_checked_digest_many"]],
    ),
];

const MARKS: [&str; 2] = ["<!-- figures: made by `make figures` -->\n", "<!-- end of figures -->\n"];

/// What is in a file: the CPU, and for table, case and entrant what it is compared with and the
/// ratio.
struct Results {
    class: String,
    about: String,
    ratios: BTreeMap<[String; 3], (String, f64)>,
}

fn results() -> Vec<Results> {
    let directory = root().join("benches/results");
    let mut files: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |file: std::path::PathBuf| {
        let text = fs::read_to_string(&file).unwrap();
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("cpu,date,commit,table,case,name,to,ratio,cycles"), "{file:?}");
        let mut results = Results {
            class: file.file_stem().unwrap().to_str().unwrap().into(),
            about: String::new(),
            ratios: BTreeMap::new(),
        };
        // No field has a comma that csv would have to quote, but for the peers' names.
        for line in lines {
            let fields = fields(line);
            let [cpu, date, commit, table, case, name, to, ratio, _] = &fields[..] else {
                panic!("{file:?}: {line}")
            };
            results.about = format!("{cpu}, {date}, {commit}");
            let key = [table, case, name].map(String::clone);
            // The first of several is the baseline.
            results.ratios.entry(key).or_insert((to.clone(), ratio.parse().unwrap()));
        }
        results
    };
    files.into_iter().map(read).collect()
}

/// The fields of a line of CSV. A quoted one may have commas.
fn fields(line: &str) -> Vec<String> {
    let mut quoted = false;
    let split = |c: char| {
        quoted ^= c == '"';
        c == ',' && !quoted
    };
    line.split(split).map(|field| field.trim_matches('"').to_string()).collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn figure(ratio: Option<&(String, f64)>) -> String {
    ratio.map_or("-".into(), |(_, ratio)| format!("{ratio:.2}"))
}

fn generate() -> String {
    let all = results();
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut told = String::new();
    let mut header = vec!["one core, speed as a multiple of OpenSSL 3.0's SHA-1".to_string()];
    header.extend(all.iter().map(|results| format!("`{}`", results.class)));
    told += &row(header);
    told += &format!("|---{}|\n", "|---".repeat(all.len()));
    for (what, keys) in LINES {
        let mut cells = vec![what.to_string()];
        for results in &all {
            let figures = keys.iter().map(|key| figure(results.ratios.get(&key.map(String::from))));
            cells.push(figures.collect::<Vec<_>>().join("; "));
        }
        told += &row(cells);
    }
    told += "\n";
    for results in &all {
        told += &format!("- `{}`: {}.\n", results.class, results.about);
    }

    told +=
        "\n| path, forced | measured on | OpenSSL on the same | 64 KiB; 64 B; 20 B |\n|---|---|---|---|\n";
    for results in &all {
        let mut paths: Vec<&String> =
            results.ratios.keys().filter(|[table, ..]| table == "paths").map(|[_, _, name]| name).collect();
        paths.dedup();
        let mut seen = Vec::new();
        for name in paths {
            if seen.contains(&name) {
                continue;
            }
            seen.push(name);
            let at = |case: &str| results.ratios.get(&["paths".to_string(), case.to_string(), name.clone()]);
            let cases = ["64 Ki bytes", "64 bytes", "20 bytes"].map(|case| figure(at(case)));
            let to = at("64 Ki bytes").map_or("-", |(to, _)| to);
            told += &row(vec![
                format!("`{}`", name.trim_start_matches("shaone:")),
                format!("`{}`", results.class),
                to.replacen("openssl", "OpenSSL", 1),
                cases.join("; "),
            ]);
        }
    }
    told += "\nOther CPUs (AArch64 with and without SHA instructions, i686, armv7, ppc64le, riscv64, s390x,\n\
             Windows on x86-64) are tested under emulators and were not measured.\n";
    told
}

#[test]
fn figures_are_those_of_the_results() {
    let path = root().join("README.md");
    let readme = fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once(MARKS[0]).expect("the README has the first mark");
    let (figures, after) = rest.split_once(MARKS[1]).expect("the README has the second mark");
    let wanted = format!("\n{}\n", generate());
    if env::var_os("SHAONE_BLESS").is_some() {
        fs::write(&path, [before, MARKS[0], &wanted, MARKS[1], after].concat()).unwrap();
    } else {
        assert!(figures == wanted, "the README's figures are out of date: run `make figures`");
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0

//! What runs came to: against the bars, and kept for each class of CPU.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::table;

/// One ratio of one of our entrants.
#[derive(Clone)]
pub struct Record {
    pub table: String,
    pub case: String,
    pub name: String,
    /// What it is compared with.
    pub to: String,
    pub ratio: f64,
    /// Median cycles for the whole case; empty where they are not known.
    pub cycles: String,
}

impl Record {
    /// What two runs have in common.
    fn key(&self) -> [&str; 4] {
        [&self.table, &self.case, &self.name, &self.to]
    }
}

/// A line of a file that [`save`] writes.
struct Saved {
    cpu: String,
    date: String,
    commit: String,
    record: Record,
}

const HEADER: [&str; 9] = ["cpu", "date", "commit", "table", "case", "name", "to", "ratio", "cycles"];

fn told<T>(path: &Path, result: Result<T, csv::Error>) -> Result<T, String> {
    result.map_err(|error| format!("{}: {error}", path.display()))
}

fn number(path: &Path, text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| format!("{}: not a number: '{text}'", path.display()))
}

/// Our entrants in what [`table::write_csv`] has written.
pub fn read(dir: &Path, title: &str) -> Result<Vec<Record>, String> {
    let path = dir.join(title).with_extension("csv");
    let mut file = told(&path, csv::Reader::from_path(&path))?;
    let header = told(&path, file.headers().cloned())?;
    let column = |name: &str| {
        header.iter().position(|it| it == name).ok_or_else(|| format!("{}: no column {name}", path.display()))
    };
    let [case, name, cycles, baseline, ratio] =
        [column("case")?, column("name")?, column("median_cycles")?, column("baseline")?, column("ratio")?];
    let mut records = Vec::new();
    for line in file.records() {
        let line = told(&path, line)?;
        if !line[name].starts_with("shaone") {
            continue;
        }
        for (i, text) in line.iter().enumerate().skip(ratio) {
            let to = header[i].strip_prefix("ratio to ").unwrap_or(&line[baseline]);
            if *to == line[name] {
                continue;
            }
            records.push(Record {
                table: title.into(),
                case: line[case].into(),
                name: line[name].into(),
                to: to.into(),
                ratio: number(&path, text)?,
                cycles: line[cycles].into(),
            });
        }
    }
    Ok(records)
}

/// Which bars of a file hold, for this class of CPU; the answer is whether all do that were
/// measured.
pub fn judge(path: &Path, class: &str, records: &[Record]) -> Result<bool, String> {
    let mut file = told(path, csv::Reader::from_path(path))?;
    let mut rows = Vec::new();
    let mut all_hold = true;
    for line in file.records() {
        let line = told(path, line)?;
        let [for_class, table, case, name, to, bar] = std::array::from_fn(|i| line[i].to_string());
        if for_class != class {
            continue;
        }
        let key = [&table, &case, &name, &to].map(String::as_str);
        let Some(record) = records.iter().find(|record| record.key() == key) else { continue };
        let holds = record.ratio >= number(path, &bar)?;
        all_hold &= holds;
        let verdict = if holds { "holds" } else { "MISSED" };
        rows.push([table, case, name, to, bar, format!("{:.2}", record.ratio), verdict.into()].to_vec());
    }
    if !rows.is_empty() {
        let held = rows.iter().filter(|row| row[6] == "holds").count();
        println!("\nbars for {class}: {held} of {} hold", rows.len());
        table::print_rows(&["table", "case", "", "to", "bar", "ratio", ""], rows);
    }
    Ok(all_hold)
}

fn load(path: &Path) -> Result<Vec<Saved>, String> {
    let mut file = told(path, csv::Reader::from_path(path))?;
    let lines = file.records().map(|line| {
        let line = told(path, line)?;
        let [cpu, date, commit, table, case, name, to, ratio, cycles] =
            std::array::from_fn(|i| line[i].to_string());
        let ratio = number(path, &ratio)?;
        Ok(Saved { cpu, date, commit, record: Record { table, case, name, to, ratio, cycles } })
    });
    lines.collect()
}

/// DIR/CLASS.csv: these records, and of the tables that this run has not made what was there.
pub fn save(dir: &Path, class: &str, cpu: &str, records: &[Record]) -> Result<(), String> {
    let path = dir.join(class).with_extension("csv");
    let mut all = if path.exists() { load(&path)? } else { Vec::new() };
    let tables: BTreeSet<&str> = records.iter().map(|record| record.table.as_str()).collect();
    all.retain(|saved| !tables.contains(saved.record.table.as_str()));
    let said = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output();
        output.map(|it| String::from_utf8_lossy(&it.stdout).trim().to_string()).unwrap_or_default()
    };
    let date = said("date", &["-u", "+%F"]);
    let commit = said("git", &["describe", "--always", "--dirty", "--exclude=*"]);
    all.extend(records.iter().map(|record| Saved {
        cpu: cpu.into(),
        date: date.clone(),
        commit: commit.clone(),
        record: record.clone(),
    }));
    let write = || -> Result<(), csv::Error> {
        fs::create_dir_all(dir)?;
        let mut file = csv::Writer::from_path(&path)?;
        file.write_record(HEADER)?;
        for Saved { cpu, date, commit, record } in &all {
            let [table, case, name, to] = record.key();
            let ratio = format!("{:.3}", record.ratio);
            file.write_record([cpu, date, commit, table, case, name, to, &ratio, &record.cycles])?;
        }
        Ok(file.flush()?)
    };
    told(&path, write())?;
    println!("\nsaved: {}", path.display());
    Ok(())
}

/// This run beside one that was saved.
pub fn compare(path: &Path, records: &[Record]) -> Result<(), String> {
    let saved = load(path)?;
    let mut rows = Vec::new();
    for record in records {
        let Some(then) = saved.iter().find(|saved| saved.record.key() == record.key()) else { continue };
        let [table, case, name, to] = record.key().map(String::from);
        let [before, now] = [then.record.ratio, record.ratio];
        let change = format!("{:+.1} %", 100.0 * (now / before - 1.0));
        let when = format!("{}, {}, {}", then.cpu, then.date, then.commit);
        rows.push(vec![table, case, name, to, format!("{before:.2}"), format!("{now:.2}"), change, when]);
    }
    println!("\ncompared with {}", path.display());
    table::print_rows(&["table", "case", "", "to", "then", "now", "change", "then was"], rows);
    Ok(())
}

// SPDX-License-Identifier: MIT OR Apache-2.0

//! Outcomes for people and for programs.

use std::path::Path;

use comfy_table::{CellAlignment, Table, presets};

use super::{Outcome, Row};

/// Decimal places that leave three to four digits.
fn number(value: f64) -> String {
    match value {
        v if v >= 1000.0 => format!("{v:.0}"),
        v if v >= 100.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

fn per_byte(value: Option<f64>, bytes: usize) -> Option<f64> {
    value.filter(|_| bytes > 0).map(|value| value / bytes as f64)
}

fn gb_per_s(row: &Row, bytes: usize) -> Option<f64> {
    (bytes > 0).then(|| bytes as f64 / row.median_ns)
}

fn optional(value: Option<f64>, format: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| "-".into(), format)
}

fn table(header: Vec<String>, rows: impl Iterator<Item = Vec<String>>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN).set_header(header);
    for row in rows {
        table.add_row(row);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// Any rows.
pub fn print_rows(header: &[&str], rows: Vec<Vec<String>>) {
    println!("{}", table(header.iter().map(|it| it.to_string()).collect(), rows.into_iter()));
}

/// All figures of one case.
pub fn print(title: &str, outcome: &Outcome) {
    let bytes = outcome.bytes;
    let header = ["", "min ns", "median ns", "GB/s", "cycles", "min c/B", "c/B"].map(String::from);
    let header =
        header.into_iter().chain(outcome.references.iter().map(|name| format!("x {name}"))).collect();
    let rows = outcome.rows.iter().map(|row| {
        let figures = [
            row.name.clone(),
            number(row.min_ns),
            number(row.median_ns),
            optional(gb_per_s(row, bytes), |v| format!("{v:.3}")),
            optional(row.median_cycles, number),
            optional(per_byte(row.min_cycles, bytes), |v| format!("{v:.2}")),
            optional(per_byte(row.median_cycles, bytes), |v| format!("{v:.2}")),
        ];
        figures.into_iter().chain(row.ratios.iter().map(|ratio| format!("{ratio:.3}"))).collect()
    });
    println!("\n{title}, {} ({} rounds)\n{}", outcome.case, outcome.rounds, table(header, rows));
}

/// The ratios of all cases at a glance.
pub fn print_ratios(title: &str, outcomes: &[Outcome]) {
    let Some(first) = outcomes.first() else {
        return;
    };
    for (r, reference) in first.references.iter().enumerate() {
        let header = std::iter::once(String::new()).chain(outcomes.iter().map(|o| o.case.clone()));
        let rows = first.rows.iter().enumerate().map(|(i, row)| {
            let ratios = outcomes.iter().map(|outcome| format!("{:.2}", outcome.rows[i].ratios[r]));
            std::iter::once(row.name.clone()).chain(ratios).collect()
        });
        println!("\n{title}, speed as a multiple of {reference}'s\n{}", table(header.collect(), rows));
    }
}

/// DIR/TITLE.csv: a line for each case and entrant.
pub fn write_csv(dir: &Path, title: &str, outcomes: &[Outcome]) -> Result<(), String> {
    let path = dir.join(title).with_extension("csv");
    let write = || -> Result<(), csv::Error> {
        std::fs::create_dir_all(dir)?;
        let mut file = csv::Writer::from_path(&path)?;
        let header = [
            "table",
            "case",
            "bytes",
            "name",
            "rounds",
            "min_ns",
            "median_ns",
            "gb_per_s",
            "min_cycles",
            "median_cycles",
            "min_cycles_per_byte",
            "median_cycles_per_byte",
            "baseline",
            "ratio",
        ];
        // To the other references, if the table has any.
        let others = outcomes.first().map_or(&[][..], |outcome| &outcome.references[1..]);
        let others = others.iter().map(|name| format!("ratio to {name}"));
        file.write_record(header.into_iter().map(String::from).chain(others))?;
        for outcome in outcomes {
            let bytes = outcome.bytes;
            for row in &outcome.rows {
                let figure = |value: Option<f64>| value.map_or(String::new(), |v| format!("{v:.4}"));
                let fields = [
                    title.into(),
                    outcome.case.clone(),
                    bytes.to_string(),
                    row.name.clone(),
                    outcome.rounds.to_string(),
                    figure(Some(row.min_ns)),
                    figure(Some(row.median_ns)),
                    figure(gb_per_s(row, bytes)),
                    figure(row.min_cycles),
                    figure(row.median_cycles),
                    figure(per_byte(row.min_cycles, bytes)),
                    figure(per_byte(row.median_cycles, bytes)),
                    outcome.references[0].clone(),
                ];
                file.write_record(
                    fields.into_iter().chain(row.ratios.iter().map(|&ratio| figure(Some(ratio)))),
                )?;
            }
        }
        Ok(file.flush()?)
    };
    write().map_err(|error| format!("{}: {error}", path.display()))?;
    println!("\n{}", path.display());
    Ok(())
}

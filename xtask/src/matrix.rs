//! `cargo xtask matrix`: runs the real agents through their scenarios and writes the table of what they showed.
//!
//! The scenarios are tests of the product and say by themselves what they have shown, a line each; this module only
//! makes a table of the lines. Nothing is in the table that no run has shown.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use serde::Deserialize;

use crate::cargo;

/// Below the folder where cargo builds.
const SHOWN: &str = "tmp/agents-matrix.jsonl";

/// The table.
pub(crate) const TABLE: &str = "docs/reference/agents-matrix.md";

/// The text above it.
const HEAD: &str = "\
# What each agent can do

Written by `cargo xtask matrix`, which runs the real command lines in the versions that `scripts/agents` pins, each by the
real server against a model on loopback that follows a script (`crates/fleet/tests/process/real`). Every test run holds
this table against what it sees.

";

#[derive(Args)]
pub(crate) struct Options {
    /// Runs nothing: makes the table of what the last test run has left.
    #[arg(long)]
    from_last_run: bool,
}

/// What one scenario has shown of one agent.
#[derive(Debug, Deserialize)]
struct Shown {
    agent: String,
    version: String,
    row: usize,
    capability: String,
    cell: String,
}

/// Writes the table; `false` if a scenario failed.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool> {
    let shown = target(root).join(SHOWN);
    let mut well = true;
    if !options.from_last_run {
        if shown.exists() {
            fs::remove_file(&shown)?;
        }
        let tests =
            ["nextest", "run", "--package", "fleet", "--test", "process", "--no-fail-fast", "-E", "test(/^real::/)"];
        // A table that says otherwise fails the tests that this table is made of.
        well = cargo::passes(root, "cargo", &tests)?;
    }
    let lines = fs::read_to_string(&shown).with_context(|| format!("no run has left {}", shown.display()))?;
    let all = lines.lines().map(serde_json::from_str).collect::<Result<Vec<Shown>, _>>()?;
    fs::write(root.join(TABLE), format!("{HEAD}{}", table(&all)))?;
    println!("wrote {TABLE} of {} lines", all.len());
    if !well {
        println!("some scenarios did not agree with the table as it was; run them again");
    }
    Ok(true)
}

fn target(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

/// A row for each capability, a column for each agent; of two lines for one cell the later counts.
fn table(all: &[Shown]) -> String {
    let columns: BTreeSet<String> = all.iter().map(|shown| format!("{} {}", shown.agent, shown.version)).collect();
    let mut rows: BTreeMap<(usize, &str), BTreeMap<String, &str>> = BTreeMap::new();
    for shown in all {
        let row = rows.entry((shown.row, &shown.capability)).or_default();
        row.insert(format!("{} {}", shown.agent, shown.version), &shown.cell);
    }
    let mut text = String::from("|");
    for cell in std::iter::once(" ".to_owned()).chain(columns.iter().map(|column| format!(" {column} "))) {
        let _ = write!(text, "{cell}|");
    }
    let _ = writeln!(text, "\n|{}", " --- |".repeat(columns.len() + 1));
    for ((_, capability), cells) in &rows {
        let _ = write!(text, "| {capability} |");
        for column in &columns {
            let _ = write!(text, " {} |", cells.get(column).copied().unwrap_or("not shown"));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(agent: &str, row: usize, cell: &str) -> Shown {
        let capability = format!("does {row}");
        Shown { agent: agent.to_owned(), version: "1".to_owned(), row, capability, cell: cell.to_owned() }
    }

    #[test]
    fn the_table_has_a_cell_for_each_agent_and_says_what_was_not_shown() {
        let all = [shown("b", 1, "no: x"), shown("a", 1, "no: y"), shown("a", 0, "yes"), shown("a", 1, "yes")];
        let expected = "| | a 1 | b 1 |\n| --- | --- | --- |\n| does 0 | yes | not shown |\n| does 1 | yes | no: x |\n";
        assert_eq!(table(&all), expected);
    }
}

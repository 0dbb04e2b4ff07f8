//! `cargo xtask bench --sessions`: how fast agents start, what each costs, and how soon others see what it writes.
//!
//! Every figure stands beside what the system itself can do, measured in turns with it in the same run: a plain fork
//! and exec of the same program, a plain `git worktree add` of the same repository, a plain reader of the same file.

mod dispatch;
mod figures;
mod fleet;
mod flood;
mod memory;
mod plain;

use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use super::{Figures, on_disk};

/// A part that can be measured alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Part {
    /// Starts without a worktree.
    InPlace,
    /// Starts with a worktree of 10,000 files.
    Worktree,
    /// Starts with such a worktree that was made ahead.
    Pool,
    /// Memory of agents that do nothing.
    Memory,
    /// Hundreds of agents that all talk.
    Flood,
}

/// Runs all of it, or `only` some parts, and adds the figures to the report.
pub(super) fn run(root: &Path, program: &Path, starts: usize, only: &[Part], report: &mut Figures) -> Result<()> {
    let folder = on_disk(root)?;
    let folder = folder.path().canonicalize()?;
    std::fs::create_dir_all(folder.join("empty"))?;
    let wanted = |part| only.is_empty() || only.contains(&part);
    if wanted(Part::InPlace) {
        dispatch::in_place(&folder, program, starts, report)?;
    }
    if wanted(Part::Worktree) || wanted(Part::Pool) {
        dispatch::repository(&folder)?;
    }
    if wanted(Part::Worktree) {
        dispatch::worktree(&folder, program, starts, report)?;
    }
    if wanted(Part::Pool) {
        dispatch::pool(&folder, program, starts, report)?;
    }
    if wanted(Part::Memory) {
        memory::run(&folder, program, report)?;
    }
    if wanted(Part::Flood) {
        flood::run(&folder, program, report)?;
    }
    Ok(())
}

/// The text of an agent's script, as a prompt.
fn prompt(steps: &[Value]) -> String {
    let steps: Vec<_> = steps.iter().map(inline).collect();
    format!("```sim\nstep = [\n{}\n]\n```\n", steps.join(",\n"))
}

/// A value in the language of scripts: steps are inline tables, also within steps.
fn inline(value: &Value) -> String {
    let list = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Object(fields) => {
            format!("{{ {} }}", list(fields.iter().map(|(key, value)| format!("{key} = {}", inline(value))).collect()))
        }
        Value::Array(values) => format!("[{}]", list(values.iter().map(inline).collect())),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_script_is_written_in_its_language() {
        let prompt = prompt(&[json!({ "do": "repeat", "step": [{ "do": "flood", "lines": 3 }] })]);
        assert_eq!(prompt, "```sim\nstep = [\n{ do = \"repeat\", step = [{ do = \"flood\", lines = 3 }] }\n]\n```\n");
    }
}

//! `cargo xtask tidy`: the rules of this repository that no compiler checks.
//!
//! Each rule is a file below `tidy/` and a pure function from the loaded tree to complaints. Nothing here compiles the
//! product, so the whole check takes about a second. Start reading at [`complaints`].

mod arrows;
mod attributes;
mod commits;
mod error_pages;
mod graph;
mod heads;
mod lexer;
mod names;
mod operations;
mod paths;
mod report;
mod rust;
mod sizes;
mod sleeps;
mod tree;
mod unfinished;
mod whitespace;
mod words;

use std::path::Path;

use anyhow::{Context, Result};

use crate::cargo;
use arrows::Rules;
use graph::Graph;
use tree::Tree;

/// One place where the tree breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Complaint {
    file: String,
    line: usize,
    rule: &'static str,
    message: String,
}

impl Complaint {
    fn new(file: &str, line: usize, rule: &'static str, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, rule, message: message.into() }
    }
}

/// Checks every rule and prints what it found; `false` if there is a complaint.
pub(crate) fn check(root: &Path) -> Result<bool> {
    let tree = Tree::load(root)?;
    let rules = Rules::parse(tree.text("dependencies.toml").context("dependencies.toml is missing")?)?;
    let metadata = cargo::output(root, "cargo", &["metadata", "--format-version", "1", "--locked"])?;
    let graph = Graph::parse(&metadata, root)?;
    for note in sizes::notes(&tree) {
        println!("note: {note}");
    }
    let complaints = complaints(&tree, &rules, &graph);
    for Complaint { file, line, rule, message } in &complaints {
        println!("{file}:{line}: {rule}: {message}");
    }
    println!("tidy: {} files, {} complaints", tree.files.len(), complaints.len());
    Ok(complaints.is_empty())
}

/// Lowers the counts in `xtask/words-allowed.toml` to what is left in each file, and never raises one.
pub(crate) fn shrink(root: &Path) -> Result<bool> {
    let tree = Tree::load(root)?;
    std::fs::write(root.join(words::ALLOWED), words::shrunk(&tree)?)?;
    Ok(true)
}

/// Prints the sizes of the codebase beside its budget.
pub(crate) fn report(root: &Path) -> Result<bool> {
    let tree = Tree::load(root)?;
    print!("{}{}", report::render(&tree), operations::render(&tree));
    Ok(true)
}

/// Every rule, applied.
fn complaints(tree: &Tree, rules: &Rules, graph: &Graph) -> Vec<Complaint> {
    let mut all = arrows::check(rules, graph, tree);
    all.extend(commits::check(rules, tree));
    for rule in [
        attributes::check,
        error_pages::check,
        heads::check,
        names::check,
        paths::check,
        sizes::check,
        sleeps::check,
        unfinished::check,
        whitespace::check,
        words::check,
    ] {
        all.extend(rule(tree));
    }
    all.sort();
    all
}

//! Rule: crates use only what `dependencies.toml` lets them use.
//!
//! Dependencies of tests are free, for a test may look at anything; but the crates marked `dev-only` there are for
//! tests and nothing else.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::Complaint;
use super::graph::{Graph, Member, Use};
use super::tree::Tree;

const FILE: &str = "dependencies.toml";
const RULE: &str = "arrows";

/// The content of `dependencies.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Rules {
    /// Each crate of ours and what it may use.
    #[serde(rename = "crate")]
    crates: BTreeMap<String, Arrows>,
    /// Who may use a crate of others.
    external: Vec<External>,
    /// What must not be built at all.
    absent: Vec<Absent>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Arrows {
    may_use: MayUse,
    /// Whether it changes records; other crates only read them.
    #[serde(default)]
    commits: bool,
    /// Whether others may use it in their tests alone.
    #[serde(default)]
    dev_only: bool,
    why: String,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum MayUse {
    These(Vec<String>),
    AllBut { all_but: Vec<String> },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct External {
    names: Vec<String>,
    /// If given, no other crate uses them.
    only_in: Option<Vec<String>>,
    #[serde(default)]
    never_in: Vec<String>,
    why: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Absent {
    names: Vec<String>,
    why: String,
}

impl Rules {
    pub(super) fn parse(text: &str) -> Result<Self> {
        toml::from_str(text).with_context(|| format!("cannot read {FILE}"))
    }

    /// Whether a crate may change records.
    pub(super) fn commits(&self, name: &str) -> bool {
        self.crates.get(name).is_some_and(|arrows| arrows.commits)
    }

    /// Whether a crate may use the store at all.
    pub(super) fn uses_store(&self, name: &str) -> bool {
        self.crates.get(name).is_some_and(|arrows| arrows.may_use.permits("store"))
    }

    /// Whether a crate is for tests alone.
    pub(super) fn is_dev_only(&self, name: &str) -> bool {
        self.crates.get(name).is_some_and(|arrows| arrows.dev_only)
    }
}

impl MayUse {
    fn permits(&self, name: &str) -> bool {
        match self {
            Self::These(names) => names.iter().any(|permitted| permitted == name),
            Self::AllBut { all_but } => all_but.iter().all(|refused| refused != name),
        }
    }
}

impl External {
    fn permits(&self, member: &str, used: &str) -> bool {
        let named = self.names.iter().any(|name| name == used);
        let elsewhere = self.only_in.as_ref().is_some_and(|only| only.iter().all(|place| place != member));
        !named || !(elsewhere || self.never_in.iter().any(|place| place == member))
    }
}

pub(super) fn check(rules: &Rules, graph: &Graph, tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for member in &graph.members {
        for used in &member.uses {
            let line = line_in(tree.text(&member.manifest), &used.name);
            let found = if used.ours { ours(rules, member, used) } else { others(rules, member, used) };
            complaints.extend(found.into_iter().map(|text| Complaint::new(&member.manifest, line, RULE, text)));
        }
    }
    complaints.extend(unlisted(rules, graph));
    complaints.extend(present(rules, graph));
    complaints
}

/// What is wrong with using one of our crates.
fn ours(rules: &Rules, member: &Member, used: &Use) -> Option<String> {
    if used.dev {
        return None;
    }
    let Member { name, .. } = member;
    if let Some(target) = rules.crates.get(&used.name).filter(|target| target.dev_only) {
        return Some(format!("`{}` is a dev-dependency or none: {}", used.name, target.why));
    }
    let arrows = rules.crates.get(name)?;
    (!arrows.may_use.permits(&used.name)).then(|| format!("`{name}` may not use `{}`: {}", used.name, arrows.why))
}

/// What is wrong with using a crate of others.
fn others(rules: &Rules, member: &Member, used: &Use) -> Option<String> {
    if used.dev {
        return None;
    }
    let broken = rules.external.iter().find(|external| !external.permits(&member.name, &used.name))?;
    Some(format!("`{}` may not use `{}`: {}", member.name, used.name, broken.why))
}

/// Crates without arrows, and arrows without a crate.
fn unlisted(rules: &Rules, graph: &Graph) -> Vec<Complaint> {
    let new = graph.members.iter().filter(|member| !rules.crates.contains_key(&member.name));
    let new = new.map(|member| format!("[crate.{}] is missing: say what it may use and why", member.name));
    let is_gone = |name: &&String| graph.members.iter().all(|member| member.name != **name);
    let gone = rules.crates.keys().filter(is_gone).map(|name| format!("[crate.{name}] is about no crate: remove it"));
    new.chain(gone).map(|message| Complaint::new(FILE, 1, RULE, message)).collect()
}

/// Packages that must not be built, and who asked for them.
fn present(rules: &Rules, graph: &Graph) -> Vec<Complaint> {
    let names = rules.absent.iter().flat_map(|absent| absent.names.iter().map(|name| (name, &absent.why)));
    let found = names.filter_map(|(name, why)| graph.resolved.get(name).map(|parents| (name, parents, why)));
    let message = |(name, parents, why): (&String, &Vec<String>, &String)| {
        format!("{name} is in the graph, asked for by {}: {why}", parents.join(", "))
    };
    found.map(|found| Complaint::new("Cargo.lock", 1, RULE, message(found))).collect()
}

/// The line of a manifest that names the dependency; the first one if none does.
fn line_in(manifest: Option<&str>, name: &str) -> usize {
    let names_it = |line: &str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['.', ' ', '=']));
    manifest.and_then(|text| text.lines().position(names_it)).map_or(1, |at| at + 1)
}

#[cfg(test)]
#[path = "arrows_tests.rs"]
mod tests;

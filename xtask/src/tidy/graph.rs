//! What `cargo metadata` says of the dependencies, reduced to what the arrows are about.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

/// The crates of the workspace with their direct dependencies, and the names of all packages that are built.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Graph {
    pub(super) members: Vec<Member>,
    /// Every package in the graph, with the packages that asked for it.
    pub(super) resolved: BTreeMap<String, Vec<String>>,
}

/// One crate of ours, under its short name (`types`, not `fleet-types`).
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) name: String,
    /// Its manifest, below the root.
    pub(super) manifest: String,
    pub(super) uses: Vec<Use>,
}

/// A direct dependency; one of ours has its short name, as its members have.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Use {
    pub(super) name: String,
    pub(super) ours: bool,
    /// Whether only tests use it.
    pub(super) dev: bool,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_members: Vec<String>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    manifest_path: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    kind: Option<String>,
    /// Set for a dependency in this repository.
    path: Option<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    dependencies: Vec<String>,
}

impl Graph {
    /// Reads the output of `cargo metadata --format-version 1`.
    pub(super) fn parse(metadata: &str, root: &Path) -> Result<Self> {
        let metadata: Metadata = serde_json::from_str(metadata).context("cannot read the output of cargo metadata")?;
        let names: BTreeMap<&str, &str> =
            metadata.packages.iter().map(|package| (package.id.as_str(), package.name.as_str())).collect();
        let ours = metadata.packages.iter().filter(|package| metadata.workspace_members.contains(&package.id));
        let members = ours.map(|package| Member::new(package, root)).collect();
        let mut resolved: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for node in &metadata.resolve.nodes {
            let name = names.get(node.id.as_str()).context("a package of the graph has no name")?;
            resolved.entry((*name).to_owned()).or_default();
            for used in node.dependencies.iter().filter_map(|id| names.get(id.as_str())) {
                resolved.entry((*used).to_owned()).or_default().push((*name).to_owned());
            }
        }
        Ok(Self { members, resolved })
    }
}

impl Member {
    fn new(package: &Package, root: &Path) -> Self {
        let manifest = Path::new(&package.manifest_path);
        let manifest = manifest.strip_prefix(root).unwrap_or(manifest).to_string_lossy().into_owned();
        let uses = package.dependencies.iter().map(|dependency| Use {
            name: short(&dependency.name, dependency.path.is_some()),
            ours: dependency.path.is_some(),
            dev: dependency.kind.as_deref() == Some("dev"),
        });
        Self { name: short(&package.name, true), manifest, uses: uses.collect() }
    }
}

fn short(name: &str, ours: bool) -> String {
    if ours { name.trim_start_matches("fleet-").to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_cargo_becomes_short_names_and_kinds() {
        let metadata = r#"{
            "packages": [
                {"id": "a", "name": "fleet-api", "manifest_path": "/x/crates/api/Cargo.toml", "dependencies": [
                    {"name": "fleet-types", "kind": null, "path": "/x/crates/types"},
                    {"name": "serde", "kind": "dev"}
                ]},
                {"id": "s", "name": "serde", "manifest_path": "/y/Cargo.toml", "dependencies": []}
            ],
            "workspace_members": ["a"],
            "resolve": {"nodes": [{"id": "a", "dependencies": ["s"]}, {"id": "s", "dependencies": []}]}
        }"#;
        let types = Use { name: "types".into(), ours: true, dev: false };
        let serde = Use { name: "serde".into(), ours: false, dev: true };
        assert_eq!(
            Graph::parse(metadata, Path::new("/x")).unwrap(),
            Graph {
                members: vec![Member {
                    name: "api".into(),
                    manifest: "crates/api/Cargo.toml".into(),
                    uses: vec![types, serde],
                }],
                resolved: [("fleet-api".into(), vec![]), ("serde".into(), vec!["fleet-api".into()])].into(),
            }
        );
    }
}

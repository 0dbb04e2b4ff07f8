//! `cargo xtask gen`: the golden files, written by the product itself.
//!
//! The binary writes everything into an empty folder; this module compares that folder with the tree. It never deletes
//! a file: one that is no longer generated is named, and a person removes it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::{cargo, matrix};

/// The folders that hold generated files alone, but for a `README.md` and the table of agents.
const GENERATED: [&str; 2] = ["contract", "docs/reference"];

/// Files by their path below the root.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// A line that cargo prints for each thing it built.
#[derive(Deserialize)]
struct Message {
    executable: Option<String>,
}

/// How a file in the tree differs from what the code would write today.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Difference {
    Missing(PathBuf),
    Changed(PathBuf),
    Stale(PathBuf),
}

/// Writes the files that differ and says which.
pub(crate) fn write(root: &Path) -> Result<bool> {
    let generated = generate(root)?;
    let differences = differences(&generated, &present(root, &generated)?);
    for difference in &differences {
        match difference {
            Difference::Missing(path) | Difference::Changed(path) => {
                let to = root.join(path);
                fs::create_dir_all(to.parent().context("a generated file lies in a folder")?)?;
                fs::write(&to, &generated[path]).with_context(|| format!("cannot write {}", to.display()))?;
                println!("wrote {}", path.display());
            }
            Difference::Stale(path) => println!("{} is no longer generated: remove it", path.display()),
        }
    }
    println!("gen: {} files, {} differed", generated.len(), differences.len());
    Ok(true)
}

/// Changes nothing; `false` if a file differs.
pub(crate) fn check(root: &Path) -> Result<bool> {
    let generated = generate(root)?;
    let differences = differences(&generated, &present(root, &generated)?);
    for difference in &differences {
        match difference {
            Difference::Missing(path) => println!("{}: is missing", path.display()),
            Difference::Changed(path) => println!("{}: is out of date", path.display()),
            Difference::Stale(path) => println!("{}: is no longer generated, remove it", path.display()),
        }
    }
    if differences.is_empty() {
        println!("gen: {} files are fresh", generated.len());
    } else {
        println!("gen: {} of {} files differ; run `cargo xtask gen`", differences.len(), generated.len());
    }
    Ok(differences.is_empty())
}

/// What the code writes today.
fn generate(root: &Path) -> Result<Files> {
    let folder = tempfile::tempdir()?;
    let target = folder.path().to_str().context("the temporary folder has a readable name")?;
    print!("{}", cargo::output(root, &build(root)?, &["__gen", target])?);
    let mut files = Files::new();
    read_below(folder.path(), Path::new(""), &mut files)?;
    anyhow::ensure!(!files.is_empty(), "`fleet __gen` wrote no file");
    Ok(files)
}

/// Builds the product and returns the path of its binary.
///
/// The whole workspace is selected, though one binary is built: so the features of dependencies are those of the
/// tests, and nothing is built a second time.
fn build(root: &Path) -> Result<String> {
    let args = ["build", "--quiet", "--locked", "--workspace", "--bin", "fleet"];
    let messages =
        cargo::output(root, "cargo", &[&args[..], &["--message-format", "json-render-diagnostics"]].concat())?;
    executable(&messages).context("cargo built no binary")
}

/// The binary that cargo says it built.
fn executable(messages: &str) -> Option<String> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Message>(line).ok());
    messages.filter_map(|message| message.executable).next_back()
}

/// What the tree holds: the generated folders, and whatever else the code writes.
fn present(root: &Path, generated: &Files) -> Result<Files> {
    let mut files = Files::new();
    for folder in GENERATED {
        if root.join(folder).is_dir() {
            read_below(root, Path::new(folder), &mut files)?;
        }
    }
    // What real agents showed is written by a run of them, and the attacks by the tests that try them.
    let others = [matrix::TABLE, "docs/reference/attacks.md"];
    let by_others = |path: &Path| path.ends_with("README.md") || others.iter().any(|other| path == Path::new(other));
    files.retain(|path, _| !by_others(path) || generated.contains_key(path));
    for path in generated.keys().filter(|path| root.join(path).is_file()) {
        files.insert(path.clone(), fs::read(root.join(path))?);
    }
    Ok(files)
}

fn read_below(root: &Path, folder: &Path, files: &mut Files) -> Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            read_below(root, &path, files)?;
        } else {
            files.insert(path, fs::read(entry.path())?);
        }
    }
    Ok(())
}

fn differences(generated: &Files, present: &Files) -> Vec<Difference> {
    let written = generated.iter().filter_map(|(path, text)| match present.get(path) {
        None => Some(Difference::Missing(path.clone())),
        Some(old) if old != text => Some(Difference::Changed(path.clone())),
        Some(_) => None,
    });
    let stale = present.keys().filter(|path| !generated.contains_key(*path)).cloned().map(Difference::Stale);
    written.chain(stale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(list: &[(&str, &str)]) -> Files {
        list.iter().map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec())).collect()
    }

    #[test]
    fn a_missing_a_changed_and_a_stale_file_are_each_named() {
        let generated = files(&[("contract/a.json", "1"), ("contract/b.json", "2"), ("contract/c.json", "3")]);
        let present = files(&[("contract/b.json", "old"), ("contract/c.json", "3"), ("contract/d.json", "4")]);
        assert_eq!(
            differences(&generated, &present),
            [
                Difference::Missing("contract/a.json".into()),
                Difference::Changed("contract/b.json".into()),
                Difference::Stale("contract/d.json".into()),
            ]
        );
    }

    #[test]
    fn the_binary_is_the_one_that_cargo_names() {
        let library = r#"{"reason":"compiler-artifact","executable":null}"#;
        let binary = r#"{"reason":"compiler-artifact","executable":"/x/target/debug/fleet"}"#;
        let end = r#"{"reason":"build-finished","success":true}"#;
        assert_eq!(executable(&[library, binary, end].join("\n")).as_deref(), Some("/x/target/debug/fleet"));
        assert_eq!(executable(&[library, end].join("\n")), None);
    }

    #[test]
    fn the_tree_is_read_in_the_generated_folders_and_where_the_code_writes() {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in
            [("contract/a.json", "1"), ("contract/README.md", "by hand"), ("docs/x.md", "2"), ("y", "3")]
        {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let present = present(root.path(), &files(&[("docs/x.md", "new"), ("docs/z.md", "new")])).unwrap();
        assert_eq!(present, files(&[("contract/a.json", "1"), ("docs/x.md", "2")]));
    }
}

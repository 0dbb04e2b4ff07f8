//! Rule: no crate and no module has a name under which everything fits.

use super::Complaint;
use super::rust::{line_of, words};
use super::tree::Tree;

const SHAPELESS: [&str; 6] = ["utils", "util", "common", "core", "helpers", "misc"];

pub(super) fn check(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for file in &tree.rust {
        let parts = file.path.trim_end_matches(".rs").split('/').filter(|part| SHAPELESS.contains(part));
        complaints.extend(parts.map(|part| complain(&file.path, 1, part)));
        complaints.extend(inline_modules(&file.code).map(|(line, name)| complain(&file.path, line, name)));
    }
    for file in tree.files.iter().filter(|file| file.path.ends_with("Cargo.toml")) {
        complaints.extend(package_names(&file.text).map(|(line, name)| complain(&file.path, line, name)));
    }
    complaints
}

fn complain(path: &str, line: usize, name: &str) -> Complaint {
    Complaint::new(path, line, "shapeless-name", format!("`{name}` says nothing: name what it holds"))
}

/// Modules written inside a file; those in files of their own are found by their path.
fn inline_modules(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let named = words(code).zip(words(code).skip(1)).filter(|((_, word), _)| *word == "mod").map(|(_, name)| name);
    let inline = named.filter(|(at, name)| code[at + name.len()..].trim_start().starts_with('{'));
    inline.filter(|(_, name)| SHAPELESS.contains(name)).map(|(at, name)| (line_of(code, at), name))
}

/// Packages with a shapeless name, with or without the prefix of ours.
fn package_names(manifest: &str) -> impl Iterator<Item = (usize, &str)> {
    manifest.lines().enumerate().filter_map(|(at, line)| {
        let name = line.strip_prefix("name = \"")?.strip_suffix('"')?;
        SHAPELESS.contains(&name.trim_start_matches("fleet-")).then_some((at + 1, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(files: &[(&str, &str)]) -> Vec<(String, usize)> {
        check(&Tree::of(files)).into_iter().map(|complaint| (complaint.file, complaint.line)).collect()
    }

    #[test]
    fn a_shapeless_file_folder_module_or_package_is_found() {
        for (path, text, line) in [
            ("crates/x/src/utils.rs", "", 1),
            ("crates/x/src/common/a.rs", "", 1),
            ("crates/core/src/lib.rs", "", 1),
            ("crates/x/src/a.rs", "\npub(crate) mod helpers {\n}\n", 2),
            ("crates/x/Cargo.toml", "[package]\nname = \"fleet-misc\"\n", 2),
        ] {
            assert_eq!(places(&[(path, text)]), [(path.to_owned(), line)]);
        }
    }

    #[test]
    fn a_name_that_only_contains_one_passes() {
        let text = "mod task_manager {}\nuse core::fmt;\n// mod utils {\n";
        assert_eq!(places(&[("crates/x/src/commonplace.rs", text), ("Cargo.toml", "name = \"fleet\"\n")]), []);
    }
}

//! The files of the repository: what git tracks and what it would track, read once.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::rust::RustFile;
use crate::cargo;

/// A file that is text; others are not looked at.
#[derive(Debug)]
pub(super) struct TextFile {
    /// The path below the root, with slashes.
    pub(super) path: String,
    pub(super) text: String,
}

impl TextFile {
    pub(super) fn has_extension(&self, extension: &str) -> bool {
        self.path.rsplit_once('.').is_some_and(|(_, found)| found == extension)
    }
}

/// Every text file, and what is known of the Rust files among them.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) files: Vec<TextFile>,
    pub(super) rust: Vec<RustFile>,
}

impl Tree {
    /// Reads the files; one that git still lists but that is missing is left out.
    pub(super) fn load(root: &Path) -> Result<Self> {
        let listed = cargo::output(root, "git", &["ls-files", "-z", "--cached", "--others", "--exclude-standard"])?;
        let mut files = Vec::new();
        for path in listed.split('\0').filter(|path| !path.is_empty() && root.join(path).is_file()) {
            let bytes = fs::read(root.join(path)).with_context(|| format!("cannot read {path}"))?;
            if let Ok(text) = String::from_utf8(bytes)
                && !text.contains('\0')
            {
                files.push(TextFile { path: path.to_owned(), text });
            }
        }
        Ok(Self::new(files))
    }

    pub(super) fn new(files: Vec<TextFile>) -> Self {
        let rust = files.iter().filter(|file| file.has_extension("rs"));
        let rust = rust.map(|file| RustFile::new(&file.path, &file.text)).collect();
        Self { files, rust }
    }

    /// A tree made by hand, for the tests of rules.
    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let own = |(path, text): &(&str, &str)| TextFile { path: (*path).to_owned(), text: (*text).to_owned() };
        Self::new(files.iter().map(own).collect())
    }

    /// The text of one file.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|file| file.path == path).map(|file| file.text.as_str())
    }
}

//! What a branch changed since its base: files, lines and commits.

use std::path::PathBuf;

use jiff::Timestamp;

use crate::command::Command;
use crate::error::Error;
use crate::oid::Oid;
use crate::repository::{Repository, path_from};

/// A file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Which file; where it is now, if it was renamed.
    pub path: PathBuf,
    /// How it differs.
    pub kind: ChangeKind,
}

/// How a file differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// It is gone.
    Deleted,
    /// Its content or mode is another.
    Modified,
    /// A file became a link, or the like.
    Retyped,
    /// It was elsewhere.
    Renamed {
        /// Where.
        from: PathBuf,
    },
    /// It was made from another, which is still there.
    Copied {
        /// Which.
        from: PathBuf,
    },
    /// A letter of git's that this version does not know.
    Other(char),
}

/// How many lines of a file differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineCount {
    /// Which file.
    pub path: PathBuf,
    /// Lines that came and lines that went; none for a binary file.
    pub lines: Option<(u64, u64)>,
}

/// A commit of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedCommit {
    /// Its name.
    pub id: Oid,
    /// Who wrote it.
    pub author: String,
    /// When it was written.
    pub at: Timestamp,
    /// The first line of its message.
    pub subject: String,
}

impl Repository {
    /// Lists the files that differ between two commits or trees.
    ///
    /// # Errors
    /// When one of them does not exist.
    pub async fn changes(&self, base: &Oid, tip: &Oid) -> Result<Vec<Change>, Error> {
        let args = ["diff-tree", "-r", "-z", "-M", "--no-ext-diff", "--name-status", base.as_str(), tip.as_str()];
        let command = self.look(args);
        let printed = command.clone().run().await?;
        let mut fields = fields(&printed);
        let mut changes = Vec::new();
        while let Some(letter) = fields.next().and_then(|status| status.first()) {
            changes.push(change(*letter, &mut fields).ok_or_else(|| command.unexpected("a change without a path"))?);
        }
        Ok(changes)
    }

    /// Counts the lines that differ between two commits or trees; a renamed file is one gone and one new.
    ///
    /// # Errors
    /// When one of them does not exist.
    pub async fn line_counts(&self, base: &Oid, tip: &Oid) -> Result<Vec<LineCount>, Error> {
        let options = ["diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--numstat"];
        let command = self.look(options.into_iter().chain([base.as_str(), tip.as_str()]));
        let printed = command.clone().run().await?;
        fields(&printed).map(|field| line_count(field).ok_or_else(|| command.unexpected("no numbers"))).collect()
    }

    /// Lists the commits that `tip` has and `base` has not, newest first, at most `max`.
    ///
    /// # Errors
    /// When one of them does not exist.
    pub async fn log(&self, base: Option<&Oid>, tip: &Oid, max: usize) -> Result<Vec<LoggedCommit>, Error> {
        let (range, max) = (base.map_or_else(|| tip.to_string(), |base| format!("{base}..{tip}")), max.to_string());
        let args = ["log", "-z", "--no-show-signature", "--format=%H%n%at%n%an%n%s", "--max-count", &max, &range, "--"];
        let command = self.look(args);
        let printed = command.clone().run().await?;
        fields(&printed).map(|field| logged(field, &command)).collect()
    }

    /// Finds the newest commit that both have; none if they have none in common.
    ///
    /// # Errors
    /// When one of them does not exist.
    pub async fn common(&self, one: &Oid, other: &Oid) -> Result<Option<Oid>, Error> {
        let command = self.look(["merge-base", one.as_str(), other.as_str()]);
        let found = command.clone().run_to(&[0, 1]).await?;
        let line = found.stdout.split(|byte| *byte == b'\n').next().unwrap_or_default();
        if line.is_empty() {
            return Ok(None);
        }
        Oid::from_bytes(line).map(Some).ok_or_else(|| command.unexpected("no commit"))
    }
}

fn fields(printed: &[u8]) -> impl Iterator<Item = &[u8]> {
    printed.split(|byte| *byte == 0).filter(|field| !field.is_empty())
}

fn change<'a>(letter: u8, fields: &mut impl Iterator<Item = &'a [u8]>) -> Option<Change> {
    let first = path_from(fields.next()?);
    let kind = match letter {
        b'A' => ChangeKind::Added,
        b'D' => ChangeKind::Deleted,
        b'M' => ChangeKind::Modified,
        b'T' => ChangeKind::Retyped,
        b'R' => return Some(Change { path: path_from(fields.next()?), kind: ChangeKind::Renamed { from: first } }),
        b'C' => return Some(Change { path: path_from(fields.next()?), kind: ChangeKind::Copied { from: first } }),
        other => ChangeKind::Other(char::from(other)),
    };
    Some(Change { path: first, kind })
}

fn line_count(field: &[u8]) -> Option<LineCount> {
    let mut parts = field.splitn(3, |byte| *byte == b'\t');
    let mut number = || Some(std::str::from_utf8(parts.next()?).ok()?.parse().ok());
    let (came, went): (Option<u64>, Option<u64>) = (number()?, number()?);
    Some(LineCount { path: path_from(parts.next()?), lines: came.zip(went) })
}

fn logged(field: &[u8], command: &Command) -> Result<LoggedCommit, Error> {
    let text = String::from_utf8_lossy(field);
    let mut lines = text.splitn(4, '\n');
    let mut line = || lines.next().ok_or_else(|| command.unexpected("a commit without its lines"));
    let (id, at, author, subject) = (line()?, line()?, line()?.to_owned(), line()?.to_owned());
    let id = id.parse().map_err(|_| command.unexpected("a commit without a name"))?;
    let at = at.parse().ok().and_then(|second| Timestamp::from_second(second).ok());
    Ok(LoggedCommit { id, author, at: at.ok_or_else(|| command.unexpected("a commit without a time"))?, subject })
}

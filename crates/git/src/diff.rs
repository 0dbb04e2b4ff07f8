//! What a branch changed since its base: files, lines and commits.

use std::collections::HashMap;
use std::io::{self, BufRead, Read as _};
use std::path::PathBuf;

use jiff::Timestamp;

use crate::command::{Command, LONG};
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
    /// Lines that came and lines that went; none for a binary file.
    pub lines: Option<(u64, u64)>,
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
        let options = ["diff-tree", "-r", "-z", "-M", "--no-ext-diff", "--no-textconv", "--raw", "--numstat"];
        let command = self.look(options.into_iter().chain([base.as_str(), tip.as_str()]));
        let printed = command.clone().run().await?;
        changes(&printed).ok_or_else(|| command.unexpected("a change without its path or its numbers"))
    }

    /// Writes out what differs between two commits or trees, as a patch of at most `max` bytes; says whether it was cut.
    ///
    /// # Errors
    /// When one of them does not exist.
    pub async fn patch(&self, base: &Oid, tip: &Oid, max: u64) -> Result<(Vec<u8>, bool), Error> {
        let options = ["diff-tree", "-r", "-p", "-M", "--no-color", "--no-ext-diff", "--no-textconv"];
        let command = self.look(options.into_iter().chain([base.as_str(), tip.as_str()])).limit(LONG);
        let text = command.text();
        command
            .stream(move |printed| first_bytes(printed, max).map_err(|source| Error::Start { program: text, source }))
            .await
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

/// Reads at most so many bytes, and says whether there were more. Those are read all the same: git would take a closed
/// pipe for a failure.
fn first_bytes(printed: &mut dyn BufRead, max: u64) -> io::Result<(Vec<u8>, bool)> {
    let mut first = Vec::new();
    (&mut *printed).take(max).read_to_end(&mut first)?;
    let rest = io::copy(printed, &mut io::sink())?;
    Ok((first, rest > 0))
}

fn fields(printed: &[u8]) -> impl Iterator<Item = &[u8]> {
    printed.split(|byte| *byte == 0).filter(|field| !field.is_empty())
}

/// Reads which files differ, and then, for each of them again, by how many lines.
fn changes(printed: &[u8]) -> Option<Vec<Change>> {
    let (mut changes, mut lines) = (Vec::new(), HashMap::new());
    let mut fields = fields(printed);
    while let Some(field) = fields.next() {
        if field.first() == Some(&b':') {
            let letter = field.rsplit(|byte| *byte == b' ').next()?.first()?;
            changes.push(change(*letter, &mut fields)?);
        } else {
            let (path, counted) = line_count(field, &mut fields)?;
            lines.insert(path, counted);
        }
    }
    for change in &mut changes {
        change.lines = lines.get(&change.path).copied().flatten();
    }
    Some(changes)
}

fn change<'a>(letter: u8, fields: &mut impl Iterator<Item = &'a [u8]>) -> Option<Change> {
    let first = path_from(fields.next()?);
    let (path, kind) = match letter {
        b'A' => (first, ChangeKind::Added),
        b'D' => (first, ChangeKind::Deleted),
        b'M' => (first, ChangeKind::Modified),
        b'T' => (first, ChangeKind::Retyped),
        b'R' => (path_from(fields.next()?), ChangeKind::Renamed { from: first }),
        b'C' => (path_from(fields.next()?), ChangeKind::Copied { from: first }),
        other => (first, ChangeKind::Other(char::from(other))),
    };
    Some(Change { path, kind, lines: None })
}

/// Reads `came, went, path`; where the path would stand, a file that was elsewhere has nothing, and two fields follow:
/// where it was, and where it is.
fn line_count<'a>(
    field: &'a [u8],
    fields: &mut impl Iterator<Item = &'a [u8]>,
) -> Option<(PathBuf, Option<(u64, u64)>)> {
    let mut parts = field.splitn(3, |byte| *byte == b'\t');
    let mut number = || Some(std::str::from_utf8(parts.next()?).ok()?.parse().ok());
    let (came, went): (Option<u64>, Option<u64>) = (number()?, number()?);
    let path = match parts.next()? {
        [] => fields.nth(1)?,
        path => path,
    };
    Some((path_from(path), came.zip(went)))
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

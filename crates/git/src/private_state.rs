//! What a git directory says beside HEAD, index and objects: a merge or rebase under way, what was before, references.
//!
//! It goes from a registration into the git directory of a session, and back before a snapshot, so that a snapshot of
//! the registration has it all. By name, because a file of another name there would be believed.

use std::path::Path;

use rustix::fs::FileType;

use crate::beneath::{Below, Beneath};
use crate::branch::BranchName;
use crate::error::Error;
use crate::oid::Oid;
use crate::private::{TEXT_MAX, packed};

/// The references that only a session has, in its registration while it has no git directory of its own.
pub(crate) const REFS: &str = "fleet.refs";

/// How many files of a session's git directory are looked at.
pub(crate) const FILES_MAX: usize = 100_000;

/// The longest file of it that is taken.
const FILE_MAX: u64 = 1 << 26;

/// Folders that belong to it.
const FOLDERS: [&str; 4] = ["rebase-merge", "rebase-apply", "sequencer", "logs"];

/// Copies what is under way, over what the other one says of it.
pub(crate) fn copy_state(from: &Beneath, to: &Beneath) -> Result<(), Error> {
    let (old, new) = (state(to)?, state(from)?);
    for gone in old.iter().filter(|old| !new.iter().any(|new| new.path == old.path)) {
        to.remove(&gone.path)?;
    }
    for below in &new {
        if let Some(bytes) = from.read(&below.path, FILE_MAX)? {
            to.write(&below.path, &bytes)?;
        }
    }
    Ok(())
}

/// Lists the files that say what is under way.
pub(crate) fn state(own: &Beneath) -> Result<Vec<Below>, Error> {
    let top = own.list(Path::new(""), FILES_MAX)?;
    let mut found: Vec<Below> = top.into_iter().filter(|below| is_pseudo(&below.path)).collect();
    for folder in FOLDERS {
        found.extend(own.walk(Path::new(folder), FILES_MAX)?);
    }
    found.retain(|below| below.kind == FileType::RegularFile && !below.path.to_string_lossy().ends_with(".lock"));
    Ok(found)
}

/// Whether a file is one of git's in capitals, such as `MERGE_HEAD`, but for HEAD itself.
fn is_pseudo(path: &Path) -> bool {
    let name = path.to_string_lossy();
    name != "HEAD" && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

/// Lists the references of a session, with those that are packed; names that could be taken for others are left out.
pub(crate) fn refs(own: &Beneath) -> Result<Vec<(String, Oid)>, Error> {
    let mut found = packed(own)?;
    for below in own.walk(Path::new("refs"), FILES_MAX)? {
        let (Some(name), FileType::RegularFile) = (below.path.to_str(), below.kind) else { continue };
        if let Some(oid) = own.read(&below.path, TEXT_MAX)?.and_then(|said| Oid::from_bytes(&said)) {
            found.retain(|(other, _)| other != name);
            found.push((name.to_owned(), oid));
        }
    }
    found.retain(|(name, _)| is_kept(name));
    Ok(found)
}

/// Whether a reference of a session is kept for it: not what makes git take one object for another.
fn is_kept(name: &str) -> bool {
    let below = name.strip_prefix("refs/");
    below.is_some_and(|rest| !rest.starts_with("replace/") && rest.parse::<BranchName>().is_ok())
}

pub(crate) fn read_refs(bytes: &[u8]) -> Vec<(String, Oid)> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    let read = lines.filter_map(|(oid, name)| Some((name.to_owned(), oid.parse().ok()?)));
    read.filter(|(name, _)| is_kept(name)).collect()
}

pub(crate) fn written_refs(refs: &[(String, Oid)]) -> Vec<u8> {
    refs.iter().flat_map(|(name, oid)| format!("{oid} {name}\n").into_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_references_that_lead_nowhere_else_are_kept() {
        let oid = "1".repeat(40);
        let text = ["refs/heads/a", "refs/stash", "refs/replace/x", "refs/heads/../../x", "HEAD", "refs/heads/-x y"];
        let text: String = text.iter().map(|name| format!("{oid} {name}\n")).collect();
        let names: Vec<String> = read_refs(text.as_bytes()).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["refs/heads/a", "refs/stash"]);
    }

    #[test]
    fn what_is_under_way_is_known_by_its_name() {
        let known = ["MERGE_HEAD", "ORIG_HEAD", "HEAD", "config", "commondir", "fleet.git", "index"];
        assert_eq!(known.map(|name| is_pseudo(Path::new(name))), [true, true, false, false, false, false, false]);
    }
}

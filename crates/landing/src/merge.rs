//! A branch on a commit: merged in memory and written as a commit that nothing points at yet.

use std::path::PathBuf;

use git::{Apart, Identity, Merge, Oid};

use crate::error::Error;
use crate::project::{Project, State};
use crate::{Candidate, Lander};

/// How many merges are remembered; beyond that, all are forgotten.
const REMEMBERED: usize = 4_000;

/// The most of a title that stands in a commit's first line.
const TITLE: usize = 120;

/// What came of merging.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Merged {
    /// This commit has both; the branch's own tip if it had the other already.
    Commit(Oid),
    /// There is nothing to merge.
    Contained,
    /// These files have to be settled.
    Conflict(Vec<PathBuf>),
    /// The two have no commit in common.
    Unrelated,
}

impl Lander {
    /// Merges a candidate's `branch` on the commit `on`; the same again is the same commit.
    pub(crate) async fn merge(
        &self,
        (project, state): (&Project, &mut State),
        on: &Oid,
        candidate: &Candidate,
        branch: &Oid,
    ) -> Result<Merged, Error> {
        let key = (on.clone(), branch.clone());
        if let Some(known) = state.merged.get(&key) {
            return Ok(known.clone());
        }
        let merged = fresh(project, on, candidate, branch).await?;
        if state.merged.len() >= REMEMBERED {
            state.merged.clear();
        }
        state.merged.insert(key, merged.clone());
        Ok(merged)
    }
}

async fn fresh(project: &Project, on: &Oid, candidate: &Candidate, branch: &Oid) -> Result<Merged, Error> {
    let repository = &project.repository;
    match repository.apart_from(on, branch).await? {
        Apart::Contained => return Ok(Merged::Contained),
        Apart::Ahead => return Ok(Merged::Commit(branch.clone())),
        Apart::Both => {}
    }
    let tree = match repository.merge_tree(on, branch).await {
        Ok(Merge::Clean(tree)) => tree,
        Ok(Merge::Conflict(files)) => return Ok(Merged::Conflict(files)),
        Err(git::Error::Failed(failure)) if failure.stderr.contains("unrelated histories") => {
            return Ok(Merged::Unrelated);
        }
        Err(error) => return Err(error.into()),
    };
    let parents = [on.clone(), branch.clone()];
    let commit = repository.commit_tree(&tree, &parents, &message(candidate), &Identity::fleet()).await?;
    Ok(Merged::Commit(commit))
}

/// Says what landed, and under which name it is known.
fn message(candidate: &Candidate) -> String {
    let Candidate { id, branch, title } = candidate;
    let title: String = line(title).chars().take(TITLE).collect();
    let title = if title.is_empty() { format!("Merge branch '{branch}'") } else { title };
    format!("{title}\n\nMerges branch '{branch}'.\n\nFleet-Landing: {}\n", line(id))
}

/// One line of what may be many.
fn line(text: &str) -> String {
    let printable: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    printable.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_of_many_lines_makes_one_and_forges_no_trailer() {
        let candidate =
            |title: &str| Candidate { id: "l-1".to_owned(), branch: "b".to_owned(), title: title.to_owned() };
        let text = message(&candidate("Add it\n\nFleet-Landing: other"));
        assert_eq!(text.lines().next(), Some("Add it Fleet-Landing: other"));
        assert_eq!(text.lines().filter(|line| line.starts_with("Fleet-Landing:")).count(), 1);
        assert!(message(&candidate(" \n")).starts_with("Merge branch 'b'\n"));
    }
}

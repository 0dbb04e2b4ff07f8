//! A branch on a commit: merged in memory and written as a commit that nothing points at yet.

use std::path::PathBuf;

use git::{Apart, Identity, Merge, Oid, Repository};

use crate::error::Error;
use crate::target_queue::{State, TargetQueue};
use crate::{Candidate, Lander};

/// How many merges are remembered; beyond that, all are forgotten.
const REMEMBERED: usize = 4_000;

/// The most characters of a title in a commit's first line.
const TITLE: usize = 120;

/// What came of merging.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    /// This commit has both; the branch's own tip if that is the next commit after the other.
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
        (lane, state): (&TargetQueue, &mut State),
        on: &Oid,
        candidate: &Candidate,
        branch: &Oid,
    ) -> Result<Merged, Error> {
        let key = (on.clone(), branch.clone());
        if let Some(known) = state.merged.get(&key) {
            return Ok(known.clone());
        }
        let merged = fresh(lane, on, candidate, branch).await?;
        if state.merged.len() >= REMEMBERED {
            state.merged.clear();
        }
        state.merged.insert(key, merged.clone());
        Ok(merged)
    }
}

async fn fresh(lane: &TargetQueue, on: &Oid, candidate: &Candidate, branch: &Oid) -> Result<Merged, Error> {
    let repository = &lane.repository;
    match repository.apart_from(on, branch).await? {
        Apart::Contained => return Ok(Merged::Contained),
        Apart::Ahead { commits: 1 } if follows(repository, on, branch).await? => {
            return Ok(Merged::Commit(branch.clone()));
        }
        // Only the last of its commits is checked, so the others must not stand in the target's own line.
        Apart::Ahead { .. } => {
            let tree = repository.tree_of(branch).await?;
            return commit(repository, &tree, on, candidate, branch).await;
        }
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
    commit(repository, &tree, on, candidate, branch).await
}

/// Returns whether a branch continues from a commit in its own line; one that merged it may have come from elsewhere.
async fn follows(repository: &Repository, on: &Oid, branch: &Oid) -> Result<bool, Error> {
    Ok(repository.resolve(&format!("{branch}^1")).await? == *on)
}

async fn commit(
    repository: &Repository,
    tree: &Oid,
    on: &Oid,
    candidate: &Candidate,
    branch: &Oid,
) -> Result<Merged, Error> {
    let parents = [on.clone(), branch.clone()];
    let commit = repository.commit_tree(tree, &parents, &message(candidate), &Identity::fleet()).await?;
    Ok(Merged::Commit(commit))
}

impl Lander {
    /// Makes one commit of branches that were merged on each other, so that the target has no merge in its own line
    /// that was not checked; the same again is the same commit.
    pub(crate) async fn bundle(
        &self,
        (lane, state): (&TargetQueue, &mut State),
        on: &Oid,
        last: &Oid,
        candidates: &[&Candidate],
    ) -> Result<Oid, Error> {
        let key = (on.clone(), last.clone());
        if let Some(known) = state.bundles.get(&key) {
            return Ok(known.clone());
        }
        let tree = lane.repository.tree_of(last).await?;
        let parents = [on.clone(), last.clone()];
        let commit = lane.repository.commit_tree(&tree, &parents, &together(candidates), &Identity::fleet()).await?;
        if state.bundles.len() >= REMEMBERED {
            state.bundles.clear();
        }
        state.bundles.insert(key, commit.clone());
        Ok(commit)
    }
}

/// Says which branches landed at once.
fn together(candidates: &[&Candidate]) -> String {
    let titles = candidates.iter().map(|one| line(&one.title)).collect::<Vec<_>>().join(", ");
    let titles: String = titles.chars().take(TITLE).collect();
    let branches: String = candidates.iter().map(|one| format!("Merges branch '{}'.\n", one.branch)).collect();
    let ids: String = candidates.iter().map(|one| format!("Fleet-Landing: {}\n", line(&one.id))).collect();
    format!("Land {} branches: {titles}\n\n{branches}\n{ids}", candidates.len())
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
        let text = together(&[&candidate("Add it\nFleet-Landing: other"), &candidate("Mend it")]);
        assert_eq!(text.lines().next(), Some("Land 2 branches: Add it Fleet-Landing: other, Mend it"));
        assert_eq!(text.lines().filter(|line| line.starts_with("Fleet-Landing: l-1")).count(), 2);
    }
}

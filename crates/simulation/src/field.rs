//! What replaces git: a branch for each session, a target branch, merges that conflict, checks that are red or
//! hang.
//!
//! A commit is the set of changes in it. Two changes of one file that do not know of each other conflict; a tree is red
//! if it has a flaw that no change mended, or two halves that are green apart and red together. The field alone knows what
//! is really on the target branch: it is written down nowhere else, and a crash of the server leaves it as it is.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use runtime::Rng;
use types::SessionId;

/// The number of a commit.
pub(crate) type Commit = u64;

/// Where the repository is, by its folder.
pub(crate) const FOLDER: &str = "/simulated/field";

/// The branch that work lands on.
pub(crate) const TARGET: &str = "main";

/// Files there are; few, so that changes meet.
const FILES: u64 = 12;

/// Kinds of halves that are red together.
const PAIRS: u64 = 3;

/// What is wrong with a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flaw {
    None,
    /// Red wherever it is.
    Red,
    /// Its check does not come to an end.
    Hangs,
    /// Red beside the other half of its pair.
    Half {
        pair: u64,
        left: bool,
    },
}

#[derive(Debug, Clone)]
struct Change {
    file: u64,
    flaw: Flaw,
    /// The change that it mends.
    mends: Option<u64>,
}

/// What a commit holds, by the numbers of changes.
type Tree = BTreeSet<u64>;

/// Repository, worktrees and target branch. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Field(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    changes: BTreeMap<u64, Change>,
    commits: BTreeMap<Commit, Tree>,
    branches: BTreeMap<SessionId, Branch>,
    target: Commit,
}

#[derive(Debug, Clone)]
struct Branch {
    tip: Commit,
    /// Changes that were made on it.
    own: BTreeSet<u64>,
}

/// What came of merging.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Merged {
    Commit(Commit),
    Contained,
    Conflict,
}

/// How the checks of a tree end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Checks {
    Green,
    Red,
    Hang,
}

impl Field {
    pub(crate) fn new() -> Self {
        let field = Self::default();
        field.inner().commits.insert(0, Tree::new());
        field
    }

    /// Makes the branch of a session where the target branch is, or finds it.
    pub(crate) fn branch_off(&self, session: &SessionId) {
        let mut inner = self.inner();
        let branch = Branch { tip: inner.target, own: BTreeSet::new() };
        inner.branches.entry(session.clone()).or_insert(branch);
    }

    /// An agent commits something on its session's branch, on some days something bad.
    pub(crate) fn commit(&self, session: &SessionId, rng: &Rng, is_wild: bool) {
        let flaw = match rng.below(if is_wild { 16 } else { 1_000_000 }) {
            0 | 1 => Flaw::Red,
            2 => Flaw::Hangs,
            3..7 => Flaw::Half { pair: rng.below(PAIRS), left: rng.below(2) == 0 },
            _ => Flaw::None,
        };
        self.inner().add(session, Change { file: rng.below(FILES), flaw, mends: None });
    }

    /// An agent that was told why its branch cannot land merges the target branch and mends what is red.
    pub(crate) fn mend(&self, session: &SessionId, rng: &Rng) {
        let mut inner = self.inner();
        let Some(branch) = inner.branches.get(session).cloned() else { return };
        let target = inner.tree(inner.target);
        let merged: Tree = inner.tree(branch.tip).union(&target).copied().collect();
        let tip = inner.write(merged.clone());
        if let Some(branch) = inner.branches.get_mut(session) {
            branch.tip = tip;
        }
        for red in inner.flaws(&merged) {
            inner.add(session, Change { file: rng.below(FILES), flaw: Flaw::None, mends: Some(red) });
        }
        inner.add(session, Change { file: rng.below(FILES), flaw: Flaw::None, mends: None });
    }

    /// A user commits on the target branch, past Fleet.
    pub(crate) fn push(&self, rng: &Rng) {
        let mut inner = self.inner();
        let change = inner.change(Change { file: rng.below(FILES), flaw: Flaw::None, mends: None });
        let mut tree = inner.tree(inner.target);
        tree.insert(change);
        inner.target = inner.write(tree);
    }

    /// Says how many commits Fleet sees on a session's branch.
    pub(crate) fn commits(&self, session: &SessionId) -> u64 {
        self.inner().branches.get(session).map_or(0, |branch| branch.own.len() as u64)
    }

    pub(crate) fn target(&self) -> Commit {
        self.inner().target
    }

    pub(crate) fn tip(&self, session: &SessionId) -> Option<Commit> {
        self.inner().branches.get(session).map(|branch| branch.tip)
    }

    /// Merges a commit on another; the same again is as good as the same.
    pub(crate) fn merge(&self, on: Commit, branch: Commit) -> Merged {
        let mut inner = self.inner();
        let (base, tree) = (inner.tree(on), inner.tree(branch));
        if tree.is_subset(&base) {
            return Merged::Contained;
        }
        if base.is_subset(&tree) {
            return Merged::Commit(branch);
        }
        let file = |change: &u64| inner.changes.get(change).map(|change| change.file);
        let theirs: BTreeSet<_> = base.difference(&tree).filter_map(file).collect();
        if tree.difference(&base).filter_map(file).any(|file| theirs.contains(&file)) {
            return Merged::Conflict;
        }
        let union = base.union(&tree).copied().collect();
        Merged::Commit(inner.write(union))
    }

    /// Runs the checks on a commit.
    pub(crate) fn check(&self, commit: Commit) -> Checks {
        let inner = self.inner();
        let flaws = inner.flaws(&inner.tree(commit));
        let hangs = flaws.iter().any(|flaw| inner.changes.get(flaw).is_some_and(|change| change.flaw == Flaw::Hangs));
        match flaws.is_empty() {
            true => Checks::Green,
            false if hangs => Checks::Hang,
            false => Checks::Red,
        }
    }

    /// Moves the target branch, if it is where it is thought to be; returns whether it did.
    pub(crate) fn swap(&self, from: Commit, to: Commit) -> bool {
        let mut inner = self.inner();
        let moves = inner.target == from;
        if moves {
            inner.target = to;
        }
        moves
    }

    /// Returns whether a commit is on the target branch.
    pub(crate) fn has(&self, commit: Commit) -> bool {
        let inner = self.inner();
        inner.tree(commit).is_subset(&inner.tree(inner.target))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn tree(&self, commit: Commit) -> Tree {
        self.commits.get(&commit).cloned().unwrap_or_default()
    }

    fn write(&mut self, tree: Tree) -> Commit {
        let commit = self.commits.len() as Commit;
        self.commits.insert(commit, tree);
        commit
    }

    fn change(&mut self, change: Change) -> u64 {
        let number = self.changes.len() as u64;
        self.changes.insert(number, change);
        number
    }

    fn add(&mut self, session: &SessionId, change: Change) {
        let Some(tip) = self.branches.get(session).map(|branch| branch.tip) else { return };
        let number = self.change(change);
        let mut tree = self.tree(tip);
        tree.insert(number);
        let tip = self.write(tree);
        if let Some(branch) = self.branches.get_mut(session) {
            branch.tip = tip;
            branch.own.insert(number);
        }
    }

    /// Returns the changes of a tree that make it red.
    fn flaws(&self, tree: &Tree) -> Vec<u64> {
        let of = |number: &u64| self.changes.get(number);
        let mended: BTreeSet<u64> = tree.iter().filter_map(|number| of(number)?.mends).collect();
        let open = || tree.iter().filter(|number| !mended.contains(number));
        let has_other_half = |pair: u64, left: bool| {
            open().any(|number| of(number).is_some_and(|change| change.flaw == Flaw::Half { pair, left: !left }))
        };
        let is_red = |number: &&u64| {
            of(number).is_some_and(|change| match change.flaw {
                Flaw::None => false,
                Flaw::Red | Flaw::Hangs => true,
                Flaw::Half { pair, left } => has_other_half(pair, left),
            })
        };
        open().filter(is_red).copied().collect()
    }
}

#[cfg(test)]
#[path = "field_tests.rs"]
mod tests;

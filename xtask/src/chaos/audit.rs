//! Compares all sources once it is quiet: spools, clients, the server, git.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde_json::Value;

use super::door::{Answer, Call, Door};
use super::findings::{Breach, Findings};
use super::judge::Case;
use super::site::{Site, git};
use super::slot::Played;
use super::spools::{Run, runs};

/// The auditor.
pub(super) struct Audit<'a> {
    pub(super) site: &'a Site,
    pub(super) door: &'a Door,
    pub(super) findings: &'a Findings,
    /// Agents that were seen at any time, by session.
    pub(super) agents: &'a BTreeMap<String, BTreeSet<(u32, u64)>>,
    /// How many worktrees may wait for sessions.
    pub(super) pool: usize,
}

impl Audit<'_> {
    pub(super) fn all(&self, played: &[Played]) -> Result<()> {
        let mut rows = BTreeMap::new();
        for session in played {
            let runs = runs(&self.site.tasks().join(&session.mission).join(&session.session));
            let seen = self.agents.get(&session.session).cloned().unwrap_or_default();
            let case = Case { session, runs: &runs, seen: &seen };
            self.add_all(session, case.lines().into_iter().chain(case.starts()).chain(case.messages()));
            match self.door.insist(Call::Look, "GET", &format!("/api/sessions/{}", session.session), None).done() {
                Ok(row) => {
                    let status = row["status"].as_str().unwrap_or_default();
                    self.add_all(session, case.status(&row));
                    self.mission(session, status);
                    self.work(session, &runs, &row);
                    rows.insert(session.session.clone(), row);
                }
                Err(why) => self.add(Breach::LostAnswer, session, &format!("was started and is not there: {why}")),
            }
        }
        self.unknown_sessions(played);
        self.trees(&rows)?;
        self.checkout()?;
        self.log()
    }

    fn mission(&self, session: &Played, status: &str) {
        let mission = self.door.insist(Call::Look, "GET", &format!("/api/missions/{}", session.mission), None);
        if let Answer::Done(mission) = mission
            && mission["status"] == "running"
        {
            self.add(Breach::StatusLie, session, &format!("is {status}, its mission {} is running", session.mission));
        }
    }

    /// What an agent committed is on its branch.
    fn work(&self, session: &Played, runs: &[Run], row: &Value) {
        let Some(file) = session.part.file.as_ref().filter(|_| runs.iter().any(|run| run.committed)) else { return };
        let branch = row["branch"].as_str().unwrap_or_default();
        if let Err(error) = git(&self.site.repository, &["cat-file", "-e", &format!("{branch}:{file}")]) {
            self.add(Breach::LostWork, session, &format!("{file} was committed and is not on {branch}: {error}"));
        }
    }

    /// No session but those that were asked for.
    fn unknown_sessions(&self, played: &[Played]) {
        let known: BTreeSet<_> = played.iter().map(|played| played.session.as_str()).collect();
        let missions = std::fs::read_dir(self.site.tasks()).into_iter().flatten().flatten();
        let missions = missions.filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'));
        let folders = missions.flat_map(|entry| std::fs::read_dir(entry.path()).into_iter().flatten().flatten());
        for folder in folders {
            let name = folder.file_name().to_string_lossy().into_owned();
            if name.starts_with("s-") && !known.contains(name.as_str()) {
                self.findings.add(Breach::DoubleStart, format!("{name} is a session that was not requested"));
            }
        }
    }

    /// Every worktree and every branch belongs to a session, and git has nothing to clear away.
    fn trees(&self, rows: &BTreeMap<String, Value>) -> Result<()> {
        let of =
            |field: &'static str| rows.values().filter_map(move |row| row[field].as_str()).collect::<BTreeSet<_>>();
        let (folders, branches) = (of("work_dir"), of("branch"));
        let stray = |what: String| self.findings.add(Breach::StrayTree, what);
        let repository = &self.site.repository;
        let listed = git(repository, &["worktree", "list", "--porcelain"])?;
        // One that was cancelled while its folder was being made has the folder, and does not know it.
        let named = |name: &str| name.rsplit('/').next().is_some_and(|last| rows.contains_key(last));
        let mut waiting = Vec::new();
        for path in listed.lines().filter_map(|line| line.strip_prefix("worktree ")) {
            if path.contains("/pool.") && !folders.contains(path) {
                waiting.push(path);
            } else if !folders.contains(path) && !named(path) && path != repository.to_string_lossy() {
                stray(format!("worktree {path} belongs to no session"));
            }
        }
        if waiting.len() > self.pool {
            stray(format!("{} worktrees wait for a session in place of {}: {waiting:?}", waiting.len(), self.pool));
        }
        for branch in git(repository, &["for-each-ref", "--format=%(refname:short)", "refs/heads"])?.lines() {
            if branch != "main" && !branches.contains(branch) && !named(branch) {
                stray(format!("branch {branch} belongs to no session"));
            }
        }
        for line in git(repository, &["worktree", "prune", "--dry-run", "--verbose"])?.lines() {
            stray(format!("git would clear away: {line}"));
        }
        Ok(())
    }

    fn checkout(&self) -> Result<()> {
        self.site.changes()?.into_iter().for_each(|change| self.findings.add(Breach::Checkout, change));
        Ok(())
    }

    fn log(&self) -> Result<()> {
        let log = std::fs::read(&self.site.log)?;
        for line in
            String::from_utf8_lossy(&log).lines().filter(|line| line.contains("panicked") || line.contains(" ERROR "))
        {
            self.findings.add(Breach::Panic, line.to_owned());
        }
        Ok(())
    }

    fn add_all(&self, session: &Played, found: impl IntoIterator<Item = (Breach, String)>) {
        found.into_iter().for_each(|(breach, what)| self.add(breach, session, &what));
    }

    fn add(&self, breach: Breach, session: &Played, what: &str) {
        let kind = session.part.kind;
        self.findings.add(breach, format!("{} ({kind:?}, {}) {what}", session.session, session.mission));
    }
}

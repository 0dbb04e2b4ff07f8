//! Holds what everybody says against each other once it is quiet: spools, clients, the server, git.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde_json::Value;

use super::door::{Answer, Call, Door};
use super::findings::{Breach, Findings};
use super::kinds::Fate;
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
}

impl Audit<'_> {
    pub(super) fn all(&self, played: &[Played]) -> Result<()> {
        let mut rows = BTreeMap::new();
        for session in played {
            let runs = runs(&self.site.tasks().join(&session.mission).join(&session.session));
            self.lines(session, &runs);
            self.starts(session, &runs);
            self.messages(session, &runs);
            match self.door.insist(Call::Look, "GET", &format!("/api/sessions/{}", session.session), None) {
                Answer::Done(row) => {
                    self.status(session, &runs, &row);
                    self.work(session, &runs, &row);
                    rows.insert(session.session.clone(), row);
                }
                answer => self.add(Breach::LostAnswer, session, &format!("was started and is not there: {answer:?}")),
            }
        }
        self.unknown_sessions(played);
        self.trees(&rows)?;
        self.checkout()?;
        self.log()
    }

    /// What was written, what a client saw, and nothing twice.
    fn lines(&self, session: &Played, runs: &[Run]) {
        for run in runs {
            for pair in run.numbers.windows(2) {
                let [before, after] = pair else { continue };
                let what = format!("the log of run {} goes from line {before} to {after}", run.number);
                match after.cmp(&(before + 1)) {
                    std::cmp::Ordering::Less => self.add(Breach::DoubledLine, session, &what),
                    std::cmp::Ordering::Equal => {}
                    std::cmp::Ordering::Greater => self.add(Breach::LostLine, session, &what),
                }
            }
        }
        if let (Some(lines), Some(run), false) = (session.part.lines, runs.first(), session.cancelled)
            && run.numbers.last() != Some(&lines)
        {
            let last = run.numbers.last();
            self.add(Breach::LostLine, session, &format!("the log ends with line {last:?} of {lines}"));
        }
        let written: Vec<_> = runs.iter().flat_map(|run| &run.texts).collect();
        let seen = &session.seen;
        if seen.steps_back() > 0 {
            let (times, connections) = (seen.steps_back(), seen.connections);
            self.add(
                Breach::DoubledLine,
                session,
                &format!("a client was sent {times} lines again ({connections} connections)"),
            );
        }
        let mut seen_texts = seen.texts.iter();
        for text in &written {
            match seen_texts.as_slice().first() {
                Some(first) if first == *text => drop(seen_texts.next()),
                first => {
                    let (here, of) = (written.len(), seen.texts.len());
                    let what = format!("a client saw {first:?} where {text:?} was written ({of} of {here} lines)");
                    self.add(Breach::LostLine, session, &what);
                    return;
                }
            }
        }
        if let Some(text) = seen_texts.next() {
            self.add(
                Breach::DoubledLine,
                session,
                &format!("a client saw {text:?}, which nobody wrote, or wrote once"),
            );
        }
    }

    fn starts(&self, session: &Played, runs: &[Run]) {
        for run in runs.iter().filter(|run| run.begun > 1) {
            self.add(Breach::DoubleStart, session, &format!("run {} was begun {} times", run.number, run.begun));
        }
        let recorded: BTreeSet<_> = runs.iter().filter_map(|run| run.agent).collect();
        let seen = self.agents.get(&session.session).into_iter().flatten();
        for (pid, _) in seen.filter(|agent| !recorded.contains(agent)) {
            self.add(
                Breach::DoubleStart,
                session,
                &format!("process {pid} was an agent of it that no shim wrote down"),
            );
        }
        if let (Fate::Completes { runs: expected }, false) = (session.part.kind.fate(), session.cancelled)
            && runs.len() > expected
        {
            self.add(Breach::DoubleStart, session, &format!("had {} processes in place of {expected}", runs.len()));
        }
    }

    fn messages(&self, session: &Played, runs: &[Run]) {
        let heard: Vec<_> =
            runs.iter().flat_map(|run| &run.texts).filter_map(|text| text.strip_prefix("heard: ")).collect();
        for (place, sent) in session.sent.iter().enumerate() {
            let times = heard.iter().filter(|text| **text == sent.text).count();
            // An agent that had heard enough, or was ended, hears no more.
            let over = session.cancelled || heard.len() as u64 >= session.part.messages;
            if times > 1 || (times == 0 && sent.answered && !over) {
                let answered = sent.answered;
                self.add(
                    Breach::Message,
                    session,
                    &format!("message {place} was heard {times} times (answered: {answered})"),
                );
            }
        }
        let order: Vec<_> =
            session.sent.iter().map(|sent| sent.text.as_str()).filter(|text| heard.contains(text)).collect();
        if order != heard {
            self.add(Breach::Message, session, &format!("messages were heard as {heard:?}"));
        }
    }

    fn status(&self, session: &Played, runs: &[Run], row: &Value) {
        let status = row["status"].as_str().unwrap_or_default();
        let kind = session.part.kind;
        let result = runs.last().and_then(|run| run.result.as_deref());
        let error = row["last_error"].as_str().unwrap_or_default();
        if session.seen.done.as_deref().is_some_and(|done| done != status) {
            self.add(
                Breach::StatusLie,
                session,
                &format!("its stream ended with {:?}, it is {status}", session.seen.done),
            );
        }
        if status == "completed" && result != Some("completed") {
            self.add(Breach::StatusLie, session, &format!("is completed, its agent's last word is {result:?}"));
        }
        if status == "cancelled" && !session.cancelled {
            self.add(Breach::StatusLie, session, "is cancelled, and nobody asked for that");
        }
        let expected = match (kind.fate(), session.cancelled) {
            // One that ends while it is being cancelled may have done its work.
            (_, true) => status == "cancelled" || status == "completed",
            (Fate::Completes { .. }, false) => status == "completed",
            (Fate::Endless, false) => false,
        };
        if !expected {
            let cancelled = session.cancelled;
            let what = format!("is {status} after {} processes (cancelled: {cancelled}; {error})", runs.len());
            self.add(Breach::Interrupted, session, &what);
        }
        for run in runs.iter().filter(|run| run.agent.is_some() && !run.ended) {
            self.add(Breach::StatusLie, session, &format!("nobody wrote down how run {} ended", run.number));
        }
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
                self.findings.add(Breach::DoubleStart, format!("{name} is a session that nobody asked for"));
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
        for path in listed.lines().filter_map(|line| line.strip_prefix("worktree ")) {
            if !folders.contains(path) && !named(path) && path != repository.to_string_lossy() {
                stray(format!("worktree {path} belongs to no session"));
            }
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

    fn add(&self, breach: Breach, session: &Played, what: &str) {
        let kind = session.part.kind;
        self.findings.add(breach, format!("{} ({kind:?}, {}) {what}", session.session, session.mission));
    }
}

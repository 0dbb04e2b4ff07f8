//! Finds what is wrong with one session, from all sources: pure comparisons, so that each can be tested.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde_json::Value;

use super::findings::Breach;
use super::kinds::Fate;
use super::slot::Played;
use super::spools::Run;

/// A breach, and what it is.
type Found = (Breach, String);

/// A session with what its spools say, and the agents that were ever seen of it.
pub(super) struct Case<'a> {
    pub(super) session: &'a Played,
    pub(super) runs: &'a [Run],
    pub(super) seen: &'a BTreeSet<(u32, u64)>,
}

impl Case<'_> {
    /// Everything that was written is in the spool and came to the client, once and in order.
    pub(super) fn lines(&self) -> Vec<Found> {
        let mut found: Vec<_> = self.runs.iter().flat_map(gaps).collect();
        let first = self.runs.first().filter(|_| !self.session.cancelled);
        if let (Some(lines), Some(run)) = (self.session.part.lines, first)
            && run.numbers.last() != Some(&lines)
        {
            found.push((Breach::LostLine, format!("the log ends with line {:?} of {lines}", run.numbers.last())));
        }
        found.extend(self.client());
        found
    }

    fn client(&self) -> Option<Found> {
        let seen = &self.session.seen;
        let again = seen.steps_back();
        if again > 0 {
            let what = format!("a client was sent {again} lines again ({} connections)", seen.connections);
            return Some((Breach::DoubledLine, what));
        }
        let written: Vec<_> = self.runs.iter().flat_map(|run| &run.texts).collect();
        let (of, here) = (seen.texts.len(), written.len());
        for (place, text) in written.iter().enumerate() {
            let shown = seen.texts.get(place);
            if shown != Some(*text) {
                let what = format!("a client saw {shown:?} where {text:?} was written ({of} of {here} lines)");
                return Some((Breach::LostLine, what));
            }
        }
        let more = seen.texts.get(here)?;
        Some((Breach::DoubledLine, format!("a client saw {more:?}, which was not written, or was written once")))
    }

    /// One process for each run, and no run more than the script asks for.
    pub(super) fn starts(&self) -> Vec<Found> {
        let mut found = Vec::new();
        for run in self.runs.iter().filter(|run| run.begun > 1) {
            found.push((Breach::DoubleStart, format!("run {} was begun {} times", run.number, run.begun)));
        }
        let recorded: BTreeSet<_> = self.runs.iter().filter_map(|run| run.agent).collect();
        for (pid, _) in self.seen.difference(&recorded) {
            found.push((Breach::DoubleStart, format!("process {pid} was an agent of it that no shim wrote down")));
        }
        if let Fate::Completes { runs } = self.session.part.kind.fate()
            && self.runs.len() > runs
        {
            found.push((Breach::DoubleStart, format!("had {} processes in place of {runs}", self.runs.len())));
        }
        found
    }

    /// What the server took was heard once; what it may not have got, at most once; all in order.
    pub(super) fn messages(&self) -> Vec<Found> {
        let texts = self.runs.iter().flat_map(|run| &run.texts);
        let heard: Vec<_> = texts.filter_map(|text| text.strip_prefix("heard: ")).collect();
        // An agent that had heard enough, or was ended, hears no more.
        let over = self.session.cancelled || heard.len() as u64 >= self.session.part.messages;
        let mut found = Vec::new();
        for sent in &self.session.sent {
            let times = heard.iter().filter(|text| **text == sent.text).count();
            if times > 1 || (times == 0 && sent.answered && !over) {
                let what = format!("{:?} was heard {times} times (answered: {})", sent.text, sent.answered);
                found.push((Breach::Message, what));
            }
        }
        let sent = self.session.sent.iter().map(|sent| sent.text.as_str());
        let in_order: Vec<_> = sent.filter(|text| heard.contains(text)).collect();
        if in_order != heard && found.is_empty() {
            found.push((Breach::Message, format!("messages were heard as {heard:?}")));
        }
        found
    }

    /// The server says what the agent's own last word and the script say.
    pub(super) fn status(&self, row: &Value) -> Vec<Found> {
        let status = row["status"].as_str().unwrap_or_default();
        let Played { part, cancelled, seen, .. } = self.session;
        let result = self.runs.last().and_then(|run| run.result.as_deref());
        let mut found = Vec::new();
        let mut lie = |what: String| found.push((Breach::StatusLie, what));
        if seen.done.as_deref().is_some_and(|done| done != status) {
            lie(format!("its stream ended with {:?}, it is {status}", seen.done));
        }
        if status == "completed" && result != Some("completed") {
            lie(format!("is completed, its agent's last word is {result:?}"));
        }
        if status == "cancelled" && !cancelled {
            lie("is cancelled, and no client requested that".to_owned());
        }
        for run in self.runs.iter().filter(|run| run.agent.is_some() && !run.ended) {
            lie(format!("the end of run {} was not recorded", run.number));
        }
        let expected = match (part.kind.fate(), cancelled) {
            // One that ends while it is being cancelled may have done its work.
            (_, true) => status == "cancelled" || status == "completed",
            (Fate::Completes { .. }, false) => status == "completed",
            (Fate::Endless, false) => false,
        };
        if !expected {
            let error = row["last_error"].as_str().unwrap_or_default();
            let what = format!("is {status} after {} processes (cancelled: {cancelled}; {error})", self.runs.len());
            found.push((Breach::Interrupted, what));
        }
        found
    }
}

/// Numbers that do not follow each other in the log of a process.
fn gaps(run: &Run) -> Vec<Found> {
    let before = std::iter::once(0).chain(run.numbers.iter().copied());
    let pairs = before.zip(run.numbers.iter().copied());
    let found = pairs.filter_map(|(before, after)| {
        let what = format!("the log of run {} goes from line {before} to {after}", run.number);
        match after.cmp(&(before + 1)) {
            Ordering::Less => Some((Breach::DoubledLine, what)),
            Ordering::Equal => None,
            Ordering::Greater => Some((Breach::LostLine, what)),
        }
    });
    found.collect()
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;

//! One place in a run: starts an agent, talks to it, cancels it, sees it end, and starts the next.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::chance::Chance;
use super::door::{Answer, Call, Door};
use super::findings::{Breach, Findings};
use super::follow::{Seen, follow};
use super::kinds::{Kind, Part};

/// How long a session may take; none is asked for more than a few seconds of work.
const SESSION_MAX: Duration = Duration::from_secs(90);

/// Between two agents whose account is used up: all others wait for it too.
const QUOTA_EVERY: u64 = 25;

/// What all slots share.
pub(super) struct Stage<'a> {
    pub(super) door: &'a Door,
    pub(super) project: &'a str,
    pub(super) findings: &'a Findings,
    /// No new agents are started.
    pub(super) closing: &'a AtomicBool,
    /// Agents so far.
    pub(super) count: &'a AtomicU64,
    /// Whether agents can be written to.
    pub(super) messages: bool,
}

/// A session that was, and what its client knows of it.
pub(super) struct Played {
    pub(super) part: Part,
    pub(super) mission: String,
    pub(super) session: String,
    pub(super) seen: Seen,
    /// Whether its end was requested.
    pub(super) cancelled: bool,
    pub(super) sent: Vec<Sent>,
}

/// A message to an agent.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    pub(super) text: String,
    /// Whether the server said that it has it.
    pub(super) answered: bool,
}

impl Stage<'_> {
    /// Plays one agent after the other.
    pub(super) fn play_all(&self, mut chance: Chance) -> Vec<Played> {
        let mut played = Vec::new();
        while !self.closing.load(Ordering::Relaxed) {
            let number = self.count.fetch_add(1, Ordering::Relaxed) + 1;
            let kind = if number.is_multiple_of(QUOTA_EVERY) {
                Kind::QuotaDead
            } else {
                Kind::choose(&mut chance, self.messages)
            };
            let part = Part::write(kind, &number.to_string(), &mut chance);
            played.extend(self.play(part, &mut chance));
        }
        played
    }

    fn play(&self, part: Part, chance: &mut Chance) -> Option<Played> {
        let mission = self.create(&part)?;
        let session = self.dispatch(&mission, &part)?;
        let (seen_in, seen_out) = channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _ = seen_in.send(follow(self.door, &session, SESSION_MAX));
            });
            let mut early = None;
            let begun = Instant::now();
            let sent = self.talk(&part, &session, &seen_out, &mut early, chance);
            let mut cancelled = false;
            if let Some(after) = part.cancel_after {
                wait(&seen_out, &mut early, after.saturating_sub(begun.elapsed()));
                if early.is_none() {
                    cancelled = true;
                    self.cancel(&session);
                }
            }
            wait(&seen_out, &mut early, SESSION_MAX);
            let seen = early.unwrap_or_default();
            if seen.done.is_none() {
                let kind = part.kind;
                self.findings
                    .add(Breach::StatusLie, format!("{session} ({kind:?}) did not end within {SESSION_MAX:?}"));
            }
            Some(Played { part, mission, session: session.clone(), seen, cancelled, sent })
        })
    }

    /// Creates a mission; a second one, after a lost answer, is a draft that is never started.
    fn create(&self, part: &Part) -> Option<String> {
        let kind = part.kind;
        let title = format!("{kind:?}");
        let body = json!({
            "project_id": self.project, "title": title, "detailed_prompt": part.prompt, "mission_type": "explore",
            "allowed_tools": "implement",
        });
        match self.door.insist(Call::Create, "POST", "/api/missions", Some(&body)).done() {
            Ok(mission) => mission["id"].as_str().map(str::to_owned),
            Err(why) => self.astonished("a mission", &why),
        }
    }

    /// Starts an agent, as a careful client does: after a lost answer it looks before it asks again.
    fn dispatch(&self, mission: &str, part: &Part) -> Option<String> {
        let body = json!({ "agent": "sim", "in_place": part.in_place });
        let path = format!("/api/missions/{mission}/dispatch");
        for _ in 0..50 {
            match self.door.call(Call::Dispatch, "POST", &path, Some(&body)) {
                Answer::Done(answer) => return answer["session_id"].as_str().map(str::to_owned),
                Answer::Lost => {}
                Answer::Refused { why, .. } => return self.astonished("a dispatch", &why),
            }
            if let Some(session) = self.sessions_of(mission)?.first() {
                return session["id"].as_str().map(str::to_owned);
            }
        }
        self.astonished("a dispatch", "nothing, again and again")
    }

    fn sessions_of(&self, mission: &str) -> Option<Vec<Value>> {
        match self.door.insist(Call::Look, "GET", &format!("/api/sessions?mission_id={mission}"), None).done() {
            Ok(sessions) => sessions.as_array().cloned(),
            Err(why) => self.astonished("the sessions of a mission", &why),
        }
    }

    /// Writes to an agent that listens, until it has heard enough.
    fn talk(
        &self,
        part: &Part,
        session: &str,
        seen: &Receiver<Seen>,
        early: &mut Option<Seen>,
        chance: &mut Chance,
    ) -> Vec<Sent> {
        let mut sent: Vec<Sent> = Vec::new();
        // Session and agent share what is behind the prefix of the id.
        let path = format!("/orchestrate/send/worker-{}", session.trim_start_matches("s-"));
        let answered = |sent: &[Sent]| sent.iter().filter(|sent| sent.answered).count() as u64;
        while answered(&sent) < part.messages && early.is_none() {
            wait(seen, early, Duration::from_millis(chance.between(0, 400)));
            let text = format!("message {} to {session}", sent.len() + 1);
            let answer = self.door.call(Call::Message, "POST", &path, Some(&json!({ "message": text })));
            sent.push(Sent { text, answered: matches!(answer, Answer::Done(_)) });
            if let Answer::Refused { why, .. } = answer {
                // What was lost may have been heard, and then the agent has ended.
                wait(seen, early, Duration::from_secs(5));
                if early.is_none() {
                    let _: Option<()> = self.astonished("a message", &why);
                    break;
                }
            }
        }
        sent
    }

    fn cancel(&self, session: &str) {
        match self.door.insist(Call::Cancel, "POST", &format!("/api/sessions/{session}/cancel"), Some(&json!({}))) {
            // It may have ended by itself, or by the same call before its answer was lost.
            Answer::Done(_) | Answer::Refused { status: 400 | 404 | 409, .. } => {}
            Answer::Refused { why, .. } => drop(self.astonished::<()>("a cancel", &why)),
            Answer::Lost => drop(self.astonished::<()>("a cancel", "nothing, again and again")),
        }
    }

    fn astonished<T>(&self, what: &str, answer: &str) -> Option<T> {
        self.findings.add(Breach::LostAnswer, format!("{what} was answered with {answer}"));
        None
    }
}

/// Waits for the end of a session, for a time.
fn wait(seen: &Receiver<Seen>, early: &mut Option<Seen>, most: Duration) {
    if early.is_some() {
        return;
    }
    match seen.recv_timeout(most) {
        Ok(seen) => *early = Some(seen),
        Err(RecvTimeoutError::Timeout) => {}
        Err(RecvTimeoutError::Disconnected) => *early = Some(Seen::default()),
    }
}

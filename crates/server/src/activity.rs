//! What happens in the fleet, one plain line each, in the server's log: sessions, approvals, missions that wait for
//! a person. An operator reads there who did what, without the API.
//!
//! It follows the change feed, so each line is about something that is stored. Landings write their own lines.

use runtime::Stop;
use types::{
    Approval, ApprovalId, ApprovalState, Change, Event, Mission, MissionId, MissionState, Question, QuestionState,
    Session, SessionEnding, SessionId, SessionState, SessionStateName, StateName, Timestamp,
};

use crate::App;

/// The most characters of what an agent or a person wrote that a line repeats.
const QUOTED_MAX: usize = 120;

/// Writes down what happens until the server stops.
pub(crate) async fn follow(app: App, stop: Stop) {
    let store = app.service.store();
    let mut tail = store.tail(store.position());
    loop {
        let entry = tokio::select! {
            () = stop.asked() => return,
            entry = tail.next() => entry,
        };
        match entry {
            Ok(entry) => {
                for event in &entry.change.events {
                    count(&app, event);
                    write(&app, &entry.change, event).await;
                }
            }
            Err(error) => {
                tracing::error!(%error, "the change feed cannot be read: what happens is no longer in this log");
                return;
            }
        }
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "a new event is counted nowhere until it is listed here")]
fn count(app: &App, event: &Event) {
    match event {
        Event::SessionCreated { .. } => app.metrics.spawned.inc(),
        Event::SessionMoved { from, to, .. } if !is_over(*from) && is_over(*to) => app.metrics.dismissed.inc(),
        _ => return,
    };
}

/// Looks up what an event is about, and writes its line. What is gone in the meantime has none.
#[expect(clippy::wildcard_enum_match_arm, reason = "a new event has no line until it is listed here")]
async fn write(app: &App, change: &Change, event: &Event) {
    let store = app.service.store();
    let line = match event {
        Event::SessionMoved { session, to, from, .. } if is_worth_a_line(*from, *to) => {
            store.get::<Session>(session).await.ok().flatten().and_then(|session| of_session(&session))
        }
        Event::ApprovalMoved { approval, .. } => {
            store.get::<Approval>(approval).await.ok().flatten().map(|approval| of_approval(&approval))
        }
        Event::QuestionMoved { question, .. } => {
            store.get::<Question>(question).await.ok().flatten().map(|question| of_question(&question))
        }
        Event::MissionMoved { mission, to: StateName::Parked, .. } => {
            store.get::<Mission>(mission).await.ok().flatten().and_then(|mission| of_parked(&mission))
        }
        Event::BudgetUsedUp { why, .. } => Some(format!("budget used up: {why}")),
        Event::DispatchFailed { mission, why } => Some(format!("mission {mission} was not started: {why}")),
        _ => None,
    };
    if let Some(line) = line {
        let line = app.service.sessions().redactor().text(&line).into_owned();
        tracing::info!(team = %change.team, by = %change.by, "{line}");
    }
}

fn is_worth_a_line(from: SessionStateName, to: SessionStateName) -> bool {
    is_over(to)
        || to == SessionStateName::Waiting
        || (from == SessionStateName::Starting && to == SessionStateName::Running)
}

fn is_over(state: SessionStateName) -> bool {
    matches!(state, SessionStateName::Completed | SessionStateName::Failed | SessionStateName::Cancelled)
}

/// Describes the state of a session; nothing of one that continues as it did.
fn of_session(session: &Session) -> Option<String> {
    let id = &session.id;
    let (agent, on) = (&session.order.agent, on(session.mission.as_ref().map(|held| &held.mission)));
    match &session.state {
        SessionState::Running { .. } => Some(format!("session {id} started: {agent}{on}")),
        SessionState::Waiting { wait, until } => {
            let text = session.trouble.as_ref().map(|trouble| format!(": {}", quoted(&trouble.text)));
            let text = text.unwrap_or_default();
            let until = until.map(|until| format!(", until {}", moment(until))).unwrap_or_default();
            Some(format!("session {id} waits ({wait}{until}): {agent}{on}{text}"))
        }
        SessionState::Ended { ending, .. } => Some(match ending {
            SessionEnding::Completed { .. } => format!("session {id} completed: {agent}{on}"),
            SessionEnding::Failed { class, text } => {
                format!("session {id} failed ({}): {agent}{on}: {}", class.as_str(), quoted(text))
            }
            SessionEnding::Cancelled { by } => format!("session {id} cancelled by {by}: {agent}{on}"),
        }),
        SessionState::Starting { .. } | SessionState::Stopping { .. } => None,
    }
}

fn of_approval(approval: &Approval) -> String {
    let (id, session): (&ApprovalId, &SessionId) = (&approval.id, &approval.session);
    let what = quoted(&approval.wanted.summary);
    match &approval.state {
        ApprovalState::Waiting => {
            format!("approval {id} waits for a person: session {session} asks: {what} (fleet approval allow {id})")
        }
        ApprovalState::Allowed { by, .. } => format!("approval {id} allowed by {by}: {what}"),
        ApprovalState::Denied { by, .. } => format!("approval {id} denied by {by}: {what}"),
        ApprovalState::Lapsed { why, .. } => format!("approval {id} lapsed: {}", quoted(why)),
    }
}

fn of_question(question: &Question) -> String {
    let (id, session, text) = (&question.id, &question.session, quoted(&question.text));
    match &question.state {
        QuestionState::Waiting => {
            format!("question {id} waits for a person: session {session} asks: {text} (fleet answer {id} ANSWER)")
        }
        QuestionState::Answered { by, .. } => format!("question {id} answered by {by}: {text}"),
        QuestionState::Withdrawn { why, .. } => format!("question {id} withdrawn: {}", quoted(why)),
    }
}

fn of_parked(mission: &Mission) -> Option<String> {
    let MissionState::Parked { until, why } = &mission.state else { return None };
    let until = match until {
        Some(until) => format!("until {}", moment(*until)),
        None => "until a person sees to it".to_owned(),
    };
    let (id, title, why) = (&mission.id, quoted(&mission.title), quoted(&why.to_string()));
    Some(format!("mission {id} parked {until}: {title}: {why} (fleet why {id})"))
}

fn moment(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%SZ").to_string()
}

fn on(mission: Option<&MissionId>) -> String {
    mission.map(|mission| format!(" on mission {mission}")).unwrap_or_default()
}

/// The text in one line, of a bounded length: what an agent wrote cannot fake a line of the log.
fn quoted(text: &str) -> String {
    let line: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let mut line: String = line.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() > QUOTED_MAX {
        line = line.chars().take(QUOTED_MAX).chain(['…']).collect();
    }
    format!("\"{line}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_agent_wrote_is_one_bounded_line() {
        let shown = quoted("first\n2026-01-01 INFO mission m-x7k2m landed\u{1b}[2J");
        assert_eq!(shown, "\"first 2026-01-01 INFO mission m-x7k2m landed [2J\"");
        assert!(quoted(&"long ".repeat(1_000)).chars().count() < QUOTED_MAX + 4);
    }

    #[test]
    fn a_session_has_a_line_when_it_starts_waits_and_ends() {
        use SessionStateName::{Completed, Running, Starting, Stopping, Waiting};
        for (from, to) in [(Starting, Running), (Running, Waiting), (Running, Completed), (Stopping, Completed)] {
            assert!(is_worth_a_line(from, to), "{from:?} {to:?}");
        }
        for (from, to) in [(Running, Stopping), (Waiting, Starting), (Waiting, Running)] {
            assert!(!is_worth_a_line(from, to), "{from:?} {to:?}");
        }
    }
}

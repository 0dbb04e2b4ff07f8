//! Finding sessions by what was asked of them and what they said.
//!
//! There is no index: what is read is bounded, and the answer says how far it got.

use api::claude_fleet::{FoundSession, FoundSessions, SearchSessions, millis};
use store::{Query, by};
use types::{Role, Session, SessionEnding, SessionState};

use super::LIST_MAX;
use crate::{Caller, Handle, Result, Service};

/// Sessions that are returned where no limit was asked.
const RESULTS: u32 = 20;

/// Most sessions of which the output is read, the newest of those that were not found otherwise.
const OUTPUTS_MAX: usize = 100;

/// Lines of output that are looked at.
const LINES_MAX: usize = 2_000;

/// Characters that are shown on either side of what was found.
const AROUND: usize = 80;

impl Handle<SearchSessions> for Service {
    async fn handle(&self, caller: &Caller, op: SearchSessions) -> Result<FoundSessions> {
        let (member, query) = (caller.member()?, &op.query);
        let group = if member.role == Role::Owner { by::session::all() } else { by::session::team(&member.team) };
        let who = self.viewer(member);
        let page = self.filtered(Query::latest(group, LIST_MAX), |session: &Session| who.sees(session)).await?;
        let limit = op.limit.unwrap_or(RESULTS) as usize;
        let (mut results, mut searched, mut outputs_searched) = (Vec::new(), 0, 0);
        for session in &page.records {
            if results.len() >= limit {
                break;
            }
            searched += 1;
            let mut found = in_record(session, query);
            if found.is_none() && outputs_searched < OUTPUTS_MAX {
                outputs_searched += 1;
                let output = self.sessions.output(session, LINES_MAX).await?.join("\n");
                found = snippet(&output, query).map(|snippet| ("output", snippet));
            }
            results.extend(found.map(|(field, snippet)| shown(session, field, snippet)));
        }
        let complete = page.next.is_none() && searched == page.records.len() && outputs_searched < OUTPUTS_MAX;
        Ok(FoundSessions { count: results.len(), results, searched, outputs_searched, complete })
    }
}

fn in_record(session: &Session, query: &str) -> Option<(&'static str, String)> {
    let ending = match &session.state {
        SessionState::Ended {
            ending: SessionEnding::Completed { text } | SessionEnding::Failed { text, .. }, ..
        } => Some(text.as_str()),
        SessionState::Ended { ending: SessionEnding::Cancelled { .. }, .. }
        | SessionState::Starting { .. }
        | SessionState::Running { .. }
        | SessionState::Waiting { .. }
        | SessionState::Stopping { .. } => None,
    };
    let fields = [
        ("handle", Some(session.handle.as_str())),
        ("title", session.order.title.as_deref()),
        ("prompt", Some(session.order.prompt.as_str())),
        ("ending", ending),
    ];
    fields.into_iter().find_map(|(field, text)| Some((field, snippet(text?, query)?)))
}

/// Finds words in a text, in any case, and returns them with what stands around them, on one line.
fn snippet(text: &str, query: &str) -> Option<String> {
    // Lower case may have another length, so places are counted in characters of the lowered text.
    let lowered: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    let wanted: Vec<char> = query.chars().flat_map(char::to_lowercase).collect();
    let at = lowered.windows(wanted.len().max(1)).position(|part| part == wanted)?;
    let same_length = lowered.len() == text.chars().count();
    let from = at.saturating_sub(AROUND);
    let count = at - from + wanted.len() + AROUND;
    let cut: String = if same_length {
        text.chars().skip(from).take(count).collect()
    } else {
        lowered.into_iter().skip(from).take(count).collect()
    };
    Some(cut.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn shown(session: &Session, field: &str, snippet: String) -> FoundSession {
    FoundSession {
        session_id: session.id.clone(),
        worker_handle: session.handle.clone(),
        field: field.to_owned(),
        snippet,
        timestamp: millis(session.updated_at),
        model: session.order.model.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_any_case_and_shown_with_what_stands_around_them() {
        let text = format!("{} Find the\nSlow Query {}", "a".repeat(300), "b".repeat(300));
        let found = snippet(&text, "slow query").unwrap();
        assert!(found.contains("Find the Slow Query bbb"), "{found}");
        assert!(found.len() < 200, "{found}");
        assert_eq!(snippet(&text, "fast query"), None);
        assert_eq!(snippet("", "x"), None);
    }

    #[test]
    fn a_letter_that_grows_when_lowered_moves_nothing_out_of_place() {
        assert_eq!(snippet("İstanbul calling", "CALLING").as_deref(), Some("i\u{307}stanbul calling"));
    }
}

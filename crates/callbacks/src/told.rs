//! What is told of a mission that has ended, and under which name. No I/O.

use serde::Serialize;
use serde_json::{Value, json};
use store::Entry;
use types::{
    CallbackId, Event, ID_ALPHABET, Mission, MissionId, Report, Session, SessionEnding, SessionState, SessionStateName,
    StateName,
};

/// How a mission ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ended {
    Completed,
    Failed,
    Cancelled,
}

/// The missions that ended with a change, each with its place among the events.
pub(crate) fn ended(events: &[Event]) -> Vec<(usize, MissionId, Ended)> {
    let called_off = |mission: &MissionId| {
        let of = |event: &Event| matches!(event, Event::SessionMoved { mission: Some(of), to: SessionStateName::Cancelled, .. } if of == mission);
        events.iter().any(of)
    };
    let how = |event: &Event| {
        let Event::MissionMoved { mission, to, .. } = event else { return None };
        match to {
            StateName::Done => Some((mission.clone(), Ended::Completed)),
            StateName::Failed => Some((mission.clone(), Ended::Failed)),
            StateName::Cancelled => Some((mission.clone(), Ended::Cancelled)),
            // Its session was cancelled, and with it this attempt; the receiver is told that it ended.
            StateName::Draft if called_off(mission) => Some((mission.clone(), Ended::Cancelled)),
            StateName::Draft | StateName::Ready | StateName::Held | StateName::Landing | StateName::Parked => None,
        }
    };
    let found = events.iter().enumerate().filter_map(|(place, event)| Some((place, how(event)?)));
    found.map(|(place, (mission, ended))| (place, mission, ended)).collect()
}

/// The id of what is told of an event: made of its place in the feed, so that it is the same however often it is made.
pub(crate) fn id_of(entry: &Entry, place: usize) -> Option<CallbackId> {
    let code = format!("{}{}", digits(entry.position.number(), 8), digits(place as u64, 2));
    CallbackId::from_code(&code).ok()
}

/// Writes a number in the letters of ids, at least so many.
fn digits(mut number: u64, least: usize) -> String {
    let alphabet = ID_ALPHABET.as_bytes();
    let mut digits: Vec<u8> = Vec::new();
    while number > 0 || digits.len() < least {
        let digit = usize::try_from(number % alphabet.len() as u64).unwrap_or_default();
        digits.extend(alphabet.get(digit));
        number /= alphabet.len() as u64;
    }
    digits.iter().rev().map(|digit| char::from(*digit)).collect()
}

/// The words that are sent.
pub(crate) fn body(mission: &Mission, ended: Ended, session: Option<&Session>, report: Option<&Report>) -> String {
    json!({
        "mission_id": mission.id,
        "mission_title": mission.title,
        "project_id": mission.project,
        "status": ended,
        "payload": payload(session, report),
    })
    .to_string()
}

/// What is known of its last session: what it reports, what it said last or failed of, and what it took.
fn payload(session: Option<&Session>, report: Option<&Report>) -> Value {
    let Some(session) = session else { return json!({}) };
    let spending = &session.spending;
    let mut payload = json!({
        "session_id": session.id,
        "tokens_used": spending.spent.tokens.plus(spending.unsettled).sum(),
        "cost_usd": spending.spent.cost.dollars(),
        "retry_count": session.runs.saturating_sub(1),
    });
    let more = match &session.state {
        SessionState::Ended { ending: SessionEnding::Completed { text }, .. } => json!({ "summary": text }),
        SessionState::Ended { ending: SessionEnding::Failed { class, text }, .. } => {
            json!({ "error": text, "error_type": class.as_str() })
        }
        SessionState::Ended { ending: SessionEnding::Cancelled { by }, .. } => json!({ "cancelled_by": by }),
        SessionState::Starting { .. }
        | SessionState::Running { .. }
        | SessionState::Waiting { .. }
        | SessionState::Stopping { .. } => json!({}),
    };
    let said = report.and_then(|report| report.said.as_ref()).map(|told| json!(told.said));
    for more in said.into_iter().chain([more]) {
        if let (Some(payload), Value::Object(more)) = (payload.as_object_mut(), more) {
            payload.extend(more);
        }
    }
    payload
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(to: StateName) -> Event {
        Event::MissionMoved { mission: MissionId::from_code("x7k2m").unwrap(), from: StateName::Held, to }
    }

    fn how(events: &[Event]) -> Vec<(usize, Ended)> {
        ended(events).into_iter().map(|(place, _, ended)| (place, ended)).collect()
    }

    #[test]
    fn a_mission_has_ended_when_it_is_done_failed_or_called_off() {
        for (to, expected) in [
            (StateName::Done, Some(Ended::Completed)),
            (StateName::Failed, Some(Ended::Failed)),
            (StateName::Cancelled, Some(Ended::Cancelled)),
            (StateName::Draft, None),
            (StateName::Ready, None),
            (StateName::Held, None),
            (StateName::Landing, None),
            (StateName::Parked, None),
        ] {
            assert_eq!(how(&[moved(to)]), Vec::from_iter(expected.map(|ended| (0, ended))), "{to:?}");
        }
    }

    #[test]
    fn a_try_whose_session_was_cancelled_has_ended_too() {
        let session = types::SessionId::from_code("aaaaa").unwrap();
        let cancelled = |mission: &str| Event::SessionMoved {
            session: session.clone(),
            mission: Some(MissionId::from_code(mission).unwrap()),
            from: SessionStateName::Stopping,
            to: SessionStateName::Cancelled,
        };
        assert_eq!(how(&[cancelled("x7k2m"), moved(StateName::Draft)]), [(1, Ended::Cancelled)]);
        assert_eq!(how(&[cancelled("zzzzz"), moved(StateName::Draft)]), []);
    }

    #[test]
    fn every_place_has_a_name_of_its_own() {
        let numbers = [0, 1, 30, 31, 32, 961, 31_u64.pow(8) - 1, 31_u64.pow(8), u64::MAX / 7];
        let names: std::collections::BTreeSet<String> = numbers.iter().map(|number| digits(*number, 8)).collect();
        assert_eq!(names.len(), numbers.len());
        assert!(names.iter().all(|name| CallbackId::from_code(name).is_ok()));
    }
}

//! What an event is about, as it is now: the sentence to tell, or nothing once it is settled.

use store::Store;
use types::{
    Approval, ApprovalState, Event, Landing, LandingState, Mission, MissionState, ParkReason, Question, QuestionState,
    Session, SessionId,
};

/// Most characters of a text of others.
const TEXT_MAX: usize = 300;

/// Says what a person is told; none if nothing waits for one any more.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is told of is listed in `kind_of`")]
pub(crate) async fn sentence(store: &Store, about: &Event) -> Result<Option<String>, store::Error> {
    Ok(match about {
        Event::ApprovalMoved { approval, session, .. } => {
            let found = store.get::<Approval>(approval).await?;
            let found = found.filter(|approval| approval.state == ApprovalState::Waiting);
            match found {
                Some(approval) if is_live(store, session).await? => Some(of_approval(&approval)),
                Some(_) | None => None,
            }
        }
        Event::QuestionMoved { question, session, .. } => {
            let found = store.get::<Question>(question).await?;
            let found = found.filter(|question| question.state == QuestionState::Waiting);
            match found {
                Some(question) if is_live(store, session).await? => Some(of_question(&question)),
                Some(_) | None => None,
            }
        }
        Event::LandingMoved { landing, .. } => store.get::<Landing>(landing).await?.as_ref().and_then(of_landing),
        Event::MissionMoved { mission, .. } => store.get::<Mission>(mission).await?.as_ref().and_then(of_mission),
        Event::BudgetUsedUp { why, .. } => Some(format!("A budget is used up: {}. See it: fleet budget", text(why))),
        _ => None,
    })
}

async fn is_live(store: &Store, session: &SessionId) -> Result<bool, store::Error> {
    Ok(store.get::<Session>(session).await?.is_some_and(|session| session.state.is_live()))
}

fn of_approval(approval: &Approval) -> String {
    let (id, handle, what) = (&approval.id, &approval.handle, text(&approval.wanted.summary));
    format!("{handle} waits for approval: {what}. Answer: fleet approval allow {id}")
}

fn of_question(question: &Question) -> String {
    let (id, handle, asks) = (&question.id, &question.handle, text(&question.text));
    let choices = question.choices.iter().enumerate();
    let choices: String = choices.map(|(at, choice)| format!(" [{}: {}]", at + 1, text(choice))).collect();
    format!("{handle} asks: {asks}{choices}. Answer: fleet answer {id} ANSWER")
}

fn of_landing(landing: &Landing) -> Option<String> {
    let (id, title) = (&landing.id, text(&landing.title));
    match &landing.state {
        LandingState::Review { .. } => Some(format!("\"{title}\" waits for review. Approve: fleet land approve {id}")),
        LandingState::Stuck { .. } => Some(format!("\"{title}\" cannot land. Try again: fleet land retry {id}")),
        LandingState::Queued { .. }
        | LandingState::Waiting { .. }
        | LandingState::Cleared { .. }
        | LandingState::Returned { .. }
        | LandingState::Landed { .. }
        | LandingState::Dropped { .. } => None,
    }
}

/// A mission that wakes by itself needs no person, and one whose landing is stuck is told of with that.
fn of_mission(mission: &Mission) -> Option<String> {
    let MissionState::Parked { why, until: None } = &mission.state else { return None };
    if matches!(why, ParkReason::Stuck { .. } | ParkReason::Dropped { .. }) {
        return None;
    }
    let (id, title, why) = (&mission.id, text(&mission.title), text(&why.to_string()));
    Some(format!("\"{title}\" is parked: {why}. See what to do: fleet why {id}"))
}

/// A text of others within a sentence of ours: one line, not too long, without its own full stop.
fn text(of: &str) -> String {
    let line = of.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = line.chars().filter(|letter| !letter.is_control()).collect();
    let line = line.trim_end_matches('.');
    match line.char_indices().nth(TEXT_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

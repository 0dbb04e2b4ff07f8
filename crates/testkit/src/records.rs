//! Records that only sessions and queues write, of a team `alpha`; a test changes what it is about.

use types::{
    Approval, ApprovalState, Author, Evidence, Landing, LandingRules, LandingState, MissionId, Question, QuestionState,
    Report, SessionId, Timestamp, WantedCall,
};

/// A report about a mission.
#[must_use]
pub fn report(mission: MissionId, at: Timestamp) -> Report {
    Report {
        id: "r-abcde".parse().unwrap(),
        team: "alpha".parse().unwrap(),
        project: None,
        mission: Some(mission),
        author: Author::Session { session: "s-22222".parse().unwrap(), run: 1 },
        said: None,
        evidence: Evidence::default(),
        verdict: None,
        discrepancies: Vec::new(),
        created_at: at,
        updated_at: at,
    }
}

/// A landing of a mission, in its queue.
#[must_use]
pub fn landing(mission: MissionId, at: Timestamp) -> Landing {
    Landing {
        id: "d-x7k2m".parse().unwrap(),
        team: "alpha".parse().unwrap(),
        project: None,
        folder: "/srv/shop".to_owned(),
        mission,
        session: "s-22222".parse().unwrap(),
        branch: "fleet/cart".to_owned(),
        title: "Add a cart".to_owned(),
        rules: LandingRules::default(),
        returns: 0,
        sent_back: Vec::new(),
        state: LandingState::Queued { since: at },
        publication: None,
        created_at: at,
        updated_at: at,
    }
}

/// An approval that an agent of a session waits for.
#[must_use]
pub fn approval(session: SessionId, at: Timestamp) -> Approval {
    Approval {
        id: "a-x7k2m".parse().unwrap(),
        team: "alpha".parse().unwrap(),
        session,
        mission: None,
        handle: "scout-1".parse().unwrap(),
        run: 1,
        held: false,
        key: "0123abcd".to_owned(),
        wanted: WantedCall { tool: "Bash".to_owned(), ..WantedCall::default() },
        rule: None,
        why: String::new(),
        state: ApprovalState::Waiting,
        created_at: at,
        updated_at: at,
    }
}

/// A question that an agent of a session waits with.
#[must_use]
pub fn question(session: SessionId, at: Timestamp) -> Question {
    Question {
        id: "q-x7k2m".parse().unwrap(),
        team: "alpha".parse().unwrap(),
        project: None,
        session,
        mission: None,
        handle: "scout-1".parse().unwrap(),
        key: "0123abcd".to_owned(),
        text: "Which port?".to_owned(),
        choices: vec!["80".to_owned(), "8080".to_owned()],
        free_text: false,
        state: QuestionState::Waiting,
        heard: None,
        asked_at: at,
        updated_at: at,
    }
}

use proptest::prelude::*;
use types::{
    Begun, Limits, Order, Origin, Place, Rank, Session, SessionId, SessionState, Spending, Stay, TeamName, Timestamp,
};

use super::*;

fn session(id: &str) -> Session {
    let now = Timestamp::from_second(1_767_323_045).unwrap();
    Session {
        id: SessionId::from_code(id).unwrap(),
        team: "alpha".parse::<TeamName>().unwrap(),
        handle: "scout".parse().unwrap(),
        project: None,
        mission: None,
        origin: Origin::New,
        order: Order {
            agent: "sim".to_owned(),
            model: None,
            title: None,
            prompt: String::new(),
            again: None,
            system_prompt: None,
            allowed_tools: None,
            preset: None,
            limits: Limits::default(),
            place: Place::InPlace { folder: "/".to_owned() },
            stay: Stay::UntilDismissed,
            retries_max: None,
            waits: None,
            context_mode: false,
            args: Vec::new(),
            sandbox: types::SandboxRules::default(),
            rank: Rank::default(),
        },
        workspace: None,
        conversation: None,
        runs: 1,
        begun: Begun::Anew,
        failures: 0,
        restarts: 0,
        booked: types::Spent::default(),
        guard: None,
        spending: Spending::default(),
        exit: None,
        trouble: None,
        servers: Vec::new(),
        model: None,
        state: SessionState::Running { since: now },
        created_by: "owner".parse().unwrap(),
        created_at: now,
        updated_at: now,
    }
}

#[test]
fn what_was_taken_is_not_told_again_and_sessions_do_not_mix() {
    let live_output = LiveOutput::default();
    live_output.listen(true);
    live_output.say(&session("aaaaa"), vec!["one".to_owned()]);
    live_output.say(&session("bbbbb"), vec!["other".to_owned()]);
    live_output.say(&session("aaaaa"), vec!["two".to_owned()]);
    let told: Vec<_> = live_output.take().into_iter().map(|said| (said.session.to_string(), said.lines)).collect();
    let expected = [("s-aaaaa", vec!["one", "two"]), ("s-bbbbb", vec!["other"])];
    assert_eq!(told, expected.map(|(id, lines)| (id.to_owned(), lines.into_iter().map(str::to_owned).collect())));
    assert_eq!(live_output.take(), []);
}

proptest! {
    #[test]
    fn the_newest_lines_are_kept_in_order_and_every_other_one_is_counted(lengths in prop::collection::vec(0_usize..90_000, 1..20)) {
        let live_output = LiveOutput::default();
        let lines: Vec<String> = lengths.iter().map(|length| "ü".repeat(*length)).collect();
        for line in &lines {
            live_output.say(&session("aaaaa"), vec![line.clone()]);
        }
        let said = live_output.take().remove(0);
        prop_assert!(said.lines.iter().map(String::len).sum::<usize>() <= BYTES_MAX);
        prop_assert_eq!(said.lines.len() as u64 + said.left_out, lines.len() as u64);
        for (kept, line) in said.lines.iter().rev().zip(lines.iter().rev()) {
            prop_assert!(line.starts_with(kept.as_str()));
        }
        prop_assert!(!said.lines.is_empty());
    }
}

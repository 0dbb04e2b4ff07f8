//! What is listed for a person, and in which order.

use serde_json::{Value, json};
use types::{Cost, Handle, Obstacle};

use super::*;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_750_000_000 + second).unwrap()
}

fn mission_id(name: &str) -> MissionId {
    format!("m-{name}").parse().unwrap()
}

fn record<T: serde::de::DeserializeOwned>(fixture: &str, change: impl FnOnce(&mut Value)) -> T {
    let mut document: Value = serde_json::from_str(fixture).unwrap();
    let record = &mut document["d"];
    change(record);
    serde_json::from_value(record.take()).unwrap()
}

fn approval(id: &str, mission: &str, second: i64) -> Approval {
    let made: Approval =
        record(include_str!("../../store/tests/fixtures/approval.v1.waiting.json"), |it| it["id"] = json!(id));
    Approval { mission: Some(mission_id(mission)), created_at: at(second), ..made }
}

fn landing(id: &str, mission: &str, state: LandingState) -> Landing {
    let made: Landing =
        record(include_str!("../../store/tests/fixtures/landing.v1.queued.json"), |it| it["id"] = json!(id));
    Landing { mission: mission_id(mission), state, title: "Add a cart".to_owned(), ..made }
}

fn parked(id: &str, why: ParkReason, until: Option<Timestamp>) -> Mission {
    let made: Mission =
        record(include_str!("../../store/tests/fixtures/mission.v1.ready.json"), |it| it["id"] = json!(mission_id(id)));
    Mission { state: MissionState::Parked { why, until }, updated_at: at(0), title: "Add a cart".to_owned(), ..made }
}

fn ready(id: &str, on: &[&str]) -> Ready {
    let depends_on = on.iter().map(|on| mission_id(on)).collect();
    Ready { mission: mission_id(id), depends_on, project: None, account: "claude".to_owned() }
}

fn account(class: FailureClass, login: Option<&str>) -> Account {
    let text = "Not logged in.".to_owned();
    let parked = ParkedAccount { account: "claude".to_owned(), class, text, until: None, since: at(5) };
    Account { parked, login: login.map(str::to_owned), missions: vec![mission_id("kept2")] }
}

fn ann() -> Handle {
    "ann".parse().unwrap()
}

#[test]
fn what_blocks_most_comes_first_and_among_equals_the_oldest() {
    let records = Records {
        approvals: vec![
            approval("a-new22", "apart", 9),
            approval("a-aged2", "same2", 1),
            approval("a-huge2", "base2", 10),
        ],
        // A chain of two behind `base2`, one of which depends on it twice over.
        ready: vec![ready("next2", &["base2"]), ready("crest", &["next2", "base2"])],
        ..Records::default()
    };
    let items = ranked(&records);
    let order: Vec<_> = items.iter().map(|item| (item.subject.as_str(), item.blocks)).collect();
    assert_eq!(order, [("a-huge2", 3), ("a-aged2", 1), ("a-new22", 1)]);
}

#[test]
fn a_circle_of_missions_is_counted_once() {
    let records = Records {
        approvals: vec![approval("a-x7k2m", "ane22", 0)],
        questions: Vec::new(),
        ready: vec![ready("twa22", &["ane22", "thr22"]), ready("thr22", &["twa22"]), ready("ane22", &["thr22"])],
        ..Records::default()
    };
    assert_eq!(ranked(&records)[0].blocks, 3);
}

#[test]
fn every_item_names_the_command_to_type() {
    let obstacle = Obstacle::Failed { why: "its branch is gone".to_owned() };
    let records = Records {
        executions: Vec::new(),
        approvals: vec![approval("a-x7k2m", "ane22", 0)],
        questions: Vec::new(),
        landings: vec![
            landing("d-rev22", "twa22", LandingState::Review { since: at(1) }),
            landing("d-stk22", "thr22", LandingState::Stuck { since: at(2), obstacle }),
            landing(
                "d-wat22",
                "fur22",
                LandingState::Waiting { check: None, since: at(3), why: "the checkout is dirty.".to_owned() },
            ),
        ],
        parked: vec![
            (parked("stay2", ParkReason::Blocked { by: ann() }, None), None),
            (
                parked("bud22", ParkReason::Budget { text: "used up".to_owned() }, None),
                Some(Used::Turns { spent: 9, most: 9 }),
            ),
        ],
        accounts: vec![account(FailureClass::Auth, Some("claude auth login"))],
        budgets: vec![UsedUp {
            project: None,
            daily: true,
            used: Used::Dollars { spent: Cost::from(5.0), most: Cost::from(5.0) },
            resets_at: Some(at(60)),
            missions: Vec::new(),
        }],
        ready: Vec::new(),
    };
    let items = ranked(&records);
    let of = |subject: &str| items.iter().find(|item| item.subject == subject).unwrap();
    let next = |subject: &str| of(subject).next.as_str();
    assert_eq!(next("a-x7k2m"), "fleet approval allow a-x7k2m");
    assert_eq!(next("d-rev22"), "fleet land approve d-rev22");
    assert_eq!(next("d-stk22"), "fleet land retry d-stk22");
    assert_eq!(of("d-stk22").what, "\"Add a cart\" cannot land: its branch is gone.");
    assert_eq!(of("d-wat22").what, "\"Add a cart\" waits to land: the checkout is dirty.");
    assert_eq!(next("m-stay2"), "fleet dispatch m-stay2");
    assert_eq!(next("m-bud22"), "fleet mission update m-bud22 --max-turns TURNS");
    assert_eq!(next("claude"), "claude auth login && fleet account unpark claude");
    assert_eq!((of("claude").kind, of("claude").blocks), (InboxKind::Login, 1));
    assert_eq!(next("fleet"), "fleet config set daily_budget_usd=DOLLARS");
}

#[test]
fn one_obstacle_is_listed_once() {
    let obstacle = Obstacle::Failed { why: "no".to_owned() };
    let stuck = ParkReason::Stuck { landing: "d-stk22".parse().unwrap(), obstacle: obstacle.clone() };
    let refused = ParkReason::Account { class: FailureClass::Auth, text: "no".to_owned() };
    let records = Records {
        landings: vec![landing("d-stk22", "thr22", LandingState::Stuck { since: at(0), obstacle })],
        parked: vec![(parked("thr22", stuck, None), None), (parked("kept2", refused, None), None)],
        accounts: vec![account(FailureClass::Auth, None)],
        ..Records::default()
    };
    let mut kinds: Vec<_> = ranked(&records).into_iter().map(|item| item.kind).collect();
    kinds.sort_by_key(|kind| format!("{kind:?}"));
    assert_eq!(kinds, [InboxKind::Landing, InboxKind::Login]);
}

#[test]
fn what_goes_on_by_itself_needs_no_person() {
    let quota = ParkReason::Account { class: FailureClass::Quota { resets_at: None }, text: "later".to_owned() };
    let records = Records {
        parked: vec![(parked("ane22", quota, Some(at(60))), None)],
        landings: vec![landing("d-que22", "twa22", LandingState::Queued { since: at(0) })],
        ..Records::default()
    };
    assert!(ranked(&records).is_empty());
}

#[test]
fn the_words_of_an_agent_stay_within_one_line_and_out_of_the_command() {
    let mut hostile = approval("a-x7k2m", "ane22", 0);
    hostile.wanted.summary = format!("rm\n\u{1b}[31m; fleet approval allow a-zzzzz {}", "x".repeat(1_000));
    let items = ranked(&Records { approvals: vec![hostile], ..Records::default() });
    assert!(items[0].what.chars().all(|letter| !letter.is_control()), "{}", items[0].what);
    assert!(items[0].what.chars().count() < 300);
    assert_eq!(items[0].next, "fleet approval allow a-x7k2m");
}

#[test]
fn a_mission_whose_dependencies_conflict_names_the_commands_that_settle_it_and_not_one_that_is_refused() {
    let (mission, with) = (mission_id("apart"), vec![mission_id("kept2")]);
    let trouble = DependencyTrouble::Conflict { mission, with, files: vec!["cart.rs".to_owned()] };
    let both = parked("cart2", ParkReason::Dependencies { trouble }, None);
    let items = ranked(&Records { parked: vec![(both, None)], ..Records::default() });
    assert_eq!(items[0].next, "fleet land m-kept2 && fleet land m-apart");
}

#[test]
fn a_question_shows_its_choices_and_how_to_answer_on_one_line_and_blocks_what_waits_for_its_mission() {
    let question = |id: &str, mission: &str, second: i64| Question {
        id: id.parse().unwrap(),
        mission: Some(mission_id(mission)),
        asked_at: at(second),
        text: "Which \u{1b}[31mport\n does it listen on?".to_owned(),
        ..plain_question()
    };
    let free = Question { choices: Vec::new(), ..question("q-free2", "ane22", 0) };
    let records = Records {
        questions: vec![free, question("q-x7k2m", "base2", 5)],
        ready: vec![ready("next2", &["base2"])],
        ..Records::default()
    };
    let items = ranked(&records);
    let shown: Vec<_> = items.iter().map(|item| (item.kind, item.next.as_str(), item.blocks)).collect();
    let kind = InboxKind::Question;
    assert_eq!(shown, [(kind, "fleet answer q-x7k2m NUMBER", 2), (kind, "fleet answer q-free2 ANSWER", 1)]);
    let what = "scout-1 asks: Which [31mport does it listen on? [1: 80; 2: 8080] (mission m-base2).";
    assert_eq!(items[0].what, what);
}

fn plain_question() -> Question {
    Question {
        id: "q-x7k2m".parse().unwrap(),
        team: "alpha".parse().unwrap(),
        project: None,
        session: "s-x7k2m".parse().unwrap(),
        mission: None,
        handle: "scout-1".parse().unwrap(),
        key: "k".to_owned(),
        text: String::new(),
        choices: vec!["80".to_owned(), "8080".to_owned()],
        free_text: false,
        state: types::QuestionState::Waiting,
        heard: None,
        asked_at: at(0),
        updated_at: at(0),
    }
}

use agents::sim::Sim;
use agents::{CallEnd, Cost, Ending, Started, Tokens, Totals, TurnResult, Usage};
use config::{Environment, Home, Overrides};
use types::{Day, Order};

use super::*;
use crate::samples::session;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn settings() -> Settings {
    let home = tempfile::tempdir().unwrap();
    config::load(&Home::at(home.path()), &Environment::default(), &Overrides::new()).unwrap().settings
}

fn asked(prompt: &str, stay: Stay) -> Session {
    Session { order: Order { prompt: prompt.to_owned(), stay, ..session().order }, ..session() }
}

fn heard_of(session: &Session, limits: Limits) -> StreamState {
    StreamState::new(session, &Sim::default(), limits, at(0))
}

fn heard() -> StreamState {
    heard_of(&asked("Do it", Stay::UntilDone), Limits::default())
}

fn line(event: &Event) -> Vec<u8> {
    serde_json::to_vec(event).unwrap()
}

/// What these events ask for, one line each.
fn wishes(heard: &mut StreamState, events: &[Event]) -> Vec<Wish> {
    let settings = settings();
    events.iter().flat_map(|event| heard.line(&line(event), &settings, at(0)).1).collect()
}

fn spent(dollars: f64, input: u64) -> Totals {
    Totals { cost: Cost::from(dollars), tokens: Tokens { input, ..Tokens::default() }, ..Totals::default() }
}

fn result(totals: Totals) -> Event {
    Event::Result(TurnResult {
        ending: Ending::Completed,
        text: String::new(),
        session: None,
        turns: None,
        duration_ms: None,
        totals: Some(totals),
        turn: None,
        denials: Vec::new(),
        structured: None,
    })
}

/// The end of a turn in the middle of a call.
fn left() -> Event {
    let Event::Result(result) = turn_over() else { panic!("no result") };
    Event::Result(TurnResult { ending: Ending::Deferred, ..result })
}

fn turn_over() -> Event {
    result(Totals::default())
}

fn usage(input: u64) -> Event {
    let tokens = Tokens { input, ..Tokens::default() };
    Event::Usage(Usage { tokens, context: Some(input), ..Usage::default() })
}

fn acknowledged(stage: Stage) -> Event {
    Event::Acknowledged { id: "u".to_owned(), stage }
}

fn text() -> Event {
    Event::Text { text: "a".to_owned(), within: None }
}

#[test]
fn a_question_in_words_is_answered_and_names_what_it_asked() {
    let asking = Event::Asking { request: "r-1".to_owned(), ask: Ask::Question { text: "which?".to_owned() } };
    let [Wish::Answer { request, say: Say::Deny { request: named, .. } }] = &wishes(&mut heard(), &[asking])[..] else {
        panic!("no answer");
    };
    assert_eq!((request.as_str(), named.as_str()), ("r-1", "r-1"));
}

#[test]
fn a_call_that_an_agent_waits_with_is_decided_on_and_one_that_it_left_is_not_answered_here() {
    let (tool, input) = ("Bash".to_owned(), serde_json::json!({"command": "git push"}));
    let asking = |ask| Event::Asking { request: "r-1".to_owned(), ask };
    let permission = Ask::Permission { tool: tool.clone(), input: input.clone(), call: None };
    let decide = Wish::Decide { request: "r-1".to_owned(), tool: tool.clone(), input: input.clone() };
    assert_eq!(wishes(&mut heard(), &[asking(permission)]), [decide]);
    assert_eq!(wishes(&mut heard(), &[asking(Ask::Deferred { tool, input })]), []);
}

#[test]
fn an_agent_that_leaves_for_a_decision_is_let_go_though_it_was_to_stay() {
    for stay in [Stay::UntilDone, Stay::UntilDismissed] {
        let mut heard = heard_of(&asked("Do it", stay), Limits::default());
        heard.told("u".to_owned(), at(1));
        assert_eq!(wishes(&mut heard, &[text(), left()]), [Wish::TurnOver]);
        assert!(heard.is_done() && heard.has_left(), "{stay:?}");
    }
}

#[test]
fn an_agent_that_waits_for_a_decision_is_not_stale_until_it_has_one() {
    let mut heard = heard();
    let permission = Ask::Permission { tool: "Bash".to_owned(), input: Value::Null, call: None };
    wishes(&mut heard, &[text(), Event::Asking { request: "r-1".to_owned(), ask: permission }]);
    assert_eq!(heard.due(&settings(), at(0), 0), None);
    heard.answered(at(5_000));
    assert!(heard.due(&settings(), at(0), 0).is_some_and(|(due, stop)| due > at(5_000) && stop == Stop::Stale));
}

#[test]
fn an_agent_is_done_when_its_turn_is_over_and_no_letter_is_on_its_way() {
    let mut heard = heard();
    assert!(!heard.is_done(), "it has not begun");
    assert_eq!(wishes(&mut heard, &[Event::Started(Started::default())]), []);
    assert!(!heard.is_done(), "it is up, and has done nothing");
    assert_eq!(wishes(&mut heard, &[text()]), []);
    assert!(!heard.is_done(), "it works");
    assert_eq!(wishes(&mut heard, &[turn_over()]), [Wish::TurnOver]);
    assert!(heard.is_done());

    heard.told("u".to_owned(), at(1));
    assert!(!heard.is_done(), "a letter lies before it");
    assert_eq!(wishes(&mut heard, &[acknowledged(Stage::Queued)]), []);
    assert!(!heard.is_done(), "it has not read the letter");
    assert_eq!(wishes(&mut heard, &[acknowledged(Stage::Begun)]), [Wish::Acknowledged { id: "u".to_owned() }]);
    assert!(!heard.is_done(), "it is at the letter");
    assert_eq!(wishes(&mut heard, &[turn_over()]), [Wish::TurnOver]);
    assert!(heard.is_done());
}

#[test]
fn an_agent_that_answers_before_it_is_known_that_it_was_told_is_done_all_the_same() {
    let mut heard = heard();
    wishes(&mut heard, &[text(), acknowledged(Stage::Begun), acknowledged(Stage::Finished), turn_over()]);
    heard.told("u".to_owned(), at(1));
    assert!(heard.is_done());
    assert_eq!(heard.due(&settings(), at(0), 0), None, "it waits for somebody, and is not silent");
}

#[test]
fn an_agent_that_stays_until_it_is_dismissed_is_never_done() {
    let mut heard = heard_of(&asked("Do it", Stay::UntilDismissed), Limits::default());
    wishes(&mut heard, &[text(), turn_over()]);
    assert!(!heard.is_done());
}

#[test]
fn ceilings_are_kept_as_soon_as_they_are_known_to_be_reached() {
    let turns = Limits { turns_max: Some(2), ..Limits::default() };
    let mut heard = heard_of(&asked("Do it", Stay::UntilDone), turns);
    assert_eq!(wishes(&mut heard, &[usage(1), usage(1)]), []);
    assert_eq!(wishes(&mut heard, &[usage(1)]), [Wish::Stop(Stop::MaxTurns)]);

    let dollars = Limits { dollars_max: Some(1.0), ..Limits::default() };
    let mut heard = heard_of(&asked("Do it", Stay::UntilDone), dollars);
    assert_eq!(wishes(&mut heard, &[result(spent(0.9, 0))]), [Wish::TurnOver]);
    assert_eq!(wishes(&mut heard, &[result(spent(1.0, 0))]), [Wish::TurnOver, Wish::Stop(Stop::Budget)]);

    let spent_before =
        Session { spending: types::Spending { turns: 2, ..session().spending }, ..asked("a", Stay::UntilDone) };
    let mut heard = heard_of(&spent_before, turns);
    assert_eq!(wishes(&mut heard, &[usage(1)]), [Wish::Stop(Stop::MaxTurns)], "all processes count together");
}

#[test]
fn a_full_context_is_a_reason_to_stop() {
    let (enough, full) = (usage(179_999), usage(180_000));
    assert_eq!(wishes(&mut heard(), &[enough]), []);
    assert_eq!(wishes(&mut heard(), &[full]), [Wish::Stop(Stop::ContextPressure)]);
}

#[test]
fn what_is_read_again_after_a_crash_of_the_server_counts_once() {
    let told = [usage(100), result(spent(0.25, 100)), usage(50), result(spent(0.5, 150)), usage(7)];
    let record = asked("Do it", Stay::UntilDone);
    let mut first = heard_of(&record, Limits::default());
    wishes(&mut first, &told);
    let mut second = heard_of(&record, Limits::default());
    wishes(&mut second, &told);
    let spending = second.account.meter.spending();
    assert_eq!(spending, first.account.meter.spending());
    assert_eq!((spending.spent, spending.unsettled.input, spending.turns), (spent(0.5, 150), 7, 3));
}

#[test]
fn the_next_process_adds_to_what_was_spent() {
    let mut first = heard_of(&asked("Do it", Stay::UntilDone), Limits::default());
    wishes(&mut first, &[result(spent(0.5, 100))]);
    let spending = first.account.meter.spending();
    for begun in [Begun::Resumed, Begun::Anew] {
        let record = Session { spending, begun, runs: 2, ..asked("Do it", Stay::UntilDone) };
        let mut second = heard_of(&record, Limits::default());
        wishes(&mut second, &[result(spent(2.0, 300))]);
        assert_eq!(second.account.meter.spent(), spent(2.5, 400), "{begun:?}");
    }
}

#[test]
fn a_copy_of_a_conversation_does_not_pay_for_what_came_before() {
    let seen = Some(spent(0.5, 100));
    let spending = types::Spending { seen, ..session().spending };
    let record = Session { spending, begun: Begun::Forked, ..asked("Do it", Stay::UntilDone) };
    let mut heard = heard_of(&record, Limits::default());
    wishes(&mut heard, &[result(spent(2.0, 300))]);
    assert_eq!(heard.account.meter.spent(), spent(2.0, 300), "the scripted agent counts its own process alone");
}

#[test]
fn somebody_looks_when_silence_or_time_is_over_whichever_comes_first() {
    let settings = settings();
    let (stale, limits) =
        (i64::from(settings.stale_after_secs) + 1, Limits { secs_max: Some(60), ..Limits::default() });
    assert_eq!(heard().due(&settings, at(0), 0), Some((at(stale), Stop::Stale)));
    let limited = heard_of(&asked("Do it", Stay::UntilDone), limits);
    assert_eq!(limited.due(&settings, at(0), 0), Some((at(60), Stop::Timeout)));
    assert_eq!(limited.due(&settings, at(5), 20), Some((at(45), Stop::Timeout)), "earlier processes took time too");
    assert_eq!(limited.due(&settings, at(5), 90), Some((at(5), Stop::Timeout)));
    let mut waiting = heard();
    wishes(&mut waiting, &[text(), turn_over()]);
    assert_eq!(waiting.due(&settings, at(0), 0), None, "it waits for somebody");
}

#[test]
fn a_line_that_nobody_understands_asks_for_nothing() {
    let (events, asked_for) = heard().line(b"\xff{not json", &settings(), at(0));
    assert_eq!((events.len(), asked_for.len()), (1, 0));
    let answered = Event::ToolResult { id: "c".to_owned(), text: String::new(), end: CallEnd::Ok, within: None };
    assert_eq!(wishes(&mut heard(), &[answered]), []);
}

fn beside(kinds: &[TaskKind]) -> Event {
    let task = |kind: &TaskKind| Task { id: "t".to_owned(), kind: *kind, text: "Look around".to_owned() };
    Event::Background { tasks: kinds.iter().map(task).collect() }
}

#[test]
fn an_agent_is_not_done_while_what_it_left_running_may_wake_it() {
    for kind in [TaskKind::Agent, TaskKind::Command] {
        let mut heard = heard();
        let mut live = Live::new(session(), at(0), Day::of(at(0)));
        assert_eq!(wishes(&mut heard, &[text(), beside(&[kind]), turn_over()]), [Wish::TurnOver]);
        heard.show(&mut live);
        assert!(!heard.is_done() && heard.in_turn() && live.phase == Phase::Working, "{kind:?}");
        assert_eq!(wishes(&mut heard, &[beside(&[])]), [Wish::TurnOver]);
        assert!(heard.is_done(), "nothing is left");
        assert_eq!(wishes(&mut heard, &[text()]), []);
        assert!(!heard.is_done(), "it takes up what it waited for");
    }
}

#[test]
fn what_an_agent_waits_for_in_the_background_may_take_as_long_as_a_call() {
    let settings = settings();
    let most = at(patience(&settings).call_secs_max.into());
    let due = |kinds: &[TaskKind]| {
        let mut heard = heard();
        wishes(&mut heard, &[text(), beside(kinds), turn_over()]);
        heard.due(&settings, at(0), 0)
    };
    assert_eq!(due(&[TaskKind::Command, TaskKind::Agent]), Some((most, Stop::Stale)));
    assert_eq!(due(&[TaskKind::Command]), Some((most, Stop::Asked)), "its work is done");
    assert_eq!(due(&[]), None);
}

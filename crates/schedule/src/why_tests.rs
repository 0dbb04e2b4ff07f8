//! Each reason as people read it.

use types::{Cost, SessionId};

use super::*;

fn at(second: i64) -> Timestamp {
    Timestamp::new(1_750_000_000 + second, 123_456_789).unwrap()
}

fn mission() -> MissionId {
    "m-x7k2m".parse().unwrap()
}

fn ann() -> Handle {
    "ann".parse().unwrap()
}

fn done(proof: Proof) -> Why {
    Why::Done { at: at(0), proof }
}

fn landed(checks: u32) -> Why {
    let landing = "d-x7k2m".parse().unwrap();
    done(Proof::Landed { landing, commit: "0123456789abcdef".to_owned(), checks })
}

fn said(why: &Why) -> String {
    why.to_string()
}

#[test]
fn work_that_is_not_done_is_told_with_every_reason() {
    let reasons = vec![types::Reason::NoCommit { kept: false }, types::Reason::Blocked { why: "no key.".to_owned() }];
    let failure = Failure::NotDone { session: "s-x7k2m".parse().unwrap(), reasons };
    let told = said(&Why::Failed { at: at(0), failure, text: None });
    for part in ["s-x7k2m", "a commit is due and there is none; the agent says that it is blocked: no key;"] {
        assert!(told.contains(part), "{told}");
    }
}

#[test]
fn each_dependency_that_is_not_done_is_told_with_what_to_do_about_it() {
    let told = |stands, more| said(&Why::Dependency { dependency: Dependency { on: mission(), stands }, more });
    assert_eq!(told(Stands::Open, 0), "It waits for mission m-x7k2m to be done.");
    assert_eq!(told(Stands::Open, 2), "It waits for mission m-x7k2m and 2 more to be done.");
    assert_eq!(told(Stands::Landing, 0), "It waits for mission m-x7k2m, which is on its way to the target branch.");
    assert_eq!(
        told(Stands::NeedsPerson, 1),
        "It waits for mission m-x7k2m and one more: that needs a person: `fleet why m-x7k2m`."
    );
    let ways = [
        (Stands::Draft, "that is a draft; start it (`fleet dispatch m-x7k2m`)"),
        (Stands::Cancelled, "that was cancelled; start it again (`fleet dispatch m-x7k2m`)"),
        (Stands::Failed, "that failed; retry it (`fleet dispatch m-x7k2m`)"),
        (Stands::Missing, "there is no such mission any more"),
    ];
    for (stands, way) in ways {
        let away = "or take the dependency away: `fleet mission update MISSION --depends-on OTHERS`";
        assert_eq!(told(stands, 1), format!("It waits for mission m-x7k2m and one more: {way}, {away}."));
    }
}

#[test]
fn a_parked_account_is_told_with_what_it_failed_of_and_when_it_is_used_again() {
    let parked = |class, until| ParkedAccount {
        account: "claude".to_owned(),
        class,
        text: "You have hit your limit.".to_owned(),
        until,
        since: at(0),
    };
    let quota = parked(FailureClass::Quota { resets_at: Some(at(60)) }, Some(at(60)));
    assert_eq!(
        said(&Why::Account { parked: quota }),
        "Account claude has used up its quota (You have hit your limit); it is used again at 2025-06-15T15:07:40Z."
    );
    assert_eq!(
        said(&Why::Account { parked: parked(FailureClass::Auth, None) }),
        "Account claude was refused (You have hit your limit); have it used again: `fleet account unpark claude`."
    );
}

#[test]
fn a_budget_is_told_with_whose_it_is_and_what_of_it_is_used_up() {
    let told = |scope, used, resets_at| said(&Why::Budget { scope, used, resets_at });
    let dollars = Used::Dollars { spent: Cost::from(5.2), most: Cost::from(5.0) };
    assert_eq!(
        told(Scope::Fleet, dollars, Some(at(0))),
        "The fleet's budget is used up ($5.20 of $5.00); it continues by itself at 2025-06-15T15:06:40Z, or when you raise the budget: `fleet config set daily_budget_usd=DOLLARS`."
    );
    assert_eq!(
        told(Scope::Project("p-x7k2m".parse().unwrap()), Used::Secs { spent: 90, most: 60 }, None),
        "The budget of project p-x7k2m is used up (1.5 of 1.0 minutes); raise it and the mission continues: `fleet project update p-x7k2m --budget-minutes MINUTES`."
    );
    assert_eq!(
        told(Scope::Mission(mission()), Used::Turns { spent: 9, most: 9 }, None),
        "Its budget is used up (9 of 9 turns); raise it and the mission continues: `fleet mission update m-x7k2m --max-turns TURNS`."
    );
    assert_eq!(Used::Tokens { spent: 2, most: 1 }.to_string(), "2 of 1 tokens");
}

#[test]
fn a_taken_slot_is_told_with_who_goes_first() {
    let told = |slot, most, ahead| said(&Why::Full { slot, most, ahead });
    assert_eq!(told(Slot::Fleet, 5, 0), "All 5 slots of the fleet are taken; it is next.");
    assert_eq!(told(Slot::Node, 5, 1), "All 5 slots of this node are taken; one ready mission goes before it.");
    assert_eq!(
        told(Slot::Agent("codex".to_owned()), 1, 3),
        "The one slot for codex is taken; 3 ready missions go before it."
    );
    let project = Slot::Project("p-x7k2m".parse().unwrap());
    assert_eq!(
        told(project.clone(), 0, 3),
        "There is no slot of project p-x7k2m: the limit is 0; raise it: `fleet config set max_workers_per_project=5`."
    );
    assert_eq!(
        said(&Why::Kept { slot: project, mission: mission() }),
        "The last free slot of project p-x7k2m is kept for mission m-x7k2m, which has waited for longer."
    );
}

#[test]
fn what_a_mission_waits_for_is_told_with_since_when_and_by_whom() {
    let session: SessionId = "s-x7k2m".parse().unwrap();
    let parked = |until| Why::Parked { why: ParkReason::Budget { text: "no quota.".to_owned() }, until };
    let held = Holder::Session { session, handle: ann() };
    let told = [
        (Why::Draft, "It is a draft; start it: `fleet dispatch MISSION`."),
        (Why::ByHand, "It is ready and waits to be started: `fleet dispatch MISSION`."),
        (Why::Starting, "It starts now."),
        (Why::BackOff { until: at(0) }, "It failed and is tried again at 2025-06-15T15:06:40Z."),
        (
            Why::Held { holder: held, since: at(0) },
            "ann has worked on it since 2025-06-15T15:06:40Z, in session s-x7k2m.",
        ),
        (
            Why::Held { holder: Holder::Agent { handle: ann() }, since: at(0) },
            "ann has worked on it since 2025-06-15T15:06:40Z.",
        ),
        (parked(Some(at(0))), "It is parked until 2025-06-15T15:06:40Z: no quota."),
        (parked(None), "It is parked until a person reopens it: no quota. See what is used up: `fleet budget`."),
        (
            Why::Approval { approval: "a-x7k2m".parse().unwrap(), summary: "git push".to_owned() },
            "Its agent awaits approval: git push. Answer with `fleet approval allow a-x7k2m` or \
             `fleet approval deny a-x7k2m`.",
        ),
        (
            Why::Asking { question: "q-x7k2m".parse().unwrap(), text: "Which\n port? ".to_owned() },
            "Its agent asks: Which port? Answer with `fleet answer q-x7k2m ANSWER`.",
        ),
        (
            Why::Landing { since: at(0), progress: None },
            "Its work is finished and has been on its way to the target branch since 2025-06-15T15:06:40Z.",
        ),
    ];
    for (why, sentence) in told {
        assert_eq!(said(&why), sentence);
    }
}

#[test]
fn how_a_mission_ended_is_told_with_since_when_and_by_whom() {
    let session: SessionId = "s-x7k2m".parse().unwrap();
    let class = FailureClass::Timeout;
    let told = [
        (done(Proof::Stated { by: ann() }), "It was done at 2025-06-15T15:06:40Z: ann said so."),
        (
            done(Proof::Session { session: session.clone(), commits: None }),
            "It was done at 2025-06-15T15:06:40Z, in session s-x7k2m.",
        ),
        (
            done(Proof::Session { session: session.clone(), commits: Some(2) }),
            "It was done at 2025-06-15T15:06:40Z, and its work has not landed: it is on the branch of session \
             s-x7k2m. Land it with `fleet land MISSION`. Work lands by itself once the project has a check: `fleet project update PROJECT --checks COMMAND`.",
        ),
        (landed(0), "It was done at 2025-06-15T15:06:40Z: it landed as 0123456789, with nothing checked."),
        (landed(1), "It was done at 2025-06-15T15:06:40Z: it landed as 0123456789, with its check green."),
        (landed(3), "It was done at 2025-06-15T15:06:40Z: it landed as 0123456789, with its 3 checks green."),
        (
            Why::Waits {
                session: session.clone(),
                wait: Wait::Parked { class: FailureClass::Auth },
                until: None,
                text: Some("Not logged in.".to_owned()),
            },
            "Its session s-x7k2m waits: its account is not usable (auth): Not logged in; see `fleet account list`.",
        ),
        (
            Why::Waits { session: session.clone(), wait: Wait::Slot, until: None, text: None },
            "Its session s-x7k2m waits: all slots are taken; it continues by itself.",
        ),
        (
            Why::Failed {
                at: at(0),
                failure: Failure::Session { session, class },
                text: Some("it ran for 60 s.".to_owned()),
            },
            "Its session s-x7k2m failed at 2025-06-15T15:06:40Z (timeout): it ran for 60 s; read `fleet logs s-x7k2m`, then retry it: \
             `fleet dispatch MISSION`.",
        ),
        (
            Why::Failed { at: at(0), failure: Failure::Stated { by: ann() }, text: None },
            "ann gave it up at 2025-06-15T15:06:40Z; retry it with `fleet dispatch MISSION`.",
        ),
        (
            Why::Cancelled { at: at(0), by: ann() },
            "ann cancelled it at 2025-06-15T15:06:40Z; have it done after all: `fleet dispatch MISSION`.",
        ),
    ];
    for (why, sentence) in told {
        assert_eq!(said(&why), sentence);
    }
}

#[test]
fn said_of_a_mission_its_commands_can_be_pasted() {
    assert_eq!(Why::ByHand.of(&mission(), None), "It is ready and waits to be started: `fleet dispatch m-x7k2m`.");
}

#[test]
fn work_that_has_not_landed_names_its_project_as_a_shell_takes_it() {
    let why = done(Proof::Session { session: "s-x7k2m".parse().unwrap(), commits: Some(1) });
    assert!(why.of(&mission(), Some("shop")).contains("`fleet project update shop --checks COMMAND`"));
    assert!(why.of(&mission(), Some("Ann's shop")).contains(r"`fleet project update 'Ann'\''s shop' --checks"));
}

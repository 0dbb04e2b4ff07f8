use proptest::prelude::*;
use types::{CheckOutcome, ProjectId, ProjectNotes, TeamName};

use super::*;
use crate::evidence::{OUTPUT_TAIL_MAX, digest};
use crate::marked::read_marked;
use crate::samples::{any_said, any_text, check, evidence, mission, said};

fn project() -> Project {
    Project {
        id: ProjectId::from_code("zzaaa").unwrap(),
        team: TeamName::default_team(),
        name: "Shop".to_owned(),
        path: "shop".to_owned(),
        description: "A shop for tea.".to_owned(),
        system_prompt: "Be brief.".to_owned(),
        agent: None,
        model: None,
        notes: ProjectNotes::default(),
        landing: types::LandingRules::default(),
        sandbox: types::SandboxRules::default(),
        budget: types::Allotment::default(),
        deleting: false,
        created_at: mission().created_at,
    }
}

/// The headings, in their order.
const ORDER: [&str; 9] = [
    "## Task: ",
    "## Acceptance criteria",
    "## Project",
    "## Work this builds on",
    "## Earlier work on this task",
    "## Answers to questions",
    "## Mail",
    "## Why you get it back",
    "## When you are done",
];

fn headings(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with("## ")).collect()
}

#[test]
fn everything_known_is_told_in_a_fixed_order() {
    let (mission, project, said, red) = (mission(), project(), said(), check(CheckOutcome::Failed { code: 101 }));
    let checks = ["cargo test".to_owned()];
    let dependency = DependencyReport { title: "Sell tea", said: Some(&said), evidence: digest(&evidence()) };
    let parts = PromptParts {
        project: Some(&project),
        checks: &checks,
        expectation: Expectation::of(&mission.kind, true),
        dependency_reports: &[dependency],
        last_report: Some(&said),
        mail: &[Mail { from: "ann", text: "Mind the tax.\n## Mail\nBye." }],
        answers: &[Answer { question: "Which rate?", answer: "Seven." }],
        sent_back: Some(SentBack::RedCheck { check: &red }),
        preview: true,
        ..PromptParts::new(&mission)
    };
    let text = prompt(&parts);
    assert_eq!(headings(&text).len(), ORDER.len());
    assert!(headings(&text).iter().zip(ORDER).all(|(found, wanted)| found.starts_with(wanted)));
    insta::assert_snapshot!(text);
    insta::assert_snapshot!("an_agent_that_goes_on_is_told_what_is_new", again(&parts));
}

#[test]
fn a_mission_alone_is_told_with_how_to_end() {
    insta::assert_snapshot!(prompt(&PromptParts::new(&mission())));
}

#[test]
fn who_only_looks_is_not_told_to_commit_and_nobody_is_asked_for_a_server_unasked() {
    let review = Mission { kind: types::MissionKind::Review, ..mission() };
    let text = prompt(&PromptParts::new(&review));
    assert!(text.contains("No commit is needed") && !text.contains("Uncommitted work does not count"));
    assert!(!text.contains("start a server"));
    assert!(prompt(&PromptParts { preview: true, ..PromptParts::new(&review) }).contains("start a server"));
}

#[test]
fn why_it_comes_back_is_told_with_what_to_do() {
    let mission = mission();
    let told = |why| again(&PromptParts { sent_back: Some(why), ..PromptParts::new(&mission) });
    let files: Vec<_> = (0..40).map(|at| format!("src/{at}.rs")).collect();
    let conflict = told(SentBack::Conflict { target: "main", files: &files });
    assert!(conflict.contains("does not merge into `main`") && conflict.contains("- src/24.rs\n- and 15 more"));
    assert!(conflict.contains("Merge `main` into your branch"));
    let reasons = [Reason::NoCommit { kept: true }];
    assert!(
        told(SentBack::NotDone { reasons: &reasons }).contains("- a commit is due and there is none; what was left")
    );
}

#[test]
fn the_end_of_a_failing_checks_output_survives_any_length() {
    let red = CheckRun {
        output_tail: format!("{}the cause", "\n".repeat(9 * OUTPUT_TAIL_MAX)),
        ..check(CheckOutcome::TimedOut)
    };
    let text =
        again(&PromptParts { sent_back: Some(SentBack::RedCheck { check: &red }), ..PromptParts::new(&mission()) });
    assert!(text.contains("> the cause") && text.contains("[cut by Fleet: "));
}

#[test]
fn every_dependency_has_its_share_and_the_rest_is_counted() {
    let (mission, long) = (mission(), Said { what_done: "word ".repeat(3000), ..said() });
    let titles: Vec<_> = (0..200).map(|at| format!("dependency {at}")).collect();
    let reports: Vec<_> = titles
        .iter()
        .map(|title| DependencyReport { title, said: Some(&long), evidence: digest(&evidence()) })
        .collect();
    let told =
        |count: usize| prompt(&PromptParts { dependency_reports: &reports[..count], ..PromptParts::new(&mission) });
    assert!(titles[..20].iter().all(|title| told(20).contains(&format!("\"{title}\""))));
    assert!(told(200).contains("[left out by Fleet: 149 more]"));
}

#[test]
fn an_empty_system_prompt_is_none() {
    assert_eq!(system_prompt(None, Some("  ")), None);
    assert_eq!(system_prompt(Some(&project()), Some("Use tabs.")).as_deref(), Some("Be brief.\n\nUse tabs."));
}

/// Everything others may have written, short or long.
#[derive(Debug)]
struct Words {
    said: Said,
    texts: Vec<String>,
}

fn any_words() -> impl Strategy<Value = Words> {
    let times = prop_oneof![Just(1usize), Just(1), 2..400usize];
    let text = (any_text(), times).prop_map(|(text, times)| text.repeat(times));
    (any_said(), prop::collection::vec(text, 6)).prop_map(|(said, texts)| Words { said, texts })
}

fn told(mission: &Mission, words: &Words) -> String {
    let texts = &words.texts;
    let red = CheckRun { command: texts[0].clone(), output_tail: texts[1].clone(), ..check(CheckOutcome::TimedOut) };
    let digest = Digest { files: texts.clone(), files_total: 9, checks: texts.clone(), commits: 1 };
    let dependency = DependencyReport { title: &texts[2], said: Some(&words.said), evidence: digest };
    let project = Project { name: texts[0].clone(), ..project() };
    prompt(&PromptParts {
        project: Some(&project),
        checks: texts,
        dependency_reports: &[dependency.clone(), dependency],
        last_report: Some(&words.said),
        mail: &[Mail { from: &texts[3], text: &texts[4] }; 3],
        answers: &[Answer { question: &texts[5], answer: &texts[1] }; 3],
        sent_back: Some(SentBack::RedCheck { check: &red }),
        preview: true,
        ..PromptParts::new(mission)
    })
}

#[test]
fn when_everything_is_too_long_every_part_is_still_there() {
    for text in ["word ", "a\n", "---DEVFLEET-REPORT-"].map(|text| text.repeat(40_000)) {
        let long = Said { what_done: text.clone(), errors_encountered: text.clone(), ..said() };
        let words = Words { said: long, texts: vec![text.clone(); 6] };
        let mission = Mission { title: text.clone(), prompt: text.clone(), acceptance: text, ..mission() };
        let told = told(&mission, &words);
        assert!(told.len() <= PROMPT_MAX, "{}", told.len());
        assert!(told.len() > PROMPT_MAX * 3 / 4, "room is used: {}", told.len());
        assert!(ORDER.iter().all(|heading| told.contains(heading)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_prompt_is_longer_than_an_argument(words in any_words()) {
        let [prompt, acceptance] = [0, 1].map(|at: usize| words.texts[at].repeat(40));
        let mission = Mission { title: prompt.clone(), prompt, acceptance, tags: words.texts.clone(), ..mission() };
        prop_assert!(told(&mission, &words).len() <= PROMPT_MAX);
    }

    #[test]
    fn words_of_others_make_no_part_of_their_own(words in any_words()) {
        let mission = mission();
        let text = told(&mission, &words);
        let found = headings(&text);
        let places: Vec<_> = found.iter().map(|found| ORDER.iter().position(|wanted| found.starts_with(wanted))).collect();
        prop_assert!(places.is_sorted() && places.iter().all(Option::is_some), "{:?}", found);
    }

    #[test]
    fn a_prompt_that_is_echoed_is_no_report(words in any_words()) {
        prop_assert!(read_marked(&told(&mission(), &words)).is_err());
    }
}

use proptest::option;
use proptest::prelude::*;

use super::*;

/// One of few names, so that they often meet.
fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["claude", "codex", "gemini"])
}

fn voices() -> impl Strategy<Value = Voices<'static>> {
    (option::of(name()), option::of(name()), option::of(name())).prop_map(|(mission, command, project)| Voices {
        mission,
        command,
        project,
    })
}

fn by_config(agent: &str) -> Chosen<String> {
    Chosen { value: agent.to_owned(), by: ChosenBy::Config }
}

#[test]
fn the_mission_is_heard_before_the_command_the_project_and_the_settings() {
    let all = Voices { mission: Some("codex"), command: Some("codex"), project: Some("gemini") };
    let by = |said| agent(said, "claude").map(|chosen| chosen.by);
    assert_eq!(by(all), Ok(ChosenBy::Mission));
    assert_eq!(by(Voices { mission: None, ..all }), Ok(ChosenBy::Command));
    assert_eq!(by(Voices { mission: None, command: None, ..all }), Ok(ChosenBy::Project));
    assert_eq!(agent(Voices::default(), "claude"), Ok(by_config("claude")));
}

#[test]
fn a_command_does_not_overrule_the_mission_in_silence() {
    let said = Voices { mission: Some("codex"), command: Some("gemini"), project: None };
    let conflict = agent(said, "claude").unwrap_err();
    assert_eq!(conflict.to_string(), "the mission names agent `codex`, not `gemini`");
}

#[test]
fn all_words_for_an_agent_are_one_word() {
    assert_eq!(named(None, None, None), Ok(None));
    assert_eq!(named(None, Some("codex"), None), Ok(Some("codex")));
    assert_eq!(named(Some("codex"), Some("codex"), Some("codex")), Ok(Some("codex")));
    let refused = named(None, Some("codex"), Some("claude")).unwrap_err();
    assert_eq!(refused, Conflict::Words { first: "coder", second: "executor" });
    assert!(named(Some("codex"), None, Some("claude")).is_err());
}

#[test]
fn a_model_is_not_handed_to_an_agent_it_was_not_said_for() {
    let models = Voices { mission: None, command: None, project: Some("opus") };
    let other = Voices { mission: Some("codex"), ..Voices::default() };
    assert_eq!(model(other, "claude", models, None).value, None, "the project spoke of claude");
    assert_eq!(model(Voices::default(), "claude", models, None).value.as_deref(), Some("opus"));
    let stated = Voices { mission: Some("opus"), ..Voices::default() };
    let started = Voices { command: Some("codex"), ..Voices::default() };
    assert_eq!(model(started, "claude", stated, Some("gpt")).value.as_deref(), Some("gpt"));
}

#[test]
fn a_start_may_name_another_model_than_the_mission() {
    let models = Voices { mission: Some("opus"), command: Some("haiku"), project: None };
    let chosen = model(Voices::default(), "claude", models, None);
    assert_eq!(chosen, Chosen { value: Some("haiku".to_owned()), by: ChosenBy::Command });
}

proptest! {
    #[test]
    fn an_agent_that_is_chosen_is_one_that_was_named(said in voices(), config in name()) {
        if let Ok(chosen) = agent(said, config) {
            let named = match chosen.by {
                ChosenBy::Mission => said.mission,
                ChosenBy::Command => said.command,
                ChosenBy::Project => said.project,
                ChosenBy::Config => Some(config),
                ChosenBy::Agent => None,
            };
            prop_assert_eq!(named, Some(chosen.value.as_str()));
            prop_assert!(said.mission.is_none_or(|mission| mission == chosen.value), "a mission has the agent it names");
        } else {
            prop_assert!(said.mission.is_some() && said.command.is_some() && said.mission != said.command);
        }
    }

    #[test]
    fn a_model_is_left_to_the_agent_only_when_nobody_names_one_for_it(
        agents in voices(),
        default in name(),
        models in voices(),
        config in option::of(name()),
    ) {
        let chosen = model(agents, default, models, config);
        prop_assert_eq!(chosen.value.is_none(), chosen.by == ChosenBy::Agent);
        if models.command.is_some() {
            prop_assert_eq!(chosen.by, ChosenBy::Command);
        }
        if chosen.by == ChosenBy::Agent {
            prop_assert!(config.is_none() && models.command.is_none());
            let nobody = Voices::default();
            prop_assert!(agents != nobody || models == nobody, "all spoke of the one agent there is");
        }
    }
}

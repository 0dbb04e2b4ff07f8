//! The decision as properties, over every target, effect and relation.

use api::Access;
use proptest::prelude::*;

use super::*;

fn targets() -> Vec<Target> {
    vec![
        Target::Nothing,
        Target::Fleet,
        Target::Seen,
        Target::Team("t"),
        Target::Project("p"),
        Target::Into("p"),
        Target::Mission("m"),
        Target::Parent("m"),
        Target::Link("m"),
        Target::Session("s"),
        Target::Worker("w"),
        Target::Approval("a"),
        Target::Question("q"),
        Target::Policy("g"),
        Target::Record("w"),
        Target::Landing("d"),
        Target::McpServer("x"),
        Target::Report("r"),
    ]
}

fn team(name: &str) -> TeamName {
    name.parse().unwrap()
}

fn any_target() -> impl Strategy<Value = Target> {
    prop::sample::select(targets())
}

fn any_effect() -> impl Strategy<Value = Effect> {
    prop::sample::select(Effect::ALL.to_vec())
}

fn any_kin() -> impl Strategy<Value = Kin> {
    prop::sample::select(vec![Kin::Own, Kin::Below, Kin::Open, Kin::Other])
}

fn any_project() -> impl Strategy<Value = Option<ProjectId>> {
    prop::sample::select(vec![None, Some("p-aaaaa"), Some("p-bbbbb")]).prop_map(|id| id.map(|id| id.parse().unwrap()))
}

fn any_mission() -> impl Strategy<Value = Option<MissionId>> {
    prop::sample::select(vec![None, Some("m-aaaaa"), Some("m-bbbbb")]).prop_map(|id| id.map(|id| id.parse().unwrap()))
}

fn any_team() -> impl Strategy<Value = TeamName> {
    prop::sample::select(vec!["alpha", "beta"]).prop_map(team)
}

fn any_place() -> impl Strategy<Value = Belonging> {
    let session = prop::sample::select(vec!["s-aaaaa", "s-bbbbb"]);
    prop_oneof![
        any_team().prop_map(Belonging::Team),
        (any_team(), any_project()).prop_map(|(team, project)| Belonging::Project(team, project)),
        (any_team(), session, any_mission()).prop_map(|(team, session, mission)| Belonging::Session(
            team,
            session.parse().unwrap(),
            mission
        )),
    ]
}

prop_compose! {
    fn any_agent()(project in any_project(), mission in any_mission()) -> Agent {
        Agent {
            session: "s-aaaaa".parse().unwrap(),
            handle: "ann".parse().unwrap(),
            team: team("alpha"),
            project,
            mission,
        }
    }
}

proptest! {
    #[test]
    fn the_owner_may_everything(target in any_target(), effect in any_effect(), place in any_place(), kin in any_kin()) {
        prop_assert_eq!(judge(&Viewer::Owner, target, effect, Some(&Object { place, kin })), Verdict::Allowed);
    }

    #[test]
    fn nobody_is_allowed_anything_of_another_team(
        agent in any_agent(),
        target in any_target(),
        effect in any_effect(),
        place in any_place(),
        kin in any_kin(),
    ) {
        prop_assume!(place.team().as_str() == "beta");
        let object = Object { place, kin };
        for who in [Viewer::Agent(agent), Viewer::Member { team: team("alpha") }] {
            prop_assert_ne!(judge(&who, target, effect, Some(&object)), Verdict::Allowed);
        }
    }

    #[test]
    fn an_agent_is_never_allowed_what_a_member_of_its_team_is_not(
        agent in any_agent(),
        target in any_target(),
        effect in any_effect(),
        place in any_place(),
        kin in any_kin(),
    ) {
        let member = Viewer::Member { team: agent.team.clone() };
        let object = Object { place, kin };
        if judge(&Viewer::Agent(agent), target, effect, Some(&object)) == Verdict::Allowed {
            prop_assert_eq!(judge(&member, target, effect, Some(&object)), Verdict::Allowed);
        }
    }

    #[test]
    fn to_an_agent_another_project_does_not_exist(
        agent in any_agent(),
        target in any_target(),
        effect in any_effect(),
        project in any_project(),
        kin in any_kin(),
    ) {
        prop_assume!(project != agent.project);
        let object = Object { place: Belonging::Project(agent.team.clone(), project), kin };
        prop_assert_eq!(judge(&Viewer::Agent(agent), target, effect, Some(&object)), Verdict::Hidden);
    }

    #[test]
    fn an_agent_changes_nothing_but_what_it_handed_on(
        agent in any_agent(),
        target in any_target(),
        effect in prop::sample::select(vec![Effect::Change, Effect::Remove]),
        place in any_place(),
        kin in any_kin(),
    ) {
        let object = Object { place, kin };
        if judge(&Viewer::Agent(agent), target, effect, Some(&object)) == Verdict::Allowed {
            let link = matches!(target, Target::Link(_));
            prop_assert!(link || kin == Kin::Below, "{target:?}");
        }
    }

    #[test]
    fn the_agent_of_a_session_that_is_over_may_nothing(target in any_target(), effect in any_effect(), place in any_place()) {
        let gone = Viewer::Gone("s-aaaaa".parse().unwrap());
        let object = Object { place, kin: Kin::Own };
        prop_assert_ne!(judge(&gone, target, effect, Some(&object)), Verdict::Allowed);
    }
}

#[test]
fn no_agent_answers_an_approval_makes_a_mission_or_touches_the_fleet() {
    for kin in [Kin::Own, Kin::Below, Kin::Open, Kin::Other] {
        for effect in [Effect::Change, Effect::Remove, Effect::Work, Effect::Create] {
            for target in [Target::Approval("a"), Target::Question("q")] {
                assert_eq!(rule(true, target, effect, kin), Some(Rule::NoAgentAnswers));
            }
        }
        for target in [Target::Into("p"), Target::Parent("m"), Target::Mission("m"), Target::Team("t")] {
            assert_eq!(rule(true, target, Effect::Create, kin), Some(Rule::SubMissionsOnly), "{target:?}");
        }
        for effect in Effect::ALL {
            assert_eq!(rule(false, Target::Fleet, effect, kin), Some(Rule::WholeFleet));
        }
    }
}

#[test]
fn an_agent_is_a_worker_whatever_role_its_token_names() {
    for role in Role::ALL {
        for access in [Access::Lead, Access::Merge, Access::Owner] {
            assert!(!admits(access, role, true), "{role} {access:?}");
        }
        assert!(admits(Access::Work, role, true) && admits(Access::Read, role, true));
    }
}

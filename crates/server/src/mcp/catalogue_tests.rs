use super::*;

/// What a client is shown by default: more than this and models choose badly.
const TOOLS_MAX: usize = 44;

fn catalogue() -> Catalogue {
    Catalogue::new(&Registry::new())
}

#[test]
fn every_operation_that_is_a_tool_is_listed_and_no_other() {
    let registry = Registry::new();
    let expected: Vec<_> = registry.tools().map(|binding| binding.name).collect();
    let listed: Vec<_> = Catalogue::new(&registry).0.iter().map(|listed| listed.name).collect();
    assert_eq!(listed, expected);
}

#[test]
fn a_client_is_shown_few_tools_by_default() {
    let shown = catalogue().shown(Toolset::default()).len();
    assert!((1..=TOOLS_MAX).contains(&shown), "{shown}");
}

#[test]
fn the_sets_of_the_audiences_make_up_all_tools() {
    let catalogue = catalogue();
    let [agent, orchestrator, workers, standard, all] =
        [Toolset::Agent, Toolset::Orchestrator, Toolset::Workers, Toolset::Standard, Toolset::All]
            .map(|toolset| catalogue.shown(toolset).len());
    assert_eq!((agent + orchestrator, standard + workers), (standard, all));
    assert!(agent > 0 && orchestrator > 0 && workers > 0);
}

#[test]
fn every_tool_says_what_it_does_and_takes_and_gives_objects_without_references() {
    for Listed { tool, audience, .. } in &catalogue().0 {
        assert!(tool.description.as_ref().is_some_and(|text| !text.is_empty()), "{}", tool.name);
        // The answer of a worker's tool may be an error, which its contract has as a result like any other.
        assert_eq!(tool.output_schema.is_some(), *audience != Audience::Workers, "{}", tool.name);
        let text = serde_json::to_string(tool).unwrap();
        for foreign in ["$ref", "\"uint", "\"$schema\"", "\"oneOf\""] {
            assert!(!text.contains(foreign), "{} has {foreign}", tool.name);
        }
        // A name that every provider takes.
        assert!(tool.name.len() <= 64 && tool.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
    }
}

#[test]
fn a_tool_that_reads_says_so_and_one_that_adds_is_not_destructive() {
    let catalogue = catalogue();
    let hints = |name| catalogue.find(name).unwrap().tool.annotations.clone().unwrap();
    assert_eq!(hints("list_projects"), ToolAnnotations::new().read_only(true).open_world(false).idempotent(true));
    let adds = ToolAnnotations::new().read_only(false).open_world(false).destructive(false).idempotent(false);
    assert_eq!(hints("create_mission"), adds);
}

#[test]
fn a_mistaken_name_finds_the_tool_that_was_meant() {
    let catalogue = catalogue();
    for (typed, meant) in [
        ("mission_create", Some("create_mission")),
        ("list_project", Some("list_projects")),
        ("getMissionStatus", Some("get_mission_status")),
        ("teamtasks", Some("team_tasks")),
        ("rm -rf", None),
        ("", None),
    ] {
        assert_eq!(catalogue.closest(typed), meant, "{typed}");
    }
}

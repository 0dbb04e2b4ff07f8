use tempfile::TempDir;

use super::*;
use crate::environment::Environment;
use crate::load::{Overrides, load};

fn home() -> (TempDir, Home) {
    let directory = tempfile::tempdir().unwrap();
    let home = Home::at(directory.path().join("home"));
    std::fs::create_dir_all(home.agents()).unwrap();
    (directory, home)
}

fn put(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    disk::replace(path, text).unwrap();
}

#[test]
fn files_of_the_home_describe_agents_by_their_names() {
    let (_directory, home) = home();
    put(&home.agents().join("scribe.toml"), "argv = ['scribe']");
    put(&home.agents().join("README.md"), "no agent");
    put(&home.agents().join(".scribe.toml.swp"), "what an editor leaves");
    let loaded = load(&home, &Environment::default(), &Overrides::new()).unwrap();
    let names: Vec<_> = loaded.settings.custom.keys().cloned().collect();
    assert_eq!(names, ["scribe"]);
}

#[test]
fn a_wrong_file_is_refused_with_its_place_and_what_is_allowed() {
    for (file, text, part) in [
        ("scribe.toml", "argv = ['x']\nformat = 'xml'", "scribe.toml` at line 2, column 10"),
        ("scribe.toml", "argv = ['x', '{promt}']", "{prompt_file}"),
        ("claude.toml", "argv = ['x']", "[agents.claude]"),
        ("Big.toml", "argv = ['x']", "1 to 32 of a-z"),
    ] {
        let (_directory, home) = home();
        put(&home.agents().join(file), text);
        let error = load(&home, &Environment::default(), &Overrides::new()).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn a_projects_files_count_only_where_the_settings_name_the_project() {
    let (directory, home) = home();
    let (ours, theirs) = (directory.path().join("ours"), directory.path().join("theirs"));
    put(&home.agents().join("scribe.toml"), "argv = ['of-home']");
    for project in [&ours, &theirs] {
        put(&project.join(".fleet/agents/helper.toml"), "argv = ['helper']");
    }
    put(&ours.join(".fleet/agents/scribe.toml"), "argv = ['of-project']");
    put(&ours.join(".fleet/agents/broken.toml"), "argv = []");
    let read = |projects: &[&Path]| {
        let projects: Vec<_> = projects.iter().map(|path| path.display().to_string()).collect();
        let mut warnings = Vec::new();
        let agents = read(&home, &projects, &mut warnings).unwrap();
        (agents.into_iter().map(|(name, agent)| (name, agent.path)).collect::<BTreeMap<_, _>>(), warnings)
    };
    let (agents, warnings) = read(&[]);
    assert_eq!((agents.len(), warnings.len()), (1, 0), "nobody trusts a project unasked");
    let (agents, warnings) = read(&[&ours, &theirs]);
    assert_eq!(agents["helper"], ours.join(".fleet/agents/helper.toml"), "the first that is named");
    assert_eq!(agents["scribe"], home.agents().join("scribe.toml"), "the home comes first");
    let told: Vec<_> = warnings.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[0].contains("broken.toml"), "{told:?}");
    let (agents, _) = read(&[&directory.path().join("nowhere")]);
    assert_eq!(agents.len(), 1);
}

#[test]
fn what_is_in_a_file_is_not_in_a_log() {
    let (_directory, home) = home();
    put(&home.agents().join("scribe.toml"), "argv = ['x']\nenv = { KEY = 't0k' }");
    let loaded = load(&home, &Environment::default(), &Overrides::new()).unwrap();
    assert!(!format!("{:?}", loaded.settings).contains("t0k"));
}

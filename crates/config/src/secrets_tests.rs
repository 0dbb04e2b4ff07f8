use super::*;
use crate::file::FileValues;

const TEXT: &str = "\
# mine
jwt_secret = 'top-secret-1' # kept
port = 4000

[agents.claude]
model = 'opus'
env = { KEY = 'top-secret-2', OTHER = 'top-secret-3' } # theirs
args = ['-v', '-w']

[agents.sim.env]
KEY = 'top-secret-4'

[agents.mine]
env.KEY = 'top-secret-5'
pty = true
limits.turns_max = 3
";

#[test]
fn the_file_is_shown_as_it_is_but_for_secrets_and_the_environment_of_agents() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    home.create().unwrap();
    assert_eq!(file_shown(&home).unwrap(), "");
    crate::disk::replace(&home.runtime_toml(), TEXT).unwrap();
    let mut expected = TEXT.to_owned();
    for number in 1..=5 {
        expected = expected.replace(&format!("'top-secret-{number}'"), "\"(hidden)\"");
    }
    assert_eq!(file_shown(&home).unwrap(), expected);
}

#[test]
fn what_is_no_table_where_the_environment_stands_is_not_shown_either() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    home.create().unwrap();
    for wrong in ["agents.a.env = 'secret'", "agents.a.env = ['secret']", "[[agents.a.env]]\nA = 'secret'\n"] {
        crate::disk::replace(&home.runtime_toml(), wrong).unwrap();
        let shown = file_shown(&home).unwrap();
        assert!(!shown.contains("secret") && shown.contains("env"), "{shown}");
    }
    crate::disk::replace(&home.runtime_toml(), "agents.a.env.A = 'secret\n").unwrap();
    assert!(!file_shown(&home).unwrap_err().to_string().contains("secret"));
}

#[test]
fn agents_are_shown_key_by_key_and_of_their_environment_only_the_names() {
    let agents = FileValues::parse(std::path::Path::new("runtime.toml"), TEXT).unwrap().agents;
    let shown: Vec<String> = agents_shown(&agents).into_iter().map(|(key, text)| format!("{key}={text}")).collect();
    assert_eq!(
        shown,
        [
            "agents.claude.model=opus",
            "agents.claude.env.KEY=(hidden)",
            "agents.claude.env.OTHER=(hidden)",
            "agents.claude.args=-v,-w",
            "agents.mine.env.KEY=(hidden)",
            "agents.mine.pty=true",
            "agents.mine.limits.turns_max=3",
            "agents.sim.env.KEY=(hidden)",
        ]
    );
}

#[test]
fn secrets_are_known_by_their_keys() {
    for (key, secret) in [
        ("jwt_secret", true),
        ("agents.claude.env.ANTHROPIC_API_KEY", true),
        ("agents.claude.env", true),
        ("agents.claude.model", false),
        ("agents.env.model", false),
        ("port", false),
    ] {
        assert_eq!(is_secret(key), secret, "{key}");
    }
}

#[test]
fn secrets_are_known_by_their_setting_and_by_the_name_of_their_variable() {
    let home = tempfile::tempdir().unwrap();
    let home = Home::at(home.path());
    let text = "callback_secret = \"the secret of callbacks\"\n\n[agents.claude.env]\nMY_API_KEY = \"of an agent\"\nMODE = \"fast\"\n";
    crate::disk::replace(&home.runtime_toml(), text).unwrap();
    let environment = crate::Environment::default();
    let settings = crate::load(&home, &environment, &crate::Overrides::new()).unwrap().settings;
    let variables = [("GITHUB_TOKEN", "of the machine"), ("PATH", "/bin")];
    assert_eq!(known_secrets(&settings, variables), ["the secret of callbacks", "of an agent", "of the machine"]);
}

//! What the doctor finds on made-up machines.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use config::{Environment, Home};
use insta::assert_snapshot;
use runtime::Clock;

use super::*;

#[test]
fn a_finding_reads_as_a_line_with_its_advice_below() {
    let findings = [
        Finding::new("git", State::Ok, "git version 2.43.0").required(),
        Finding::new("claude", State::Missing, "not on PATH").advise("Install Claude Code."),
    ];
    assert_snapshot!(findings.iter().map(Finding::line).collect::<String>(), @r"
    ok       git         git version 2.43.0
    missing  claude      not on PATH
                         Install Claude Code.
    ");
}

#[test]
fn only_what_nothing_works_without_is_fatal() {
    assert!(Finding::new("git", State::Missing, "").required().is_fatal());
    assert!(!Finding::new("git", State::Warn, "").required().is_fatal());
    assert!(!Finding::new("gh", State::Missing, "").is_fatal());
}

#[test]
fn looking_at_a_home_that_is_not_there_makes_none() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path().join("deep").join("home"));
    let findings = machine::check(&home);
    assert_eq!(findings[0].state, State::Warn);
    assert!(!findings.iter().any(Finding::is_fatal) && !home.path().exists());
}

#[test]
fn a_home_that_everyone_may_write_to_is_fatal() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o777)).unwrap();
    assert!(machine::check(&Home::at(folder.path()))[0].is_fatal());
}

#[test]
fn a_key_that_others_may_read_is_fatal() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    home.local_key().unwrap();
    assert_eq!(machine::check(&home)[1].state, State::Ok);
    std::fs::set_permissions(home.token(), PermissionsExt::from_mode(0o644)).unwrap();
    assert!(machine::check(&home)[1].is_fatal());
}

#[test]
fn a_setting_that_is_refused_is_fatal_and_one_that_is_unknown_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    let check = |pairs: &[(&str, &str)]| server::check_settings(&home, &pairs.iter().copied().collect());
    assert_eq!(check(&[])[0].state, State::Ok);
    assert!(check(&[("PORT", "many")])[0].is_fatal());
    assert_eq!(check(&[("DATABASE_PATH", "x")])[0].state, State::Warn);
}

fn script(folder: &Path, name: &str, text: &str) {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    let options = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o755).open(folder.join(name));
    options.unwrap().write_all(text.as_bytes()).unwrap();
}

#[tokio::test]
async fn programs_are_asked_for_their_version_with_hardly_any_environment() {
    let folder = tempfile::tempdir().unwrap();
    script(folder.path(), "git", "#!/bin/sh\necho \"git version 2.50.1 ${SECRET:-clean}\"\n");
    script(folder.path(), "claude", "#!/bin/sh\nexit 3\n");
    let path = folder.path().display().to_string();
    let environment: Environment = [("PATH", path.as_str()), ("SECRET", "leaked")].into_iter().collect();
    let findings = programs::check(&environment, &Clock::system()).await;
    assert_eq!(findings[0], Finding::new("git", State::Ok, "git version 2.50.1 clean").required());
    assert_eq!(findings[1], Finding::new("claude", State::Warn, "`--version` exited with status 3"));
    assert!(findings[2..].iter().all(|finding| finding.state == State::Missing));
}

fn agent(name: &str, login: api::fleet::LoginState) -> agents::Seen {
    let login_command = Some(format!("{name} auth login"));
    agents::Seen { name: name.to_owned(), version: "1.2".to_owned(), login, login_command }
}

#[test]
fn an_agent_that_is_not_logged_in_is_a_warning_with_its_own_command() {
    use api::fleet::LoginState::{No, Unknown, Yes};
    let mut findings = vec![Finding::new("claude", State::Ok, "1.2"), Finding::new("codex", State::Ok, "1.2")];
    agents::add_logins(&mut findings, &[agent("claude", No), agent("codex", Yes), agent("own", Unknown)]);
    assert_snapshot!(findings.iter().map(Finding::line).collect::<String>(), @r"
    warn     claude      1.2, not logged in
                         Log in: `claude auth login`.
    ok       codex       1.2, logged in
    ok       own         1.2, login unknown before it runs
                         Try it: `fleet agent test own`; log in: `own auth login`.
    ");
}

#[test]
fn a_machine_without_agents_is_told_what_works_without_one() {
    use api::fleet::LoginState::{NotNeeded, Unknown};
    let found = agents::none_installed(&[agent("sim", NotNeeded)]).unwrap();
    assert!(found.advice.unwrap().contains("--agent sim"));
    assert_eq!(agents::none_installed(&[agent("sim", NotNeeded), agent("agy", Unknown)]), None);
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the test stands where a person would")]
async fn without_a_server_logins_are_looked_at_from_here_with_the_settings_of_the_home() {
    use api::fleet::LoginState::{No, Yes};
    let folder = tempfile::tempdir().unwrap();
    let status = "#!/bin/sh\ncase \"$*\" in --version) echo 1.2;; *) test -e \"$HOME/logged-in\";; esac\n";
    for name in ["codex", "gemini", "own-claude"] {
        script(folder.path(), name, status);
    }
    let path = folder.path().display().to_string();
    let settings = format!("[agents.claude]\nbinary = '{path}/own-claude'\n");
    let home = Home::at(folder.path().join("fleet"));
    home.create().unwrap();
    std::fs::write(home.path().join("runtime.toml"), settings).unwrap();
    let environment: Environment =
        [("PATH", format!("{path}:/usr/bin:/bin")), ("HOME", path.clone())].into_iter().collect();
    let look = async || -> Vec<_> {
        let seen = agents::look(&home, &environment, &Clock::system()).await;
        seen.into_iter().map(|agent| (agent.name, agent.version, agent.login)).collect()
    };
    let expected = |login| ["claude", "codex", "gemini"].map(|name| (name.to_owned(), "1.2".to_owned(), login));
    assert_eq!(look().await, expected(No));
    std::fs::write(folder.path().join("logged-in"), "").unwrap();
    std::fs::create_dir(folder.path().join(".gemini")).unwrap();
    std::fs::write(folder.path().join(".gemini/oauth_creds.json"), "{}").unwrap();
    assert_eq!(look().await, expected(Yes));
}

//! Settings that change while the server runs.

use api::Code;
use api::claude_fleet::Authenticate;
use testkit::Server;
use types::{Role, TeamName};

use crate::FLEET;

/// Replaces the file as editors do, and waits for what the server says about it.
#[expect(clippy::disallowed_methods, reason = "the test edits the file by hand, as a user does")]
async fn edit(server: &Server, text: &str, answer: &str) {
    let length = server.log().length();
    let draft = server.home().join("runtime.toml.new");
    std::fs::write(&draft, text).unwrap();
    std::fs::rename(&draft, server.home().join("runtime.toml")).unwrap();
    server.log().line_after(length, answer).await;
}

/// Registers without a token.
async fn register(server: &Server) -> Result<Role, Code> {
    let op = Authenticate {
        handle: "scout".parse().unwrap(),
        team_name: TeamName::default_team(),
        agent_type: Role::Worker,
    };
    let answer = server.anonymous().call(op).await;
    answer.map(|reply| reply.output.agent_type).map_err(|error| error.code)
}

#[tokio::test]
async fn registration_opens_and_closes_with_the_settings_file_and_a_broken_edit_changes_nothing() {
    const TAKEN: &str = "settings were changed";
    const REFUSED: &str = "settings were not taken up";
    let server = Server::fresh(FLEET).await;
    let closed = Err(Code::REGISTRATION_CLOSED);
    assert_eq!(register(&server).await, closed);
    for (text, answer, open) in [
        ("open_registration = true\n", TAKEN, true),
        ("open_registration = tru\n", REFUSED, true),
        ("open_registration = \"perhaps\"\n", REFUSED, true),
        ("open_registration = true\nmax_workers = 0\n", REFUSED, true),
        ("open_registration = false\n", TAKEN, false),
        ("open_registration = true\n", TAKEN, true),
        ("", TAKEN, false),
    ] {
        edit(&server, text, answer).await;
        assert_eq!(register(&server).await.is_ok(), open, "{text:?}");
    }
    assert_eq!(register(&server).await, closed);
}

#[tokio::test]
async fn a_setting_that_needs_a_restart_waits_for_one_and_the_server_says_so() {
    let server = Server::fresh(FLEET).await;
    let length = server.log().length();
    edit(&server, "body_bytes_max = 2048\n", "settings were changed").await;
    let said = server.log().line_after(length, "settings were changed").await;
    assert!(said.contains("body_bytes_max"), "{said}");
    assert_eq!(register(&server).await, Err(Code::REGISTRATION_CLOSED));
}

use agents::claude::Claude;
use agents::codex::Codex;
use agents::external::External;
use types::Timestamp;

use super::*;

fn server(name: &str, reach: ServerReach) -> ProjectServer {
    ProjectServer {
        id: "x-x7k2m".parse().unwrap(),
        project: "p-x7k2m".parse().unwrap(),
        team: "alpha".parse().unwrap(),
        name: name.to_owned(),
        reach,
        enabled: true,
        created_by: "lead".parse().unwrap(),
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
    }
}

fn docs() -> ProjectServer {
    let reach = ServerReach::Stdio { command: "docs".to_owned(), args: Vec::new(), env: BTreeMap::new(), cwd: None };
    server("docs", reach)
}

fn state(name: &str, status: &str, failed: bool) -> ServerState {
    ServerState { name: name.to_owned(), status: status.to_owned(), failed }
}

#[test]
fn an_agent_that_writes_may_use_the_tools_of_its_project_and_one_that_reads_is_asked() {
    let writes = Gear::of(&Claude::default(), vec![docs()], &["Read".to_owned(), "Edit".to_owned()]);
    assert_eq!(writes.tools, ["mcp__docs__*"]);
    let reads = Gear::of(&Claude::default(), vec![docs()], &["Read".to_owned(), "Bash(git diff *)".to_owned()]);
    assert_eq!((reads.tools.len(), reads.servers.len()), (0, 1));
}

#[test]
fn a_server_that_an_agent_cannot_use_is_told_of() {
    let gear = Gear::of(&External, vec![docs()], &["Edit".to_owned()]);
    assert_eq!((gear.servers.len(), gear.tools.len()), (0, 0));
    assert_eq!(gear.passed_over, [state("docs", "not given: agent `external` takes no MCP servers", true)]);
}

#[test]
fn an_agent_that_speaks_the_newer_way_alone_is_not_given_a_server_of_the_older() {
    let older = ServerReach::Sse { url: "http://127.0.0.1:9/sse".to_owned(), headers: BTreeMap::new() };
    let gear = Gear::of(&Codex::default(), vec![docs(), server("old", older)], &[]);
    assert_eq!(gear.servers.len(), 1);
    assert_eq!(gear.passed_over, [state("old", "not given: agent `codex` takes no MCP servers of this type", true)]);
}

#[test]
fn what_an_agent_says_of_a_server_replaces_what_was_known_of_it_alone() {
    let known = [state("old", "not given", true), state("docs", "pending", false)];
    let servers = merged(&known, vec![state("docs", "failed", true), state("fleet", "connected", false)]);
    let expected = [state("old", "not given", true), state("docs", "failed", true), state("fleet", "connected", false)];
    assert_eq!(servers, expected);
    assert_eq!(newly_failed(&known, &servers).collect::<Vec<_>>(), [&state("docs", "failed", true)]);
    assert_eq!(newly_failed(&servers, &servers).count(), 0, "what is told once is not told again");
}

//! What was shown of each agent, held against the table in the docs.
//!
//! Every scenario writes what it has shown to a file below the build's folder, of which `cargo xtask matrix` makes the
//! table; and it fails where the table that is checked in says otherwise.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use serde_json::json;
use testkit::Cli;

/// The table that is checked in.
const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/agents-matrix.md");

/// Where runs leave what they have shown.
const SHOWN: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/agents-matrix.jsonl");

/// What an agent may be able to do, in the order of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Capability {
    Commit,
    Mcp,
    Usage,
    Blocked,
    Beyond,
    Allowed,
    Denied,
    Reason,
    RateLimit,
    Quota,
    ContextFull,
    Resume,
    Fork,
    Cancel,
    Readopt,
    Reviewer,
    Unfenced,
    Unhooked,
    Escape,
    Approvals,
}

/// What was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cell {
    Yes,
    /// It can, and not quite.
    But(&'static str),
    /// It cannot, and Fleet says so.
    No(&'static str),
}

impl Capability {
    const fn title(self) -> &'static str {
        match self {
            Self::Commit => "writes a file and commits it in its worktree",
            Self::Mcp => "reports with Fleet's own tool, over MCP",
            Self::Usage => "tells what it used, to the token, and what that cost",
            Self::Blocked => "makes no call that a rule blocks",
            Self::Beyond => "makes no call beyond its preset",
            Self::Allowed => "makes a call that a rule asks about when a person says yes",
            Self::Denied => "makes no such call when a person says no",
            Self::Reason => "is told why a call is refused",
            Self::RateLimit => "goes on after a 429",
            Self::Quota => "waits for its quota without a process, and goes on",
            Self::ContextFull => "begins anew when its context is full",
            Self::Resume => "goes on with an ended conversation",
            Self::Fork => "goes on with a copy of a conversation",
            Self::Cancel => "leaves no process when it is cancelled in a tool call",
            Self::Readopt => "goes on while the server is killed and found again",
            Self::Reviewer => "cannot write, push, read keys or connect out as a reviewer",
            Self::Unfenced => "nor can it when its fence is spoilt: every call is refused",
            Self::Unhooked => "nor can it when its hooks are broken: the sandbox alone holds it",
            Self::Escape => "gets out by no attack of the escape suite, all of which succeed with the sandbox off",
            Self::Approvals => "cannot answer an approval, which it can with the sandbox off",
        }
    }
}

impl Cell {
    fn text(self) -> String {
        match self {
            Self::Yes => "yes".to_owned(),
            Self::But(what) => format!("yes, but {what}"),
            Self::No(why) => format!("no: {why}"),
        }
    }
}

/// Writes down what was shown of an agent, and holds it against the table.
pub(crate) fn hold(cli: Cli, shown: Vec<(Capability, Cell)>) {
    assert!(!shown.is_empty(), "a scenario that shows nothing");
    for &(capability, cell) in &shown {
        let (title, cell) = (capability.title(), cell.text());
        let line = json!({
            "agent": cli.name(), "version": cli.pinned_version(), "row": capability as usize, "capability": title, "cell": cell,
        });
        let mut file = OpenOptions::new().create(true).append(true).open(SHOWN).unwrap();
        file.write_all(format!("{line}\n").as_bytes()).unwrap();
    }
    for (capability, cell) in shown {
        let (title, cell) = (capability.title(), cell.text());
        let documented = documented(cli, title);
        assert_eq!(documented.as_deref(), Some(cell.as_str()), "`{title}` of {}: run `cargo xtask matrix`", cli.name());
    }
}

/// The cell of the table in the docs.
fn documented(cli: Cli, title: &str) -> Option<String> {
    #[expect(clippy::disallowed_methods, reason = "a test reads what is documented")]
    let text = std::fs::read_to_string(Path::new(TABLE)).ok()?;
    let rows = || text.lines().filter(|line| line.starts_with('|')).map(cells);
    let header = rows().next()?;
    let column = header.iter().position(|cell| *cell == format!("{} {}", cli.name(), cli.pinned_version()))?;
    let row = rows().find(|row| row.first().is_some_and(|cell| *cell == title))?;
    row.get(column).map(|cell| (*cell).to_owned())
}

fn cells(row: &str) -> Vec<&str> {
    row.trim_matches('|').split('|').map(str::trim).collect()
}

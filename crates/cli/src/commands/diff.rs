//! `fleet diff`: what the branch of a mission changes.

use api::devfleet::{DiffMission, ListMissions, MissionDiff};
use api::{Code, Page, quantity};
use serde_json::{Map, Value, json};

use crate::call::Call;
use crate::context::Context;
use crate::failure::Failure;
use crate::operations::unlisted;
use crate::render::grid;
use crate::terminal::Style;

/// Show what the branch of a mission changes
///
/// Compares the branch with the commit it started from; what the target branch has got meanwhile is left out. Changes
/// that the agent has not committed yet are not shown.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// The mission [default: the newest]
    mission: Option<String>,
    /// Show the commits and files, not the patch
    #[arg(long)]
    stat: bool,
}

pub(crate) async fn run(args: Args, context: &mut Context<'_>) -> Result<u8, Failure> {
    let mission = match args.mission {
        Some(mission) => mission,
        None => newest(context).await?,
    };
    let mut fields = Map::from_iter([("mission".to_owned(), json!(mission))]);
    if args.stat {
        fields.insert("max_bytes".to_owned(), json!(0));
    }
    let reply = Call { entry: unlisted::<DiffMission>(), fields, yes: false }.answer(context).await?;
    if context.options.json {
        context.terminal.print_json(&reply.body)?;
        return Ok(0);
    }
    let diff = read(reply.body)?;
    let style = context.terminal.data_style();
    let text = if args.stat { summary(&diff, context.terminal.columns()) } else { patch(&diff.patch, style) };
    context.terminal.print(&text)?;
    if diff.commits.is_empty() {
        context.terminal.say(&format!("Branch {} has no commits of its own yet.", diff.branch));
    }
    if diff.uncommitted == Some(true) {
        context.terminal.say(&format!("Changes in {} are not committed, and not shown.", diff.worktree));
    }
    if diff.truncated {
        context
            .terminal
            .say(&format!("The patch is longer: `git diff {} {}` shows all of it.", diff.base, diff.branch));
    }
    Ok(0)
}

/// Reads what the server says of a branch.
pub(crate) fn read(body: Value) -> Result<MissionDiff, Failure> {
    serde_json::from_value(body)
        .map_err(|error| Failure::new(api::Kind::Internal, format!("cannot read the answer: {error}")))
}

async fn newest(context: &mut Context<'_>) -> Result<String, Failure> {
    let client = context.connect().await?;
    let list = ListMissions { page: Page { limit: Some(1), after: None }, ..ListMissions::default() };
    let newest = client.call(list).await?.output.items.pop();
    newest.map(|mission| mission.id.to_string()).ok_or_else(|| {
        api::Error::new(Code::MISSION_NOT_FOUND, "there is no mission yet")
            .hint("Start one: `fleet run PROMPT`.")
            .into()
    })
}

/// Commits, then files with the lines that came and went.
fn summary(diff: &MissionDiff, width: usize) -> String {
    let mut text = format!("branch {} from {}\n", diff.branch, short(&diff.base));
    for commit in &diff.commits {
        text.push_str(&format!("  {} {}\n", short(&commit.hash), printable(&commit.subject)));
    }
    if diff.more_commits > 0 {
        text.push_str(&format!("  and {} more\n", quantity::counted(diff.more_commits as u64, "commit")));
    }
    let number = |sign: char, lines: Option<u64>| lines.map_or_else(|| "binary".to_owned(), |n| format!("{sign}{n}"));
    let row = |file: &api::devfleet::FileView| {
        vec![file.change.clone(), number('+', file.added), number('-', file.removed), printable(&file.path)]
    };
    text.push_str(&grid(&diff.files.iter().map(row).collect::<Vec<_>>(), width));
    let sum = |lines: fn(&api::devfleet::FileView) -> Option<u64>| diff.files.iter().filter_map(lines).sum::<u64>();
    let (added, removed) = (sum(|file| file.added), sum(|file| file.removed));
    let files = quantity::counted(diff.files.len() as u64, "file");
    text.push_str(&format!("{files} changed, {added} added, {removed} removed\n"));
    text
}

/// Colours the lines of a patch; what a terminal would obey is taken out of it.
fn patch(patch: &str, style: Style) -> String {
    if style == Style::Plain {
        return patch.to_owned();
    }
    let line = |line: &str| {
        let line = printable(line);
        let painted = match line.as_bytes() {
            [b'd', b'i', b'f', b'f', ..] => style.bold(&line),
            [b'+', ..] => style.good(&line),
            [b'-', ..] => style.error(&line),
            [b'@', ..] => style.dim(&line),
            _ => line,
        };
        format!("{painted}\n")
    };
    patch.lines().map(line).collect()
}

fn printable(text: &str) -> String {
    text.replace('\t', "    ").chars().filter(|letter| !letter.is_control()).collect()
}

fn short(hash: &str) -> &str {
    hash.get(..8).unwrap_or(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_has_commits_files_and_sums() {
        let diff = read(json!({
            "mission": "m-x7k2m", "session": "s-x7k2m", "branch": "devfleet/s-x7k2m", "base": "0123456789abcdef",
            "worktree": "/w", "uncommitted": false, "more_commits": 1, "patch": "", "truncated": false,
            "commits": [{ "hash": "fedcba9876543210", "subject": "Add a cart\u{1b}[2J" }],
            "files": [
                { "path": "cart.md", "change": "added", "renamed_from": null, "added": 3, "removed": 0 },
                { "path": "logo.png", "change": "modified", "renamed_from": null, "added": null, "removed": null },
            ],
        }))
        .unwrap();
        let expected = "branch devfleet/s-x7k2m from 01234567\n  fedcba98 Add a cart[2J\n  and 1 commit more\n\
                        added     +3      -0      cart.md\nmodified  binary  binary  logo.png\n\
                        2 files changed, 3 added, 0 removed\n";
        assert_eq!(summary(&diff, 100), expected);
    }

    #[test]
    fn a_patch_cannot_move_the_cursor_of_a_terminal() {
        let shown = patch("+a\u{1b}[2Jb\n-c\n", Style::Coloured);
        assert!(!shown.contains("\u{1b}[2J") && shown.contains("a[2Jb"), "{shown:?}");
        assert_eq!(patch("+a\tb\n", Style::Plain), "+a\tb\n");
    }
}

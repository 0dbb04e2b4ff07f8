//! `fleet open`: an editor, or a shell, in the worktree of a mission.

use std::path::Path;
use std::process::ExitStatus;

use api::devfleet::DiffMission;
use serde_json::{Map, json};

use super::diff::read;
use crate::call::Call;
use crate::context::Context;
use crate::failure::Failure;
use crate::operations::unlisted;

/// Open the worktree of a mission in your editor, or in a shell
///
/// Starts `$VISUAL` or `$EDITOR` with the folder, or `$SHELL` in it if neither is set. Where no person reads the output
/// it prints the path: `cd "$(fleet open m-x7 --print)"`.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// The mission
    mission: String,
    /// Print the path of the worktree
    #[arg(long)]
    print: bool,
}

pub(crate) async fn run(args: Args, context: &mut Context<'_>) -> Result<u8, Failure> {
    let fields = Map::from_iter([("mission".to_owned(), json!(args.mission)), ("max_bytes".to_owned(), json!(0))]);
    let reply = Call { entry: unlisted::<DiffMission>(), fields, yes: false }.answer(context).await?;
    let diff = read(reply.body)?;
    let folder = Path::new(&diff.worktree);
    if !folder.is_dir() {
        let message = format!("the worktree of mission {} is gone: {}", diff.mission, diff.worktree);
        return Err(Failure::new(api::Kind::NotFound, message).hint(format!(
            "Its branch is {}: `fleet diff {}` shows what it changes, `git worktree add FOLDER {0}` makes another.",
            diff.branch, diff.mission
        )));
    }
    if args.print || context.options.json || !context.terminal.is_interactive() {
        context.terminal.print(&format!("{}\n", diff.worktree))?;
        return Ok(0);
    }
    let (program, arguments) = program(context.environment.get("VISUAL"), context.environment.get("EDITOR"), || {
        context.environment.get("SHELL").unwrap_or("/bin/sh").to_owned()
    });
    let arguments = arguments.into_iter().map(|argument| argument.replace(FOLDER, &diff.worktree));
    context.terminal.say(&format!("{program} in {} (branch {})", diff.worktree, diff.branch));
    let status = interactive(&program, arguments, folder)?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// Runs a program on this terminal until the person ends it.
#[expect(
    clippy::disallowed_methods,
    reason = "a person's editor has the terminal, which a process group of its own would not"
)]
fn interactive(program: &str, arguments: impl Iterator<Item = String>, folder: &Path) -> Result<ExitStatus, Failure> {
    let started = std::process::Command::new(program).args(arguments).current_dir(folder).status();
    started.map_err(|error| Failure::io(&format!("cannot start {program}"), &error))
}

/// What stands for the folder among arguments.
const FOLDER: &str = "{folder}";

/// Chooses what to start: an editor gets the folder, a shell is in it.
fn program(visual: Option<&str>, editor: Option<&str>, shell: impl FnOnce() -> String) -> (String, Vec<String>) {
    let editor = visual.filter(|text| !text.trim().is_empty()).or(editor.filter(|text| !text.trim().is_empty()));
    // An editor may be named with arguments, such as `code --wait`.
    let mut words = editor.unwrap_or_default().split_whitespace().map(str::to_owned);
    match words.next() {
        Some(program) => (program, words.chain([FOLDER.to_owned()]).collect()),
        None => (shell(), Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_gets_the_folder_and_a_shell_is_in_it() {
        let shell = || "/bin/zsh".to_owned();
        let folder = || FOLDER.to_owned();
        assert_eq!(
            program(Some("code --wait"), Some("vi"), shell),
            ("code".to_owned(), vec!["--wait".to_owned(), folder()])
        );
        assert_eq!(program(Some(" "), Some("vi"), shell), ("vi".to_owned(), vec![folder()]));
        assert_eq!(program(None, None, shell), ("/bin/zsh".to_owned(), Vec::new()));
    }
}

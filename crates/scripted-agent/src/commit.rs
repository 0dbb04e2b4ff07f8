//! Commits everything in the current folder, with the git that is there and the hooks that the repository has.

use std::process::{Command, Output, Stdio};

/// The author if git has none; the address is reserved and reaches no person.
const NOBODY: [&str; 4] = ["-c", "user.name=sim", "-c", "user.email=sim@fleet.invalid"];

/// Commits everything; nothing to commit is not a failure.
///
/// # Errors
/// Says what git says.
pub(crate) fn commit(message: &str) -> Result<String, String> {
    run(&["add", "--all"])?;
    let message = format!("--message={message}");
    let mut args = if has_identity()? { Vec::new() } else { NOBODY.to_vec() };
    args.extend(["commit", message.as_str()]);
    match run(&args) {
        Ok(()) => Ok("committed".to_owned()),
        Err(_) if nothing_staged()? => Ok("nothing to commit".to_owned()),
        Err(why) => Err(why),
    }
}

/// Git would make an identity up from the names of the user and the machine; that one counts as none.
fn has_identity() -> Result<bool, String> {
    let ident = |who| git(&["-c", "user.useConfigOnly=true", "var", who]).map(|output| output.status.success());
    Ok(ident("GIT_AUTHOR_IDENT")? && ident("GIT_COMMITTER_IDENT")?)
}

fn nothing_staged() -> Result<bool, String> {
    git(&["diff", "--cached", "--quiet"]).map(|output| output.status.success())
}

fn run(args: &[&str]) -> Result<(), String> {
    let output = git(args)?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stderr, output.stdout].map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned());
    let said = said.iter().find(|said| !said.is_empty()).map_or("", String::as_str);
    let word = args.iter().find(|word| matches!(**word, "add" | "commit")).unwrap_or(&"");
    Err(format!("git {word} failed ({}): {said}", output.status))
}

#[expect(clippy::disallowed_methods, reason = "an agent starts the tools that it uses")]
fn git(args: &[&str]) -> Result<Output, String> {
    let output = Command::new("git").args(args).stdin(Stdio::null()).output();
    output.map_err(|error| format!("cannot start git: {error}"))
}

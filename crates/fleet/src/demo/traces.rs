//! Processes that work below a folder, as the system shows them. Where it does not, there are none to see.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Returns the agents that work below a folder.
pub(super) fn agents(root: &Path) -> BTreeSet<u32> {
    processes()
        .filter(|process| works_below(process, root) && says(process, scripted_agent::WORD.as_bytes()))
        .map(id)
        .collect()
}

/// Returns every process that works below a folder or was started with its name.
pub(super) fn all(root: &Path) -> BTreeSet<u32> {
    let (own, name) = (std::process::id(), root.display().to_string());
    let ours = |process: &PathBuf| works_below(process, root) || says(process, name.as_bytes());
    processes().filter(ours).map(id).filter(|pid| *pid != own).collect()
}

fn processes() -> impl Iterator<Item = PathBuf> {
    let entries = Path::new("/proc").read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| id(path.clone()) != 0)
}

fn id(process: PathBuf) -> u32 {
    process.file_name().and_then(|name| name.to_str()?.parse().ok()).unwrap_or(0)
}

/// Of a process that is just ending nothing can be read.
fn works_below(process: &Path, root: &Path) -> bool {
    process.join("cwd").read_link().is_ok_and(|folder| folder.starts_with(root))
}

/// Returns whether it is this program, with an argument that begins so.
#[expect(clippy::disallowed_methods, reason = "facts about a process are not files of a user")]
fn says(process: &Path, word: &[u8]) -> bool {
    let arguments = std::fs::read(process.join("cmdline")).unwrap_or_default();
    let is_ours = arguments.split(|byte| *byte == 0).take(1).any(is_this_program);
    is_ours && arguments.split(|byte| *byte == 0).skip(1).any(|argument| argument.starts_with(word))
}

/// Another program with the name of the folder in its arguments, such as an editor, belongs to the user.
fn is_this_program(program: &[u8]) -> bool {
    let ours = std::env::current_exe().ok().and_then(|path| Some(path.file_name()?.to_owned()));
    let name = program.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    ours.is_some_and(|ours| ours.as_encoded_bytes() == name)
}

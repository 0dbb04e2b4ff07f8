//! The rules under which a finished branch lands: the project's, and where it says nothing, the repository's own; and what
//! the repository says about the sandbox of its agents.
//!
//! An agent can write whatever it likes into `fleet.toml` on its branch. Only the file as it is committed on the target
//! branch is read, so that nothing in it counts before it has landed itself, under the rules that held before.

use std::path::Path;

use missions::{FileRules, RULES_FILE, RulesError, effective, sandbox_of_file};
use types::{LandingRules, SandboxRules};
use workspaces::Workspaces;

/// Returns the rules that hold for a repository now, with the target branch by its name; that is missing only where
/// none is named and HEAD is on no branch.
///
/// # Errors
/// In words for people, when git cannot tell or the file cannot be followed: then nobody knows what has to be green.
pub async fn landing_rules(workspaces: &Workspaces, own: &LandingRules, folder: &Path) -> Result<LandingRules, String> {
    let base = match &own.target {
        Some(target) => Some(target.clone()),
        None => workspaces.head_branch(folder).await.map_err(|error| error.to_string())?,
    };
    let Some(base) = base else { return Ok(own.clone()) };
    let file = read(workspaces, folder, &base).await?.unwrap_or_default();
    let named = file.target.clone().filter(|named| own.target.is_none() && *named != base);
    let (target, file) = match named {
        None => (base, file),
        // The branch that is landed on is the one whose word counts.
        Some(named) => {
            let there = read(workspaces, folder, &named).await?;
            (named, there.unwrap_or(file))
        }
    };
    Ok(LandingRules { target: Some(target), ..effective(own, &file) })
}

/// Tells whether a repository may say something about its agents; only where it does are its words worth several looks.
pub(crate) async fn says_something(workspaces: &Workspaces, own: &LandingRules, folder: &Path) -> bool {
    let looked = workspaces.has_file(folder, own.target.as_deref(), RULES_FILE).await;
    // Whoever cannot tell lets the one tell who reads it.
    looked.unwrap_or(true)
}

/// Returns what a repository says about the sandbox of its agents, as it stands on the branch that is landed on.
///
/// # Errors
/// In words for people, when git cannot tell or the file cannot be followed: then nobody knows what agents may reach.
pub(crate) async fn sandbox_rules(
    workspaces: &Workspaces,
    own: &LandingRules,
    folder: &Path,
) -> Result<SandboxRules, String> {
    let base = match &own.target {
        Some(target) => Some(target.clone()),
        None => workspaces.head_branch(folder).await.map_err(|error| error.to_string())?,
    };
    let Some(mut branch) = base else { return Ok(SandboxRules::default()) };
    let Some(mut file) = text(workspaces, folder, &branch).await? else { return Ok(SandboxRules::default()) };
    // What is wrong with the rules of landing is told when something is to land, and keeps nobody from work.
    let named = FileRules::parse(&file).ok().and_then(|rules| rules.target);
    if let Some(named) = named.filter(|named| own.target.is_none() && *named != branch) {
        file = text(workspaces, folder, &named).await?.unwrap_or(file);
        branch = named;
    }
    sandbox_of_file(&file).map_err(|error| told(&error, &branch))
}

async fn read(workspaces: &Workspaces, folder: &Path, branch: &str) -> Result<Option<FileRules>, String> {
    let rules = text(workspaces, folder, branch).await?.map(|text| FileRules::parse(&text)).transpose();
    rules.map_err(|error| told(&error, branch))
}

async fn text(workspaces: &Workspaces, folder: &Path, branch: &str) -> Result<Option<String>, String> {
    workspaces.file_on(folder, branch, RULES_FILE).await.map_err(|error| error.to_string())
}

fn told(error: &RulesError, branch: &str) -> String {
    format!("{error}, as it stands on `{branch}`; correct it there")
}

//! The rules under which a finished branch lands: the project's, and where it says nothing, the repository's own; and
//! what the repository says about the sandbox of its agents.
//!
//! An agent can write whatever it likes into `fleet.toml` on its branch. Only the file as it is committed on the target
//! branch is read, so that nothing in it counts before it has landed itself, under the rules that held before.

use std::path::Path;

use missions::{FileRules, RULES_FILE, RulesError, effective, sandbox_of_file};
use types::{LandingRules, SandboxRules};

use crate::session_workspaces::SessionWorkspaces;

/// Returns the rules that hold for a repository now, with the target branch by its name: the one that the project names,
/// or its `fleet.toml` on the pinned branch, or else the pinned branch. It is missing only where there is none of these
/// and HEAD is on no branch.
///
/// # Errors
/// As a message, when git fails or the file is invalid: then the required checks are unknown.
pub async fn landing_rules(
    workspaces: &dyn SessionWorkspaces,
    own: &LandingRules,
    folder: &Path,
) -> Result<LandingRules, String> {
    let base = match own.settled_target() {
        Some(target) => Some(target.to_owned()),
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

/// Returns whether a repository may have rules for its agents; only then is it read more than once.
pub(crate) async fn says_something(workspaces: &dyn SessionWorkspaces, own: &LandingRules, folder: &Path) -> bool {
    let looked = workspaces.has_file(folder, own.settled_target(), RULES_FILE).await;
    // If that is unknown, the reader finds out.
    looked.unwrap_or(true)
}

/// Returns the rules of a repository for the sandbox of its agents, from its target branch.
///
/// # Errors
/// As a message, when git fails or the file is invalid: then it is unknown what agents may reach.
pub(crate) async fn sandbox_rules(
    workspaces: &dyn SessionWorkspaces,
    own: &LandingRules,
    folder: &Path,
) -> Result<SandboxRules, String> {
    Ok(file_that_counts(workspaces, own, folder).await?.map(|(_, rules)| rules).unwrap_or_default())
}

/// Returns the branch whose file counts, which is the target branch, and the sandbox that the file wants; none if there
/// is no file or no branch.
///
/// # Errors
/// As [`sandbox_rules`].
pub(crate) async fn file_that_counts(
    workspaces: &dyn SessionWorkspaces,
    own: &LandingRules,
    folder: &Path,
) -> Result<Option<(String, SandboxRules)>, String> {
    let base = match own.settled_target() {
        Some(target) => Some(target.to_owned()),
        None => workspaces.head_branch(folder).await.map_err(|error| error.to_string())?,
    };
    let Some(mut branch) = base else { return Ok(None) };
    let Some(mut file) = text(workspaces, folder, &branch).await? else { return Ok(None) };
    // Errors in landing rules are reported when something is to land, and do not stop work.
    let named = FileRules::parse(&file).ok().and_then(|rules| rules.target);
    if let Some(named) = named.filter(|named| own.target.is_none() && *named != branch)
        && let Some(there) = text(workspaces, folder, &named).await?
    {
        (branch, file) = (named, there);
    }
    let rules = sandbox_of_file(&file).map_err(|error| told(&error, &branch))?;
    Ok(Some((branch, rules)))
}

async fn read(workspaces: &dyn SessionWorkspaces, folder: &Path, branch: &str) -> Result<Option<FileRules>, String> {
    let rules = text(workspaces, folder, branch).await?.map(|text| FileRules::parse(&text)).transpose();
    rules.map_err(|error| told(&error, branch))
}

async fn text(workspaces: &dyn SessionWorkspaces, folder: &Path, branch: &str) -> Result<Option<String>, String> {
    workspaces.file_on(folder, branch, RULES_FILE).await.map_err(|error| error.to_string())
}

fn told(error: &RulesError, branch: &str) -> String {
    format!("{error}, in the version on `{branch}`; correct it there")
}

//! What an agent inside of walls needs to use git: its folders made ready, and settings for one who cannot write to all.

use std::collections::BTreeMap;

use sandbox::{GitDirs, Support};
use supervisor::{Answer, Question};
use types::{Access, Workspace};

use super::Actor;
use crate::hub::Hub;

/// What an agent without keys and with a part of its repository cannot or must not do: sign, clean up in what all
/// worktrees share, write down in the repository's settings what a branch follows, remember how conflicts were solved.
const SETTINGS: [(&str, &str); 6] = [
    ("commit.gpgsign", "false"),
    ("tag.gpgsign", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("branch.autoSetupMerge", "false"),
    ("rerere.enabled", "false"),
];

impl Actor {
    /// Returns where git keeps what belongs to the workspace.
    pub(super) async fn git_dirs(&self, workspace: &Workspace) -> Option<GitDirs> {
        let (own, common) = self.hub.parts.workspaces.git_dirs(workspace).await?;
        Some(GitDirs { own, common })
    }

    /// Makes the folders ready that an agent writes to in its repository.
    pub(super) async fn share_git(&self, git: Option<&GitDirs>) {
        let Some(git) = git.filter(|_| self.access() == Access::Workspace) else { return };
        if let Err(error) = self.hub.parts.workspaces.share_git(&git.own, &git.common).await {
            // It can commit all the same; git tells it what else it cannot do.
            tracing::warn!(session = %self.session.id, %error, "a repository is not ready for an agent inside of walls");
        }
    }

    /// Takes away what the agent may have left in a checkout that leads git to other settings.
    pub(super) async fn leave_git(&self) {
        let Some(workspace) = self.session.workspace.as_ref().filter(|_| self.is_walled()) else { return };
        let git = self.git_dirs(workspace).await;
        self.share_git(git.as_ref().filter(|git| git.own == git.common)).await;
    }

    /// Returns what the machine can do for a sandbox around a workspace.
    pub(super) async fn support_for(&self, git: Option<&GitDirs>) -> Support {
        let support = self.hub.support().clone();
        let in_place = git.is_some_and(|git| git.own == git.common);
        if in_place && !self.hub.bubblewrap_works().await { Support { bubblewrap: None, ..support } } else { support }
    }
}

impl Hub {
    /// Tells whether `bwrap` does something here: where users may make no namespaces it is installed for nothing.
    async fn bubblewrap_works(&self) -> bool {
        let Some(program) = self.support().bubblewrap.clone() else { return false };
        let args = ["--dev-bind", "/", "/", "--", "/bin/sh", "-c", ":"].map(str::to_owned).to_vec();
        let question = Question { program, args, env: BTreeMap::new() };
        let tried = self.bubblewrap.get_or_init(|| async {
            let answer = supervisor::ask(&question, &self.parts.clock).await;
            if !matches!(answer, Answer::Said { ok: true, .. }) {
                tracing::warn!(?answer, "`bwrap` is installed and does not work");
            }
            matches!(answer, Answer::Said { ok: true, .. })
        });
        *tried.await
    }
}

/// Says to git what such an agent needs, unless somebody says something else.
pub(super) fn tell(env: &mut BTreeMap<String, String>) {
    if env.contains_key("GIT_CONFIG_COUNT") {
        return;
    }
    env.insert("GIT_CONFIG_COUNT".to_owned(), SETTINGS.len().to_string());
    for (at, (key, value)) in SETTINGS.iter().enumerate() {
        env.insert(format!("GIT_CONFIG_KEY_{at}"), (*key).to_owned());
        env.insert(format!("GIT_CONFIG_VALUE_{at}"), (*value).to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_is_told_what_an_agent_without_keys_needs_unless_somebody_says_otherwise() {
        let mut env = BTreeMap::new();
        tell(&mut env);
        assert_eq!(env.get("GIT_CONFIG_COUNT").map(String::as_str), Some("6"));
        assert_eq!(env.get("GIT_CONFIG_KEY_0").map(String::as_str), Some("commit.gpgsign"));
        assert_eq!(env.get("GIT_CONFIG_VALUE_5").map(String::as_str), Some("false"));
        let mut told = BTreeMap::from([("GIT_CONFIG_COUNT".to_owned(), "1".to_owned())]);
        tell(&mut told);
        assert_eq!(told.len(), 1);
    }
}

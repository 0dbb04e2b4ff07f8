//! What a sandboxed agent needs to use git: prepared folders, and settings for a process that cannot write to all of
//! them.

use std::collections::BTreeMap;

use sandbox::GitDirs;
use types::Workspace;

use super::Actor;

/// What an agent without keys and with settings that it cannot write must not do: sign, clean up in what it borrows,
/// write down what a branch follows, remember how conflicts were solved.
const SETTINGS: [(&str, &str); 6] = [
    ("commit.gpgsign", "false"),
    ("tag.gpgsign", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("branch.autoSetupMerge", "false"),
    ("rerere.enabled", "false"),
];

impl Actor {
    /// Makes the git directory of the workspace ready and returns where it is.
    pub(super) async fn git_dirs(&self, workspace: &Workspace) -> Result<Option<GitDirs>, workspaces::Error> {
        let found = self.shared.parts.workspaces.git_dirs(workspace).await?;
        Ok(found.map(|(own, common)| GitDirs { own, common }))
    }

    /// Takes away what the agent may have left that leads git to other settings.
    pub(super) async fn leave_git(&self) {
        let Some(workspace) = &self.session.workspace else { return };
        if let Err(error) = self.git_dirs(workspace).await {
            tracing::warn!(session = %self.session.id, %error, "what an agent left in its git directory is not put right");
        }
    }
}

/// Passes git the settings that such an agent needs, unless the user sets others.
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

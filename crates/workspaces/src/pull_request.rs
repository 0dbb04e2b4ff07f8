//! Asks for a pull request, through whichever command line of a forge is there: GitHub's, or GitLab's.

use std::path::Path;
use std::time::Duration;

use git::BranchName;
use types::Workspace;

use crate::Workspaces;
use crate::command::Surroundings;
use crate::error::Error;
use crate::work::{ORIGIN, own_tree};

/// How long it may take.
const LIMIT: Duration = Duration::from_secs(120);

/// What the command line of a forge sees of the environment.
const VARIABLES: [&str; 18] = [
    "PATH",
    "HOME",
    "LANG",
    "XDG_CONFIG_HOME",
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "GH_HOST",
    "GH_CONFIG_DIR",
    "GITLAB_TOKEN",
    "GITLAB_HOST",
    "GLAB_CONFIG_DIR",
    "GITLAB_URI",
    "http_proxy",
    "https_proxy",
    "HTTPS_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSH_AUTH_SOCK",
];

/// The pull request to open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PullRequest {
    /// Its title.
    pub title: String,
    /// Its text.
    pub body: String,
    /// The branch it is for; none for the repository's default.
    pub base: Option<String>,
    /// Whether it is not yet to be merged.
    pub draft: bool,
}

/// Who keeps the repository that others see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Forge {
    GitHub,
    GitLab,
}

impl Forge {
    /// Those to ask, the likelier one first.
    fn likely(address: Option<&str>) -> [Self; 2] {
        match address {
            Some(address) if address.contains("gitlab") => [Self::GitLab, Self::GitHub],
            Some(_) | None => [Self::GitHub, Self::GitLab],
        }
    }

    fn program(self) -> &'static str {
        match self {
            Self::GitHub => "gh",
            Self::GitLab => "glab",
        }
    }

    /// The command line; each value is part of its option, so that none can be read as another one.
    fn arguments(self, branch: &BranchName, asked: &PullRequest) -> Vec<String> {
        let PullRequest { title, body, base, draft } = asked;
        let (command, names) = match self {
            Self::GitHub => (["pr", "create"], ["title", "body", "head", "base"]),
            Self::GitLab => (["mr", "create"], ["title", "description", "source-branch", "target-branch"]),
        };
        let values = [Some(title.as_str()), Some(body), Some(branch.as_str()), base.as_deref()];
        let options = names.into_iter().zip(values).filter_map(|(name, value)| Some(format!("--{name}={}", value?)));
        let unasked = match self {
            Self::GitHub => None,
            Self::GitLab => Some("--yes".to_owned()),
        };
        let draft = draft.then(|| "--draft".to_owned());
        command.map(str::to_owned).into_iter().chain(options).chain(unasked).chain(draft).collect()
    }
}

impl Workspaces {
    /// Asks for a pull request of the branch, which must have been pushed, and returns its address.
    ///
    /// # Errors
    /// [`Error::NoGh`] if no forge's command line is installed; what it says otherwise.
    pub async fn open_pr(&self, workspace: &Workspace, asked: &PullRequest) -> Result<String, Error> {
        let tree = own_tree(workspace, "open a pull request from")?;
        let branch: BranchName = tree.branch.parse()?;
        let address = self.source(Path::new(&tree.repository)).await?.repository.remote_url(ORIGIN).await?;
        // Not in the worktree: these programs run git, which follows what an agent wrote there.
        let directory = Path::new(&tree.repository);
        for forge in Forge::likely(address.as_deref()) {
            let args = forge.arguments(&branch, asked);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let told = format!("{} {}", forge.program(), args.iter().take(2).copied().collect::<Vec<_>>().join(" "));
            let (ran, printed) = match self.forge(directory).run(forge.program(), &args, &told, LIMIT).await {
                Err(Error::Start { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => continue,
                ran => ran?,
            };
            if !ran.is_good() {
                return Err(Error::PullRequest { branch: branch.to_string(), ran: Box::new(ran) });
            }
            let address = printed.lines().rev().find(|line| line.starts_with("http"));
            return Ok(address.unwrap_or(printed.trim()).to_owned());
        }
        Err(Error::NoGh)
    }

    fn forge(&self, directory: &Path) -> Surroundings {
        let (known, clock) = (&self.inner().options.variables, self.inner().clock.clone());
        let taken = VARIABLES.iter().filter_map(|name| known.get_key_value(std::ffi::OsStr::new(name)));
        let taken = taken.map(|(name, value)| (name.clone(), value.clone()));
        let fixed = [("GH_PROMPT_DISABLED", "1"), ("NO_COLOR", "1"), ("GIT_TERMINAL_PROMPT", "0")];
        let fixed = fixed.map(|(name, value)| (name.into(), value.into()));
        Surroundings {
            directory: directory.to_owned(),
            variables: taken.chain(fixed).collect(),
            kept_open: None,
            clock,
            sandbox: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_forge_is_asked_in_its_own_words_and_no_value_becomes_an_option() {
        let asked = PullRequest {
            title: "--web".to_owned(),
            body: "text".to_owned(),
            base: Some("main".to_owned()),
            draft: false,
        };
        let branch: BranchName = "fleet/cart".parse().unwrap();
        let github = Forge::GitHub.arguments(&branch, &asked);
        assert_eq!(github, ["pr", "create", "--title=--web", "--body=text", "--head=fleet/cart", "--base=main"]);
        let gitlab = Forge::GitLab.arguments(&branch, &PullRequest { base: None, draft: true, ..asked });
        let expected =
            ["mr", "create", "--title=--web", "--description=text", "--source-branch=fleet/cart", "--yes", "--draft"];
        assert_eq!(gitlab, expected);
    }

    #[test]
    fn a_remote_at_gitlab_is_asked_for_there_first() {
        assert_eq!(Forge::likely(Some("git@gitlab.example.org:shop.git")), [Forge::GitLab, Forge::GitHub]);
        assert_eq!(Forge::likely(Some("https://github.com/a/b")), [Forge::GitHub, Forge::GitLab]);
        assert_eq!(Forge::likely(None), [Forge::GitHub, Forge::GitLab]);
    }
}

//! A branch to a remote, mostly `origin`, under its own name, and never over what is there.

use std::time::Duration;

use crate::branch::BranchName;
use crate::command::Hooks;
use crate::error::{Error, Failure};
use crate::repository::Repository;

/// Where branches are pushed to unless it is said.
const REMOTE: &str = "origin";

/// How long a push may take.
const LIMIT: Duration = Duration::from_secs(600);

/// What git or ssh says when the remote does not let us in.
const DENIED: [&str; 7] = [
    "Authentication failed",
    "could not read Username",
    "could not read Password",
    "terminal prompts disabled",
    "Permission denied",
    "Host key verification failed",
    "The requested URL returned error: 403",
];

impl Repository {
    /// Pushes a branch to the branch of the same name at `origin`; the user's hooks run.
    ///
    /// # Errors
    /// [`Error::NoRemote`], [`Error::PushRejected`], [`Error::PushDenied`], or what git said.
    pub async fn push(&self, branch: &BranchName) -> Result<(), Error> {
        self.push_to(REMOTE, branch).await
    }

    /// Returns the address of a remote; none if there is no such remote.
    ///
    /// # Errors
    /// When git cannot tell.
    pub async fn remote_url(&self, remote: &str) -> Result<Option<String>, Error> {
        let known = self.look(["remote", "get-url", "--end-of-options", remote]).run_to(&[0, 2, 128, 129]).await?;
        let address = || String::from_utf8_lossy(&known.stdout).trim().to_owned();
        Ok((known.code == 0).then(address))
    }

    /// As [`Repository::push`], to a remote of this name.
    ///
    /// # Errors
    /// As there.
    pub async fn push_to(&self, remote: &str, branch: &BranchName) -> Result<(), Error> {
        if self.remote_url(remote).await?.is_none() {
            return Err(Error::NoRemote { branch: branch.clone(), remote: remote.to_owned() });
        }
        let (name, fixed) = (branch.reference(), ["push", "--quiet", "--no-force", "--end-of-options", remote]);
        let command = self.command(fixed.into_iter().chain([format!("{name}:{name}").as_str()])).limit(LIMIT);
        let command = command.hooks(Hooks::Asked);
        // ssh would ask at a terminal; this makes it ask a program that has no answer.
        let command = command.variable("SSH_ASKPASS", "false").variable("SSH_ASKPASS_REQUIRE", "force");
        let command = command.variable("GIT_ASKPASS", "false");
        match command.run().await {
            Ok(_) => Ok(()),
            Err(Error::Failed(failure)) => Err(refused(branch, failure)),
            Err(error) => Err(error),
        }
    }
}

fn refused(branch: &BranchName, failure: Failure) -> Error {
    let (branch, said) = (branch.clone(), failure.stderr.clone());
    match () {
        () if DENIED.iter().any(|words| said.contains(words)) => Error::PushDenied { branch, said },
        () if said.contains("rejected]") => Error::PushRejected { branch, said },
        () => Error::Failed(failure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(stderr: &str) -> Error {
        let failure = Failure { command: "git push".to_owned(), code: Some(1), stderr: stderr.to_owned() };
        refused(&"b".parse().unwrap(), failure)
    }

    #[test]
    fn a_refusal_is_told_from_a_login_that_is_missing_and_from_the_rest() {
        assert!(matches!(told(" ! [rejected] b -> b (non-fast-forward)"), Error::PushRejected { .. }));
        assert!(matches!(told(" ! [remote rejected] b -> b (pre-receive hook declined)"), Error::PushRejected { .. }));
        assert!(matches!(told("git@host: Permission denied (publickey)."), Error::PushDenied { .. }));
        assert!(matches!(told("fatal: could not read Username for 'https://x'"), Error::PushDenied { .. }));
        assert!(matches!(told("fatal: unable to access"), Error::Failed(_)));
    }
}

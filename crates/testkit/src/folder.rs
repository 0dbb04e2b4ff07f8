//! Temporary folders of tests, in which git finds no repository around them.
//!
//! A folder below `target` is inside the checkout that the tests run from. A project there without a repository of its own
//! would be worked on in that checkout: worktrees, branches and commits in the developer's own repository.

use std::path::Path;

use tempfile::TempDir;

/// A git file that leads nowhere: git looks no further up.
const NO_REPOSITORY: &str = "gitdir: no-repository\n";

/// Makes a temporary folder in `place`, usually `env!("CARGO_TARGET_TMPDIR")`. Git in it fails as in no repository; a
/// repository made below it works as usual.
///
/// # Panics
/// When the folder cannot be made.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the file is in a folder that was just made")]
pub fn folder_in(place: &Path) -> TempDir {
    let folder = TempDir::new_in(place).unwrap();
    std::fs::write(folder.path().join(".git"), NO_REPOSITORY).unwrap();
    folder
}

#[cfg(test)]
mod tests {
    use config::Environment;
    use git::Git;
    use runtime::Clock;

    use super::*;

    async fn finds_one(folder: &Path) -> bool {
        let path = Environment::of_process().get("PATH").unwrap().to_owned();
        let git = Git::new(git::Environment::from_variables([("PATH", path)]), Clock::system());
        match git.open(folder).await {
            Ok(_) => true,
            Err(git::Error::NoRepository { .. }) => false,
            Err(error) => panic!("{error}"),
        }
    }

    #[tokio::test]
    #[expect(clippy::disallowed_methods, reason = "the test makes the repository around")]
    async fn git_finds_no_repository_around_the_folder_of_a_test() {
        let outer = tempfile::tempdir().unwrap();
        let control = outer.path().join("project");
        std::fs::create_dir_all(&control).unwrap();
        for path in ["objects", "refs"] {
            std::fs::create_dir_all(outer.path().join(".git").join(path)).unwrap();
        }
        std::fs::write(outer.path().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        assert!(finds_one(&control).await, "there is no repository around it to be found");

        let own = folder_in(outer.path());
        let project = own.path().join("project");
        std::fs::create_dir(&project).unwrap();
        assert!(!finds_one(own.path()).await && !finds_one(&project).await);
    }
}

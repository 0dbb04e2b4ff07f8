//! The settings of a session's own git directory: those of the repository, without what belongs to its own checkout, and
//! who commits.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;

use crate::error::Error;
use crate::repository::Repository;

/// Settings that are said of one checkout or one store, or that are set below.
const OTHERS: [&str; 9] = [
    "core.bare",
    "core.fsmonitor",
    "core.logallrefupdates",
    "core.repositoryformatversion",
    "core.splitindex",
    "core.worktree",
    "gc.auto",
    "include.path",
    "maintenance.auto",
];

/// What the layout of a repository may say of the session's, too.
const LAYOUT: [&str; 2] = ["extensions.objectformat", "extensions.partialclone"];

/// Who commits, wherever the user says it. An agent may keep the user's own settings from git (Gemini does), and those
/// that hold below one folder do not hold for the session's git directory.
const IDENTITY: [&str; 6] =
    ["user.name", "user.email", "author.name", "author.email", "committer.name", "committer.email"];

/// A setting as git lists it: where it is said, its key, and its value unless it has none.
pub(crate) struct Setting {
    pub(crate) scope: String,
    pub(crate) key: String,
    pub(crate) value: Option<String>,
}

impl Setting {
    /// Whether it is said in the repository, as opposed to what the user or the system says everywhere.
    pub(crate) fn is_of_repository(&self) -> bool {
        matches!(self.scope.as_str(), "local" | "worktree")
    }
}

/// Reads `git config --list --show-scope -z`.
pub(crate) fn settings(printed: &[u8]) -> Vec<Setting> {
    let mut fields = printed.split(|byte| *byte == 0).map(|field| String::from_utf8_lossy(field).into_owned());
    let mut found = Vec::new();
    while let (Some(scope), Some(entry)) = (fields.next(), fields.next()) {
        let (key, value) = match entry.split_once('\n') {
            Some((key, value)) => (key.to_owned(), Some(value.to_owned())),
            None => (entry, None),
        };
        found.push(Setting { scope, key, value });
    }
    found
}

impl Repository {
    /// Returns the text of the settings for a session's own git directory.
    pub(crate) async fn private_config(&self) -> Result<String, Error> {
        let listed = settings(&self.look(["config", "--list", "--show-scope", "-z"]).run().await?);
        // In the order of the list: what the repository says comes last and counts.
        let taken: Vec<Setting> = listed.into_iter().filter(is_taken).collect();
        let version = if taken.iter().any(|setting| setting.key.starts_with("extensions.")) { "1" } else { "0" };
        let mut fixed = BTreeMap::from([
            ("core.repositoryformatversion", version.to_owned()),
            ("core.bare", "false".to_owned()),
            ("core.logallrefupdates", "true".to_owned()),
            // Fleet takes over one file.
            ("core.splitindex", "false".to_owned()),
            ("core.fsmonitor", "false".to_owned()),
            ("gc.auto", "0".to_owned()),
            ("maintenance.auto", "false".to_owned()),
        ]);
        if !taken.iter().any(|setting| setting.key == "core.hookspath") {
            let hooks = self.common_dir.join("hooks");
            fixed.insert("core.hookspath", String::from_utf8_lossy(hooks.as_os_str().as_bytes()).into_owned());
        }
        let fixed = fixed.into_iter().map(|(key, value)| line(key, Some(&value)));
        Ok(taken.iter().map(|setting| line(&setting.key, setting.value.as_deref())).chain(fixed).collect())
    }
}

fn is_taken(setting: &Setting) -> bool {
    if setting.is_of_repository() { is_shared(&setting.key) } else { IDENTITY.contains(&setting.key.as_str()) }
}

/// Whether a setting of the repository holds in a session's git directory as well.
fn is_shared(key: &str) -> bool {
    let layout = key.starts_with("extensions.") && !LAYOUT.contains(&key);
    !layout && !OTHERS.contains(&key) && !key.starts_with("includeif.")
}

/// Writes one setting in a section of its own.
fn line(key: &str, value: Option<&str>) -> String {
    let (section, rest) = key.split_once('.').unwrap_or((key, ""));
    let (subsection, name) = rest.rsplit_once('.').map_or((None, rest), |(sub, name)| (Some(sub), name));
    let mut text = match subsection {
        Some(subsection) => format!("[{section} \"{}\"]\n", subsection.replace('\\', "\\\\").replace('"', "\\\"")),
        None => format!("[{section}]\n"),
    };
    // Writing to a text cannot fail.
    let _ = match value {
        Some(value) => {
            let escaped = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t");
            writeln!(text, "\t{name} = \"{escaped}\"")
        }
        None => writeln!(text, "\t{name}"),
    };
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_written_so_that_git_reads_the_same() {
        assert_eq!(line("core.x", None), "[core]\n\tx\n");
        assert_eq!(line("remote.a.b\"c.url", Some("q\"\\\n#")), "[remote \"a.b\\\"c\"]\n\turl = \"q\\\"\\\\\\n#\"\n");
    }

    #[test]
    fn what_is_of_one_checkout_or_one_store_is_not_taken() {
        for key in ["core.worktree", "extensions.worktreeconfig", "extensions.refstorage", "includeif.x.path"] {
            assert!(!is_shared(key), "{key}");
        }
        for key in ["remote.origin.url", "user.name", "extensions.objectformat", "core.sparsecheckout"] {
            assert!(is_shared(key), "{key}");
        }
    }

    #[test]
    fn of_what_the_user_says_everywhere_who_commits_is_taken_and_nothing_else() {
        let said = |scope: &str, key: &str| Setting { scope: scope.to_owned(), key: key.to_owned(), value: None };
        assert!(is_taken(&said("global", "user.email")) && is_taken(&said("system", "author.name")));
        for key in ["user.signingkey", "credential.helper", "core.sshcommand", "alias.x"] {
            assert!(!is_taken(&said("global", key)) && !is_taken(&said("command", key)), "{key}");
        }
    }

    #[test]
    fn settings_are_read_with_their_scope_and_the_lines_of_their_values() {
        let read = settings(b"global\0user.name\nA\nB\0local\0core.bare\0");
        assert_eq!(read.len(), 2);
        assert_eq!((read[0].key.as_str(), read[0].value.as_deref()), ("user.name", Some("A\nB")));
        assert!(read[1].is_of_repository() && read[1].value.is_none() && !read[0].is_of_repository());
    }
}

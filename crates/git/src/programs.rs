//! Programs that a repository's settings name: git that Fleet runs starts none of them.
//!
//! What the user or the system says everywhere stays; what is said in the repository alone is put back to that, or to
//! what git does without. A repository may have been made by an agent or come in an archive, and a filter, a driver or a
//! helper in it would run as the user.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::command::Git;
use crate::error::Error;
use crate::private_config::{Setting, settings};

/// The commands of Git LFS as it installs itself: the program is the user's, wherever it is said.
const LFS: [(&str, &str); 3] = [
    ("filter.lfs.clean", "git-lfs clean -- %f"),
    ("filter.lfs.smudge", "git-lfs smudge -- %f"),
    ("filter.lfs.process", "git-lfs filter-process"),
];

/// What git is told to run none of them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Masks {
    pub(crate) settings: Vec<(String, String)>,
    pub(crate) variables: Vec<(&'static str, &'static str)>,
}

/// Masks that are known, by the directory whose settings they are for.
#[derive(Debug, Default)]
pub(crate) struct Known(Mutex<HashMap<PathBuf, Learnt>>);

#[derive(Debug)]
struct Learnt {
    stamps: Vec<Stamp>,
    masks: Arc<Masks>,
}

/// What changes whenever a file of settings does.
type Stamp = Option<(u64, u64, i64, i64)>;

impl Git {
    /// Returns what git is told so that it runs no program that the settings of a repository name.
    pub(crate) async fn masks(&self, git_dir: &Path, common_dir: &Path) -> Result<Arc<Masks>, Error> {
        if self.trusts(common_dir) {
            return Ok(Arc::default());
        }
        // Settings of one worktree are rare, and all others have the same.
        let own = if git_dir.join("config.worktree").symlink_metadata().is_ok() { git_dir } else { common_dir };
        let files = [own.join("config.worktree"), common_dir.join("config.worktree"), common_dir.join("config")];
        let stamps: Vec<Stamp> = files.into_iter().chain(self.user_settings()).map(|file| stamp(&file)).collect();
        let known = |stamps: &[Stamp]| {
            let known = self.known_masks().0.lock().unwrap_or_else(PoisonError::into_inner);
            known.get(own).filter(|learnt| learnt.stamps == stamps).map(|learnt| Arc::clone(&learnt.masks))
        };
        if let Some(masks) = known(&stamps) {
            return Ok(masks);
        }
        let list = self.look(own, ["config", "--list", "--show-scope", "-z"]).variable("GIT_DIR", own);
        let listed = settings(&list.variable("GIT_COMMON_DIR", common_dir).run().await?);
        let masks = Arc::new(masks(&listed));
        // Files that are included may change, too.
        if !listed.iter().any(|setting| setting.key.starts_with("include")) {
            let mut known = self.known_masks().0.lock().unwrap_or_else(PoisonError::into_inner);
            known.insert(own.to_owned(), Learnt { stamps, masks: Arc::clone(&masks) });
        }
        Ok(masks)
    }
}

fn stamp(path: &Path) -> Stamp {
    let found = path.metadata().ok()?;
    Some((found.ino(), found.size(), found.mtime(), found.mtime_nsec()))
}

/// Decides what is put back, and to what.
fn masks(listed: &[Setting]) -> Masks {
    let mut masks = Masks::default();
    let of_user = |key: &str| listed.iter().rev().find(|other| other.key == key && !is_ours(other));
    if of_user("protocol.ext.allow").is_none() {
        masks.settings.push(("protocol.ext.allow".to_owned(), "never".to_owned()));
    }
    for setting in listed.iter().filter(|setting| setting.is_of_repository()) {
        let Some(without) = without(setting) else { continue };
        match (of_user(&setting.key), without) {
            (_, Without::Helpers) => {
                // An empty one takes back those before it.
                masks.settings.push(("credential.helper".to_owned(), String::new()));
                let users = listed.iter().filter(|other| !is_ours(other) && is_helper(&other.key));
                masks.settings.extend(users.filter_map(|other| Some((other.key.clone(), other.value.clone()?))));
            }
            (_, Without::Variable(name)) => masks.variables.push((name, "")),
            (Some(user), Without::Value(_)) => {
                masks.settings.push((setting.key.clone(), user.value.clone().unwrap_or_else(|| "true".to_owned())));
            }
            (None, Without::Value(value)) => masks.settings.push((setting.key.clone(), value.to_owned())),
            (_, Without::Cleaning) => {
                masks.settings.extend([("gc.auto", "0"), ("maintenance.auto", "false")].map(owned));
            }
        }
    }
    masks
}

fn owned((key, value): (&str, &str)) -> (String, String) {
    (key.to_owned(), value.to_owned())
}

/// Whether a setting is the repository's or what Fleet told this very git.
fn is_ours(setting: &Setting) -> bool {
    setting.is_of_repository() || setting.scope == "command"
}

fn is_helper(key: &str) -> bool {
    key.starts_with("credential.") && key.ends_with(".helper")
}

/// How git does without a program.
#[derive(Debug, PartialEq, Eq)]
enum Without {
    /// With this in place of its name.
    Value(&'static str),
    /// With the helpers of the user alone.
    Helpers,
    /// With this variable, empty.
    Variable(&'static str),
    /// By leaving out what would run it.
    Cleaning,
}

/// Says how git does without what a setting names; none if it names no program.
fn without(setting: &Setting) -> Option<Without> {
    let value = setting.value.as_deref().unwrap_or_default();
    let (section, rest) = setting.key.split_once('.')?;
    let (sub, name) = rest.rsplit_once('.').map_or((None, rest), |(sub, name)| (Some(sub), name));
    let instead = match (section, sub, name) {
        ("filter", Some(_), "clean" | "smudge" | "process") if LFS.contains(&(&setting.key, value)) => return None,
        ("filter", Some("lfs"), "required") => return None,
        ("filter", Some(_), "clean" | "smudge" | "process") => "",
        ("filter", Some(_), "required") => "false",
        ("merge", Some(_), "driver") => "git merge-file --marker-size=%L %A %O %B",
        ("diff", Some(_), "textconv") | ("lfs", Some(_), "clean" | "smudge") => "cat",
        ("diff", None, "external")
        | ("diff", Some(_), "command")
        | ("core", None, "alternaterefscommand")
        | ("trailer", Some(_), "command" | "cmd")
        | ("hook", Some(_), "command") => "true",
        ("core", None, "sshcommand") => "ssh",
        ("core", None, "askpass")
        | ("gpg", Some("ssh"), "defaultkeycommand")
        | ("lfs", None, "standalonetransferagent") => "",
        ("core", None, "gitproxy") => return Some(Without::Variable("GIT_PROXY_COMMAND")),
        ("gpg", None | Some("openpgp"), "program") => "gpg",
        ("gpg", Some("x509"), "program") => "gpgsm",
        ("gpg", Some("ssh"), "program") => "ssh-keygen",
        ("credential", _, "helper") => return Some(Without::Helpers),
        ("remote", Some(_), "uploadpack") => "git-upload-pack",
        ("remote", Some(_), "receivepack") => "git-receive-pack",
        ("submodule", Some(_), "update") if value.starts_with('!') => "checkout",
        ("protocol", Some("ext"), "allow") => "never",
        ("lfs", Some(_), "path") => "false",
        ("gc", None, "recentobjectshook") => return Some(Without::Cleaning),
        _ => return None,
    };
    Some(Without::Value(instead))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(scope: &str, key: &str, value: &str) -> Setting {
        Setting { scope: scope.to_owned(), key: key.to_owned(), value: Some(value.to_owned()) }
    }

    fn told(listed: &[Setting]) -> Vec<(String, String)> {
        masks(listed).settings.into_iter().filter(|(key, _)| key != "protocol.ext.allow").collect()
    }

    #[test]
    fn what_the_repository_names_is_put_back_to_what_the_user_says_or_to_nothing() {
        let listed = [
            setting("global", "filter.a.clean", "mine"),
            setting("local", "filter.a.clean", "evil"),
            setting("local", "filter.b.smudge", "evil"),
            setting("local", "filter.b.required", "true"),
            setting("worktree", "core.sshcommand", "evil"),
            setting("local", "user.name", "Me"),
            setting("command", "filter.b.smudge", "before"),
        ];
        let expected = [
            ("filter.a.clean", "mine"),
            ("filter.b.smudge", ""),
            ("filter.b.required", "false"),
            ("core.sshcommand", "ssh"),
        ];
        assert_eq!(told(&listed), expected.map(owned));
    }

    #[test]
    fn helpers_of_the_user_stay_when_those_of_the_repository_go() {
        let (global, url) = ("credential.helper", "credential.https://x.helper");
        let listed =
            [setting("system", global, "store"), setting("global", url, "other"), setting("local", url, "!evil")];
        assert_eq!(told(&listed), [(global, ""), (global, "store"), (url, "other")].map(owned));
        assert_eq!(told(&listed[..2]), []);
    }

    #[test]
    fn git_lfs_is_known_by_its_own_commands_and_other_commands_of_that_name_are_not() {
        assert_eq!(told(&LFS.map(|(key, value)| setting("local", key, value))), []);
        let evil = [setting("local", "filter.lfs.process", "git-lfs filter-process; evil")];
        assert_eq!(told(&evil), [("filter.lfs.process", "")].map(owned));
        let transfer = [setting("local", "lfs.customtransfer.x.path", "evil")];
        assert_eq!(told(&transfer), [("lfs.customtransfer.x.path", "false")].map(owned));
    }

    #[test]
    fn commands_over_the_wire_are_only_the_users_to_allow() {
        let ext = |listed: &[Setting]| masks(listed).settings;
        let never = [("protocol.ext.allow", "never")].map(owned);
        assert_eq!(ext(&[]), never);
        assert!(ext(&[setting("local", "protocol.ext.allow", "always")]).iter().all(|one| never.contains(one)));
        assert_eq!(ext(&[setting("global", "protocol.ext.allow", "always")]), []);
    }
}

//! What is known of git: which subcommands only read, and which run other programs.

use types::Access;

/// How a subcommand may be called where nothing may be written.
#[derive(Debug, Clone, Copy)]
enum Reading {
    /// However it is called.
    Always,
    /// With nothing behind it, or with one of these first.
    First(&'static [&'static str]),
    /// As a list: with options that are known to list, and names only beside one of them.
    Listing,
}

/// Subcommands that only read, when they are called so.
const READS: [(&str, Reading); 41] = [
    ("annotate", Reading::Always),
    ("blame", Reading::Always),
    ("branch", Reading::Listing),
    ("cat-file", Reading::Always),
    ("check-attr", Reading::Always),
    ("check-ignore", Reading::Always),
    ("cherry", Reading::Always),
    ("config", Reading::First(&["--get", "--get-all", "--list", "-l", "get", "list"])),
    ("count-objects", Reading::Always),
    ("describe", Reading::Always),
    ("diff", Reading::Always),
    ("diff-files", Reading::Always),
    ("diff-index", Reading::Always),
    ("diff-tree", Reading::Always),
    ("for-each-ref", Reading::Always),
    ("grep", Reading::Always),
    ("help", Reading::First(&[])),
    ("log", Reading::Always),
    ("ls-files", Reading::Always),
    ("ls-tree", Reading::Always),
    ("merge-base", Reading::Always),
    ("name-rev", Reading::Always),
    ("notes", Reading::First(&["list", "show"])),
    ("range-diff", Reading::Always),
    ("reflog", Reading::First(&["exists", "list", "show"])),
    ("remote", Reading::First(&["-v", "--verbose", "get-url"])),
    ("rev-list", Reading::Always),
    ("rev-parse", Reading::Always),
    ("shortlog", Reading::Always),
    ("show", Reading::Always),
    ("show-branch", Reading::Always),
    ("show-ref", Reading::Always),
    ("stash", Reading::First(&["list", "show"])),
    ("status", Reading::Always),
    ("submodule", Reading::First(&["status"])),
    ("tag", Reading::Listing),
    ("var", Reading::Always),
    ("verify-commit", Reading::Always),
    ("version", Reading::Always),
    ("whatchanged", Reading::Always),
    ("worktree", Reading::First(&["list"])),
];

/// Subcommands that write, in this repository or another, and run nothing but what the repository's owner set up.
const WRITES: [&str; 34] = [
    "add",
    "am",
    "apply",
    "archive",
    "branch",
    "checkout",
    "cherry-pick",
    "clean",
    "commit",
    "fetch",
    "format-patch",
    "gc",
    "init",
    "ls-remote",
    "merge",
    "merge-file",
    "merge-tree",
    "mv",
    "notes",
    "prune",
    "pull",
    "push",
    "read-tree",
    "rebase",
    "reset",
    "restore",
    "revert",
    "rm",
    "sparse-checkout",
    "stash",
    "switch",
    "tag",
    "update-index",
    "worktree",
];

/// What may stand between `git` and its subcommand.
const BEFORE: [&str; 6] =
    ["--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects", "--version"];

/// Options of lists that make them no more than lists.
const LISTING: [&str; 26] = [
    "-a",
    "-l",
    "-n",
    "-r",
    "-v",
    "-vv",
    "--all",
    "--color",
    "--column",
    "--contains",
    "--format",
    "--ignore-case",
    "--list",
    "--merged",
    "--no-color",
    "--no-column",
    "--no-contains",
    "--no-merged",
    "--omit-empty",
    "--points-at",
    "--remotes",
    "--show-current",
    "--sort",
    "--verbose",
    "-i",
    "--abbrev",
];

/// Those of them beside which a name is what is looked for, and not made.
const SOUGHT: [&str; 7] = ["-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"];

/// Returns why the arguments of `git` do not match a pattern; none if they do.
pub(crate) fn refuse(words: &[&str], access: Access) -> Option<String> {
    let mut rest = words;
    while let [option, behind @ ..] = rest
        && option.starts_with('-')
    {
        if !BEFORE.contains(option) {
            return Some(format!("`git {option}` changes which repository, which settings or which programs are used"));
        }
        rest = behind;
    }
    let (subcommand, arguments) = rest.split_first()?;
    if arguments.iter().any(|argument| argument.contains("ext::")) {
        return Some("a remote that begins with `ext::` runs a program".to_owned());
    }
    if opens_pager(subcommand, arguments) || writes_file(subcommand, arguments) || runs(subcommand, arguments) {
        return Some(format!("an option of `git {subcommand}` runs a program or writes a file"));
    }
    if reads(subcommand, arguments) || (access != Access::ReadOnly && WRITES.contains(subcommand)) {
        return None;
    }
    Some(match access {
        Access::ReadOnly => format!("`git {subcommand}` can change something, and its tools only read"),
        Access::Workspace | Access::Full => format!("`git {subcommand}` can run programs, or is not known here"),
    })
}

/// Returns whether a subcommand only reads, called like this.
fn reads(subcommand: &str, arguments: &[&str]) -> bool {
    let Some((_, how)) = READS.iter().find(|(name, _)| *name == subcommand) else { return false };
    match how {
        Reading::Always => true,
        Reading::First(known) => match arguments.first() {
            // Bare `git stash` and `git notes` are not what they are with a word behind them.
            None => !matches!(subcommand, "stash" | "config"),
            Some(first) => known.contains(first),
        },
        Reading::Listing => {
            let option = |argument: &&str| argument.split_once('=').map_or(*argument, |(name, _)| name).to_owned();
            let (options, names): (Vec<&str>, Vec<&str>) =
                arguments.iter().copied().partition(|argument| argument.starts_with('-'));
            let options: Vec<String> = options.iter().map(option).collect();
            options.iter().all(|option| LISTING.contains(&option.as_str()))
                && (names.is_empty() || options.iter().any(|option| SOUGHT.contains(&option.as_str())))
        }
    }
}

/// `git grep -O`: what it found is opened in a program.
fn opens_pager(subcommand: &str, arguments: &[&str]) -> bool {
    subcommand == "grep" && arguments.iter().any(|argument| short(argument, 'O'))
}

fn writes_file(subcommand: &str, arguments: &[&str]) -> bool {
    matches!(subcommand, "archive" | "format-patch") && arguments.iter().any(|argument| short(argument, 'o'))
}

fn runs(subcommand: &str, arguments: &[&str]) -> bool {
    subcommand == "rebase" && arguments.iter().any(|argument| short(argument, 'x') || short(argument, 'i'))
}

/// Returns whether an argument is a short option, perhaps one of several in one word.
fn short(argument: &str, letter: char) -> bool {
    argument.starts_with('-') && !argument.starts_with("--") && argument.contains(letter)
}

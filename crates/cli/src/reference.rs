//! The whole command line as one page: `contract/cli.txt`.

use std::fmt::Write as _;

use crate::invocation::root;
use crate::operations::entries;

/// Lines of the page are no longer than this, whatever the terminal.
const WIDTH: usize = 100;

/// Returns the help of every command, one after the other.
#[must_use]
pub fn reference() -> String {
    let mut root = root(&entries()).term_width(WIDTH);
    root.build();
    let mut page = String::new();
    append(&mut page, &root, "fleet");
    page
}

fn append(page: &mut String, command: &clap::Command, path: &str) {
    let help = command.clone().term_width(WIDTH).render_long_help().to_string();
    let lines = help.lines().map(|line| line.trim_end().to_owned() + "\n").collect::<String>();
    // Writing to a string cannot fail.
    let _ = writeln!(page, "# {path}\n\n{}\n", lines.trim_end());
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        append(page, below, &format!("{path} {}", below.get_name()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_command_and_no_long_line() {
        let page = reference();
        for pattern in entries().iter().map(|entry| entry.pattern.words.join(" ")) {
            assert!(page.contains(&format!("# fleet {pattern}\n")), "{pattern}");
        }
        for name in ["up", "init", "doctor", "task-create", "config show", "token", "login", "explain", "mcp"] {
            assert!(page.contains(&format!("# fleet {name}\n")), "{name}");
        }
        assert!(!page.contains("__gen"));
        let long: Vec<_> = page.lines().filter(|line| line.chars().count() > WIDTH).collect();
        assert_eq!(long, [""; 0]);
    }

    #[test]
    fn the_page_is_the_same_twice() {
        assert_eq!(reference(), reference());
    }
}

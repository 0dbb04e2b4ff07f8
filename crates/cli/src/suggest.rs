//! What to type in place of a command that does not exist but that people try first.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Words that are not commands, with the commands that do what they say.
const INSTEAD: &[(&[&str], &[&str])] = &[
    (&["status", "ps", "st"], &["fleet up --status", "fleet mission list", "fleet session list", "fleet land status"]),
    (&["list", "ls"], &["fleet mission list", "fleet project list", "fleet session list", "fleet agent list"]),
    (
        &["stop", "down", "shutdown"],
        &["fleet up --stop", "fleet mission cancel MISSION", "fleet session cancel SESSION"],
    ),
    (
        &["kill", "cancel", "abort"],
        &["fleet mission cancel MISSION", "fleet session cancel SESSION", "fleet dismiss HANDLE"],
    ),
    (&["start", "serve", "server"], &["fleet up --background", "fleet dispatch MISSION", "fleet run PROMPT"]),
    (&["restart"], &["fleet up --stop", "fleet up --background", "fleet retry MISSION"]),
    (&["create", "new", "add"], &["fleet run PROMPT", "fleet mission create", "fleet project create"]),
    (&["show", "info"], &["fleet mission show MISSION", "fleet session show SESSION", "fleet project show PROJECT"]),
    (&["log", "tail"], &["fleet logs MISSION -f"]),
    (&["merge"], &["fleet land status", "fleet project update PROJECT --checks COMMAND"]),
    (&["approve", "allow", "deny"], &["fleet approval list", "fleet approval allow APPROVAL"]),
    (&["cost", "spending", "usage"], &["fleet budget"]),
    (&["help"], &["fleet --help", "fleet COMMAND --help", "fleet explain CODE"]),
    (&["version"], &["fleet --version"]),
];

/// Returns the error with commands that do what was asked, where a word is known; with the nearest command otherwise.
pub(crate) fn improved(error: clap::Error) -> clap::Error {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return error;
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else { return error };
    // Below a group, clap names the nearest of its own commands.
    let is_root = error.get(ContextKind::Usage).is_none_or(|usage| usage.to_string().contains("fleet [OPTIONS]"));
    match INSTEAD.iter().find(|(words, _)| is_root && words.contains(&word.as_str())) {
        Some((_, instead)) => {
            let tips: Vec<_> = instead.iter().map(|command| format!("`{command}`")).collect();
            let message = format!("there is no command `{word}`\n\n  tip: try {}\n", tips.join(", "));
            clap::Error::raw(ErrorKind::InvalidSubcommand, message)
        }
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn a_word_that_people_try_first_is_answered_with_what_to_type() {
        for (line, expected) in [
            (["fleet", "status"], "`fleet up --status`"),
            (["fleet", "list"], "`fleet mission list`"),
            (["fleet", "stop"], "`fleet up --stop`"),
        ] {
            let told = parse(line).unwrap_err().to_string();
            assert!(told.contains(expected) && !told.contains("similar"), "{told}");
        }
        let told = parse(["fleet", "mision"]).unwrap_err().to_string();
        assert!(told.contains("'mission'"), "{told}");
    }

    #[test]
    fn what_is_suggested_is_a_command() {
        for command in INSTEAD.iter().flat_map(|(_, instead)| *instead) {
            let words: Vec<&str> =
                command.split(' ').map(|word| if word == "COMMAND" { "run" } else { word }).collect();
            if let Err(told) = parse(&words) {
                assert!(
                    !told.to_string().contains("unrecognized") && !told.to_string().contains("no command"),
                    "{command}: {told}"
                );
            }
        }
    }
}

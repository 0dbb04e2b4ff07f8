//! Commands in the sentences about missions that do not run: each can be pasted, but for an amount in capitals.

use crate::{Scope, Slot, Used};

/// The command that raises a number of slots.
pub(crate) fn raise_slots(slot: &Slot) -> &'static str {
    match slot {
        Slot::Fleet | Slot::Node => "`fleet config set max_workers=5`",
        Slot::Project(_) => "`fleet config set max_workers_per_project=5`",
        Slot::Agent(_) => "`fleet config set max_workers_per_agent=5`",
    }
}

/// The command that raises a budget.
pub(crate) fn raise(scope: &Scope, used: Used, daily: bool) -> String {
    let (resource, amount) = match used {
        Used::Dollars { .. } => ("usd", "DOLLARS"),
        Used::Tokens { .. } => ("tokens", "TOKENS"),
        Used::Turns { .. } => ("turns", "TURNS"),
        Used::Secs { .. } => ("minutes", "MINUTES"),
    };
    let daily = if daily { "daily_" } else { "" };
    match scope {
        Scope::Fleet => format!("`fleet config set {daily}budget_{resource}={amount}`"),
        Scope::Project(project) => {
            let option = format!("{daily}budget_{resource}").replace('_', "-");
            format!("`fleet project update {project} --{option} {amount}`")
        }
        Scope::Mission(mission) => {
            let option = if resource == "usd" { "max-budget-usd".to_owned() } else { format!("max-{resource}") };
            format!("`fleet mission update {mission} --{option} {amount}`")
        }
    }
}

/// A name as a shell takes it.
pub(crate) fn quoted(name: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./".contains(letter);
    if name.chars().all(plain) { name.to_owned() } else { format!("'{}'", name.replace('\'', r"'\''")) }
}

//! The page `docs/reference/configuration.md`, made from the tables.

use std::fmt::Write as _;

use crate::agent_tables::FIELDS;
use crate::environment::CLIENT;
use crate::recognised::{RECOGNISED, RECOGNISED_KEYS, Recognised};
use crate::registry::{Reload, SETTINGS, Setting};

const HEAD: &str = "\
<!-- Generated from crates/config; edit the tables there. -->
# Configuration

A setting is taken from the first of these that has it: a flag of the command line, an environment variable,
`runtime.toml` in the home directory, the default. `fleet config show` says which it was.
An empty variable counts as not set.

## Settings

A change of a *live* setting in `runtime.toml` is taken up by a running server; others wait for its next start.

| Key | Variables | Default | Change | Meaning |
| --- | --- | --- | --- | --- |
";

const AGENTS_HEAD: &str = "
## Agents

A table `[agents.NAME]` of `runtime.toml` says how the agent of that name is run; a change is taken up by sessions that
start after it. A name is 1 to 32 of a-z, 0-9, `_` and `-`. Every key may be left out; one that is not listed here is
refused.

| Key | Meaning |
| --- | --- |
";

const PRESETS: &str = "
## Presets

A table `[presets.NAME]` of `runtime.toml` gives tools a name, to be used where a preset is asked for; a change is taken
up by sessions that start after it. Its one key is `tools`, an array such as `[\"Read\", \"Grep\", \"Bash(git log *)\"]`.
The names `full`, `implement`, `review`, `test`, `explore` and `fix` are taken.
";

const CLIENT_HEAD: &str = "
## Variables of clients

| Variables | Meaning |
| --- | --- |
";

const RECOGNISED_HEAD: &str = "
## Recognised, not used yet

These are documented by the systems that Fleet brings together. This version does not read them, and says so at its
start when one is set; not of those that other programs read too, such as `AWS_REGION`.

| Name | Where | From | Meaning |
| --- | --- | --- | --- |
";

/// Returns the text of the configuration reference.
#[must_use]
pub fn configuration_reference() -> String {
    let mut page = HEAD.to_owned();
    page.extend(SETTINGS.iter().map(setting_row));
    page.push_str(AGENTS_HEAD);
    page.extend(FIELDS.iter().map(|field| format!("| `{}` | {} |\n", field.name, field.doc)));
    page.push_str(PRESETS);
    page.push_str(CLIENT_HEAD);
    page.extend(CLIENT.iter().map(|variable| format!("| {} | {} |\n", code_list(variable.names), variable.doc)));
    page.push_str(RECOGNISED_HEAD);
    page.extend(RECOGNISED.iter().map(|known| recognised_row(known, "environment")));
    page.extend(RECOGNISED_KEYS.iter().map(|known| recognised_row(known, "`runtime.toml`")));
    page
}

fn setting_row(setting: &Setting) -> String {
    let mut row = String::from("| ");
    let names: Vec<_> = setting.names().collect();
    let default = if setting.default.is_empty() { "–".to_owned() } else { format!("`{}`", setting.default) };
    let change = match setting.reload {
        Reload::Live => "live",
        Reload::Restart => "restart",
    };
    // Writing to a string cannot fail.
    let _ =
        writeln!(row, "{} | {} | {default} | {change} | {} |", code_list(&names), code_list(setting.env), setting.doc);
    row
}

fn recognised_row(known: &Recognised, place: &str) -> String {
    format!("| `{}` | {place} | {} | {} |\n", known.name, known.system.name(), known.doc)
}

fn code_list(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_a_row_for_every_name() {
        let page = configuration_reference();
        for setting in SETTINGS {
            for name in setting.names().chain(setting.env.iter().copied()) {
                assert!(page.contains(&format!("`{name}`")), "{name}");
            }
        }
        for known in RECOGNISED.iter().chain(RECOGNISED_KEYS) {
            assert!(page.contains(&format!("| `{}` |", known.name)), "{}", known.name);
        }
    }

    #[test]
    fn every_row_has_as_many_cells_as_its_head() {
        let mut cells = 0;
        for line in configuration_reference().lines() {
            let now = line.matches('|').count();
            assert!(cells == 0 || now == 0 || now == cells, "{line}");
            cells = now;
        }
    }
}

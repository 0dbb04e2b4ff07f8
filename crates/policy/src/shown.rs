//! A call as the person sees it who is to approve it, and whether that is all of it.
//!
//! A person approves only what is shown: a call that cannot be shown whole and without its secrets says so, and cannot
//! be allowed.

use types::WantedCall;

use crate::call::{COMMAND_KEPT, Call};
use crate::script::runs_the_same;

/// Fields of a call with a command that are shown by it, or say nothing about what runs.
const BESIDE: [&str; 3] = ["command", "cmd", "description"];

/// Files and hosts that a person is shown.
const LISTED_MAX: usize = 20;

/// What redaction writes in the place of a secret; as words of a script they would be patterns for files.
const MARKS: [&str; 2] = ["[secret]", "[redacted]"];

/// Returns a call as a person is shown it.
///
/// `key` is the key that the journal or the agent gives for the call; `redact` takes secrets out of a text. An answer
/// names the call by [`Call::key`], whatever that says.
#[must_use]
pub fn wanted(call: &Call, key: &str, redact: impl Fn(&str) -> String) -> WantedCall {
    let what = redact(&call.what());
    let summary = if what.is_empty() { call.tool.clone() } else { format!("{}: {what}", call.tool) };
    let some = |texts: &[String]| texts.iter().take(LISTED_MAX).map(|text| redact(&shortened(text))).collect();
    WantedCall {
        tool: call.tool.clone(),
        summary,
        command: call.command.as_deref().map(|command| redact(&shortened(command))),
        paths: some(&call.paths),
        hosts: some(&call.hosts),
        input: input(call).map(|text| redact(&shortened(&text))),
        hidden: hidden(call, key, &redact),
    }
}

/// Returns what a call is made with beside its command and what its agent says about it; none if that is nothing.
fn input(call: &Call) -> Option<String> {
    let mut fields = call.input.clone();
    if let Some(all) = fields.as_object_mut().filter(|_| call.command.is_some()) {
        all.retain(|name, _| !BESIDE.contains(&name.as_str()));
    }
    let is_empty = fields.is_null() || fields.as_object().is_some_and(serde_json::Map::is_empty);
    let visible = |c: char| if is_invisible(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    (!is_empty).then(|| fields.to_string().chars().map(visible).collect())
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(COMMAND_KEPT) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Says why a call cannot be shown whole; nothing, if it can.
fn hidden(call: &Call, key: &str, redact: impl Fn(&str) -> String) -> Option<String> {
    let long = call.command.as_ref().is_some_and(|command| command.chars().count() >= COMMAND_KEPT);
    if long {
        return Some(format!("its command is longer than {COMMAND_KEPT} characters; let the agent write a script"));
    }
    if call.key() != key {
        return Some("what is shown is not the call that would be made".to_owned());
    }
    if input(call).is_some_and(|text| text.chars().count() > COMMAND_KEPT) {
        return Some(format!("what it is called with is longer than {COMMAND_KEPT} characters"));
    }
    let Some(command) = &call.command else {
        let many = call.paths.len().max(call.hosts.len()) > LISTED_MAX;
        return many.then(|| format!("it names more than {LISTED_MAX} files or hosts"));
    };
    if let Some(sign) = command.chars().find(|c| is_invisible(*c)) {
        return Some(format!("its command has the invisible character U+{:04X}", u32::from(sign)));
    }
    let shown = redact(command);
    let compared = MARKS.iter().fold(shown.clone(), |text, mark| text.replace(mark, "SECRET"));
    let same = shown == *command || runs_the_same(command, &compared);
    (!same).then(|| "a secret in its command hides a part that may run".to_owned())
}

/// Characters that change how a text looks, and nothing of what a shell does with it.
fn is_invisible(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{ad}')
}

#[cfg(test)]
#[path = "shown_tests.rs"]
mod tests;

//! A call as the person sees it who is to approve it, and whether that is all of it.
//!
//! A person approves only what is shown: a call that cannot be shown whole and without its secrets says so, and cannot
//! be allowed.

use types::WantedCall;

use crate::call::{COMMAND_KEPT, Call};
use crate::same_script::{CUT, KNOWN, is_shown_by};

/// Fields of a call with a command that are shown by it, or say nothing about what runs.
const BESIDE: [&str; 3] = ["command", "cmd", "description"];

/// Files and hosts that a person is shown.
const LISTED_MAX: usize = 20;

/// What redaction writes in the place of what looks like a secret and of one that is known, and the words that stand
/// for them in a script, in which they would be patterns for files.
const MARKS: [(&str, &str); 2] = [("[secret]", CUT), ("[redacted]", KNOWN)];

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted {
    /// What is left.
    pub text: String,
    /// Whether a cut may hide more than a secret.
    pub doubtful: bool,
}

/// Returns a call as a person is shown it.
///
/// `key` is the key that the journal or the agent gives for the call; `redact` takes secrets out of a text. An answer
/// names the call by [`Call::key`], whatever that says.
#[must_use]
pub fn wanted(call: &Call, key: &str, redact: impl Fn(&str) -> Redacted) -> WantedCall {
    let judged = redact;
    let redact = |text: &str| judged(text).text;
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
        hidden: hidden(call, key, &judged),
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
fn hidden(call: &Call, key: &str, redact: impl Fn(&str) -> Redacted) -> Option<String> {
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
    let many = call.paths.len().max(call.hosts.len()) > LISTED_MAX;
    if call.command.is_none() && many {
        return Some(format!("it names more than {LISTED_MAX} files or hosts"));
    }
    if input(call).is_some_and(|text| !is_shown(&text, &redact(&text))) {
        return Some("a secret in what it is called with may hide more than that".to_owned());
    }
    let command = call.command.as_ref()?;
    if let Some(sign) = command.chars().find(|c| is_invisible(*c)) {
        return Some(format!("its command has the invisible character U+{:04X}", u32::from(sign)));
    }
    let shown = redact(command);
    let compared = MARKS.iter().fold(shown.text.clone(), |text, (mark, word)| text.replace(mark, word));
    let same = shown.text == *command || (is_shown(command, &shown) && is_shown_by(command, &compared));
    (!same).then(|| "a secret in its command hides a part that may run".to_owned())
}

/// Whether all that was cut out of a text is certainly a secret. One that has a mark of its own may be anything.
fn is_shown(text: &str, shown: &Redacted) -> bool {
    shown.text == text || (!shown.doubtful && !MARKS.iter().any(|(mark, _)| text.contains(mark)))
}

/// Characters that change how a text looks, and nothing of what a shell does with it.
fn is_invisible(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{ad}')
}

#[cfg(test)]
#[path = "shown_tests.rs"]
mod tests;

//! Which rule a call meets first.
//!
//! A rule that stops something is held against every command that a shell may run, and stops a command that cannot be
//! read for certain. A rule that allows is held only against what certainly runs. A person can answer a call that was
//! stopped too early; a call that ran cannot be taken back.

use std::cmp::Reverse;
use std::path::Path;

use regex::Regex;
use types::{Decision, Pattern, Rule};

use crate::call::Call;
use crate::matcher::{Kind, compile};
use crate::permissions::SessionPermissions;
use crate::script::{Script, Simple, Unclear};
use crate::tools::ToolPattern;
use crate::{shell, within};

/// A rule that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` is no pattern: {why}")]
pub struct RuleError {
    /// Which of its patterns.
    pub field: &'static str,
    /// What is wrong, and where.
    pub why: String,
}

/// Checks the patterns of a rule.
///
/// # Errors
/// Names the first one that cannot be read, and the place.
pub fn check_rule(about: &types::About) -> Result<(), RuleError> {
    if about.is_empty() {
        return Err(RuleError { field: "tool", why: "a rule is about something; `*` is every tool".to_owned() });
    }
    let fields = [
        ("tool", &about.tool, Kind::Text),
        ("command", &about.command, Kind::Command),
        ("path", &about.path, Kind::Path),
        ("host", &about.host, Kind::Text),
    ];
    for (field, pattern, kind) in fields {
        let Some(pattern) = pattern else { continue };
        let refuse = |why: String| RuleError { field, why };
        if field == "tool" && with_bracket(pattern).is_some() {
            ToolPattern::parse(&pattern.to_string()).map_err(|error| refuse(error.to_string()))?;
        }
        compile(pattern, kind).map_err(refuse)?;
    }
    Ok(())
}

/// A rule that a call meets.
pub(crate) struct Met<'a> {
    /// Which.
    pub(crate) rule: &'a Rule,
    /// Why it is not certain that the call is what the rule is about.
    pub(crate) unclear: Option<Unclear>,
}

/// Finds the rule that counts for a call: of the highest priority, and of equals first what blocks, then what asks.
pub(crate) fn first<'a>(fence: &'a SessionPermissions, call: &Call) -> Option<Met<'a>> {
    let mut rules: Vec<&Rule> = fence.rules.iter().filter(|rule| rule.enabled).collect();
    rules.sort_by_key(|rule| (Reverse(rule.priority), rule.decision, rule.id.clone()));
    let texts = Texts::of(fence, call);
    let rule = rules.into_iter().find(|rule| meets(rule, fence, call, &texts))?;
    let certain = Texts { unclear: None, ..texts.clone() };
    let unclear = texts.unclear.filter(|_| rule.about.command.is_some() && !meets(rule, fence, call, &certain));
    Some(Met { rule, unclear })
}

fn meets(rule: &Rule, fence: &SessionPermissions, call: &Call, texts: &Texts) -> bool {
    let stops = match rule.decision {
        Decision::Block | Decision::Ask => true,
        Decision::Allow => false,
    };
    let about = &rule.about;
    if about.is_empty() {
        return false;
    }
    let tool = about.tool.as_ref().is_none_or(|pattern| match with_bracket(pattern) {
        Some(text) => within::fits(text, fence, call, stops),
        None => {
            held(pattern, Kind::Text, stops, |regex| [&call.tool, &call.raw_tool].iter().any(|t| regex.is_match(t)))
        }
    });
    tool && about.command.as_ref().is_none_or(|pattern| command(pattern, stops, texts))
        && about.host.as_ref().is_none_or(|pattern| host(pattern, stops, call))
        && about.path.as_ref().is_none_or(|pattern| path(pattern, stops, texts))
}

/// Where a pattern cannot be read, the rule stops what it might have stopped and allows nothing.
fn held(pattern: &Pattern, kind: Kind, stops: bool, fits: impl Fn(&Regex) -> bool) -> bool {
    match compile(pattern, kind) {
        Ok(regex) => fits(&regex),
        Err(_) => stops,
    }
}

fn host(pattern: &Pattern, stops: bool, call: &Call) -> bool {
    held(pattern, Kind::Text, stops, |regex| match stops {
        true => call.hosts.iter().any(|host| regex.is_match(host)),
        false => !call.hosts.is_empty() && call.hosts.iter().all(|host| regex.is_match(host)),
    })
}

fn command(pattern: &Pattern, stops: bool, texts: &Texts) -> bool {
    if !stops {
        return held(pattern, Kind::Command, stops, |regex| {
            texts.unclear.is_none() && !texts.parts.is_empty() && texts.parts.iter().all(|text| regex.is_match(text))
        });
    }
    let open = |begin: &String| match pattern {
        Pattern::Glob(text) => text.split(['*', '?']).next().is_some_and(|literal| literal.starts_with(begin.as_str())),
        Pattern::Regex(_) => false,
    };
    texts.unclear.is_some()
        || texts.begins.iter().any(open)
        || held(pattern, Kind::Command, stops, |regex| texts.lines.iter().any(|text| regex.is_match(text)))
}

fn path(pattern: &Pattern, stops: bool, texts: &Texts) -> bool {
    let (spellings, home) = (&texts.paths, texts.home.as_deref());
    let pattern = match (pattern, home) {
        (Pattern::Glob(text), Some(home)) if text.starts_with("~/") => {
            Pattern::Glob(format!("{home}{}", text.trim_start_matches('~')))
        }
        (other, _) => other.clone(),
    };
    held(&pattern, Kind::Path, stops, |regex| {
        let fits = |spelled: &Vec<String>| spelled.iter().any(|text| regex.is_match(text));
        match stops {
            true => spellings.iter().any(fits),
            false => !spellings.is_empty() && texts.certain_paths && spellings.iter().all(fits),
        }
    })
}

/// What patterns are held against.
#[derive(Clone)]
struct Texts {
    /// The commands it certainly is, each; none where that is not certain.
    parts: Vec<String>,
    /// Every command that may run, and the text as a whole.
    lines: Vec<String>,
    /// The words of those commands that are known only in part, up to the first that is not.
    begins: Vec<String>,
    /// Why something else may run as well.
    unclear: Option<Unclear>,
    /// Each path, in every way to write it.
    paths: Vec<Vec<String>>,
    /// Whether these are certainly all paths.
    certain_paths: bool,
    home: Option<String>,
}

impl Texts {
    fn of(fence: &SessionPermissions, call: &Call) -> Self {
        let mut texts = Self {
            parts: Vec::new(),
            lines: Vec::new(),
            begins: Vec::new(),
            unclear: None,
            paths: call.paths.iter().map(|path| spellings(fence, path)).collect(),
            certain_paths: call.command.is_none(),
            home: fence.home.as_ref().map(|home| home.display().to_string()),
        };
        let Some(command) = &call.command else { return texts };
        let script = Script::of(command);
        texts.unclear = script.unclear;
        texts.lines = script.commands.iter().flat_map(|simple| [simple.line(), simple.bare_line()]).collect();
        texts.lines.push(command.split_whitespace().collect::<Vec<_>>().join(" "));
        texts.begins = script.commands.iter().filter_map(Simple::known_begin).collect();
        let joined =
            |part: &shell::Part| part.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        texts.parts = shell::parts(command).unwrap_or_default().iter().map(joined).collect();
        // Any word of a command may be a file.
        texts.paths.extend(script.words(command).iter().map(|word| spellings(fence, word)));
        texts
    }
}

/// A path as it was written, made absolute, as seen from the root, and its last name.
fn spellings(fence: &SessionPermissions, path: &str) -> Vec<String> {
    let absolute = fence.reach().absolute(Path::new(path));
    let inside = absolute.strip_prefix(&fence.root).ok().map(|inside| inside.display().to_string());
    let name = absolute.file_name().map(|name| name.to_string_lossy().into_owned());
    [Some(path.to_owned()), Some(absolute.display().to_string()), inside, name].into_iter().flatten().collect()
}

/// A pattern for tools may also be written as a list of tools has it.
fn with_bracket(pattern: &Pattern) -> Option<&str> {
    match pattern {
        Pattern::Glob(text) if text.contains('(') => Some(text),
        Pattern::Glob(_) | Pattern::Regex(_) => None,
    }
}

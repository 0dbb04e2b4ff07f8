//! Whether a call lies within the tools that a session has.

use std::path::Path;

use types::Pattern;

use crate::call::Call;
use crate::hazard::{self, Within};
use crate::matcher::{Kind, compile, word_fits};
use crate::paths;
use crate::permissions::SessionPermissions;
use crate::script::{Script, Simple};
use crate::shell::{self, Part};
use crate::tools::{CommandPattern, ToolPattern, access};

/// Tools that touch nothing outside the agent itself. Calls of a subagent are judged like any other.
const INWARD: [&str; 18] = [
    "BashOutput",
    "EnterPlanMode",
    "ExitPlanMode",
    "KillBash",
    "KillShell",
    "Skill",
    "StructuredOutput",
    "Task",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoRead",
    "TodoWrite",
    "ToolSearch",
    "SlashCommand",
];

impl Call {
    /// Tells whether it touches nothing outside the agent itself, such as a list of what it has to do.
    #[must_use]
    pub fn is_inward(&self) -> bool {
        INWARD.contains(&self.tool.as_str())
    }
}

/// Says why a call is outside of the session's tools; nothing, if it is within.
pub(crate) fn refuse(fence: &SessionPermissions, call: &Call) -> Option<String> {
    let tools = fence.tools.as_ref()?;
    if call.is_inward() {
        return None;
    }
    let patterns: Vec<ToolPattern> = tools.iter().filter_map(|tool| ToolPattern::parse(tool).ok()).collect();
    let fitting: Vec<&ToolPattern> = patterns.iter().filter(|pattern| pattern.is_for(&call.tool)).collect();
    let anything = fitting.iter().any(|pattern| matches!(pattern, ToolPattern::Tool(_)));
    let of_mcp = call.tool.starts_with("mcp__") && tools.iter().any(|tool| flat_fits(tool, &call.tool));
    if fitting.is_empty() && !of_mcp {
        return Some(format!("the tool {} is not one of this session's: {}", call.tool, tools.join(", ")));
    }
    match call.tool.as_str() {
        "Bash" if anything => None,
        "Bash" => commands(&fitting, fence, call).err(),
        "Write" | "Edit" | "Read" | "Grep" | "Glob" => files(&fitting, anything, fence, call).err(),
        "WebFetch" if !anything => hosts(&fitting, call).err(),
        _ => None,
    }
}

/// Tells whether a call fits one tool of a list by itself, as rules write it; a rule that stops takes it more widely.
pub(crate) fn fits(tool: &str, fence: &SessionPermissions, call: &Call, stops: bool) -> bool {
    let alone = SessionPermissions { tools: Some(vec![tool.to_owned()]), ..fence.clone() };
    let named = ToolPattern::parse(tool).is_ok_and(|pattern| pattern.is_for(&call.tool));
    named && (refuse(&alone, call).is_none() || (stops && begins(tool, call)))
}

/// What only begins like a pattern is stopped by it, too.
fn begins(tool: &str, call: &Call) -> bool {
    let (Ok(ToolPattern::Command(pattern)), Some(command)) = (ToolPattern::parse(tool), &call.command) else {
        return false;
    };
    let script = Script::of(command);
    let fits = |(at, of): (usize, &String), simple: &Simple| {
        let word = if at == 0 { Some(simple.program()) } else { simple.words.get(at).map(|word| word.text.as_str()) };
        // A word that is known only when it runs may be any.
        simple.words.get(at).is_some_and(|word| !word.known) || word.is_some_and(|word| word_fits(of, word))
    };
    let begins = |simple: &Simple| pattern.words.iter().enumerate().all(|word| fits(word, simple));
    script.unclear.is_some() || script.commands.iter().any(begins)
}

/// Gemini joins server and tool by one stroke, so where a server's name ends cannot be told.
fn flat_fits(pattern: &str, tool: &str) -> bool {
    let flat = |text: &str| text.replace("__", "_");
    pattern.starts_with("mcp__") && word_fits(&flat(pattern), &flat(tool))
}

/// Every simple command must be covered by one of the patterns.
fn commands(patterns: &[&ToolPattern], fence: &SessionPermissions, call: &Call) -> Result<(), String> {
    let command = call.command.as_deref().ok_or("it names no command")?;
    let parts = shell::parts(command).map_err(|odd| format!("only plain commands can be judged here, and {odd}"))?;
    if parts.is_empty() {
        return Err("it is empty".to_owned());
    }
    let reach = fence.reach();
    let within = Within { reach: &reach, access: access(fence.tools.as_deref()) };
    parts.iter().try_for_each(|part| covered(patterns, part, fence, &within))
}

fn covered(
    patterns: &[&ToolPattern],
    part: &Part,
    fence: &SessionPermissions,
    within: &Within<'_>,
) -> Result<(), String> {
    let words = hazard::command(part)?;
    let shown = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    // Agents like to say where they are.
    if let [cd, folder] = words
        && cd.text == "cd"
        && fence.reach().absolute(Path::new(&folder.text)) == paths::plain(&fence.root)
    {
        return Ok(());
    }
    let mut why = None;
    for pattern in patterns {
        let ToolPattern::Command(pattern) = pattern else { continue };
        match cover(pattern, words, within) {
            Cover::Whole => return Ok(()),
            Cover::Not => {}
            Cover::But(reason) => why = Some(reason),
        }
    }
    let shown: String = shown.chars().take(200).collect();
    Err(match why {
        Some(why) => format!("`{shown}` is not covered: {why}"),
        None => format!("`{shown}` is not one of this session's commands"),
    })
}

enum Cover {
    Whole,
    Not,
    /// It begins like the pattern, but.
    But(String),
}

fn cover(pattern: &CommandPattern, words: &[shell::Word], within: &Within<'_>) -> Cover {
    let Some((program, rest)) = words.split_at_checked(pattern.words.len()) else { return Cover::Not };
    let plain = |(of, word): (&String, &shell::Word)| !word.glob && word_fits(of, &word.text);
    if !pattern.words.iter().zip(program).all(plain) || (!pattern.open && !rest.is_empty()) {
        return Cover::Not;
    }
    // A word that a `*` of the pattern stands for is the agent's own, like what follows.
    let free = pattern.words.iter().zip(program).filter(|(of, _)| of.contains('*')).map(|(_, word)| word.clone());
    let free: Vec<shell::Word> = free.chain(rest.iter().cloned()).collect();
    let program: Vec<&str> = pattern
        .words
        .iter()
        .zip(program)
        .filter(|(of, _)| !of.contains('*'))
        .map(|(_, word)| word.text.as_str())
        .collect();
    match hazard::refuse(&program, &free, within) {
        Some(why) => Cover::But(why),
        None => Cover::Whole,
    }
}

/// Files lie in the folder. Whoever has a shell could read elsewhere anyway, and is left to the sandbox.
fn files(patterns: &[&ToolPattern], anything: bool, fence: &SessionPermissions, call: &Call) -> Result<(), String> {
    let reach = fence.reach();
    let writes = matches!(call.tool.as_str(), "Write" | "Edit");
    let shell = fence.tools.iter().flatten().any(|tool| matches!(tool.as_str(), "Bash" | "*"));
    if call.paths.is_empty() && !matches!(call.tool.as_str(), "Grep" | "Glob") {
        return Err("it names no file".to_owned());
    }
    for path in &call.paths {
        if path.is_empty() {
            return Err("it names no file".to_owned());
        }
        let pieces = path.split(['{', '}', ',']).filter(|piece| !piece.is_empty() && call.tool == "Glob");
        for piece in pieces.chain([path.as_str()]) {
            let piece = Path::new(piece);
            let fine = if writes { reach.writable(piece) } else { shell || reach.readable(piece) };
            if !fine {
                return Err(format!("`{}` lies outside the folder that it may {}", piece.display(), verb(writes)));
            }
        }
        let globs = patterns.iter().filter_map(|pattern| match pattern {
            ToolPattern::Path { glob, .. } => Some(glob),
            ToolPattern::Tool(_) | ToolPattern::Command(_) | ToolPattern::Host { .. } => None,
        });
        if !anything && !globs.into_iter().any(|glob| path_fits(glob, fence, path)) {
            return Err(format!("`{path}` is not one of the files that this session's tools are for"));
        }
    }
    // A list of names for files does not cover a search through all of them.
    if call.paths.is_empty() && !anything { Err("it names no file".to_owned()) } else { Ok(()) }
}

fn verb(writes: bool) -> &'static str {
    if writes { "write to" } else { "read" }
}

fn path_fits(glob: &str, fence: &SessionPermissions, path: &str) -> bool {
    let absolute = fence.reach().absolute(Path::new(path));
    let from = match glob.strip_prefix("//") {
        Some(rest) => format!("/{rest}"),
        None => fence.root.join(glob.trim_start_matches("./").trim_start_matches('/')).display().to_string(),
    };
    compile(&Pattern::Glob(from), Kind::Path).is_ok_and(|regex| regex.is_match(&absolute.display().to_string()))
}

fn hosts(patterns: &[&ToolPattern], call: &Call) -> Result<(), String> {
    let allowed = |host: &String| {
        patterns.iter().any(|pattern| matches!(pattern, ToolPattern::Host { host: of, .. } if word_fits(of, host)))
    };
    match call.hosts.iter().find(|host| !allowed(host)) {
        _ if call.hosts.is_empty() => Err("it names no host".to_owned()),
        Some(host) => Err(format!("`{host}` is not one of the hosts that this session may ask")),
        None => Ok(()),
    }
}

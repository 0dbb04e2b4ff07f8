//! Every `fleet …` command in the documents and in the texts of the program is one that the command line accepts.

use std::fs;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;

use super::*;

/// A command as it is written down.
#[derive(Debug, PartialEq, Eq)]
struct Written {
    text: String,
    /// Whether it is in a sentence, where the name of a command may be written without its arguments.
    inline: bool,
}

/// What a placeholder is replaced with, where a word or an id would be refused.
const VALUES: [(&str, &str); 9] = [
    ("CODE", "MISSION_HELD"),
    ("DECISION", "block"),
    ("KEY=VALUE", "port=1"),
    ("MINUTES", "30"),
    ("N", "3"),
    ("ROLE", "worker"),
    ("TIME", "1h"),
    ("TURNS", "30"),
    // The first word of the commands of any kind of plain records.
    ("{command}", "view"),
];

fn root_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files below a folder whose names end so.
fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|ending| ending == extension) {
            found.push(path);
        }
    }
}

/// The commands of a page: lines of code blocks, and code within sentences. Where answers are shown too, those lines
/// that begin with a prompt.
fn of_page(text: &str) -> Vec<Written> {
    let mut found = Vec::new();
    for (at, part) in text.split("```").enumerate() {
        if at % 2 == 1 {
            let part = part.replace("\\\n", " ");
            let has_answers = part.starts_with("console\n");
            let lines = part.lines().filter(|line| !has_answers || line.starts_with("$ "));
            let lines = lines.map(|line| line.trim_start_matches("$ "));
            let lines = lines.filter(|line| line.starts_with("fleet "));
            found.extend(lines.map(|line| Written { text: line.to_owned(), inline: false }));
        } else {
            found.extend(inline(part));
        }
    }
    found
}

/// The commands between backticks of a text, without hidden ones.
fn inline(text: &str) -> impl Iterator<Item = Written> {
    let is_command =
        |code: &str| code.starts_with("fleet") && code.contains(char::is_whitespace) && !code.contains(" __");
    // What follows a backtick without a second is a part of something.
    let closed = text.matches('`').count() / 2 * 2;
    let code = text.split('`').take(closed).enumerate().filter(move |(at, code)| at % 2 == 1 && is_command(code));
    code.map(|(_, code)| Written { text: code.split_whitespace().collect::<Vec<_>>().join(" "), inline: true })
}

/// The commands of a source file: those between backticks, line by line; a text goes on after a backslash.
fn of_source(text: &str) -> Vec<Written> {
    let mut parts = text.split("\\\n");
    let first = parts.next().unwrap_or_default().to_owned();
    let whole = parts.fold(first, |whole, part| whole + part.trim_start());
    whole.lines().flat_map(inline).collect()
}

/// The words of a command, as a shell would split them, up to a comment or the end of the command.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut begun) = (Vec::new(), String::new(), None, false);
    for character in line.chars() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '\'' | '"') => (quote, begun) = (Some(character), true),
            (None, '#' | ';' | '|' | '&' | '>') if !begun => break,
            (None, ' ') => {
                if std::mem::take(&mut begun) {
                    words.push(std::mem::take(&mut word));
                }
            }
            _ => {
                word.push(character);
                begun = true;
            }
        }
    }
    words.extend(begun.then_some(word));
    words
}

/// A word with its placeholders replaced; nothing for one that says "and so on".
fn filled(word: &str) -> Option<String> {
    if matches!(word, "…" | "...") {
        return None;
    }
    if let Some((_, value)) = VALUES.iter().find(|(placeholder, _)| *placeholder == word) {
        return Some((*value).to_owned());
    }
    // What a format string fills in is an id, or the value of a setting.
    let is_gap =
        |part: &str| part.starts_with('{') && part.ends_with('}') && !part.contains('"') && !part.contains('=');
    Some(if is_gap(word) { "m-x7k2m".to_owned() } else { word.replace("{place}", "") })
}

/// What the command line says against a command; nothing if it takes it.
fn objection(root: &clap::Command, written: &Written) -> Option<String> {
    // An option that a format string fills in is not known here, and a shell's text is not a argument.
    let is_known = |word: &&String| !word.starts_with("--{") && !word.starts_with("<<");
    let line: Vec<String> = words(&written.text).iter().take_while(is_known).filter_map(|word| filled(word)).collect();
    let error = root.clone().try_get_matches_from(line).err()?;
    let shows = [ErrorKind::DisplayHelp, ErrorKind::DisplayVersion];
    let incomplete = [
        ErrorKind::MissingRequiredArgument,
        ErrorKind::MissingSubcommand,
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand,
    ];
    let accepted = shows.contains(&error.kind()) || (written.inline && incomplete.contains(&error.kind()));
    (!accepted).then(|| format!("{}: {}", written.text, error.to_string().lines().next().unwrap_or_default()))
}

#[expect(clippy::disallowed_methods, reason = "the test reads the documents")]
fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

fn objections(paths: &[PathBuf], read: impl Fn(&str) -> Vec<Written>) -> Vec<String> {
    let root = root(&entries());
    let mut all = Vec::new();
    for path in paths {
        let written = read(&text(path));
        let found = written.iter().filter_map(|written| objection(&root, written));
        all.extend(found.map(|objection| format!("{}: {objection}", path.display())));
    }
    all
}

#[test]
fn every_command_in_the_documents_is_accepted() {
    let mut pages = vec![root_folder().join("README.md")];
    files(&root_folder().join("docs"), "md", &mut pages);
    pages.retain(|page| !page.components().any(|part| part.as_os_str() == "decisions"));
    let count: usize = pages.iter().map(|page| of_page(&text(page)).len()).sum();
    assert!(count > 150, "only {count} commands were found");
    assert_eq!(objections(&pages, of_page), [""; 0]);
}

#[test]
fn every_command_in_a_message_a_hint_or_a_help_text_is_accepted() {
    let mut sources = Vec::new();
    files(&root_folder().join("crates"), "rs", &mut sources);
    sources.retain(|path| !path.ends_with("documents_tests.rs"));
    assert_eq!(objections(&sources, of_source), [""; 0]);
}

#[test]
fn a_command_that_does_not_exist_is_found() {
    let root = root(&entries());
    let bad = |text: &str, inline| objection(&root, &Written { text: text.to_owned(), inline });
    assert!(bad("fleet fly", true).is_some());
    assert!(bad("fleet mission create --colour red", true).is_some());
    assert!(bad("fleet config set", false).is_some(), "a line to paste needs its arguments");
    assert_eq!(bad("fleet config set", true), None);
    assert_eq!(bad("fleet mission show MISSION   # one", false), None);
}

#[test]
fn a_page_s_commands_are_its_code_lines_and_its_code_in_sentences() {
    let page =
        "Run `fleet up` or `ls`.\n```sh\nfleet health\n$ fleet up \\\n  --stop\nls\n```\nThen `fleet\nbudget`.\n";
    let texts: Vec<_> = of_page(page).into_iter().map(|written| (written.text, written.inline)).collect();
    let expected = [("fleet up", true), ("fleet health", false), ("fleet up    --stop", false), ("fleet budget", true)];
    assert_eq!(texts, expected.map(|(text, inline)| (text.to_owned(), inline)));
    assert_eq!(words("fleet a 'b c' \"d # e\" f # g"), ["fleet", "a", "b c", "d # e", "f"]);
}

//! Rule: a test waits for an event, never for time to pass.
//!
//! A sleep that has to be is announced on the line above: `// tidy: sleep because …`. The crate `testkit` is code of
//! tests, so the rule holds there too. A method `.sleep(…)` is a clock's, which a test owns, and passes.

use super::Complaint;
use super::rust::{RustFile, line_of, words};
use super::tree::Tree;

const ANNOUNCED: &str = "// tidy: sleep because ";

pub(super) fn check(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for file in &tree.rust {
        for line in sleeps(file).filter(|line| is_test(file, *line) && !is_announced(file, *line)) {
            let message = format!("wait for what you expect, or say why not on the line above: `{ANNOUNCED}…`");
            complaints.push(Complaint::new(&file.path, line, "sleep-in-test", message));
        }
    }
    complaints
}

fn is_test(file: &RustFile, line: usize) -> bool {
    file.path.starts_with("crates/testkit/") || file.test_lines[line - 1]
}

fn is_announced(file: &RustFile, line: usize) -> bool {
    let above = line.checked_sub(2).and_then(|at| file.comments.lines().nth(at));
    above.is_some_and(|comment| comment.trim().strip_prefix(ANNOUNCED).is_some_and(|reason| !reason.is_empty()))
}

/// The lines that sleep: `thread::sleep`, `time::sleep`, or a bare call of what was imported.
fn sleeps(file: &RustFile) -> impl Iterator<Item = usize> {
    let code = &file.code;
    words(code).filter_map(|(at, word)| {
        let (before, after) = (code[..at].trim_end(), code[at + word.len()..].trim_start());
        let named = before.ends_with("thread::") || before.ends_with("time::");
        let called = after.starts_with('(') && !before.ends_with(['.', ':']) && !before.ends_with("fn");
        let imported = before.rsplit([';', '}']).next().is_some_and(|item| item.trim_start().starts_with("use "));
        (matches!(word, "sleep" | "sleep_until") && !imported && (named || called)).then(|| line_of(code, at))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Tree::of(&[(path, text)])).into_iter().map(|complaint| complaint.line).collect()
    }

    #[test]
    fn a_sleep_under_test_is_found_in_every_form() {
        for call in ["std::thread::sleep(d);", "tokio::time::sleep(d).await;", "sleep(d).await;", "f(thread::sleep);"] {
            assert_eq!(lines("crates/x/tests/a.rs", &format!("fn a() {{\n    {call}\n}}\n")), [2], "{call}");
        }
        assert_eq!(lines("crates/testkit/src/a.rs", "fn a() { time::sleep(d); }\n"), [1]);
        assert_eq!(lines("crates/x/src/a.rs", "#[cfg(test)]\nmod tests {\n fn a() { sleep(d); }\n}\n"), [3]);
    }

    #[test]
    fn an_announced_sleep_passes_if_it_has_a_reason() {
        let text = |comment: &str| format!("fn a() {{\n    {comment}\n    thread::sleep(d);\n}}\n");
        assert_eq!(lines("crates/x/tests/a.rs", &text("// tidy: sleep because the process has no handle.")), [0; 0]);
        assert_eq!(lines("crates/x/tests/a.rs", &text("// tidy: sleep because")), [3]);
    }

    #[test]
    fn a_clock_an_import_and_production_code_pass() {
        let text = "use tokio::time::sleep;\nuse std::{a, thread::sleep};\nfn sleep() {}\nfn a() { clock.sleep(d); x::sleep(d); }\n";
        assert_eq!(lines("crates/x/tests/a.rs", text), [0; 0]);
        assert_eq!(lines("crates/x/src/a.rs", "fn a() { thread::sleep(d); }\n"), [0; 0]);
    }
}

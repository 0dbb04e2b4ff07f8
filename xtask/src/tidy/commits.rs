//! Rule: only crates marked `commits` in `dependencies.toml` change records, and a move of a mission is announced in one
//! place, so that no state changes without its event.

use super::Complaint;
use super::arrows::Rules;
use super::rust::{RustFile, line_of, words};
use super::tree::Tree;

const RULE: &str = "commits";

/// Where missions are written.
const MISSION_MOVES: &str = "crates/store/src/mission_moves.rs";

pub(super) fn check(rules: &Rules, tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for file in tree.rust.iter().filter(|file| is_production(rules, file)) {
        let name = crate_of(&file.path).unwrap_or_default();
        for line in calls(file, "transact", ".").filter(|_| rules.uses_store(name) && !rules.commits(name)) {
            let message = format!("`{name}` is not marked `commits` in dependencies.toml, so it only reads records");
            complaints.push(Complaint::new(&file.path, line, RULE, message));
        }
        for line in calls(file, "MissionMoved", "append(Event::").filter(|_| file.path != MISSION_MOVES) {
            let message = "write missions through `Transaction::move_mission`, which announces the move".to_owned();
            complaints.push(Complaint::new(&file.path, line, RULE, message));
        }
    }
    complaints
}

fn crate_of(path: &str) -> Option<&str> {
    path.strip_prefix("crates/")?.split_once("/src/").map(|(name, _)| name)
}

fn is_production(rules: &Rules, file: &RustFile) -> bool {
    crate_of(&file.path).is_some_and(|name| !rules.is_dev_only(name)) && !file.is_test()
}

/// The lines of production code with a word that directly follows a text.
fn calls<'a>(file: &'a RustFile, word: &'a str, follows: &'a str) -> impl Iterator<Item = usize> + 'a {
    let found = words(&file.code).filter(move |(at, found)| *found == word && file.code[..*at].ends_with(follows));
    found.map(|(at, _)| line_of(&file.code, at)).filter(|line| !file.test_lines[line - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = r#"
external = []
absent = []
[crate.writer]
may-use = ["store"]
commits = true
why = "a"
[crate.reader]
may-use = ["store"]
why = "b"
[crate.store]
may-use = []
why = "c"
[crate.play]
may-use = []
dev-only = true
why = "d"
"#;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let rules = Rules::parse(RULES).unwrap();
        check(&rules, &Tree::of(&[(path, text)])).into_iter().map(|complaint| complaint.line).collect()
    }

    #[test]
    fn only_marked_crates_commit() {
        let text = "fn a() {\n    store.transact(by, f);\n}\n";
        assert_eq!(lines("crates/reader/src/a.rs", text), [2]);
        for path in ["crates/writer/src/a.rs", "crates/play/src/a.rs", "crates/reader/tests/a.rs"] {
            assert_eq!(lines(path, text), [0; 0], "{path}");
        }
        let tests = "#[cfg(test)]\nmod tests {\n    fn a() { store.transact(by, f); }\n}\n";
        assert_eq!(lines("crates/reader/src/a.rs", tests), [0; 0]);
    }

    #[test]
    fn moves_of_missions_are_announced_in_one_place() {
        let text = "fn a() { tx.append(Event::MissionMoved { mission, from, to }); }\n";
        assert_eq!(lines("crates/writer/src/a.rs", text), [1]);
        assert_eq!(lines(MISSION_MOVES, text), [0; 0]);
        assert_eq!(
            lines("crates/reader/src/a.rs", "fn a(e: Event) { if let Event::MissionMoved { .. } = e {} }\n"),
            [0; 0]
        );
    }
}

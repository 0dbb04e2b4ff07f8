//! What one operation costs: hand-written lines in the places that a new operation touches, divided by operations.
//!
//! Counted are all lines, blank ones and comments too, of
//! - rows: the tables in `crates/api/src/operations/`;
//! - types: inputs, views and their conversions in `crates/api/src/{devfleet,claude_fleet,fleet}`, without their tests;
//! - handlers: `crates/service/src/handlers`, without their tests;
//! - tests: `crates/service/tests`, and the tests inside the files above.
//!
//! A tool is a binding of an operation and not an operation; both numbers are shown.

use std::fmt::Write as _;

use super::rust::RustFile;
use super::tree::Tree;

/// Most lines that the average operation may cost, with its tests.
const LINES_MAX: usize = 75;

const ROWS: &str = "crates/api/src/operations/";

const TYPES: [&str; 3] = ["crates/api/src/devfleet", "crates/api/src/claude_fleet", "crates/api/src/fleet"];

const HANDLERS: &str = "crates/service/src/handlers";

const TESTS: &str = "crates/service/tests/";

/// Draws the lines of a tree's operations; nothing for a tree without any.
pub(super) fn render(tree: &Tree) -> String {
    let rows: Vec<&RustFile> = of(tree, &[ROWS]);
    let declared = |mark: &str| rows.iter().map(|file| file.code.matches(mark).count()).sum::<usize>();
    let (operations, tools) = (declared(" => \""), declared(" tool \""));
    if operations == 0 {
        return String::new();
    }
    let production = |files: &[&RustFile]| files.iter().map(|file| file.production_line_count()).sum::<usize>();
    let (types, handlers, tests) = (of(tree, &TYPES), of(tree, &[HANDLERS]), of(tree, &[TESTS]));
    let tested = [&types, &handlers, &tests].into_iter().flatten().map(|file| file.test_line_count()).sum::<usize>();
    let parts = [
        ("rows", production(&rows)),
        ("types", production(&types)),
        ("handlers", production(&handlers)),
        ("tests", tested),
    ];
    let total: usize = parts.iter().map(|(_, lines)| lines).sum();
    let mut page = format!("\n{operations} operations, {tools} tools bound to them; lines per operation:");
    for (what, lines) in parts {
        // Writing to a string cannot fail.
        let _ = write!(page, " {what} {}", lines / operations);
    }
    let verdict = if total / operations <= LINES_MAX { "ok  " } else { "OVER" };
    let _ = writeln!(page, "\n{verdict} lines per operation: {} (budget ≤ {LINES_MAX})", total / operations);
    page
}

fn of<'a>(tree: &'a Tree, places: &[&str]) -> Vec<&'a RustFile> {
    tree.rust.iter().filter(|file| places.iter().any(|place| file.path.starts_with(place))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_all_places_are_divided_by_operations_and_not_by_tools() {
        let rows = "A => \"a\" Get \"/a\" -> B {} tool \"x\" Agent {};\nC => \"c\" -> D {};\n";
        let files = [
            ("crates/api/src/operations/x.rs", rows),
            ("crates/api/src/fleet/x.rs", "struct A;\nstruct B;\n"),
            ("crates/service/src/handlers/x.rs", "fn a() {}\nfn b() {}\n#[cfg(test)]\nmod tests {\n}\n"),
            ("crates/service/tests/operations/x.rs", "fn t() {}\n"),
        ];
        let page = render(&Tree::of(&files));
        assert!(page.contains("2 operations, 1 tools"), "{page}");
        assert!(page.contains("rows 1 types 1 handlers 1 tests 2"), "{page}");
        assert!(page.contains("ok   lines per operation: 5 (budget ≤ 75)"), "{page}");
        assert_eq!(render(&Tree::of(&[("crates/x/src/lib.rs", "//! Head.\n")])), "");
    }
}

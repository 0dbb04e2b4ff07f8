//! Rule: files and functions stay small enough to be read at once.

use super::Complaint;
use super::tree::Tree;

/// The most lines of a file outside tests.
pub(super) const FILE_MAX: usize = 700;
/// Beyond this a file is noted, so that it is split in time.
pub(super) const FILE_NOTED: usize = 450;
/// The most lines of a function, tests included.
pub(super) const FUNCTION_MAX: usize = 70;

pub(super) fn check(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for file in &tree.rust {
        let lines = file.production_line_count();
        if lines > FILE_MAX {
            let message = format!("{lines} lines outside tests, at most {FILE_MAX}: split it");
            complaints.push(Complaint::new(&file.path, 1, "file-size", message));
        }
        for function in file.functions.iter().filter(|function| function.lines > FUNCTION_MAX) {
            let message = format!("`{}` has {} lines, at most {FUNCTION_MAX}", function.name, function.lines);
            complaints.push(Complaint::new(&file.path, function.line, "function-size", message));
        }
    }
    complaints
}

/// The files that are growing too large, largest first.
pub(super) fn notes(tree: &Tree) -> Vec<String> {
    let sizes = tree.rust.iter().map(|file| (file.production_line_count(), &file.path));
    let mut large: Vec<_> = sizes.filter(|(lines, _)| *lines > FILE_NOTED).collect();
    large.sort_by(|a, b| b.cmp(a));
    large
        .iter()
        .map(|(lines, path)| format!("{path} has {lines} lines outside tests; aim below {FILE_NOTED}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "crates/x/src/a.rs";

    fn complaints(text: &str) -> Vec<(usize, &'static str)> {
        check(&Tree::of(&[(PATH, text)])).into_iter().map(|complaint| (complaint.line, complaint.rule)).collect()
    }

    #[test]
    fn a_file_over_the_cap_is_found_and_tests_do_not_count() {
        let full = "x\n".repeat(FILE_MAX);
        assert_eq!(complaints(&format!("{full}x\n")), [(1, "file-size")]);
        assert_eq!(complaints(&format!("{full}#[cfg(test)]\nmod tests {{\n{full}}}\n")), []);
        assert_eq!(check(&Tree::of(&[("crates/x/tests/a.rs", &"x\n".repeat(FILE_MAX * 2))])), []);
    }

    #[test]
    fn a_function_over_the_cap_is_found_where_it_starts() {
        let body = "    x();\n".repeat(FUNCTION_MAX - 2);
        assert_eq!(complaints(&format!("\nfn a() {{\n{body}}}\n")), []);
        assert_eq!(complaints(&format!("\nfn a() {{\n{body}\n}}\n")), [(2, "function-size")]);
    }

    #[test]
    fn a_growing_file_is_noted_before_it_is_refused() {
        let tree = Tree::of(&[(PATH, &"x\n".repeat(FILE_NOTED + 1)), ("crates/x/src/b.rs", &"x\n".repeat(FILE_NOTED))]);
        assert_eq!(check(&tree), []);
        assert_eq!(notes(&tree), [format!("{PATH} has 451 lines outside tests; aim below 450")]);
    }
}

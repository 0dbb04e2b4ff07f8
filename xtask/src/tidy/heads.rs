//! Rule: the first lines of a module say what it is for.

use super::Complaint;
use super::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Complaint> {
    let modules = tree.rust.iter().filter(|file| !file.is_test() && file.path.split('/').any(|part| part == "src"));
    let headless = modules.filter(|file| {
        let first = file
            .comments
            .lines()
            .zip(file.code.lines())
            .find(|(comment, code)| !comment.trim().is_empty() || !code.trim().is_empty());
        !first.is_some_and(|(comment, _)| comment.starts_with("//!"))
    });
    let message = "starts with `//!`: what the module is for, what it never does, where to start reading";
    headless.map(|file| Complaint::new(&file.path, 1, "module-head", message)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(path: &str, text: &str) -> usize {
        check(&Tree::of(&[(path, text)])).len()
    }

    #[test]
    fn a_module_without_a_head_is_found() {
        assert_eq!(complaints("crates/x/src/a.rs", "use std::fs;\n//! Late.\n"), 1);
        assert_eq!(complaints("crates/x/src/a.rs", ""), 1);
    }

    #[test]
    fn a_head_comes_first_and_tests_need_none() {
        assert_eq!(complaints("crates/x/src/a.rs", "//! Head.\n"), 0);
        assert_eq!(complaints("crates/x/src/a_tests.rs", "use super::*;\n"), 0);
        assert_eq!(complaints("crates/x/tests/a.rs", "use x::*;\n"), 0);
        assert_eq!(complaints("crates/x/build.rs", "fn main() {}\n"), 0);
    }
}

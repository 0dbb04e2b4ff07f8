//! The sizes of the codebase beside its budget: a page to read, not a rule to pass.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::rust::RustFile;
use super::sizes::{FILE_MAX, FILE_NOTED, FUNCTION_MAX};
use super::tree::Tree;

/// What is counted over a set of files; lists are sorted.
#[derive(Debug, PartialEq, Eq)]
struct Count {
    production: usize,
    test: usize,
    doc: usize,
    files: Vec<usize>,
    functions: Vec<usize>,
}

/// Draws a table with a row for each crate and one for all, and what the budget says.
pub(super) fn render(tree: &Tree) -> String {
    let mut crates: BTreeMap<&str, Vec<&RustFile>> = BTreeMap::new();
    for file in &tree.rust {
        crates.entry(crate_of(&file.path)).or_default().push(file);
    }
    let all = Count::of(&tree.rust.iter().collect::<Vec<_>>());
    let mut page = String::from(
        "| crate | prod lines | test/prod | file median | file p95 | longest file | fn median | fn p95 | fn p99 | longest fn | doc comment |\n\
         | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n",
    );
    for (name, files) in &crates {
        page.push_str(&Count::of(files).row(name));
    }
    page.push_str(&all.row("**all**"));
    page.push('\n');
    for (what, value, meets, budget) in all.budget() {
        let verdict = if meets { "ok  " } else { "OVER" };
        // Writing to a string cannot fail.
        let _ = writeln!(page, "{verdict} {what}: {value} (budget {budget})");
    }
    page
}

fn crate_of(path: &str) -> &str {
    let mut parts = path.split('/');
    match parts.next() {
        Some("crates") => parts.next().unwrap_or("?"),
        Some(other) => other,
        None => "?",
    }
}

impl Count {
    fn of(files: &[&RustFile]) -> Self {
        let sorted = |mut list: Vec<usize>| {
            list.sort_unstable();
            list
        };
        let sizes = files.iter().map(|file| file.production_line_count()).filter(|lines| *lines > 0);
        let functions = files.iter().flat_map(|file| &file.functions).filter(|function| !function.test);
        Self {
            production: files.iter().map(|file| file.production_line_count()).sum(),
            test: files.iter().map(|file| file.test_line_count()).sum(),
            doc: files.iter().map(|file| doc_lines(file)).sum(),
            files: sorted(sizes.collect()),
            functions: sorted(functions.map(|function| function.lines).collect()),
        }
    }

    fn row(&self, name: &str) -> String {
        format!(
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} % |\n",
            self.production,
            hundredths(self.test_per_100()),
            percentile(&self.files, 50),
            percentile(&self.files, 95),
            percentile(&self.files, 100),
            percentile(&self.functions, 50),
            percentile(&self.functions, 95),
            percentile(&self.functions, 99),
            percentile(&self.functions, 100),
            self.doc_per_100(),
        )
    }

    /// What is measured, its value, whether the budget is met, and the budget.
    fn budget(&self) -> [(&'static str, String, bool, String); 7] {
        let at_most = |what, list: &[usize], percent, most: usize| {
            let value = percentile(list, percent);
            (what, value.to_string(), value <= most, format!("≤ {most}"))
        };
        let (test, doc) = (self.test_per_100(), self.doc_per_100());
        [
            at_most("file median", &self.files, 50, 150),
            at_most("file p95", &self.files, 95, FILE_NOTED),
            at_most("longest file", &self.files, 100, FILE_MAX),
            at_most("function p95", &self.functions, 95, 45),
            at_most("longest function", &self.functions, 100, FUNCTION_MAX),
            ("test/prod", hundredths(test), test >= 100, "≥ 1.00".to_owned()),
            ("doc comments", format!("{doc} %"), doc >= 8, "≥ 8 %".to_owned()),
        ]
    }

    fn test_per_100(&self) -> usize {
        self.test * 100 / self.production.max(1)
    }

    fn doc_per_100(&self) -> usize {
        self.doc * 100 / self.production.max(1)
    }
}

fn hundredths(value: usize) -> String {
    format!("{}.{:02}", value / 100, value % 100)
}

/// Lines of doc comments outside tests.
fn doc_lines(file: &RustFile) -> usize {
    let outside = file.comments.lines().zip(&file.test_lines).filter(|(_, test)| !**test);
    outside.filter(|(line, _)| line.trim_start().starts_with("///") || line.starts_with("//!")).count()
}

/// The nearest-rank percentile of a sorted list; 0 for an empty one.
fn percentile(sorted: &[usize], percent: usize) -> usize {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_a_value_of_the_list() {
        let list: Vec<usize> = (1..=20).collect();
        assert_eq!([50, 95, 99, 100].map(|percent| percentile(&list, percent)), [10, 19, 20, 20]);
        assert_eq!(percentile(&[], 50), 0);
        assert_eq!(percentile(&[7], 1), 7);
    }

    #[test]
    fn tests_are_counted_apart_and_docs_are_counted_outside_them() {
        let text = "//! Head.\n\n/// Doc.\nfn a() {\n}\n#[cfg(test)]\nmod tests {\n    /// Doc.\n    fn b() {}\n}\n";
        let tree = Tree::of(&[("crates/x/src/lib.rs", text), ("crates/x/tests/a.rs", "fn c() {}\n")]);
        assert_eq!(
            Count::of(&tree.rust.iter().collect::<Vec<_>>()),
            Count { production: 5, test: 6, doc: 2, files: vec![5], functions: vec![2] }
        );
    }

    #[test]
    fn the_page_has_a_row_for_each_crate_and_a_line_for_each_budget() {
        let page = render(&Tree::of(&[("crates/x/src/lib.rs", "//! Head.\n"), ("xtask/src/main.rs", "fn a() {}\n")]));
        for expected in ["| x | 1 |", "| xtask | 1 |", "| **all** | 2 | 0.00 |", "OVER test/prod: 0.00 (budget ≥ 1.00)"]
        {
            assert!(page.contains(expected), "{expected}\n{page}");
        }
    }
}

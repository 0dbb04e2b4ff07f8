//! Seeds that once failed; every run without `--from` plays them first.

/// A seed on each line, and why it is kept behind a `#`.
const FILE: &str = include_str!("../seeds.txt");

/// Returns the seeds that once failed.
#[must_use]
pub fn kept_seeds() -> Vec<u64> {
    FILE.lines().filter_map(|line| line.split('#').next()?.trim().parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_file_is_a_comment_or_a_seed_with_the_reason_it_is_kept() {
        let lines = FILE.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let described =
            lines.clone().filter(|line| line.split_once('#').is_some_and(|(_, why)| !why.trim().is_empty()));
        assert_eq!(described.count(), lines.count());
        assert_eq!(
            kept_seeds().len(),
            FILE.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count()
        );
    }
}

//! A scan's bounds as one half-open range of sort keys, worked out once for all engines.
//!
//! Prefix, `after` and order come in as a caller thinks of them; a range `from <= key < to` comes out, which every
//! store can seek to. It never looks at a store, and an engine never does its own arithmetic on keys.

use crate::engine::{Order, Scan};

/// The sort keys `from <= key < to` of a partition, compared as UTF-8 bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The smallest key inside.
    pub from: String,
    /// The smallest key behind the end; none if the span runs to the end of the partition.
    pub to: Option<String>,
}

impl Scan {
    /// Reads a whole partition in ascending order.
    #[must_use]
    pub fn all(partition: crate::key::Partition) -> Self {
        Self { partition, prefix: String::new(), after: None, limit: usize::MAX, order: Order::Ascending }
    }

    /// Returns the keys this scan may visit, or nothing if there can be none.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        let mut from = self.prefix.clone();
        let mut to = behind(&self.prefix);
        if let Some(after) = &self.after {
            match self.order {
                // No string lies between a key and the same key with a NUL at its end.
                Order::Ascending => from = from.max(format!("{after}\0")),
                Order::Descending => to = Some(to.map_or_else(|| after.clone(), |to| to.min(after.clone()))),
            }
        }
        let empty = self.limit == 0 || to.as_ref().is_some_and(|to| *to <= from);
        (!empty).then_some(Span { from, to })
    }
}

/// Returns the smallest string larger than every string with this prefix, if there is one.
///
/// UTF-8 bytes order as code points do, so it is the prefix with its last character stepped up; the largest
/// character cannot be, and falls away in favour of the one before it.
fn behind(prefix: &str) -> Option<String> {
    let mut characters = prefix.chars();
    while let Some(last) = characters.next_back() {
        // Stepping a range of characters skips the surrogates, which no string can hold.
        if let Some(next) = (last..=char::MAX).nth(1) {
            return Some(format!("{}{next}", characters.as_str()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_prefix_is_the_next_string_that_lacks_it() {
        let cases = [
            ("", None),
            ("a", Some("b")),
            ("a/", Some("a0")),
            ("az", Some("a{")),
            ("\u{7f}", Some("\u{80}")),
            ("\u{d7ff}", Some("\u{e000}")),
            ("a\u{10ffff}", Some("b")),
            ("a\u{10ffff}\u{10ffff}", Some("b")),
            ("\u{10ffff}", None),
        ];
        for (prefix, end) in cases {
            assert_eq!(behind(prefix).as_deref(), end, "prefix {prefix:?}");
        }
    }

    #[test]
    fn after_narrows_the_side_the_scan_comes_from() {
        let scan = |order, after: &str| Scan {
            prefix: "b".to_owned(),
            after: Some(after.to_owned()),
            order,
            ..Scan::all(crate::Partition::new("p"))
        };
        let span = |from: &str, to: &str| Some(Span { from: from.to_owned(), to: Some(to.to_owned()) });
        assert_eq!(scan(Order::Ascending, "b5").span(), span("b5\0", "c"));
        assert_eq!(scan(Order::Ascending, "a").span(), span("b", "c"));
        assert_eq!(scan(Order::Ascending, "c").span(), None);
        assert_eq!(scan(Order::Descending, "b5").span(), span("b", "b5"));
        assert_eq!(scan(Order::Descending, "d").span(), span("b", "c"));
        assert_eq!(scan(Order::Descending, "a").span(), None);
    }
}

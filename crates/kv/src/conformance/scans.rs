//! Checks about scans: order, prefix, bounds, limits, and that no scan leaves its partition.

use crate::conformance::Place;
use crate::conformance::steps::{all, apply, fresh, key, read, sorts};
use crate::engine::{Engine, Expect, Operation, Order, Row, Scan};
use crate::key::{Key, Partition};

/// Keys that some store or other would order, match, encode or refuse in its own way; in the order of their bytes.
pub(super) const AWKWARD: [&str; 30] = [
    "\0",
    "\0\0",
    "\u{1}",
    "\t\n",
    " ",
    "%",
    "'",
    "*",
    ".",
    "..",
    "/",
    "0",
    "10",
    "9",
    "?",
    "A",
    "[a]",
    "\\",
    "_",
    "__x__",
    "a",
    "a\0b",
    "a b",
    "a/",
    "a/b",
    "a0",
    "b",
    "é",
    "\u{ffff}",
    "\u{10ffff}",
];

fn scan(prefix: &str) -> Scan {
    Scan { prefix: prefix.to_owned(), ..Scan::all(Partition::new("p")) }
}

async fn insert(engine: &impl Engine, partition: &str, sorts: &[&str]) {
    let puts = sorts.iter().map(|sort| Operation::put(&Key::new(partition, *sort), Expect::Absent, (*sort).to_owned()));
    apply(engine, puts.collect::<Vec<_>>()).await;
}

pub async fn a_scan_orders_awkward_keys_by_bytes<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    insert(&engine, "p", &AWKWARD).await;
    assert_eq!(sorts(&engine, scan("")).await, AWKWARD);
    let mut backwards = AWKWARD;
    backwards.reverse();
    assert_eq!(sorts(&engine, Scan { order: Order::Descending, ..scan("") }).await, backwards);
}

pub async fn every_awkward_key_can_be_read_and_removed_alone<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    insert(&engine, "p", &AWKWARD).await;
    for (index, sort) in AWKWARD.iter().enumerate() {
        let row = read(&engine, &key(sort)).await.expect("the key is there");
        assert_eq!((row.key, row.value), (key(sort), (*sort).into()));
        apply(&engine, Operation::delete(&key(sort), Expect::At(row.revision))).await;
        assert_eq!(sorts(&engine, scan("")).await, AWKWARD[index + 1..]);
    }
}

pub async fn a_scan_returns_whole_rows<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    let first = apply(&engine, Operation::put(&key("a"), Expect::Absent, "one")).await;
    let second = apply(&engine, Operation::put(&key("b"), Expect::Absent, "")).await;
    let rows = [
        Row { key: key("a"), revision: first, value: "one".into() },
        Row { key: key("b"), revision: second, value: "".into() },
    ];
    assert_eq!(all(&engine, "p").await, rows);
}

pub async fn a_prefix_excludes_its_neighbours<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    insert(&engine, "p", &["A", "`", "a", "a\0", "a/b", "a\u{10ffff}\u{10ffff}z", "b", "ba"]).await;
    let with_a = ["a", "a\0", "a/b", "a\u{10ffff}\u{10ffff}z"];
    assert_eq!(sorts(&engine, scan("a")).await, with_a);
    assert_eq!(sorts(&engine, scan("a/")).await, ["a/b"]);
    assert_eq!(sorts(&engine, scan("b")).await, ["b", "ba"]);
    assert!(sorts(&engine, scan("c")).await.is_empty());
    let mut backwards = with_a;
    backwards.reverse();
    assert_eq!(sorts(&engine, Scan { order: Order::Descending, ..scan("a") }).await, backwards);
}

pub async fn a_prefix_is_taken_literally<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    insert(&engine, "p", &AWKWARD).await;
    for prefix in AWKWARD {
        let expected: Vec<&str> = AWKWARD.into_iter().filter(|sort| sort.starts_with(prefix)).collect();
        assert_eq!(sorts(&engine, scan(prefix)).await, expected, "prefix {prefix:?}");
    }
}

pub async fn a_prefix_may_end_in_the_largest_character<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    let keys = ["a", "a\u{10ffff}", "a\u{10ffff}a", "a\u{10ffff}\u{10ffff}", "b", "\u{10ffff}", "\u{10ffff}z"];
    insert(&engine, "p", &keys).await;
    assert_eq!(sorts(&engine, scan("a\u{10ffff}")).await, keys[1..4]);
    assert_eq!(sorts(&engine, scan("\u{10ffff}")).await, keys[5..]);
    let backwards = Scan { order: Order::Descending, ..scan("\u{10ffff}") };
    assert_eq!(sorts(&engine, backwards).await, ["\u{10ffff}z", "\u{10ffff}"]);
}

pub async fn a_scan_starts_behind_its_bound_in_both_directions<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    insert(&engine, "p", &["a", "b", "b\0", "c", "d"]).await;
    let behind = |after: &str, order| Scan { after: Some(after.to_owned()), order, ..scan("") };
    assert_eq!(sorts(&engine, behind("b", Order::Ascending)).await, ["b\0", "c", "d"]);
    assert_eq!(sorts(&engine, behind("bb", Order::Ascending)).await, ["c", "d"]);
    assert!(sorts(&engine, behind("d", Order::Ascending)).await.is_empty());
    assert_eq!(sorts(&engine, behind("", Order::Ascending)).await.len(), 5);
    assert_eq!(sorts(&engine, behind("c", Order::Descending)).await, ["b\0", "b", "a"]);
    assert_eq!(sorts(&engine, behind("bb", Order::Descending)).await, ["b\0", "b", "a"]);
    assert!(sorts(&engine, behind("a", Order::Descending)).await.is_empty());
    assert!(sorts(&engine, behind("", Order::Descending)).await.is_empty());
}

pub async fn a_bound_outside_the_prefix_is_clamped<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    insert(&engine, "p", &["a", "b1", "b2", "c"]).await;
    let behind = |after: &str, order| Scan { after: Some(after.to_owned()), order, ..scan("b") };
    assert_eq!(sorts(&engine, behind("a", Order::Ascending)).await, ["b1", "b2"]);
    assert_eq!(sorts(&engine, behind("b1", Order::Ascending)).await, ["b2"]);
    assert!(sorts(&engine, behind("c", Order::Ascending)).await.is_empty());
    assert_eq!(sorts(&engine, behind("c", Order::Descending)).await, ["b2", "b1"]);
    assert_eq!(sorts(&engine, behind("b2", Order::Descending)).await, ["b1"]);
    assert!(sorts(&engine, behind("a", Order::Descending)).await.is_empty());
}

pub async fn a_limit_cuts_and_zero_returns_nothing<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    insert(&engine, "p", &["a", "b", "c"]).await;
    for (limit, expected) in [(0, 0), (1, 1), (2, 2), (3, 3), (4, 3), (usize::MAX, 3)] {
        assert_eq!(sorts(&engine, Scan { limit, ..scan("") }).await, ["a", "b", "c"][..expected]);
        let backwards = Scan { limit, order: Order::Descending, ..scan("") };
        assert_eq!(sorts(&engine, backwards).await, ["c", "b", "a"][..expected]);
    }
}

pub async fn pages_cover_a_partition_once_in_both_directions<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    insert(&engine, "p", &AWKWARD).await;
    for order in [Order::Ascending, Order::Descending] {
        for limit in [1, 4, AWKWARD.len()] {
            let mut paged = Vec::new();
            loop {
                let page = sorts(&engine, Scan { after: paged.last().cloned(), limit, order, ..scan("") }).await;
                if page.is_empty() {
                    break;
                }
                assert!(page.len() <= limit && paged.len() < AWKWARD.len(), "{page:?} behind {paged:?}");
                paged.extend(page);
            }
            assert_eq!(paged, sorts(&engine, Scan { order, ..scan("") }).await);
        }
    }
}

pub async fn a_scan_never_leaves_its_partition<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    let partitions = ["a", "a/", "a/b", "a\0", "ab", "b", "é", "\u{10ffff}"];
    for partition in partitions {
        insert(&engine, partition, &["/", "a", "b", "\u{10ffff}"]).await;
    }
    for partition in partitions {
        let rows = all(&engine, partition).await;
        assert_eq!(rows.len(), 4, "partition {partition:?}");
        assert!(rows.iter().all(|row| row.key.partition.as_str() == partition), "{rows:?}");
        let backwards = Scan { order: Order::Descending, ..Scan::all(Partition::new(partition)) };
        assert_eq!(sorts(&engine, backwards).await, ["\u{10ffff}", "b", "a", "/"]);
    }
    assert!(all(&engine, "a/b/").await.is_empty());
}

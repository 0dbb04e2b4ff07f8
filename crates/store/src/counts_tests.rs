//! Snapshots of counters, and what is left of one that was cut off, lost on its way, or answered too late.

use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use kv::{Limits, MemEngine, Row, Scan};
use proptest::prelude::*;

use super::*;

fn many(labels: usize, position: u64) -> Snapshot {
    let totals = (0..labels).map(|number| (format!("mission/p-{number}/draft"), 1)).collect();
    Snapshot { position, totals }
}

/// Counters at a position at which so many missions are drafts: one at each position.
fn at(position: u64) -> Counts {
    Counts::starting(Snapshot { position, totals: [("draft".to_owned(), position as i64)].into() })
}

/// What happens to a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Applied,
    /// Applied, with a lost answer.
    AnswerLost,
    /// Lost on its way.
    Lost,
    /// On its way until all others have arrived.
    Late,
}

/// An engine that treats one commit after the other as it was told, and then applies all.
#[derive(Debug, Default)]
struct Fated {
    rows: MemEngine,
    fates: Mutex<Vec<Fate>>,
    late: Mutex<Vec<Commit>>,
    commits: AtomicU64,
}

#[async_trait]
impl Engine for Fated {
    fn limits(&self) -> Limits {
        self.rows.limits()
    }

    async fn get(&self, key: &Key) -> Result<Option<Row>, kv::Error> {
        self.rows.get(key).await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Row>, kv::Error> {
        self.rows.scan(scan).await
    }

    async fn commit(&self, commit: Commit) -> Result<Outcome, kv::Error> {
        let lost = || Err(kv::Error::Unknown("lost".into()));
        let number = self.commits.fetch_add(1, Ordering::Relaxed) as usize;
        let fate = self.fates.lock().unwrap().get(number).copied().unwrap_or(Fate::Applied);
        match fate {
            Fate::Applied => self.rows.commit(commit).await,
            Fate::AnswerLost => {
                self.rows.commit(commit).await?;
                lost()
            }
            Fate::Lost => lost(),
            Fate::Late => {
                self.late.lock().unwrap().push(commit);
                lost()
            }
        }
    }
}

impl Fated {
    async fn assert_whole(&self) {
        let read = Counts::load(&self.rows, "w").await.unwrap();
        assert_eq!(read.totals.get("draft").copied().unwrap_or_default(), read.position as i64);
    }
}

#[tokio::test]
async fn more_labels_than_one_commit_holds_are_saved_and_read_back() {
    let engine = MemEngine::new();
    Counts::starting(many(150_000, 7)).save(&engine, "w").await.unwrap();
    let read = Counts::load(&engine, "w").await.unwrap();
    assert_eq!((read.position, read.totals.len()), (7, 150_000));
}

#[tokio::test]
async fn a_save_after_one_whose_answer_was_lost_leaves_the_last_whole_one_until_it_is_whole_itself() {
    let engine = Fated::default();
    // A marker, a part, and the head, which is applied though its answer is lost.
    *engine.fates.lock().unwrap() = vec![Fate::Applied, Fate::Applied, Fate::AnswerLost];
    let counts = at(7);
    assert!(counts.save(&engine, "w").await.is_err());
    // The next one dies behind its parts.
    counts.follow(&[], Position(9));
    counts.ordered.lock().unwrap().1.insert("draft".to_owned(), 9);
    engine.fates.lock().unwrap().extend([Fate::Applied, Fate::Applied, Fate::Lost]);
    assert!(counts.save(&engine, "w").await.is_err());
    engine.assert_whole().await;
    counts.save(&engine, "w").await.unwrap();
    assert_eq!(Counts::load(&engine.rows, "w").await.unwrap().position, 9);
}

#[tokio::test]
async fn two_saves_at_once_write_one_after_the_other() {
    let engine = Fated::default();
    let counts = at(7);
    let (one, other) = tokio::join!(counts.save(&engine, "w"), counts.save(&engine, "w"));
    assert!(one.is_ok() && other.is_ok());
    engine.assert_whole().await;
}

proptest! {
    /// Saves that fail anywhere, answers that are lost, commits that arrive after everything else, other processes.
    #[test]
    fn whatever_becomes_of_its_commits_a_snapshot_that_is_read_holds_at_its_position(
        fates in prop::collection::vec(
            prop::sample::select(vec![Fate::Applied, Fate::Applied, Fate::AnswerLost, Fate::Lost, Fate::Late]), 0..30),
        late in prop::collection::vec(any::<bool>(), 12),
    ) {
        futures::executor::block_on(async {
            let engine = Fated::default();
            *engine.fates.lock().unwrap() = fates;
            for (position, late) in (1..).zip(late) {
                let _ = at(position).save(&engine, "w").await;
                engine.assert_whole().await;
                if late {
                    let commits = std::mem::take(&mut *engine.late.lock().unwrap());
                    for commit in commits {
                        engine.rows.commit(commit).await.unwrap();
                        engine.assert_whole().await;
                    }
                }
            }
        });
    }
}

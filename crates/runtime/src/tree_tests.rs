use std::io;
use std::sync::Mutex as StdMutex;

use futures::FutureExt as _;
use jiff::Timestamp;
use proptest::collection::vec;
use proptest::sample::select;
use proptest::{prop_assert, prop_assert_eq, proptest};

use super::*;
use crate::signal::{Signal, signals};

const GRACE: Duration = Duration::from_secs(10);

fn tree() -> (Tree, Clock) {
    let clock = Clock::manual(Timestamp::UNIX_EPOCH);
    (Tree::new(clock.clone()), clock)
}

/// Runs a shutdown to its end, moving the clock whenever everything waits for it.
async fn shut_down(tree: &Tree, clock: &Clock) -> crate::Report {
    let mut shutdown = std::pin::pin!(tree.shutdown(GRACE));
    loop {
        tokio::select! {
            biased;
            report = &mut shutdown => return report,
            () = settled() => clock.advance(Duration::from_millis(500)),
        }
    }
}

/// Lets every task that can continue do so; the runtime of a test has one thread.
async fn settled() {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
}

fn fail(why: &str) {
    panic!("{why}");
}

fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

proptest! {
    #[test]
    fn phases_stop_in_order(kinds in vec(select(&Kind::ALL), 0..24)) {
        block_on(async {
            let (tree, clock) = tree();
            let stopped = Arc::new(StdMutex::new(Vec::new()));
            for kind in kinds.iter().copied() {
                let stopped = Arc::clone(&stopped);
                // Records from a destructor, which tasks that are cut short run too.
                let record = Record(stopped, kind.rules().phase);
                tree.spawn(kind, format!("{kind:?}"), move |stop| async move {
                    let _record = record;
                    stop.asked().await;
                });
            }
            let report = shut_down(&tree, &clock).await;
            let stopped = stopped.lock().unwrap();
            prop_assert!(stopped.is_sorted(), "{stopped:?}");
            prop_assert_eq!(stopped.len(), kinds.len());
            prop_assert!(report.clean() && tree.live().is_empty());
            prop_assert_eq!(report.phases.iter().map(|phase| phase.phase).collect::<Vec<_>>(), Phase::ALL);
            Ok(())
        })?;
    }

    #[test]
    fn no_shutdown_takes_longer_than_its_grace(kinds in vec((select(&Kind::ALL), proptest::bool::ANY), 0..16)) {
        block_on(async {
            let (tree, clock) = tree();
            for (kind, stubborn) in kinds.iter().copied() {
                tree.spawn(kind, format!("{kind:?} {stubborn}"), move |stop| async move {
                    if stubborn { std::future::pending().await } else { stop.asked().await }
                });
            }
            let report = shut_down(&tree, &clock).await;
            let ignores = |(kind, stubborn): &&(Kind, bool)| *stubborn && kind.rules().cancel == Cancel::Wait;
            prop_assert!(report.took <= GRACE, "{report:?}");
            prop_assert!(tree.live().is_empty());
            prop_assert_eq!(report.aborted().count(), kinds.iter().filter(ignores).count());
            Ok(())
        })?;
    }
}

struct Record(Arc<StdMutex<Vec<Phase>>>, Phase);

impl Drop for Record {
    fn drop(&mut self) {
        self.0.lock().unwrap().push(self.1);
    }
}

#[tokio::test]
async fn a_task_that_ignores_cancel_is_aborted_at_the_end_of_the_grace_and_named() {
    let (tree, clock) = tree();
    let task = tree.spawn(Kind::Keeper, "stuck store", |_| std::future::pending::<()>());
    let report = shut_down(&tree, &clock).await;
    assert_eq!(report.aborted().collect::<Vec<_>>(), ["stuck store"]);
    assert_eq!(report.took, GRACE);
    task.ended().await;
}

#[tokio::test]
async fn a_stuck_connection_leaves_the_store_time_to_close() {
    let (tree, clock) = tree();
    tree.spawn(Kind::Connection, "stuck client", |_| std::future::pending::<()>());
    let of_store = clock.clone();
    tree.spawn(Kind::Keeper, "store", move |stop| async move {
        stop.asked().await;
        of_store.sleep(Duration::from_secs(1)).await;
    });
    let report = shut_down(&tree, &clock).await;
    assert_eq!(report.aborted().collect::<Vec<_>>(), ["stuck client"]);
    assert_eq!(report.phases[Phase::Drain.index()].took, Duration::from_secs(8));
    assert_eq!(report.phases[Phase::Close.index()].took, Duration::from_secs(1));
}

#[tokio::test]
async fn a_task_spawned_after_its_phase_stopped_is_stopped_too() {
    let (tree, clock) = tree();
    let late = tree.clone();
    tree.spawn(Kind::Writer, "writer", move |stop| async move {
        stop.asked().await;
        late.spawn(Kind::Job, "late job", |stop| async move { stop.asked().await });
        late.spawn(Kind::Job, "late and stuck", |_| std::future::pending::<()>());
    });
    let report = shut_down(&tree, &clock).await;
    assert_eq!(report.phases[Phase::Flush.index()].aborted, ["late and stuck"]);
    assert_eq!(tree.live(), []);
}

#[tokio::test]
async fn a_panic_of_a_task_the_server_needs_asks_for_a_shutdown() {
    let (tree, _) = tree();
    tree.spawn(Kind::Writer, "writer", |_| async { fail("disk on fire") });
    let failed = StopReason::TaskFailed { task: "writer".to_owned(), error: "panicked: disk on fire".to_owned() };
    assert_eq!(tree.stop_requested().await, failed);
    assert_eq!(tree.shutdown(GRACE).await.reason, Some(failed));
}

#[tokio::test]
async fn an_error_of_a_task_the_server_needs_asks_for_a_shutdown_with_all_its_causes() {
    #[derive(Debug)]
    struct Outer(io::Error);
    impl std::fmt::Display for Outer {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("cannot listen on port 80")
        }
    }
    impl std::error::Error for Outer {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.0)
        }
    }
    let (tree, _) = tree();
    tree.spawn(Kind::Listener, "rest", |_| async { Err(Outer(io::Error::other("not allowed"))) });
    let error = "cannot listen on port 80: not allowed".to_owned();
    assert_eq!(tree.stop_requested().await, StopReason::TaskFailed { task: "rest".to_owned(), error });
}

#[tokio::test]
async fn the_failure_of_a_job_concerns_that_job_alone() {
    let (tree, _) = tree();
    tree.spawn(Kind::Job, "panics", |_| async { fail("a bug") }).ended().await;
    tree.spawn(Kind::Job, "fails", |_| async { Err("no luck") }).ended().await;
    assert!(tree.stop_requested().now_or_never().is_none());
    assert_eq!(tree.live(), []);
}

#[tokio::test]
async fn the_first_reason_to_stop_is_the_one_that_is_kept() {
    let (tree, _) = tree();
    tree.request_stop(StopReason::Asked("fleet stop".to_owned()));
    tree.request_stop(StopReason::Signal(Signal::Interrupt));
    assert_eq!(tree.stop_requested().await.to_string(), "fleet stop");
}

#[tokio::test]
async fn one_task_can_be_cancelled_without_the_others() {
    let (tree, _) = tree();
    let one = tree.spawn(Kind::Job, "one", |stop| async move { stop.asked().await });
    tree.spawn(Kind::Job, "other", |stop| async move { stop.asked().await });
    one.cancel();
    one.ended().await;
    assert_eq!(tree.live().into_iter().map(|task| task.name).collect::<Vec<_>>(), ["other"]);
}

#[tokio::test]
async fn live_tasks_are_listed_with_phase_and_age() {
    let (tree, clock) = tree();
    tree.spawn(Kind::Feed, "events of m-x7k2m", |_| std::future::pending::<()>());
    clock.advance(Duration::from_secs(3));
    let expected = Live {
        name: "events of m-x7k2m".to_owned(),
        kind: Kind::Feed,
        phase: Phase::Drain,
        age: Duration::from_secs(3),
    };
    assert_eq!(tree.live(), [expected]);
}

#[tokio::test]
async fn giving_up_the_grace_aborts_what_is_left_at_once() {
    let (tree, _) = tree();
    tree.spawn(Kind::Job, "stuck", |_| std::future::pending::<()>());
    tree.abort();
    let report = tree.shutdown(GRACE).await;
    assert_eq!(report.aborted().collect::<Vec<_>>(), ["stuck"]);
    assert_eq!(report.took, Duration::ZERO);
}

#[tokio::test]
async fn a_signal_shuts_down_and_a_second_one_aborts() {
    let (tree, _) = tree();
    let mut signals = signals().unwrap();
    let raise = || rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TERM).unwrap();
    tree.spawn(Kind::Job, "stuck", move |stop| async move {
        stop.asked().await;
        raise();
        std::future::pending::<()>().await;
    });
    raise();
    let report = tree.run(&mut signals, || GRACE).await;
    assert_eq!(report.reason, Some(StopReason::Signal(Signal::Terminate)));
    assert_eq!(report.aborted().collect::<Vec<_>>(), ["stuck"]);
}

#[test]
fn a_task_spawned_while_the_runtime_goes_away_is_let_go() {
    let (tree, _) = tree();
    struct SpawnsWhenDropped(Tree);
    impl Drop for SpawnsWhenDropped {
        fn drop(&mut self) {
            self.0.spawn(Kind::Job, "too late", |_| async {});
        }
    }
    block_on(async {
        let last = SpawnsWhenDropped(tree.clone());
        tree.spawn(Kind::Job, "holds it", move |_| async move {
            let _last = last;
            std::future::pending::<()>().await;
        });
        settled().await;
    });
    assert_eq!(tree.live(), []);
}

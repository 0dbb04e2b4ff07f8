//! Work that blocks: the one `spawn_blocking`, and the one way to a thread of its own.

use std::future::pending;
use std::io;
use std::panic::resume_unwind;
use std::thread::JoinHandle;

/// Runs `work` where it may block, and returns what it returns.
///
/// Dropping the future does not stop work that has begun. A panic of `work` continues in the caller, where the task
/// tree deals with it by the caller's kind.
#[expect(clippy::disallowed_methods, reason = "this is the one place for blocking work")]
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(value) => value,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            // Cancelled before it began: the runtime is going away, and the caller with it.
            Err(_) => pending().await,
        },
    }
}

/// Starts a thread under a name that debuggers and `/proc` show.
///
/// For what must own a thread for its whole life, such as the one writer of a database; the owner joins it.
///
/// # Errors
/// When the system refuses another thread.
pub fn thread<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> io::Result<JoinHandle<T>> {
    std::thread::Builder::new().name(name.to_owned()).spawn(work)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn blocking_work_returns_its_value() {
        assert_eq!(blocking(|| 6 * 7).await, 42);
    }

    #[tokio::test]
    #[should_panic(expected = "went wrong")]
    async fn a_panic_of_blocking_work_continues_in_the_caller() {
        blocking(|| panic!("went wrong")).await;
    }

    #[test]
    fn a_thread_carries_its_name() {
        let named = thread("sqlite-writer", || std::thread::current().name().map(str::to_owned)).unwrap();
        assert_eq!(named.join().unwrap().as_deref(), Some("sqlite-writer"));
    }
}

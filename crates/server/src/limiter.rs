//! How many requests one client may make.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use api::{Code, Error};

/// Clients remembered before those that are idle are forgotten.
const CLIENTS_MAX: usize = 4096;

/// The time in which a client that was idle may make all its requests.
const MINUTE: Duration = Duration::from_secs(60);

/// Counts requests by client, with whatever limit is in force.
///
/// Each request uses up its share of a minute, behind those before it. A client may be ahead of the clock by a minute at
/// most: it can make all requests of a minute at once, and then one whenever the time of one has passed.
#[derive(Debug, Default)]
pub(crate) struct Limiter(Mutex<Counted>);

#[derive(Debug, Default)]
struct Counted {
    per_minute: u32,
    /// Up to when each client has used its time.
    used: HashMap<String, Duration>,
    /// How many clients there may be before the idle ones are looked for.
    room: usize,
}

impl Limiter {
    /// Counts a request; `false` if the client has used its requests up, which it cannot with a limit of 0.
    pub(crate) fn counts(&self, client: String, per_minute: u32, now: Duration) -> bool {
        per_minute == 0 || self.0.lock().unwrap_or_else(PoisonError::into_inner).take(client, per_minute, now)
    }

    /// Refuses a client that has used its requests up.
    pub(crate) fn admit(&self, client: String, per_minute: u32, now: Duration) -> Result<(), Error> {
        if self.counts(client, per_minute, now) {
            return Ok(());
        }
        Err(Error::new(Code::RATE_LIMITED, "Too many requests. Try again later.").hint(format!(
            "The limit is {per_minute} a minute: `fleet config set rate_limit_per_minute=N` changes it."
        )))
    }
}

impl Counted {
    fn take(&mut self, client: String, per_minute: u32, now: Duration) -> bool {
        if self.per_minute != per_minute {
            // A changed limit applies at once, to all callers.
            *self = Self { per_minute, used: HashMap::new(), room: CLIENTS_MAX };
        }
        if self.used.len() > self.room {
            self.used.retain(|_, used| *used > now);
            // Where none is idle, looking again at every request would cost more than it frees.
            self.room = CLIENTS_MAX.max(self.used.len() * 2);
        }
        let used = self.used.entry(client).or_default();
        let next = now.max(*used) + MINUTE / per_minute;
        let admitted = next <= now + MINUTE;
        if admitted {
            *used = next;
        }
        admitted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Duration = Duration::from_secs(1000);

    fn admits(limiter: &Limiter, client: &str, per_minute: u32, now: Duration) -> bool {
        limiter.admit(client.to_owned(), per_minute, now).is_ok()
    }

    #[test]
    fn one_client_is_refused_past_its_limit_while_another_is_not() {
        let limiter = Limiter::default();
        for _ in 0..3 {
            assert!(admits(&limiter, "a", 3, START));
        }
        assert_eq!(limiter.admit("a".to_owned(), 3, START).unwrap_err().code, Code::RATE_LIMITED);
        assert!(admits(&limiter, "b", 3, START));
    }

    #[test]
    fn every_limit_lets_exactly_so_many_pass_at_once() {
        for per_minute in [1, 2, 7, 59, 61, 600, 999] {
            let limiter = Limiter::default();
            let admitted = (0..2000).filter(|_| admits(&limiter, "a", per_minute, START)).count();
            assert_eq!(admitted, per_minute as usize);
        }
    }

    #[test]
    fn requests_come_back_one_by_one_as_time_passes() {
        let limiter = Limiter::default();
        assert_eq!((0..10).filter(|_| admits(&limiter, "a", 6, START)).count(), 6);
        let later = START + Duration::from_secs(20);
        assert_eq!((0..10).filter(|_| admits(&limiter, "a", 6, later)).count(), 2);
        let much_later = START + Duration::from_secs(1000);
        assert_eq!((0..10).filter(|_| admits(&limiter, "a", 6, much_later)).count(), 6);
    }

    #[test]
    fn a_changed_limit_holds_at_once_and_zero_is_no_limit() {
        let limiter = Limiter::default();
        assert!(admits(&limiter, "a", 1, START));
        assert!(!admits(&limiter, "a", 1, START));
        assert!(admits(&limiter, "a", 2, START));
        assert!((0..100).all(|_| admits(&limiter, "a", 0, START)));
    }

    #[test]
    fn idle_clients_are_forgotten_and_busy_ones_are_not() {
        let limiter = Limiter::default();
        assert!(admits(&limiter, "busy", 1, START));
        for client in 0..CLIENTS_MAX {
            assert!(admits(&limiter, &client.to_string(), 1, START - Duration::from_secs(60)));
        }
        assert!(!admits(&limiter, "busy", 1, START));
        assert_eq!(limiter.0.lock().unwrap().used.len(), 1);
    }
}

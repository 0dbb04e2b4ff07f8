//! How many requests one client may make.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};

use api::{Code, Error};
use governor::{DefaultKeyedRateLimiter, Quota};

/// Clients remembered before those that are idle are forgotten.
const CLIENTS_MAX: usize = 4096;

/// Counts requests by client, with whatever limit is in force.
#[derive(Debug, Default)]
pub(crate) struct Limiter(Mutex<Option<Limit>>);

#[derive(Debug, Clone)]
struct Limit {
    per_minute: u32,
    clients: Arc<DefaultKeyedRateLimiter<String>>,
}

impl Limiter {
    /// Refuses a client that has used its requests up; a limit of 0 refuses nobody.
    pub(crate) fn admit(&self, client: String, per_minute: u32) -> Result<(), Error> {
        let Some(quota) = NonZeroU32::new(per_minute) else { return Ok(()) };
        let clients = self.clients(quota);
        if clients.len() > CLIENTS_MAX {
            clients.retain_recent();
        }
        clients.check_key(&client).map_err(|_| {
            Error::new(Code::RATE_LIMITED, "Too many requests. Try again later.").hint(format!(
                "The limit is {per_minute} a minute: `fleet config set rate_limit_per_minute=N` changes it."
            ))
        })
    }

    /// Starts counting afresh when the limit was changed.
    fn clients(&self, quota: NonZeroU32) -> Arc<DefaultKeyedRateLimiter<String>> {
        let mut limit = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*limit {
            Some(limit) if limit.per_minute == quota.get() => Arc::clone(&limit.clients),
            Some(_) | None => {
                let clients = Arc::new(DefaultKeyedRateLimiter::keyed(Quota::per_minute(quota)));
                *limit = Some(Limit { per_minute: quota.get(), clients: Arc::clone(&clients) });
                clients
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_client_is_refused_past_its_limit_while_another_is_not() {
        let limiter = Limiter::default();
        for _ in 0..3 {
            assert!(limiter.admit("a".to_owned(), 3).is_ok());
        }
        assert_eq!(limiter.admit("a".to_owned(), 3).unwrap_err().code, Code::RATE_LIMITED);
        assert!(limiter.admit("b".to_owned(), 3).is_ok());
    }

    #[test]
    fn a_changed_limit_holds_at_once_and_zero_is_no_limit() {
        let limiter = Limiter::default();
        assert!(limiter.admit("a".to_owned(), 1).is_ok());
        assert!(limiter.admit("a".to_owned(), 1).is_err());
        assert!(limiter.admit("a".to_owned(), 2).is_ok());
        assert!((0..100).all(|_| limiter.admit("a".to_owned(), 0).is_ok()));
    }
}

//! One-time sign-in links for browsers.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use types::Timestamp;

/// How long a link waits to be opened.
pub(crate) const LINK_LIFETIME: Duration = Duration::from_secs(300);

/// Links that wait at once; the oldest goes first when there are more.
const LINKS_MAX: usize = 64;

/// Codes that were handed out and not yet used. In memory alone: a restart makes them void.
#[derive(Debug, Default)]
pub(crate) struct LoginLinks(Mutex<HashMap<String, Timestamp>>);

impl LoginLinks {
    pub(crate) fn add(&self, code: String, expires_at: Timestamp, now: Timestamp) {
        let mut links = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        links.retain(|_, expires| *expires > now);
        if links.len() >= LINKS_MAX {
            let oldest = links.iter().min_by_key(|(_, expires)| **expires).map(|(code, _)| code.clone());
            oldest.and_then(|code| links.remove(&code));
        }
        links.insert(code, expires_at);
    }

    /// Uses a code up; false when it never was, was used before, or is too old.
    pub(crate) fn redeem(&self, code: &str, now: Timestamp) -> bool {
        let mut links = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        links.remove(code).is_some_and(|expires| expires > now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_opens_once_and_only_in_time() {
        let links = LoginLinks::default();
        let (now, later) = (Timestamp::UNIX_EPOCH, Timestamp::UNIX_EPOCH.checked_add(LINK_LIFETIME).unwrap());
        links.add("first".to_owned(), later, now);
        links.add("second".to_owned(), later, now);
        assert!(links.redeem("first", now));
        assert!(!links.redeem("first", now));
        assert!(!links.redeem("second", later));
        assert!(!links.redeem("never", now));
    }

    #[test]
    fn no_more_than_a_bounded_number_of_links_waits() {
        let links = LoginLinks::default();
        for at in 0..200 {
            let expires = Timestamp::from_second(1000 + at).unwrap();
            links.add(format!("code-{at}"), expires, Timestamp::UNIX_EPOCH);
        }
        assert!(!links.redeem("code-0", Timestamp::UNIX_EPOCH));
        assert!(links.redeem("code-199", Timestamp::UNIX_EPOCH));
    }
}

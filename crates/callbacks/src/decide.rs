//! What follows a try: a pure decision.

use std::time::Duration;

use types::Timestamp;

/// Most tries of one callback.
pub const TRIES_MAX: u32 = 8;

/// The wait before the second try; each one after it is four times as long.
const FIRST_WAIT: Duration = Duration::from_secs(2);

/// The longest wait.
const LONGEST_WAIT: Duration = Duration::from_secs(3_600);

/// What came of a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A response with this status.
    Status(u16),
    /// No response.
    Nobody(String),
    /// Fleet does not send to this address.
    Refused(String),
}

/// What follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// It was heard.
    Delivered {
        /// With this status.
        status: u16,
    },
    /// It is tried again.
    Again {
        /// When.
        at: Timestamp,
        /// What came of this try.
        why: String,
    },
    /// It is not.
    GiveUp {
        /// What came of this try.
        why: String,
    },
}

/// Decides what follows the `tries`-th try; `chance` is from 0 to 1, so that not all come back at once.
#[must_use]
pub fn after(tries: u32, answer: &Answer, now: Timestamp, chance: f64) -> Next {
    let why = match answer {
        Answer::Status(status @ 200..=299) => return Next::Delivered { status: *status },
        Answer::Refused(why) => return Next::GiveUp { why: why.clone() },
        Answer::Status(410) => return Next::GiveUp { why: "it answered 410: it is gone for good".to_owned() },
        Answer::Status(status @ 300..=399) => format!("it answered {status}, and redirects are not followed"),
        Answer::Status(status) => format!("it answered {status}"),
        Answer::Nobody(why) => why.clone(),
    };
    if tries >= TRIES_MAX {
        return Next::GiveUp { why };
    }
    let wait = FIRST_WAIT.saturating_mul(4_u32.saturating_pow(tries.saturating_sub(1))).min(LONGEST_WAIT);
    let wait = wait.saturating_add(wait.mul_f64(chance.clamp(0.0, 1.0) / 4.0));
    Next::Again { at: now.saturating_add(wait).unwrap_or(Timestamp::MAX), why }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn now() -> Timestamp {
        Timestamp::from_second(1_750_000_000).unwrap()
    }

    proptest! {
        #[test]
        fn whatever_is_answered_it_ends_and_waits_longer_each_time(statuses in prop::collection::vec(100..600u16, 20), chance in 0.0..1.0f64) {
            let mut last = now();
            for (tries, status) in (1..).zip(statuses) {
                match after(tries, &Answer::Status(status), now(), chance) {
                    Next::Delivered { status } => { prop_assert!((200..300).contains(&status)); return Ok(()); }
                    Next::GiveUp { .. } => { prop_assert!(tries == TRIES_MAX || status == 410); return Ok(()); }
                    Next::Again { at, .. } => {
                        prop_assert!(at > last || tries > 6, "it waits longer each time");
                        prop_assert!(!(200..300).contains(&status) && tries < TRIES_MAX);
                        last = at;
                    }
                }
            }
            prop_assert!(false, "it never ends");
        }
    }

    #[test]
    fn an_address_that_is_refused_is_not_tried_again() {
        let refused = Answer::Refused("it is link-local".to_owned());
        assert_eq!(after(1, &refused, now(), 0.0), Next::GiveUp { why: "it is link-local".to_owned() });
        let nobody = after(1, &Answer::Nobody("connection refused".to_owned()), now(), 0.0);
        let at = Timestamp::from_second(1_750_000_002).unwrap();
        assert_eq!(nobody, Next::Again { at, why: "connection refused".to_owned() });
    }
}

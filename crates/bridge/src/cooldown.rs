//! How long an earlier conversation must be left alone before it can be taken up.

use std::time::Duration;

use agents::{Conversation, Loading, Opening};
use types::Timestamp;

const MINUTE_MS: i64 = 60_000;

/// A little more than the minute, for clocks that are read twice.
const MORE_MS: i64 = 500;

/// Returns how long to wait; none if nothing is in the way.
///
/// Gemini names the file of a conversation by the minute in which it begins to write it, and one that is loaded in that
/// very minute is overwritten by the new, empty one. The start time is unknown here, so the minute that is
/// now is waited for to its end.
pub(crate) fn hold(opening: &Opening, now: Timestamp) -> Option<Duration> {
    match (&opening.conversation, opening.loading) {
        (Conversation::Resume { .. } | Conversation::Fork { .. }, Loading::NextMinute) => {
            let left = MINUTE_MS - now.as_millisecond().rem_euclid(MINUTE_MS) + MORE_MS;
            u64::try_from(left).ok().map(Duration::from_millis)
        }
        (Conversation::New { .. }, _) | (_, Loading::AtOnce) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_earlier_conversation_waits_for_the_next_minute_and_a_new_one_for_nothing() {
        let session = "s".to_owned();
        let now = Timestamp::from_millisecond(3 * 60_000 + 59_000).unwrap();
        let resume = Opening {
            conversation: Conversation::Resume { session },
            loading: Loading::NextMinute,
            ..Opening::default()
        };
        assert_eq!(hold(&resume, now), Some(Duration::from_millis(1500)));
        assert_eq!(hold(&Opening { loading: Loading::AtOnce, ..resume.clone() }, now), None);
        assert_eq!(hold(&Opening { conversation: Conversation::default(), ..resume }, now), None);
    }
}

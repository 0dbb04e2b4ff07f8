//! A notification: a message outside of Fleet that something waits for a person, and the hours without one.

use std::fmt;
use std::str::FromStr;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Event, NotificationId, TeamName, TimeOfDay};

/// A notification that was not sent yet. One that was is removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notification {
    /// Its id: made of the place in the feed of what it is about, and of its channel.
    pub id: NotificationId,
    /// The team that sees what it is about.
    pub team: TeamName,
    /// How it is sent.
    pub channel: Channel,
    /// What happened; it is not sent once that is settled.
    pub about: Event,
    /// What to tell, without secrets.
    pub text: String,
    /// How often it was tried.
    pub tries: u32,
    /// When it is to be tried.
    pub at: Timestamp,
    /// When it was made.
    pub created_at: Timestamp,
}

/// How people are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// On the desktop of the server's machine.
    Desktop,
    /// By a signed POST.
    Webhook,
    /// By a POST that Slack reads.
    Slack,
}

impl Channel {
    /// Every channel.
    pub const ALL: [Self; 3] = [Self::Desktop, Self::Webhook, Self::Slack];

    /// Returns the word used in keys.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Desktop => "desktop",
            Self::Webhook => "webhook",
            Self::Slack => "slack",
        }
    }
}

/// Hours of every day without notifications.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quiet {
    from: TimeOfDay,
    to: TimeOfDay,
    zone: String,
}

/// A text that does not say which hours are quiet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoQuiet;

impl Quiet {
    /// Returns when the quiet hours end in which a time lies; none if it lies in none.
    #[must_use]
    pub fn ends_at(&self, at: Timestamp) -> Option<Timestamp> {
        let zone = TimeZone::get(&self.zone).ok()?;
        let today = at.to_zoned(zone.clone()).date();
        // Those that began yesterday may last until today.
        [today.yesterday().ok()?, today].into_iter().find_map(|day| {
            let moment = |date: jiff::civil::Date, time: TimeOfDay| {
                let midnight = date.at(0, 0, 0, 0);
                let civil = midnight.checked_add(SignedDuration::from_secs(time.secs().into())).ok()?;
                Some(civil.to_zoned(zone.clone()).ok()?.timestamp())
            };
            let last = if self.to > self.from { day } else { day.tomorrow().ok()? };
            let (from, to) = (moment(day, self.from)?, moment(last, self.to)?);
            (from..to).contains(&at).then_some(to)
        })
    }
}

impl FromStr for Quiet {
    type Err = NoQuiet;

    fn from_str(text: &str) -> Result<Self, NoQuiet> {
        let (hours, zone) = text.trim().split_once(' ').unwrap_or((text.trim(), "UTC"));
        let (from, to) = hours.split_once('-').ok_or(NoQuiet)?;
        let time = |text: &str| text.parse::<TimeOfDay>().map_err(|_| NoQuiet);
        let (from, to, zone) = (time(from)?, time(to)?, zone.trim().to_owned());
        if from == to || TimeZone::get(&zone).is_err() {
            return Err(NoQuiet);
        }
        Ok(Self { from, to, zone })
    }
}

impl fmt::Display for NoQuiet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("takes two times of the day and a time zone, such as 22:00-07:00 Europe/Berlin")
    }
}

impl std::error::Error for NoQuiet {}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn quiet_hours_end_in_their_own_zone_and_may_last_over_midnight() {
        let quiet: Quiet = "22:00-07:00 Europe/Berlin".parse().unwrap();
        // Winter: an hour before UTC.
        assert_eq!(quiet.ends_at(at("2026-11-18T20:59:59Z")), None);
        assert_eq!(quiet.ends_at(at("2026-11-18T21:00:00Z")), Some(at("2026-11-19T06:00:00Z")));
        assert_eq!(quiet.ends_at(at("2026-11-19T05:59:59Z")), Some(at("2026-11-19T06:00:00Z")));
        assert_eq!(quiet.ends_at(at("2026-11-19T06:00:00Z")), None);
        // Summer: two.
        assert_eq!(quiet.ends_at(at("2026-07-18T20:30:00Z")), Some(at("2026-07-19T05:00:00Z")));
        let noon: Quiet = "12:00-13:30".parse().unwrap();
        assert_eq!(noon.ends_at(at("2026-11-18T12:10:00Z")), Some(at("2026-11-18T13:30:00Z")));
        assert_eq!(noon.ends_at(at("2026-11-18T11:59:00Z")), None);
    }

    #[test]
    fn hours_that_are_none_are_refused() {
        for wrong in ["", "22:00", "22-7", "22:00-22:00", "22:00-07:00 Nowhere/Land", "25:00-07:00"] {
            assert_eq!(wrong.parse::<Quiet>(), Err(NoQuiet), "{wrong}");
        }
    }
}

//! A cron expression in a time zone.

use croner::parser::{CronParser, Seconds, Year};
use jiff::Zoned;
use jiff::tz::TimeZone;
use types::{Schedule, Timestamp};

/// A cron expression, ready to be asked for times.
///
/// Five fields: minute, hour, day of the month, month, weekday (`0` and `7` are Sunday); names, ranges, lists, steps and
/// `@daily` are understood. If both days are given, either is enough. A time that daylight saving skips comes at the next
/// moment there is, one that it repeats comes once; what is due every few minutes or hours follows the clock.
#[derive(Debug, Clone)]
pub struct Cron {
    pattern: croner::Cron,
    zone: TimeZone,
}

/// Why a text is not a schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CronError {
    /// It has another number of fields.
    #[error("`{text}` has {count} fields, and a schedule has five: minute, hour, day of the month, month, weekday")]
    Fields {
        /// The expression.
        text: String,
        /// How many it has.
        count: usize,
    },
    /// A field cannot be understood.
    #[error("`{text}` is not a schedule: {why}")]
    Expression {
        /// The expression.
        text: String,
        /// Why not.
        why: String,
    },
    /// It names a time that never comes, such as the 30th of February.
    #[error("`{text}` is never due")]
    Never {
        /// The expression.
        text: String,
    },
    /// There is no such time zone.
    #[error("`{zone}` is not a time zone; one is `Europe/Berlin`, another `UTC`")]
    Zone {
        /// Its name.
        zone: String,
    },
}

impl Cron {
    /// Reads an expression; the time zone is UTC unless it is named.
    ///
    /// # Errors
    /// [`CronError`].
    pub fn parse(text: &str, zone: Option<&str>) -> Result<Self, CronError> {
        let text = text.trim();
        let count = text.split_whitespace().count();
        if !text.starts_with('@') && count != 5 {
            return Err(CronError::Fields { text: text.to_owned(), count });
        }
        let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
        let refused = |error| CronError::Expression { text: text.to_owned(), why: why(error) };
        let pattern = parser.parse(text).map_err(refused)?;
        let zone = match zone {
            Some(name) => TimeZone::get(name).map_err(|_| CronError::Zone { zone: name.to_owned() })?,
            None => TimeZone::UTC,
        };
        let cron = Self { pattern, zone };
        // A leap day in four hundred years is a time, too.
        match cron.next_after(Timestamp::UNIX_EPOCH) {
            Some(_) => Ok(cron),
            None => Err(CronError::Never { text: text.to_owned() }),
        }
    }

    /// Reads the expression of a schedule.
    ///
    /// # Errors
    /// [`CronError`].
    pub fn of(schedule: &Schedule) -> Result<Self, CronError> {
        Self::parse(&schedule.cron, schedule.time_zone.as_deref())
    }

    /// Returns the first time after this one.
    #[must_use]
    pub fn next_after(&self, time: Timestamp) -> Option<Timestamp> {
        self.pattern.find_next_occurrence(&self.at(time), false).ok().map(|next| next.timestamp())
    }

    /// Returns the last time up to this one, that one included.
    #[must_use]
    pub fn last_until(&self, time: Timestamp) -> Option<Timestamp> {
        self.pattern.find_previous_occurrence(&self.at(time), true).ok().map(|last| last.timestamp())
    }

    /// Returns a time as the clocks of the zone show it.
    #[must_use]
    pub fn at(&self, time: Timestamp) -> Zoned {
        time.to_zoned(self.zone.clone())
    }
}

/// What is wrong with an expression, without the words for where in the parser it was found.
fn why(error: croner::errors::CronError) -> String {
    use croner::errors::CronError as Cause;
    let text = match error {
        Cause::InvalidPattern(text) | Cause::IllegalCharacters(text) | Cause::ComponentError(text) => text,
        cause @ (Cause::EmptyPattern | Cause::InvalidDate | Cause::InvalidTime | Cause::TimeSearchLimitExceeded) => {
            cause.to_string()
        }
    };
    text.trim_start_matches("CronPattern ").trim_end_matches('.').to_owned()
}

#[cfg(test)]
#[path = "cron_tests.rs"]
mod tests;

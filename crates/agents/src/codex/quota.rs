//! When an account that is used up may be used again, from Codex's words: `try again at Nov 16th, 2026 12:46 AM.`, or
//! the time alone for the same day. The time is in UTC, since the agent is run so.

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use types::Timestamp;

const BEFORE: &str = "try again at ";

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

pub(super) fn resets_at(text: &str, now: Timestamp) -> Option<Timestamp> {
    // It may be the beginning of a sentence.
    let words = text.get(text.to_ascii_lowercase().find(BEFORE)? + BEFORE.len()..)?;
    let mut words = words.split_whitespace().map(|word| word.trim_end_matches(['.', ',']));
    let first = words.next()?;
    let today = now.to_zoned(TimeZone::UTC).date();
    if !first.contains(':') {
        let at = date(first, words.next()?, words.next()?)?.to_datetime(time(words.next()?, words.next()?)?);
        return Some(at.to_zoned(TimeZone::UTC).ok()?.timestamp());
    }
    let time = time(first, words.next()?)?;
    let at = today.to_datetime(time).to_zoned(TimeZone::UTC).ok()?.timestamp();
    // Said before midnight and read after it, or of a minute that is just over.
    Some(if at < now { now } else { at })
}

fn date(month: &str, day: &str, year: &str) -> Option<Date> {
    let month = MONTHS.iter().position(|name| month.starts_with(name))? + 1;
    let day = day.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    Date::new(year.parse().ok()?, i8::try_from(month).ok()?, day.parse().ok()?).ok()
}

fn time(clock: &str, half: &str) -> Option<Time> {
    let (hour, minute) = clock.split_once(':')?;
    let hour: i8 = hour.parse().ok()?;
    let hour = match half {
        "AM" => hour % 12,
        "PM" => hour % 12 + 12,
        _ => return None,
    };
    Time::new(hour, minute.parse().ok()?, 0, 0).ok()
}

//! What goes wrong with Codex and its provider: errors, retries, and windows of the account that are used up.

use serde_json::Value;
use types::Timestamp;

use crate::dialogue::rpc::{text, word};
use crate::{Ending, Event, FailureClass, RateLimited, WindowStatus};

/// From here on a window is nearly used up, in per cent.
const NEARLY: f64 = 90.0;

/// The windows of the account, as last told.
#[derive(Debug, Default)]
pub(super) struct Windows {
    told: Vec<RateLimited>,
}

impl Windows {
    /// Reads the windows and returns those that changed.
    pub(super) fn read(&mut self, limits: &Value) -> Vec<Event> {
        let reached = !limits["rateLimitReachedType"].is_null();
        let windows: Vec<RateLimited> =
            ["primary", "secondary"].iter().filter_map(|key| window(&limits[*key], reached)).collect();
        // An answer that says nothing of windows leaves them as they were.
        if windows.is_empty() || windows == self.told {
            return Vec::new();
        }
        self.told.clone_from(&windows);
        windows.into_iter().map(Event::RateLimited).collect()
    }

    /// When the account may be used again: the fullest window is empty then.
    fn resets_at(&self) -> Option<Timestamp> {
        let full = |limited: &RateLimited| match limited {
            RateLimited::Window { utilization: Some(used), resets_at: Some(at), .. } if used * 100.0 >= NEARLY => {
                Some((*used, *at))
            }
            RateLimited::Window { .. } | RateLimited::Retrying { .. } => None,
        };
        let fullest = self.told.iter().filter_map(full).max_by(|one, other| one.0.total_cmp(&other.0));
        fullest.map(|(_, at)| at)
    }
}

fn window(window: &Value, reached: bool) -> Option<RateLimited> {
    let used = window["usedPercent"].as_f64()?;
    let status = match used {
        _ if reached && used >= NEARLY => WindowStatus::Rejected,
        used if used >= NEARLY => WindowStatus::Warning,
        _ => WindowStatus::Allowed,
    };
    let name = match window["windowDurationMins"].as_u64() {
        Some(300) => Some("five_hour".to_owned()),
        Some(10_080) => Some("seven_day".to_owned()),
        Some(minutes) => Some(format!("{minutes}_minutes")),
        None => None,
    };
    Some(RateLimited::Window {
        status,
        window: name,
        utilization: Some(used / 100.0),
        resets_at: window["resetsAt"].as_i64().and_then(|second| Timestamp::from_second(second).ok()),
    })
}

/// An error after which it tries again, by itself: `Reconnecting... 2/5`.
pub(super) fn retrying(params: &Value) -> Option<Event> {
    if params["willRetry"] != true {
        return None;
    }
    let error = &params["error"];
    let counted = word(error, "message").split_whitespace().find_map(|word| {
        let (attempt, most) = word.trim_end_matches('.').split_once('/')?;
        Some((attempt.parse().ok()?, most.parse().ok()?))
    });
    let (attempt, attempts_max) = counted.unwrap_or((1, 1));
    let class = class(error, &Windows::default());
    Some(Event::RateLimited(RateLimited::Retrying { attempt, attempts_max, delay_ms: 0, status: status(error), class }))
}

/// The HTTP status of the provider, where it is told.
fn status(error: &Value) -> Option<u16> {
    let told =
        error["codexErrorInfo"].as_object().into_iter().flatten().find_map(|(_, more)| more["httpStatusCode"].as_u64());
    told.and_then(|status| u16::try_from(status).ok())
}

/// What an error means, by the server's word for it.
pub(super) fn class(error: &Value, windows: &Windows) -> FailureClass {
    match (word(error, "codexErrorInfo"), status(error)) {
        ("contextWindowExceeded", _) => FailureClass::ContextFull,
        ("usageLimitExceeded", _) | (_, Some(402)) => FailureClass::Quota { resets_at: windows.resets_at() },
        ("sessionBudgetExceeded", _) => FailureClass::Budget,
        ("rateLimitExceeded", _) | (_, Some(429)) => FailureClass::RateLimit,
        ("unauthorized", _) | (_, Some(401 | 403)) => FailureClass::Auth,
        ("tooManyDenials", _) => FailureClass::Denied,
        ("modelNotFound" | "badRequest" | "cyberPolicy" | "misalignmentPolicyViolation", _) => FailureClass::Invalid,
        ("serverOverloaded" | "flexUnavailable" | "policyCapacityUnavailable" | "internalServerError", _) => {
            FailureClass::Overloaded
        }
        (_, Some(400..=499)) => FailureClass::Invalid,
        (_, Some(_)) => FailureClass::Overloaded,
        // A stream that broke before any response has a word and no status.
        (_, None) if error["codexErrorInfo"].is_object() => FailureClass::Overloaded,
        (_, None) => by_words(&words(error)),
    }
}

fn by_words(words: &str) -> FailureClass {
    let says = |part: &str| words.contains(part);
    if says("context_length_exceeded") || says("context window") {
        FailureClass::ContextFull
    } else if says("429") {
        FailureClass::RateLimit
    } else if says("401") || says("Not logged in") {
        FailureClass::Auth
    } else {
        FailureClass::Crash
    }
}

pub(super) fn words(error: &Value) -> String {
    text(error, "message").unwrap_or_else(|| error.to_string())
}

/// The turn was interrupted on request.
pub(super) fn interrupted() -> Ending {
    Ending::Failed { class: FailureClass::Interrupted }
}

//! Amounts that may be set or not, and what of them makes up the fleet's budget.
//!
//! It says what a text may be; what happens to agents over a budget is decided where they are started and followed.

use types::{Allotment, Cost, Limits, NoQuiet, NoTimeOfDay, Quiet, TimeOfDay};

use crate::registry::Settings;
use crate::value::{Form, Value};

/// The most that a budget can be, in dollars.
const DOLLARS_MAX: f64 = 1e9;

impl Settings {
    /// Returns what all agents together may spend.
    #[must_use]
    pub fn budget(&self) -> Allotment {
        let secs = |minutes: Option<u32>| minutes.map(|minutes| u64::from(minutes) * 60);
        Allotment {
            total: Limits {
                dollars_max: self.budget_usd.map(Cost::dollars),
                tokens_max: self.budget_tokens,
                turns_max: self.budget_turns,
                secs_max: secs(self.budget_minutes),
            },
            daily: Limits {
                dollars_max: self.daily_budget_usd.map(Cost::dollars),
                tokens_max: self.daily_budget_tokens,
                turns_max: self.daily_budget_turns,
                secs_max: secs(self.daily_budget_minutes),
            },
        }
    }
}

macro_rules! perhaps {
    ($($type:ty),*) => {$(
        impl Value for Option<$type> {
            const FORM: Form = Form::Integer;

            fn parse(text: &str) -> Result<Self, String> {
                if text.is_empty() { Ok(None) } else { <$type>::parse(text).map(Some) }
            }
        }
    )*};
}
perhaps!(u32, u64);

impl Value for Option<Quiet> {
    const FORM: Form = Form::Text;

    fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() { Ok(None) } else { text.parse().map(Some).map_err(|error: NoQuiet| error.to_string()) }
    }
}

impl Value for Option<Cost> {
    const FORM: Form = Form::Text;

    fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(None);
        }
        let dollars = text.parse::<f64>().ok().filter(|dollars| (0.0..=DOLLARS_MAX).contains(dollars));
        dollars.map(|dollars| Some(Cost::from(dollars))).ok_or_else(|| "takes dollars, such as 12.50".to_owned())
    }
}

impl Value for TimeOfDay {
    const FORM: Form = Form::Text;

    fn parse(text: &str) -> Result<Self, String> {
        text.parse().map_err(|error: NoTimeOfDay| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_may_be_left_out_and_is_no_less_than_nothing() {
        assert_eq!(Option::<Cost>::parse(""), Ok(None));
        assert_eq!(Option::<Cost>::parse("12.5"), Ok(Some(Cost::from(12.5))));
        assert_eq!(Option::<Cost>::parse("0"), Ok(Some(Cost::default())));
        for wrong in ["-1", "NaN", "inf", "1e10", "twelve", "$5"] {
            assert!(Option::<Cost>::parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Option::<u64>::parse("5000000000"), Ok(Some(5_000_000_000)));
        assert_eq!(Option::<u32>::parse(""), Ok(None));
        assert!(Option::<u32>::parse("-1").is_err());
    }
}

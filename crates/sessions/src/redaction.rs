//! What is taken out of what agents said before others see it.

use std::sync::{Arc, Mutex, PoisonError};

use config::Settings;
use redact::Redactor;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::manager::{SessionManager, Shared};

/// The one in force, and the settings that it was made for.
#[derive(Debug, Default)]
pub(crate) struct Secrets(Mutex<Option<(Arc<Settings>, Arc<Redactor>)>>);

impl SessionManager {
    /// Returns what takes secrets out of whatever is shown to others than the owner.
    #[must_use]
    pub fn redactor(&self) -> Arc<Redactor> {
        self.0.redactor()
    }
}

impl Shared {
    /// Returns what takes secrets out, those of the settings in force too.
    pub(crate) fn redactor(&self) -> Arc<Redactor> {
        let settings = self.settings();
        let mut made = self.secrets.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, redactor)) = made.as_ref().filter(|(of, _)| Arc::ptr_eq(of, &settings)) {
            return Arc::clone(redactor);
        }
        let environment = self.parts.environment.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let redactor = Arc::new(Redactor::new(config::known_secrets(&settings, environment)));
        *made = Some((settings, Arc::clone(&redactor)));
        redactor
    }
}

/// Returns a record without the secrets in its texts.
pub(crate) fn cleaned<T: Serialize + DeserializeOwned>(redactor: &Redactor, record: T) -> T {
    let Ok(text) = serde_json::to_string(&record) else { return record };
    match redactor.text(&text) {
        std::borrow::Cow::Borrowed(_) => record,
        std::borrow::Cow::Owned(shown) => serde_json::from_str(&shown).unwrap_or(record),
    }
}

#[cfg(test)]
mod tests {
    use types::Said;

    use super::*;

    #[test]
    fn a_report_keeps_its_words_and_loses_its_secrets() {
        let redactor = Redactor::new(["hunter2-hunter2"]);
        let key = format!("ghp_{}", "a1B2c3D4".repeat(4));
        let said =
            Said { what_done: format!("used {key}"), what_open: "\"hunter2-hunter2\"".to_owned(), ..Said::default() };
        let shown = cleaned(&redactor, said);
        assert_eq!(shown.what_done, format!("used {}", redact::REDACTED));
        assert_eq!(shown.what_open, format!("\"{}\"", redact::REDACTED));
        let plain = Said { what_done: "all \"of\" it".to_owned(), ..Said::default() };
        assert_eq!(cleaned(&redactor, plain.clone()), plain);
    }
}

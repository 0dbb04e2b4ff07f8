//! What came back: the answer, and what travels beside it in headers.

use api::{Code, Error};
use reqwest::header::HeaderMap;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Holds where the next page begins.
const NEXT: &str = "fleet-next";
/// Holds what the caller should know although the call worked.
const WARNING: &str = "fleet-warning";

/// A typed answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply<T> {
    /// The answer.
    pub output: T,
    /// Where the next page begins, if there is one.
    pub next: Option<String>,
    /// What the caller should know although the call worked.
    pub warnings: Vec<String>,
}

/// An answer without its type.
#[derive(Debug, Clone, PartialEq)]
pub struct RawReply {
    /// The HTTP status, one of success.
    pub status: u16,
    /// The answer.
    pub body: Value,
    /// Where the next page begins, if there is one.
    pub next: Option<String>,
    /// What the caller should know although the call worked.
    pub warnings: Vec<String>,
}

impl RawReply {
    /// Parses an answer; an unsuccessful one becomes its error.
    pub(crate) fn read(status: u16, headers: &HeaderMap, body: &[u8]) -> Result<Self, Error> {
        let texts = |name| headers.get_all(name).iter().filter_map(|value| value.to_str().ok().map(str::to_owned));
        let json = serde_json::from_slice(body);
        if !(200..300).contains(&status) {
            return Err(Error::from_body(status, &json.unwrap_or_default()));
        }
        let body = json.map_err(|error| unreadable(&error))?;
        Ok(Self { status, body, next: texts(NEXT).next(), warnings: texts(WARNING).collect() })
    }

    /// Reads the answer as what the operation says it is.
    pub(crate) fn typed<T: DeserializeOwned>(self) -> Result<Reply<T>, Error> {
        let output = serde_json::from_value(self.body).map_err(|error| unreadable(&error))?;
        Ok(Reply { output, next: self.next, warnings: self.warnings })
    }
}

fn unreadable(error: &serde_json::Error) -> Error {
    Error::new(Code::INTERNAL, format!("cannot read the server's answer: {error}"))
        .hint("Check that it is a Fleet server of this version: `fleet health`.")
}

#[cfg(test)]
#[path = "reply_tests.rs"]
mod tests;

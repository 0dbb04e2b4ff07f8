//! The one mapping from an error to what each dialect puts on the wire: a status and a body.

use serde_json::{Map, Value, json};

use crate::{Code, Dialect, Error, FieldProblem, Kind};

impl Error {
    /// Returns the HTTP status by which this dialect's clients know the error.
    #[must_use]
    pub fn status(&self, dialect: Dialect) -> u16 {
        match (self.code, dialect) {
            (Code::FIELDS_INVALID | Code::BODY_MALFORMED, Dialect::DevFleet) => 422,
            (Code::BODY_TOO_LARGE, _) => 413,
            (Code::METHOD_NOT_ALLOWED, _) => 405,
            (Code::HOST_REFUSED, _) => 421,
            (Code::UPGRADE_REQUIRED, _) => 426,
            // Its clients know one status for "not in this state".
            (Code::MISSION_HELD | Code::SESSION_NOT_RESUMABLE, Dialect::DevFleet)
            | (Code::DEPENDENCY_UNRESOLVED, _)
            | (Code::FLEET_FULL | Code::WORKER_EXISTS | Code::WORKSPACE_REFUSED, Dialect::ClaudeFleet) => 400,
            (Code::SESSION_NOT_RUNNING, Dialect::DevFleet) => 404,
            (code, _) => code.kind().status(),
        }
    }

    /// Returns the body in which this dialect's clients look for the text.
    #[must_use]
    pub fn body(&self, dialect: Dialect) -> Value {
        let text = match dialect {
            Dialect::DevFleet if !self.fields.is_empty() => Value::Array(self.fields.iter().map(detail).collect()),
            Dialect::DevFleet | Dialect::ClaudeFleet => Value::String(self.message.clone()),
        };
        let mut body = Map::new();
        body.insert(dialect.error_member().to_owned(), text);
        body.insert("code".to_owned(), self.code.as_str().into());
        if !self.hints.is_empty() {
            body.insert("hint".to_owned(), self.hints.join(" ").into());
        }
        body.extend(Map::clone(&self.extra));
        Value::Object(body)
    }

    /// Reads an error back from a response, as the typed client does.
    #[must_use]
    pub fn from_body(status: u16, body: &Value) -> Self {
        let code = body.get("code").and_then(Value::as_str).and_then(Code::from_name);
        let text = body.get("error").or_else(|| body.get("detail"));
        let message = match text {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(details)) => details.iter().filter_map(detail_text).collect::<Vec<_>>().join("; "),
            Some(_) | None => format!("the server answered with status {status}"),
        };
        let error = Self::new(code.unwrap_or_else(|| Code::of_status(status)), message);
        match body.get("hint").and_then(Value::as_str) {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}

impl Dialect {
    /// Returns the member of an error body that holds the text.
    #[must_use]
    pub const fn error_member(self) -> &'static str {
        match self {
            Self::DevFleet => "detail",
            Self::ClaudeFleet => "error",
        }
    }
}

impl Kind {
    const fn status(self) -> u16 {
        match self {
            Self::Invalid => 400,
            Self::Unauthenticated => 401,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::Conflict => 409,
            Self::Exhausted => 429,
            Self::Unavailable => 503,
            Self::Internal => 500,
        }
    }
}

fn detail(problem: &FieldProblem) -> Value {
    let place = std::iter::once("body").chain(problem.path.iter().map(String::as_str)).collect::<Vec<_>>();
    let kind = if problem.missing { "missing" } else { "value_error" };
    json!({ "type": kind, "loc": place, "msg": problem.message, "input": problem.given })
}

fn detail_text(detail: &Value) -> Option<String> {
    let place = detail.get("loc")?.as_array()?.iter().skip(1).filter_map(Value::as_str).collect::<Vec<_>>();
    let message = detail.get("msg")?.as_str()?;
    Some(if place.is_empty() { message.to_owned() } else { format!("{}: {message}", place.join(".")) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing_title() -> Error {
        Error::fields(vec![FieldProblem {
            path: vec!["title".to_owned()],
            message: "is required".to_owned(),
            given: None,
            missing: true,
        }])
    }

    #[test]
    fn each_dialect_finds_the_text_where_its_clients_look() {
        let error = Error::new(Code::MISSION_NOT_FOUND, "Mission not found");
        assert_eq!(error.body(Dialect::DevFleet)["detail"], "Mission not found");
        assert_eq!(error.body(Dialect::ClaudeFleet)["error"], "Mission not found");
        assert_eq!((error.status(Dialect::DevFleet), error.status(Dialect::ClaudeFleet)), (404, 404));
    }

    #[test]
    fn a_wrong_field_is_422_with_its_place_in_one_dialect_and_400_with_one_line_in_the_other() {
        let error = missing_title();
        assert_eq!(error.status(Dialect::DevFleet), 422);
        assert_eq!(error.body(Dialect::DevFleet)["detail"][0]["loc"], json!(["body", "title"]));
        assert_eq!(error.status(Dialect::ClaudeFleet), 400);
        assert_eq!(error.body(Dialect::ClaudeFleet)["error"], "title: is required");
    }

    #[test]
    fn an_error_reads_the_same_on_the_other_side_of_the_wire() {
        for dialect in [Dialect::DevFleet, Dialect::ClaudeFleet] {
            let sent = missing_title().hint("Give it a title.");
            let read = Error::from_body(sent.status(dialect), &sent.body(dialect));
            assert_eq!((read.code, read.message, read.hints), (sent.code, sent.message, sent.hints));
        }
    }
}

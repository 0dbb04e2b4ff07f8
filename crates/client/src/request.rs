//! From an operation's fields to a request: which travel in the path, which in the query, which in the body.

use api::{Code, Error, Rest, Spec};
use reqwest::Url;
use serde_json::{Map, Value};

/// What goes on the wire, but for the token.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The HTTP method.
    pub method: &'static str,
    /// The whole address, with the path's fields and the query.
    pub url: Url,
    /// The JSON body, where the method has one.
    pub body: Option<Map<String, Value>>,
}

impl Request {
    /// Puts each field where its operation has it; a field that is `null` and not in a body is left out.
    ///
    /// # Errors
    /// When a field of the path is missing, or is a text that cannot be one segment of a path.
    pub fn new(base: &Url, spec: &Spec, mut fields: Map<String, Value>) -> Result<Self, Error> {
        let no_path = || Error::new(Code::ROUTE_NOT_FOUND, format!("operation `{}` has no REST path", spec.name));
        let Rest { verb, path } = spec.rest.ok_or_else(no_path)?;
        let mut url = base.clone();
        append_path(&mut url, path, &mut fields)?;
        let mut request = Self { method: verb.as_str(), url, body: None };
        if verb.takes_query() {
            append_query(&mut request.url, &fields);
        } else {
            request.body = Some(fields);
        }
        Ok(request)
    }

    /// Calls an MCP tool by its name, as a process does that serves MCP elsewhere.
    ///
    /// # Errors
    /// When the name cannot be one segment of a path.
    pub fn tool(base: &Url, name: &str, arguments: Map<String, Value>) -> Result<Self, Error> {
        let mut url = base.clone();
        append_path(&mut url, "/tools/{tool}", &mut Map::from_iter([("tool".to_owned(), name.into())]))?;
        Ok(Self { method: "POST", url, body: Some(arguments) })
    }
}

fn append_path(url: &mut Url, path: &str, fields: &mut Map<String, Value>) -> Result<(), Error> {
    let mut taken = Vec::new();
    for part in path.split('/').skip(1) {
        match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            Some(name) => taken.push(segment(name, fields.shift_remove(name))?),
            None => taken.push(part.to_owned()),
        }
    }
    let refused = |()| Error::new(Code::FIELDS_INVALID, "the server's URL can have no path");
    url.path_segments_mut().map_err(refused)?.pop_if_empty().extend(&taken);
    Ok(())
}

/// Returns the text of one segment; `.`, `..` and the empty text would name another path.
fn segment(name: &str, value: Option<Value>) -> Result<String, Error> {
    let text = value.as_ref().and_then(text_of).unwrap_or_default();
    match text.as_str() {
        "" => Err(Error::new(Code::FIELDS_INVALID, format!("{name}: is required"))),
        "." | ".." => Err(Error::new(Code::FIELDS_INVALID, format!("{name}: `{text}` cannot be part of a path"))),
        _ => Ok(text),
    }
}

fn append_query(url: &mut Url, fields: &Map<String, Value>) {
    let pairs: Vec<_> = fields.iter().filter_map(|(name, value)| Some((name, text_of(value)?))).collect();
    if !pairs.is_empty() {
        url.query_pairs_mut().extend_pairs(pairs);
    }
}

/// Writes a value as one word; a list or an object, which no operation has there, as JSON.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => Some(value.to_string()),
    }
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;

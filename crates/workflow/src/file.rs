//! A workflow in a file: YAML, JSON or TOML, with the place of everything that is wrong with it.

use std::collections::BTreeMap;
use std::fmt;

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use types::{Definition, InputRule, Step};

use crate::check::check;
use crate::locate::{Places, locate};

/// Most bytes of a file.
const BYTES_MAX: usize = 1_000_000;

/// Most faults that are told of one file.
const FAULTS_MAX: usize = 20;

/// A workflow of Fleet
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Workflow", deny_unknown_fields)]
pub struct File {
    /// The schema that editors check the file by
    #[serde(default, rename = "$schema", skip_serializing)]
    pub schema: Option<String>,
    /// Its name: 1 to 100 letters, digits, `_` or `-`
    #[schemars(regex(pattern = "^[A-Za-z0-9_-]{1,100}$"))]
    pub name: String,
    /// What it is for
    #[serde(default)]
    #[schemars(length(max = 500))]
    pub description: String,
    /// What an execution is given, by name
    #[serde(default)]
    pub inputs: BTreeMap<String, InputRule>,
    /// The steps, in any order
    #[schemars(length(min = 1, max = 100))]
    pub steps: Vec<Step>,
    /// What an execution answers, by name: templates
    #[serde(default)]
    pub outputs: BTreeMap<String, String>,
    /// Milliseconds after which an execution has failed
    #[serde(default)]
    #[schemars(range(min = 1, max = 2_000_000_000))]
    pub timeout_ms: Option<u32>,
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// YAML.
    Yaml,
    /// JSON.
    Json,
    /// TOML.
    Toml,
}

/// Something that is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What.
    pub message: String,
}

/// Why a file is not a workflow: at least one fault, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct FileError(pub Vec<Fault>);

impl Format {
    /// Returns the format of a file by its name; YAML, if that says nothing.
    #[must_use]
    pub fn of(name: &str) -> Self {
        match name.rsplit('.').next() {
            Some("json") => Self::Json,
            Some("toml") => Self::Toml,
            Some(_) | None => Self::Yaml,
        }
    }
}

impl File {
    /// Returns its steps, with what they are given and answer.
    #[must_use]
    pub fn definition(&self) -> Definition {
        Definition {
            inputs: self.inputs.clone(),
            steps: self.steps.clone(),
            outputs: self.outputs.clone(),
            timeout_ms: self.timeout_ms,
        }
    }

    /// Returns the JSON Schema of files.
    #[must_use]
    pub fn json_schema() -> Value {
        Value::from(schemars::schema_for!(Self))
    }
}

/// Reads a workflow.
///
/// # Errors
/// Names everything that is wrong, with line and column.
pub fn read(text: &str, format: Format) -> Result<File, FileError> {
    if text.len() > BYTES_MAX {
        let message = format!("the file has {} bytes; a workflow has at most {BYTES_MAX}", text.len());
        return Err(FileError(vec![Fault::new(1, 1, message)]));
    }
    let (value, places) = locate(text, format).map_err(|fault| FileError(vec![fault]))?;
    let faults = form(&value, &places);
    if !faults.is_empty() {
        return Err(FileError(faults));
    }
    let file: File =
        serde_json::from_value(value).map_err(|error| FileError(vec![Fault::new(1, 1, error.to_string())]))?;
    let problems = check(&file.definition()).into_iter().map(|problem| places.fault(&problem.at, problem.message));
    let faults = in_order(problems.collect());
    if faults.is_empty() { Ok(file) } else { Err(FileError(faults)) }
}

/// Says what of a value is not as the schema has it.
fn form(value: &Value, places: &Places) -> Vec<Fault> {
    let validator = match jsonschema::draft202012::new(&File::json_schema()) {
        Ok(validator) => validator,
        Err(error) => return vec![Fault::new(1, 1, error.to_string())],
    };
    let mut faults = Vec::new();
    for error in validator.iter_errors(value) {
        deepest(&error, places, &mut faults);
    }
    // Where a type does not fit, its fields are reported as unknown too, which says nothing.
    let is_step =
        |fault: &Fault| fault.message.contains("Unevaluated properties") && fault.message.contains("'config'");
    if faults.iter().any(|fault| !is_step(fault)) {
        faults.retain(|fault| !is_step(fault));
    }
    in_order(faults)
}

/// Reports an error; of something that is none of several things, why it is not the one that its type says.
fn deepest(error: &ValidationError<'_>, places: &Places, faults: &mut Vec<Fault>) {
    let at = error.instance_path().as_str();
    let ValidationErrorKind::OneOfNotValid { context } = error.kind() else {
        return faults.push(places.fault(at, told(&error.to_string())));
    };
    let is_other = |error: &ValidationError<'_>| error.instance_path().as_str().ends_with("/type");
    match context.iter().find(|errors| !errors.iter().any(is_other)) {
        Some(errors) => errors.iter().for_each(|error| deepest(error, places, faults)),
        None => {
            let types = "spawn, task, script, gate, checkpoint, parallel, land, wait";
            faults.push(places.fault(&format!("{at}/type"), format!("a step has one of these types: {types}")));
        }
    }
}

/// Cuts a message that repeats the whole value.
fn told(message: &str) -> String {
    const CHARS_MAX: usize = 200;
    let Some((end, _)) = message.char_indices().nth(CHARS_MAX) else { return message.to_owned() };
    let tail: String = message.chars().rev().take(80).collect::<Vec<_>>().into_iter().rev().collect();
    format!("{} … {tail}", &message[..end.min(100)])
}

fn in_order(mut faults: Vec<Fault>) -> Vec<Fault> {
    faults.sort_by_key(|fault| (fault.line, fault.column));
    faults.truncate(FAULTS_MAX);
    faults
}

impl Places {
    fn fault(&self, pointer: &str, message: String) -> Fault {
        let (line, column) = self.of(pointer);
        let at = if pointer.is_empty() { String::new() } else { format!("{}: ", dotted(pointer)) };
        Fault::new(line, column, format!("{at}{message}"))
    }
}

/// Writes a JSON pointer as people name a field: `steps[2].dependsOn[0]`.
fn dotted(pointer: &str) -> String {
    let mut text = String::new();
    for part in pointer.split('/').skip(1) {
        match part.parse::<usize>() {
            Ok(place) => text.push_str(&format!("[{place}]")),
            Err(_) if text.is_empty() => text.push_str(part),
            Err(_) => text.push_str(&format!(".{part}")),
        }
    }
    text
}

impl Fault {
    pub(crate) fn new(line: usize, column: usize, message: impl Into<String>) -> Self {
        Self { line, column, message: message.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;

//! `fleet explain`: the page of an error code.

use std::ffi::OsStr;
use std::sync::LazyLock;

use api::Code;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;
use crate::render::grid;

/// Explain an error code and what to do about it
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// The code; without it, all codes are listed
    #[arg(value_parser = CodeParser, ignore_case = true, hide_possible_values = true)]
    code: Option<Code>,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, Failure> {
    match (args.code, context.options.json) {
        (Some(code), true) => context.terminal.print_json(&json!({ "code": code.as_str(), "page": code.page() }))?,
        (Some(code), false) => context.terminal.print(code.page())?,
        (None, true) => {
            let entry = |code: &Code| json!({ "code": code.as_str(), "summary": summary(*code) });
            context.terminal.print_json(&Code::ALL.iter().map(entry).collect())?;
        }
        (None, false) => {
            let row = |code: &Code| vec![code.as_str().to_owned(), summary(*code)];
            let rows: Vec<_> = Code::ALL.iter().map(row).collect();
            context.terminal.print(&grid(&rows, context.terminal.columns()))?;
        }
    }
    Ok(0)
}

/// Takes a code in any case; what is none is refused with the closest, and not with a list of all.
#[derive(Debug, Clone)]
struct CodeParser;

impl CodeParser {
    fn words() -> PossibleValuesParser {
        PossibleValuesParser::new(Code::ALL.iter().map(|code| code.as_str()))
    }
}

impl TypedValueParser for CodeParser {
    type Value = Code;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Code, clap::Error> {
        let word = Self::words().parse_ref(command, argument, value).map_err(|_| unknown(&value.to_string_lossy()))?;
        Ok(Code::from_name(&word).unwrap_or(Code::INTERNAL))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Code::ALL.iter().map(|code| PossibleValue::new(code.as_str()))))
    }
}

fn unknown(word: &str) -> clap::Error {
    let closest = config::closest(&word.to_lowercase(), LOWER.iter().map(String::as_str)).map(str::to_uppercase);
    let meant = closest.map(|code| format!("; did you mean `{code}`?")).unwrap_or_default();
    let message = format!("there is no error code `{word}`{meant}\n\n  tip: `fleet explain` lists the codes\n");
    clap::Error::raw(ErrorKind::InvalidValue, message)
}

/// The codes as names are compared.
static LOWER: LazyLock<Vec<String>> =
    LazyLock::new(|| Code::ALL.iter().map(|code| code.as_str().to_lowercase()).collect());

/// The first sentence of a code's page.
fn summary(code: Code) -> String {
    let text = code.page().lines().filter(|line| !line.starts_with('#')).skip_while(|line| line.is_empty());
    let paragraph = text.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    match paragraph.find(". ") {
        Some(end) => paragraph[..=end].to_owned(),
        None => paragraph,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_sentence() {
        for code in Code::ALL {
            let summary = summary(*code);
            assert!(summary.ends_with('.') && summary.len() > 10, "{}: {summary}", code.as_str());
        }
        assert_eq!(summary(Code::MISSION_NOT_FOUND), "No mission has this id.");
    }
}

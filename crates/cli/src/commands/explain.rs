//! `fleet explain`: the page of an error code.

use api::Code;
use clap::builder::PossibleValuesParser;
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;
use crate::render::grid;

/// Tell what an error code means and what to do about it
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// The code; all of them are listed when it is left out
    #[arg(value_parser = PossibleValuesParser::new(Code::ALL.iter().map(|code| code.as_str())))]
    #[arg(ignore_case = true, hide_possible_values = true)]
    code: Option<String>,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, Failure> {
    let named = args.code.as_deref().and_then(Code::from_name);
    match (named, context.options.json) {
        (Some(code), true) => context.terminal.print_json(&json!({ "code": code.as_str(), "page": code.page() }))?,
        (Some(code), false) => context.terminal.print(code.page())?,
        (None, true) => {
            let entry = |code: &Code| json!({ "code": code.as_str(), "summary": summary(*code) });
            context.terminal.print_json(&Code::ALL.iter().map(entry).collect())?;
        }
        (None, false) => {
            let row = |code: &Code| vec![code.as_str().to_owned(), summary(*code)];
            let rows: Vec<_> = Code::ALL.iter().map(row).collect();
            context.terminal.print(&grid(&rows, context.terminal.width()))?;
        }
    }
    Ok(0)
}

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
        assert_eq!(summary(Code::MISSION_NOT_FOUND), "The call named a mission, and there is no mission with that id.");
    }
}

//! Frames as lines that people read, or as JSON that programs do.

use api::quantity;
use serde_json::{Map, Value};

use super::follow::Told;
use super::frame::{Done, Frame, Tokens};
use crate::terminal::Style;

/// Lines that are shown of what a tool answered.
const ANSWER_LINES_MAX: usize = 6;
/// Characters of one of those lines, if the width is unknown.
const ANSWER_WIDTH: usize = 100;

/// Shows frames; remembers what the run took until it is over.
#[derive(Debug, Clone)]
pub(crate) struct Shower {
    style: Style,
    width: usize,
    usage: Option<Tokens>,
}

impl Shower {
    pub(crate) fn new(style: Style, width: Option<usize>) -> Self {
        Self { style, width: width.unwrap_or(ANSWER_WIDTH), usage: None }
    }

    /// Writes a frame out; every line ends with a line break, and there may be none.
    pub(crate) fn of(&mut self, frame: &Frame) -> String {
        match frame {
            Frame::Config { model: Some(model) } => self.remark(&format!("model {model}")),
            Frame::Text { text } => lines(text),
            Frame::Tool { text } => lines(text).lines().map(|line| format!("• {}\n", self.style.bold(line))).collect(),
            Frame::ToolResult { text } => self.answer(text),
            Frame::Usage { usage, .. } => {
                self.usage = Some(*usage);
                String::new()
            }
            Frame::Retry { attempt, delay, error, .. } if *delay == 0.0 => {
                self.alarm(&format!("{error}; its agent continues in process {}", attempt + 1))
            }
            Frame::Retry { attempt, max_retries, delay, error } => {
                self.alarm(&format!("{error}: try {attempt} of {max_retries} failed, the next is in {delay} s"))
            }
            Frame::Notice { text } => self.notice(text),
            Frame::Done(done) => self.done(done),
            Frame::Config { model: None } | Frame::SoFar | Frame::Other => String::new(),
        }
    }

    fn answer(&self, text: &str) -> String {
        let all = lines(text);
        let mut shown: String = all
            .lines()
            .take(ANSWER_LINES_MAX)
            .map(|line| format!("  {}\n", self.style.dim(&format!("│ {}", cut(line, self.width.saturating_sub(4))))))
            .collect();
        match all.lines().count().saturating_sub(ANSWER_LINES_MAX) {
            0 => {}
            1 => shown.push_str(&format!("  {}\n", self.style.dim("│ … one more line"))),
            more => shown.push_str(&format!("  {}\n", self.style.dim(&format!("│ … {more} more lines")))),
        }
        shown
    }

    fn done(&self, done: &Done) -> String {
        let tokens = match self.usage {
            Some(usage) if usage.input_tokens + usage.output_tokens == done.tokens => {
                let [all, read, written] = [done.tokens, usage.input_tokens, usage.output_tokens].map(quantity::tokens);
                format!("{all} tokens ({read} in, {written} out)")
            }
            Some(_) | None => format!("{} tokens", quantity::tokens(done.tokens)),
        };
        let exit =
            done.exit_code.filter(|code| *code != 0).map(|code| format!(", exit code {code}")).unwrap_or_default();
        let cost = if done.cost_unknown { "cost unknown".to_owned() } else { quantity::dollars(done.cost) };
        let took = format!("{cost}, {tokens}{exit}");
        let why = done.error.as_deref().map(one_line).filter(|error| !error.is_empty());
        match (done.is_success(), why) {
            (true, _) => format!("{} {took}\n", self.style.good("── completed:")),
            (false, why) => {
                let kind = done.error_type.as_ref().map(|kind| format!(" ({kind})")).unwrap_or_default();
                let head = self.style.error(&format!("── {}{kind}:", one_line(&done.status)));
                format!("{head} {}{took}\n", why.map(|why| format!("{why}; ")).unwrap_or_default())
            }
        }
    }

    fn remark(&self, text: &str) -> String {
        format!("{}\n", self.style.dim(&format!("── {}", one_line(text))))
    }

    /// Shows a sentence of Fleet's, and its evidence below it.
    fn notice(&self, text: &str) -> String {
        let all = lines(text);
        let (head, below) = all.split_once('\n').unwrap_or((&all, ""));
        let below: String = below.lines().map(|line| format!("   {line}\n")).collect();
        format!("{}\n{below}", self.style.warning(&format!("── {head}")))
    }

    fn alarm(&self, text: &str) -> String {
        format!("{}\n", self.style.warning(&format!("! {}", one_line(text))))
    }
}

/// Writes a frame as one line of JSON, with its place.
pub(crate) fn json_line(told: &Told) -> String {
    let mut line = Map::new();
    if let Some(place) = &told.place {
        line.insert("id".to_owned(), Value::from(place.as_str()));
    }
    // A frame is an object always.
    line.extend(told.raw.as_object().cloned().unwrap_or_default());
    crate::terminal::escaped(&format!("{}\n", Value::Object(line)))
}

/// The lines of a stranger's text, without empty ones at its ends and without what could command the terminal.
pub(super) fn lines(text: &str) -> String {
    let printable = |line: &str| -> String {
        line.replace('\t', "    ")
            .chars()
            .filter(|letter| !letter.is_control())
            .collect::<String>()
            .trim_end()
            .to_owned()
    };
    text.trim_matches(['\n', '\r']).lines().map(|line| format!("{}\n", printable(line))).collect()
}

fn one_line(text: &str) -> String {
    lines(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Cuts a text to so many characters, and shows that it was cut.
pub(crate) fn cut(text: &str, width: usize) -> String {
    crate::render::cut(text, width)
}

#[cfg(test)]
#[path = "show_tests.rs"]
mod tests;

//! From a script to what is to be done, one effect at a time. Nothing is done here.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::{Order, Script, Step};
use crate::{
    Ask, CallEnd, Cost, Ending, Event, FailureClass, RateLimited, Say, Stage, Started, Tokens, Totals, TurnResult,
    Usage,
};

/// Something for the one who plays the agent to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Print a line.
    Print {
        /// The line, without its line break.
        line: String,
    },
    /// Write a file.
    Write {
        /// Where, below the working folder.
        path: String,
        /// What.
        text: String,
    },
    /// Commit everything.
    Commit {
        /// The message.
        message: String,
    },
    /// Do nothing for a time.
    Sleep {
        /// How long.
        ms: u64,
    },
    /// Read a line of standard input and give it to [`Stepper::hear`]; at its end, return zero.
    Listen,
    /// Take no notice of SIGTERM from here on.
    IgnoreTerm,
    /// Leave a process behind that belongs to nobody.
    ForkOff {
        /// How long it lives.
        secs: u64,
    },
    /// Return.
    Exit {
        /// What.
        code: i32,
    },
    /// Be gone by a signal.
    Abort,
    /// Never end.
    Hang,
}

/// Plays a script, step by step.
#[derive(Debug, Clone)]
pub struct Stepper {
    order: Order,
    steps: VecDeque<Step>,
    due: VecDeque<Effect>,
    /// Numbers calls and questions.
    count: u64,
    totals: Totals,
    over: bool,
}

impl Stepper {
    /// Begins to play.
    #[must_use]
    pub fn new(order: Order, script: Script) -> Self {
        let mut stepper = Self {
            order,
            steps: script.steps.into(),
            due: VecDeque::new(),
            count: 0,
            totals: Totals::default(),
            over: false,
        };
        let (session, model) = (Some(stepper.order.session.clone()), Some(stepper.order.model.clone()));
        stepper.tell(&Event::Started(Started { session, model, ..Started::default() }));
        stepper
    }

    /// Takes in a line of standard input; what is no [`Say`] is answered as a message would be.
    pub fn hear(&mut self, line: &str) {
        let message = |text: &str| Say::Message { id: String::new(), text: text.to_owned() };
        match serde_json::from_str(line).unwrap_or_else(|_| message(line)) {
            Say::Message { id, text } => {
                self.tell(&Event::Acknowledged { id: id.clone(), stage: Stage::Begun });
                self.text(format!("heard: {text}"));
                self.tell(&Event::Acknowledged { id, stage: Stage::Finished });
            }
            Say::Interrupt { id } => {
                self.tell(&Event::Acknowledged { id, stage: Stage::Finished });
                self.end(Ending::Failed { class: FailureClass::Interrupted }, "interrupted", 0);
            }
            Say::Allow { .. } => self.text("allowed".to_owned()),
            Say::Escalate { .. } => self.text("escalated".to_owned()),
            Say::Deny { why, .. } => self.text(format!("denied: {why}")),
        }
    }

    fn play(&mut self, step: Step) {
        match step {
            Step::Say { text } => self.text(text),
            Step::Think { text } => self.tell(&Event::Thinking { text, within: None }),
            Step::Print { line } => self.due.push_back(Effect::Print { line }),
            Step::Write { path, text } => {
                let input = json!({"file_path": path});
                self.call("Write", &input, "written", Some(Effect::Write { path, text }));
            }
            Step::Pretend { path } => self.call("Write", &json!({"file_path": path}), "written", None),
            Step::Commit { message } => {
                let input = json!({"command": format!("git commit -m {message:?}")});
                self.call("Bash", &input, "committed", Some(Effect::Commit { message }));
            }
            Step::Call { tool, input, answer } => self.call(&tool, &input, &answer, None),
            Step::Spend { input, output, dollars } => self.spend(input, output, dollars),
            Step::Sleep { ms } => self.due.push_back(Effect::Sleep { ms }),
            Step::Flood { lines, every_ms } => self.flood(lines, every_ms),
            Step::Repeat { times, steps } => self.repeat(times, steps),
            Step::Listen => self.due.push_back(Effect::Listen),
            Step::Ask { text } => {
                let request = self.number("ask");
                self.tell(&Event::Asking { request, ask: Ask::Question { text } });
                self.due.push_back(Effect::Listen);
            }
            Step::Retry { attempt, delay_ms, class } => self.retry(attempt, delay_ms, class),
            Step::IgnoreTerm => self.due.push_back(Effect::IgnoreTerm),
            Step::ForkOff { secs } => self.due.push_back(Effect::ForkOff { secs }),
            Step::Finish { text } => self.end(Ending::Completed, &text, 0),
            Step::Fail { class, text } => self.end(Ending::Failed { class }, &text, 1),
            Step::Crash => self.last(Effect::Abort),
            Step::Vanish { code } => self.last(Effect::Exit { code }),
            Step::Hang => self.last(Effect::Hang),
        }
    }

    /// One line, and the rest of the flood later: a flood of millions takes no room.
    fn flood(&mut self, lines: u64, every_ms: u64) {
        let Some(rest) = lines.checked_sub(1) else { return };
        self.text(format!("line, and {rest} more"));
        if every_ms > 0 {
            self.due.push_back(Effect::Sleep { ms: every_ms });
        }
        self.steps.push_front(Step::Flood { lines: rest, every_ms });
    }

    fn repeat(&mut self, times: u64, steps: Vec<Step>) {
        let Some(rest) = times.checked_sub(1) else { return };
        self.steps.push_front(Step::Repeat { times: rest, steps: steps.clone() });
        steps.into_iter().rev().for_each(|step| self.steps.push_front(step));
    }

    fn retry(&mut self, attempt: u32, delay_ms: u64, class: FailureClass) {
        let limited = RateLimited::Retrying { attempt, attempts_max: attempt + 1, delay_ms, status: None, class };
        self.tell(&Event::RateLimited(limited));
        self.due.push_back(Effect::Sleep { ms: delay_ms });
    }

    fn spend(&mut self, input: u64, output: u64, dollars: f64) {
        let tokens = Tokens { input, output, ..Tokens::default() };
        self.totals = self.totals.plus(Totals { cost: Cost::from(dollars), tokens });
        let (model, context) = (Some(self.order.model.clone()), Some(tokens.context()));
        self.tell(&Event::Usage(Usage { model, tokens, context, window: Some(super::WINDOW), within: None }));
    }

    /// A call as it is told: before, the deed, after.
    fn call(&mut self, tool: &str, input: &Value, answer: &str, deed: Option<Effect>) {
        let id = self.number("call");
        self.tell(&Event::ToolCall { id: id.clone(), name: tool.to_owned(), input: input.clone(), within: None });
        self.due.extend(deed);
        self.tell(&Event::ToolResult { id, text: answer.to_owned(), end: CallEnd::Ok, within: None });
    }

    fn end(&mut self, ending: Ending, text: &str, code: i32) {
        self.tell(&Event::Result(TurnResult {
            ending,
            text: text.to_owned(),
            session: Some(self.order.session.clone()),
            turns: None,
            duration_ms: None,
            totals: Some(self.totals),
            turn: None,
            denials: Vec::new(),
            structured: None,
        }));
        self.last(Effect::Exit { code });
    }

    fn last(&mut self, effect: Effect) {
        self.due.push_back(effect);
        self.over = true;
    }

    fn text(&mut self, text: String) {
        self.tell(&Event::Text { text, within: None });
    }

    fn tell(&mut self, event: &Event) {
        self.due.push_back(Effect::Print { line: serde_json::to_string(event).unwrap_or_default() });
    }

    fn number(&mut self, what: &str) -> String {
        self.count += 1;
        format!("{what}-{}", self.count)
    }
}

/// The effects in order; the last one ends the agent, or never does.
impl Iterator for Stepper {
    type Item = Effect;

    fn next(&mut self) -> Option<Effect> {
        while self.due.is_empty() && !self.over {
            match self.steps.pop_front() {
                Some(step) => self.play(step),
                None => self.end(Ending::Completed, "done", 0),
            }
        }
        self.due.pop_front()
    }
}

#[cfg(test)]
#[path = "stepper_tests.rs"]
mod tests;

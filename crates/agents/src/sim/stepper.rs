//! From a script to what is to be done, one effect at a time. Nothing is done here.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::{Effect, Order, Script, Step};
use crate::{
    Ask, CallEnd, Cost, Ending, Event, FailureClass, RateLimited, Say, Stage, Started, Tokens, Totals, TurnResult,
    Usage,
};

/// What comes next within a step.
#[derive(Debug, Clone)]
enum Due {
    Do(Effect),
    /// The answer of a call, once it is known how the deed before went.
    Answer {
        id: String,
        text: String,
    },
    /// A message, which may have come before.
    Message,
    /// A question.
    Question(String),
    /// What is said after the question was asked.
    Reply,
}

impl Due {
    const fn waits(&self) -> bool {
        match self {
            Self::Message | Self::Question(_) | Self::Reply | Self::Do(Effect::Sleep { .. }) => true,
            Self::Do(_) | Self::Answer { .. } => false,
        }
    }
}

/// Plays a script, step by step.
#[derive(Debug, Clone)]
pub struct Stepper {
    order: Order,
    steps: VecDeque<Step>,
    due: VecDeque<Due>,
    /// Numbers calls and questions.
    count: u64,
    /// Lines of floods so far.
    flooded: u64,
    /// Whether a word is waited for.
    waiting: bool,
    /// Messages that came while the script did not wait for one.
    early: u64,
    /// How the last action went, if that was reported.
    deed: Option<Result<String, String>>,
    totals: Totals,
    over: bool,
}

impl Stepper {
    /// Begins to play.
    #[must_use]
    pub fn new(order: Order, script: Script) -> Self {
        let steps = if order.resumed { script.resumed } else { script.steps };
        let mut stepper = Self {
            order,
            steps: steps.into(),
            due: VecDeque::new(),
            count: 0,
            flooded: 0,
            waiting: false,
            early: 0,
            deed: None,
            totals: Totals::default(),
            over: false,
        };
        let (session, model) = (Some(stepper.order.session.clone()), Some(stepper.order.model.clone()));
        stepper.tell(&Event::Started(Started { session, model, ..Started::default() }));
        stepper
    }

    /// Takes in a line of standard input, at any time; a line that is not a [`Say`] is answered as a message would be.
    ///
    /// It is answered before the next step, so answers come in the order of what was said.
    pub fn hear(&mut self, line: &str) {
        if self.over {
            return;
        }
        let awaited = std::mem::take(&mut self.waiting);
        let message = |text: &str| Say::Message { id: String::new(), text: text.to_owned() };
        match serde_json::from_str(line).unwrap_or_else(|_| message(line)) {
            Say::Message { id, text } => {
                self.early += u64::from(!awaited);
                self.tell(&Event::Acknowledged { id: id.clone(), stage: Stage::Begun });
                self.text(format!("heard: {text}"));
                self.tell(&Event::Acknowledged { id, stage: Stage::Finished });
            }
            Say::Interrupt { id } => {
                // Deeds that were announced are done; waiting is what is broken off.
                self.due.retain(|due| !due.waits());
                self.tell(&Event::Acknowledged { id, stage: Stage::Finished });
                self.end(Ending::Failed { class: FailureClass::Interrupted }, "interrupted", 0);
            }
            Say::Allow { .. } => self.text("allowed".to_owned()),
            Say::Escalate { .. } => self.text("escalated".to_owned()),
            Say::Deny { why, .. } => self.text(format!("denied: {why}")),
        }
    }

    /// Reports that standard input is closed, to a script that waits for it: nothing is left to do.
    pub fn unheard(&mut self) {
        self.end(Ending::Completed, "standard input is closed", 0);
    }

    /// Says that a sleep was broken off for what was heard; the rest of it comes after the answer.
    pub fn woken(&mut self, ms_left: u64) {
        if !self.over {
            // As a step, so that whatever is heard until then is answered first, too.
            self.steps.push_front(Step::Sleep { ms: ms_left });
        }
    }

    /// Says how the last deed went: what it answered, or why it failed. One of which nothing is said went well.
    ///
    /// A failed deed ends the script, for what comes after it would be told of something that is not so.
    pub fn went(&mut self, deed: Result<String, String>) {
        self.deed = Some(deed);
    }

    fn play(&mut self, step: Step) {
        match step {
            Step::Say { text } => self.text(text),
            Step::Think { text } => self.tell(&Event::Thinking { text, within: None }),
            Step::Print { line } => self.act(Effect::Print { line }),
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
            Step::Sleep { ms } => self.act(Effect::Sleep { ms }),
            Step::Flood { lines, every_ms } => self.flood(lines, every_ms),
            Step::Repeat { times, steps } => self.repeat(times, steps),
            Step::Serve => {
                let turn = [Step::Listen, Step::Turn { text: "answered".to_owned() }, Step::Serve];
                turn.into_iter().rev().for_each(|step| self.steps.push_front(step));
            }
            Step::Turn { text } => {
                let result = self.result(Ending::Completed, &text);
                self.tell(&result);
            }
            Step::Listen => self.due.push_back(Due::Message),
            Step::Ask { text } => {
                self.due.push_back(Due::Question(text));
                self.due.push_back(Due::Reply);
            }
            Step::Retry { attempt, delay_ms, class } => self.retry(attempt, delay_ms, class),
            Step::Terminal => self.call("Bash", &json!({"command": "stty --all"}), "", Some(Effect::Terminal)),
            Step::Try { deed, on } => {
                let input = json!({ "deed": deed, "on": on });
                self.call("Try", &input, "", Some(Effect::Try { deed, on }));
            }
            Step::IgnoreTerm => self.act(Effect::IgnoreTerm),
            Step::ForkOff { secs } => {
                let input = json!({"command": format!("setsid sleep {secs} &")});
                self.call("Bash", &input, "left behind", Some(Effect::ForkOff { secs }));
            }
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
        self.flooded += 1;
        self.act(Effect::Flood { number: self.flooded, session: self.order.session.clone() });
        if every_ms > 0 {
            self.act(Effect::Sleep { ms: every_ms });
        }
        self.steps.push_front(Step::Flood { lines: rest, every_ms });
    }

    fn repeat(&mut self, times: u64, steps: Vec<Step>) {
        let Some(rest) = times.checked_sub(1) else { return };
        self.steps.push_front(Step::Repeat { times: rest, steps: steps.clone() });
        steps.into_iter().rev().for_each(|step| self.steps.push_front(step));
    }

    fn retry(&mut self, attempt: u32, delay_ms: u64, class: FailureClass) {
        let attempts_max = attempt.saturating_add(1);
        let limited = RateLimited::Retrying { attempt, attempts_max, delay_ms, status: None, class };
        self.tell(&Event::RateLimited(limited));
        self.act(Effect::Sleep { ms: delay_ms });
    }

    fn spend(&mut self, input: u64, output: u64, dollars: f64) {
        let tokens = Tokens { input, output, ..Tokens::default() };
        self.totals = self.totals.plus(Totals { cost: Cost::from(dollars), tokens, unpriced: 0 });
        let (model, context) = (Some(self.order.model.clone()), Some(tokens.context()));
        self.tell(&Event::Usage(Usage { model, tokens, context, window: Some(super::WINDOW), ..Usage::default() }));
    }

    /// A call as it is told: before, the deed, after.
    fn call(&mut self, tool: &str, input: &Value, answer: &str, deed: Option<Effect>) {
        let id = self.number("call");
        self.tell(&Event::ToolCall { id: id.clone(), name: tool.to_owned(), input: input.clone(), within: None });
        self.due.extend(deed.map(Due::Do));
        self.due.push_back(Due::Answer { id, text: answer.to_owned() });
    }

    /// The answer of a call; it ends the script if the call failed.
    fn answer(&mut self, id: String, usual: String) -> Effect {
        let (text, end) = match self.deed.take().unwrap_or(Ok(usual)) {
            Ok(text) => (text, CallEnd::Ok),
            Err(why) => {
                self.end(Ending::Failed { class: FailureClass::Invalid }, &why, 1);
                (why, CallEnd::Failed)
            }
        };
        printed(&Event::ToolResult { id, text, end, within: None })
    }

    fn ask(&mut self, text: String) -> Effect {
        self.waiting = true;
        printed(&Event::Asking { request: self.number("ask"), ask: Ask::Question { text } })
    }

    fn listen(&mut self) -> Effect {
        self.waiting = true;
        Effect::Listen
    }

    fn end(&mut self, ending: Ending, text: &str, code: i32) {
        if self.over {
            return;
        }
        let result = self.result(ending, text);
        self.tell(&result);
        self.last(Effect::Exit { code });
    }

    fn result(&self, ending: Ending, text: &str) -> Event {
        Event::Result(TurnResult {
            ending,
            text: text.to_owned(),
            session: Some(self.order.session.clone()),
            turns: None,
            duration_ms: None,
            totals: Some(self.totals),
            turn: None,
            denials: Vec::new(),
            structured: None,
        })
    }

    fn last(&mut self, effect: Effect) {
        self.act(effect);
        self.over = true;
    }

    fn text(&mut self, text: String) {
        self.tell(&Event::Text { text, within: None });
    }

    fn tell(&mut self, event: &Event) {
        self.act(printed(event));
    }

    fn act(&mut self, effect: Effect) {
        self.due.push_back(Due::Do(effect));
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
        loop {
            match self.due.pop_front() {
                Some(Due::Do(effect)) => return Some(effect),
                Some(Due::Answer { id, text }) => return Some(self.answer(id, text)),
                Some(Due::Message) if self.early > 0 => self.early -= 1,
                Some(Due::Message) => return Some(self.listen()),
                Some(Due::Question(text)) => return Some(self.ask(text)),
                Some(Due::Reply) if self.waiting => return Some(self.listen()),
                // The answer came before the script waited for it.
                Some(Due::Reply) => {}
                None if self.over => return None,
                None => match self.steps.pop_front() {
                    Some(step) => self.play(step),
                    None => self.end(Ending::Completed, "done", 0),
                },
            }
        }
    }
}

fn printed(event: &Event) -> Effect {
    Effect::Print { line: serde_json::to_string(event).unwrap_or_default() }
}

#[cfg(test)]
#[path = "stepper_tests.rs"]
mod tests;

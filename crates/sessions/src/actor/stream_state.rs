//! What a process has told so far, and what it is to be told or stopped for: no I/O.

use std::collections::BTreeSet;

use agents::{
    Account, Adapter, Ask, Capabilities, ContextLimit, Counting, Ending, Event, Meter, Patience, Phase, Price, Pulse,
    Reader, Say, Stage, Stop, Task, TaskKind, ToolServer, breached,
};
use config::Settings;
use serde_json::Value;
use types::{Begun, Limits, ServerState, Session, Stay, Timestamp};

use crate::live::{Live, patience};

/// Bytes of what a process says that are kept, at least.
const TEXTS_MAX: usize = 256 * 1024;

/// What was heard of one process.
pub(super) struct StreamState {
    reader: Box<dyn Reader>,
    capabilities: Capabilities,
    pub(super) account: Account,
    pub(super) phase: Phase,
    pulse: Pulse,
    limits: Limits,
    stay: Stay,
    context: Option<u64>,
    /// The model that the agent reports.
    model: Option<String>,
    /// Whether a turn came to its end, and none was begun since: to be up and idle is not yet to be done.
    turn_over: bool,
    /// Whether that turn ended in the middle of a call, for somebody to decide on it.
    left: bool,
    /// What it left running beside its turns, and when it was last heard of it or of anything.
    beside: Vec<Task>,
    heard_at: Timestamp,
    /// Letters that were handed over and not taken up, by the id the agent knows.
    outstanding: BTreeSet<String>,
    /// What it has taken up; it may say so before those are heard who handed it over.
    taken_up: BTreeSet<String>,
    turns_before: u32,
    tokens_before: u64,
    /// What its model costs, where it does not tell.
    price: Option<Price>,
    /// Whether its silence is measured like that of a tool call.
    silent: bool,
    /// The end of what it said.
    texts: String,
}

/// What a line asks for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Wish {
    /// Tell the agent this, once.
    Answer {
        /// What it had asked.
        request: String,
        /// What to say.
        say: Say,
    },
    /// Decide whether this call may run, and tell the agent.
    Decide {
        /// What the answer must name.
        request: String,
        /// The tool.
        tool: String,
        /// What it would be called with.
        input: Value,
    },
    /// The agent has acknowledged something.
    Acknowledged {
        /// What, by the id the agent knows.
        id: String,
    },
    /// The agent has told how its MCP servers are.
    Servers(Vec<ServerState>),
    /// A turn is over.
    TurnOver,
    /// It must be stopped.
    Stop(Stop),
}

impl StreamState {
    pub(super) fn new(session: &Session, adapter: &dyn Adapter, limits: Limits, now: Timestamp) -> Self {
        let capabilities = adapter.capabilities();
        let idle = session.order.prompt.is_empty() && session.begun == Begun::Anew;
        let mut meter = Meter::from(session.spending);
        match session.begun {
            // A new conversation counts from nothing, whatever was told of the one before.
            Begun::Anew => meter.restarted(Counting::PerProcess),
            Begun::Resumed | Begun::Answered | Begun::Forked => meter.restarted(capabilities.counting),
        }
        Self {
            reader: adapter.reader(),
            account: match session.begun {
                Begun::Answered => Account::in_turn(meter),
                Begun::Anew | Begun::Resumed | Begun::Forked => Account::new(meter),
            },
            // Whoever was asked nothing has nothing to do before somebody speaks to it.
            phase: if idle { Phase::Ready } else { Phase::Starting },
            pulse: if idle { Pulse::idle(now) } else { Pulse::new(now) },
            limits,
            stay: session.order.stay,
            context: None,
            model: None,
            turn_over: false,
            left: false,
            beside: Vec::new(),
            heard_at: now,
            outstanding: BTreeSet::new(),
            taken_up: BTreeSet::new(),
            turns_before: session.spending.turns,
            tokens_before: session.spending.in_all(0).tokens,
            price: adapter.price(session.order.model.as_deref()),
            silent: adapter.is_silent(),
            texts: String::new(),
            capabilities,
        }
    }

    /// Takes a line in and returns what it means and what it asks for.
    pub(super) fn line(&mut self, line: &[u8], settings: &Settings, now: Timestamp) -> (Vec<Event>, Vec<Wish>) {
        let mut events = self.reader.feed(line);
        if let Some(price) = self.price {
            events.iter_mut().for_each(|event| price.fill_in(event));
        }
        let wishes = events.iter().flat_map(|event| self.event(event, settings, now)).collect();
        (events, wishes)
    }

    fn event(&mut self, event: &Event, settings: &Settings, now: Timestamp) -> Vec<Wish> {
        self.account.read(event);
        if let Event::Text { text, within: None } = event {
            self.keep(text);
        }
        self.pulse.hear(event, now);
        self.heard_at = now;
        self.phase = self.phase.after(event);
        if let Some(model) = told_model(event) {
            self.model = Some(model.clone());
        }
        let over = matches!(event, Event::Result(_));
        self.turn_over = over || (self.turn_over && self.phase != Phase::Working);
        if let Event::Result(result) = event {
            self.left = result.ending == Ending::Deferred;
        }
        let mut wishes = Vec::new();
        match event {
            Event::Asking { request, ask } => wishes.extend(answer(request, ask)),
            Event::Acknowledged {
                id,
                stage: Stage::Begun | Stage::Finished | Stage::Refused { .. } | Stage::Cancelled,
            } => {
                self.outstanding.remove(id);
                self.taken_up.insert(id.clone());
                wishes.push(Wish::Acknowledged { id: id.clone() });
            }
            Event::Usage(usage) => {
                self.context = usage.context.or(self.context);
                let pct = u8::try_from(settings.context_pressure_threshold_pct.min(100)).unwrap_or(100);
                if pct > 0 && usage.presses(pct, self.window()) {
                    wishes.push(Wish::Stop(Stop::ContextPressure));
                }
            }
            Event::Result(_) => wishes.push(Wish::TurnOver),
            Event::Background { tasks } => {
                self.beside.clone_from(tasks);
                wishes.extend((self.turn_over && tasks.is_empty()).then_some(Wish::TurnOver));
            }
            Event::Started(started) if !started.servers.is_empty() => {
                wishes.push(Wish::Servers(started.servers.iter().map(state).collect()));
            }
            Event::Started(_)
            | Event::Text { .. }
            | Event::Thinking { .. }
            | Event::ToolCall { .. }
            | Event::ToolResult { .. }
            | Event::RateLimited(_)
            | Event::Acknowledged { stage: Stage::Queued, .. }
            | Event::Ended { .. }
            | Event::Raw { .. } => {}
        }
        wishes.extend(breached(&self.limits, &self.account.meter, 0).map(Wish::Stop));
        wishes
    }

    /// Keeps the end of what is said: that is where a report stands.
    fn keep(&mut self, text: &str) {
        self.texts.push_str(text);
        self.texts.push('\n');
        if self.texts.len() > 2 * TEXTS_MAX {
            let from = self.texts.ceil_char_boundary(self.texts.len() - TEXTS_MAX);
            self.texts.drain(..from);
        }
    }

    /// Returns the end of what it said.
    pub(super) fn into_texts(self) -> String {
        self.texts
    }

    fn window(&self) -> u64 {
        match self.capabilities.context_limit {
            ContextLimit::Told { assumed } => assumed,
            ContextLimit::Fixed { tokens } => tokens,
        }
    }

    /// Notes that a letter was handed over.
    pub(super) fn told(&mut self, id: String, now: Timestamp) {
        if !self.taken_up.contains(&id) {
            self.outstanding.insert(id);
            self.pulse.told(now);
        }
    }

    /// Notes that the agent was told what it waited for, and has something to do again.
    pub(super) fn answered(&mut self, now: Timestamp) {
        self.pulse.told(now);
    }

    /// Tells whether nothing more is to be expected of the agent, so that its input can be closed.
    ///
    /// What it left running is to be expected: it begins another turn when that is through.
    pub(super) fn is_done(&self) -> bool {
        let is_through = match self.stay {
            Stay::UntilDone => self.outstanding.is_empty() && self.beside.is_empty(),
            Stay::UntilDismissed => false,
        };
        self.phase == Phase::Ready && self.turn_over && (is_through || self.left)
    }

    /// Tells whether it goes in the middle of a call, so that nothing more can be said to it.
    pub(super) fn has_left(&self) -> bool {
        self.left
    }

    /// Tells whether a turn is under way, or about to be.
    pub(super) fn in_turn(&self) -> bool {
        self.phase != Phase::Ready || !self.outstanding.is_empty() || !self.beside.is_empty()
    }

    /// Returns the model that the agent reported.
    pub(super) fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// Takes other ceilings; what is over them already ends it at the next thing it says.
    pub(super) fn hold_to(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Returns the session's own ceilings.
    pub(super) fn limits(&self) -> Limits {
        self.limits
    }

    /// Tells whether it got anything done: it called its model, whether it told each call or all of them at its end.
    pub(super) fn advanced(&self) -> bool {
        self.account.meter.turns() > self.turns_before || self.account.meter.spent().tokens.sum() > self.tokens_before
    }

    /// Returns for how long an agent may wait for what it left running, if it does nothing else: as long as for a call.
    /// One that waits for a command has done its work, and a command that does not end is no reason to do it again.
    fn beside_until(&self, patience: Patience) -> Option<(Timestamp, Stop)> {
        let waits = self.stay == Stay::UntilDone && self.turn_over && !self.beside.is_empty();
        let stop = match self.beside.iter().any(|task| task.kind == TaskKind::Agent) {
            true => Stop::Stale,
            false => Stop::Asked,
        };
        let at = self.heard_at.as_second().saturating_add(patience.call_secs_max.into());
        waits.then(|| (Timestamp::from_second(at).unwrap_or(Timestamp::MAX), stop))
    }

    /// Returns the time at which somebody must look again, and why: it is stale, or its time is up.
    pub(super) fn due(
        &self,
        settings: &Settings,
        started_at: Timestamp,
        secs_before: u64,
    ) -> Option<(Timestamp, Stop)> {
        let patience = patience(settings);
        let unhealthy_secs = if self.silent { patience.call_secs_max } else { patience.unhealthy_secs };
        let stale = self.pulse.stale_at(Patience { unhealthy_secs, ..patience }).map(|at| (at, Stop::Stale));
        let timeout = self.limits.secs_max.map(|secs| {
            let at = started_at.as_second().saturating_add_unsigned(secs.saturating_sub(secs_before));
            (Timestamp::from_second(at).unwrap_or(Timestamp::MAX), Stop::Timeout)
        });
        stale.into_iter().chain(self.beside_until(patience)).chain(timeout).min_by_key(|(at, _)| *at)
    }

    /// Shows what was heard.
    pub(super) fn show(&self, live: &mut Live) {
        // Whoever waits for what it left running is at work, whatever it says itself.
        live.phase = match self.phase {
            Phase::Ready if !self.beside.is_empty() => Phase::Working,
            Phase::Starting | Phase::Ready | Phase::Working | Phase::Stopping | Phase::Stopped => self.phase,
        };
        live.pulse = self.pulse.clone();
        live.spending = self.account.meter.spending();
        live.context = self.context;
        if self.model.is_some() && live.model != self.model {
            live.model.clone_from(&self.model);
        }
        if self.account.session.is_some() && live.conversation != self.account.session {
            live.conversation.clone_from(&self.account.session);
        }
    }
}

/// The model that the agent itself uses; its subagents may use others, so that of a single call counts only if it
/// reports none when it starts.
fn told_model(event: &Event) -> Option<&String> {
    match event {
        Event::Started(started) => started.model.as_ref().filter(|model| !model.is_empty()),
        Event::Text { .. }
        | Event::Thinking { .. }
        | Event::ToolCall { .. }
        | Event::ToolResult { .. }
        | Event::Usage(_)
        | Event::RateLimited(_)
        | Event::Asking { .. }
        | Event::Acknowledged { .. }
        | Event::Background { .. }
        | Event::Result(_)
        | Event::Ended { .. }
        | Event::Raw { .. } => None,
    }
}

fn state(server: &ToolServer) -> ServerState {
    ServerState { name: server.name.clone(), status: server.status.clone(), failed: server.has_failed() }
}

/// Says what is to be done about a question. People are asked by a tool of Fleet's, which outlives the process.
fn answer(request: &str, ask: &Ask) -> Option<Wish> {
    let request = request.to_owned();
    match ask {
        Ask::Permission { tool, input, .. } | Ask::Gate { tool, input, .. } => {
            Some(Wish::Decide { request, tool: tool.clone(), input: input.clone() })
        }
        Ask::Question { .. } => {
            let why = "nobody sees this question: ask with the tool `ask_human` if you have it, else decide by yourself and \
                       say what you decided";
            let why = why.to_owned();
            Some(Wish::Answer { say: Say::Deny { request: request.clone(), why }, request })
        }
        // Its agent goes; whoever takes the session up again answers.
        Ask::Deferred { .. } => None,
    }
}

#[cfg(test)]
#[path = "stream_state_tests.rs"]
mod tests;

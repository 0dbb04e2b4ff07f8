//! The kinds of agents that a chaos run starts: the script of each, and how it has to end.

use std::fmt::Write as _;
use std::time::Duration;

use super::chance::Chance;

/// A kind of agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Takes its time, writes a file and commits it.
    Slow,
    /// Says a lot.
    Chatty,
    /// Says that it wrote a file, and claims success.
    Lying,
    /// Goes away in the middle as if all were well.
    Vanishing,
    /// Does the same again and again, for ever.
    Looping,
    /// Takes no notice of SIGTERM, and does not end.
    Deaf,
    /// Leaves an orphan process behind.
    Forking,
    /// Fails because its account is used up, for a few seconds.
    QuotaDead,
    /// Is killed in the middle of its turn.
    Crashing,
    /// Waits for messages.
    Listening,
}

/// How a session has to end if it is not cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It completes, with this many processes.
    Completes { runs: usize },
    /// It runs until it is cancelled.
    Endless,
}

/// An agent to start.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) kind: Kind,
    pub(super) prompt: String,
    /// Lines of the first process that have a number; none if it continues for ever.
    pub(super) lines: Option<u64>,
    /// A file that has to be on its branch once it completes.
    pub(super) file: Option<String>,
    /// In the user's own folder; such an agent writes nothing.
    pub(super) in_place: bool,
    /// Messages that it waits for.
    pub(super) messages: u64,
    /// When it is cancelled, if nothing ends it before.
    pub(super) cancel_after: Option<Duration>,
}

impl Kind {
    const USUAL: [Self; 8] = [
        Self::Slow,
        Self::Chatty,
        Self::Lying,
        Self::Vanishing,
        Self::Looping,
        Self::Deaf,
        Self::Forking,
        Self::Crashing,
    ];

    pub(super) const fn fate(self) -> Fate {
        match self {
            Self::Slow | Self::Chatty | Self::Lying | Self::Forking | Self::Listening => Fate::Completes { runs: 1 },
            Self::Vanishing | Self::Crashing | Self::QuotaDead => Fate::Completes { runs: 2 },
            Self::Looping | Self::Deaf => Fate::Endless,
        }
    }

    /// Chooses a kind; an account that is used up stops all others too, so that is for special occasions.
    pub(super) fn choose(chance: &mut Chance, messages: bool) -> Self {
        let count = Self::USUAL.len() as u64 + u64::from(messages) * 2;
        let drawn = usize::try_from(chance.between(0, count)).unwrap_or_default();
        Self::USUAL.get(drawn).copied().unwrap_or(Self::Listening)
    }
}

impl Part {
    /// Writes the script of an agent; `name` is its own among all.
    pub(super) fn write(kind: Kind, name: &str, chance: &mut Chance) -> Self {
        let mut script = Script::default();
        let mut part = Self {
            kind,
            prompt: String::new(),
            lines: None,
            file: None,
            in_place: false,
            messages: 0,
            cancel_after: None,
        };
        part.lines = Some(script.flood(chance.between(5, 40), 1));
        match kind {
            Kind::Slow => {
                script.sleep(chance.between(500, 4_000));
                let file = format!("work-{name}.txt");
                script.step(&format!("do = \"write\"\npath = \"{file}\"\ntext = \"{name}\""));
                script.step("do = \"commit\"\nmessage = \"add work\"");
                part.file = Some(file);
                script.sleep(chance.between(0, 1_000));
            }
            Kind::Chatty => {
                part.lines =
                    part.lines.map(|lines| lines + script.flood(chance.between(500, 3_000), chance.between(0, 3)));
                part.in_place = chance.percent(50);
            }
            Kind::Lying => script.step("do = \"pretend\"\npath = \"never.txt\""),
            Kind::Vanishing => script.step("do = \"vanish\""),
            Kind::Crashing => {
                script.sleep(chance.between(0, 1_500));
                script.step("do = \"crash\"");
            }
            Kind::Looping => {
                script.step("do = \"repeat\"\ntimes = 1000000\nstep = [{ do = \"flood\", lines = 5, every_ms = 20 }]");
                part.lines = None;
            }
            Kind::Deaf => {
                script.step("do = \"ignore_term\"");
                script.flood(1_000_000, 100);
                part.lines = None;
            }
            Kind::Forking => {
                script.step("do = \"fork_off\"\nsecs = 3600");
                script.sleep(chance.between(0, 1_500));
                script.step("do = \"fork_off\"\nsecs = 3600");
            }
            Kind::QuotaDead => {
                let resets_at = jiff::Timestamp::now() + Duration::from_millis(chance.between(1_500, 3_500));
                script.step(&format!("do = \"fail\"\nclass = {{ name = \"quota\", resets_at = \"{resets_at}\" }}"));
            }
            Kind::Listening => {
                part.messages = chance.between(2, 6);
                (0..part.messages).for_each(|_| script.step("do = \"listen\""));
            }
        }
        part.cancel_after = match kind.fate() {
            Fate::Endless => Some(Duration::from_millis(chance.between(300, 5_000))),
            Fate::Completes { .. } => chance.percent(12).then(|| Duration::from_millis(chance.between(0, 3_000))),
        };
        if kind.fate() == (Fate::Completes { runs: 1 }) {
            part.lines = part.lines.map(|lines| lines + script.flood(chance.between(1, 5), 1));
        }
        part.prompt = format!("Agent {name}.\n```sim\n{}```\n", script.0);
        part
    }
}

#[derive(Debug, Default)]
struct Script(String);

impl Script {
    fn step(&mut self, step: &str) {
        let _ = writeln!(self.0, "[[step]]\n{step}");
    }

    fn sleep(&mut self, ms: u64) {
        self.step(&format!("do = \"sleep\"\nms = {ms}"));
    }

    fn flood(&mut self, lines: u64, every_ms: u64) -> u64 {
        self.step(&format!("do = \"flood\"\nlines = {lines}\nevery_ms = {every_ms}"));
        lines
    }
}

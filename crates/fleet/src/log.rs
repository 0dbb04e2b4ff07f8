//! The server's log: lines on standard error without secrets, at a level that can change while it runs.

use std::io;
use std::sync::Arc;

use api::Kind;
use cli::Failure;
use config::LogLevel;
use redact::Redactor;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::reload::{self, Handle};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Registry, fmt};

/// Changes the level of the log.
pub(crate) struct Log(Handle<Targets, Registry>);

/// Starts the log.
pub(crate) fn start(level: LogLevel, redactor: Redactor) -> Result<Log, Failure> {
    let (filter, handle) = reload::Layer::new(filter(level));
    let colours = io::IsTerminal::is_terminal(&io::stderr());
    let lines = fmt::layer().with_writer(Lines(Arc::new(redactor))).with_ansi(colours).with_target(false);
    let started = tracing_subscriber::registry().with(filter).with(lines).try_init();
    started.map_err(|error| Failure::new(Kind::Internal, format!("cannot start the log: {error}")))?;
    Ok(Log(handle))
}

/// Writes lines, each as it is but for its secrets.
struct Lines(Arc<Redactor>);

/// One line.
struct Line(Arc<Redactor>);

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Line;

    fn make_writer(&'a self) -> Line {
        Line(Arc::clone(&self.0))
    }
}

impl io::Write for Line {
    /// A line comes in one piece.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        io::Write::write_all(&mut io::stderr(), &self.0.bytes(line.to_vec()))?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::Write::flush(&mut io::stderr())
    }
}

impl Log {
    /// Logs at another level from now on.
    pub(crate) fn set(&self, level: LogLevel) {
        // The handle fails only when the subscriber is gone, and then there is nothing to set.
        let _ = self.0.reload(filter(level));
    }
}

/// Libraries that tell every step at the level at which we tell changes of state.
const CHATTY: [&str; 1] = ["rmcp"];

fn filter(level: LogLevel) -> Targets {
    let level = match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    let quiet = if level <= LevelFilter::INFO { level.min(LevelFilter::WARN) } else { level };
    Targets::new().with_default(level).with_targets(CHATTY.map(|library| (library, quiet)))
}

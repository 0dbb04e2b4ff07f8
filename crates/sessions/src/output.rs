//! The end of what an agent wrote, as lines that people read; and lines that others report of theirs.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use agents::Event;
use agents::external::External;
use agents::shown::devfleet::{Frame, Frames};
use supervisor::{Spool, Stream};
use types::{Session, SessionId};

use crate::Result;
use crate::error::{Error, Refusal};
use crate::manager::SessionManager;

/// How far back the last lines are looked for.
const LOOK_BACK: u64 = 512 << 10;

/// Where a session's agent wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputFiles {
    /// The folder of the session.
    pub folder: PathBuf,
    /// The standard output of its last process.
    pub output: PathBuf,
    /// The standard error of its last process.
    pub errors: PathBuf,
}

impl SessionManager {
    /// Returns where a session's agent wrote; the files may be gone.
    #[must_use]
    pub fn output_files(&self, session: &Session) -> OutputFiles {
        let spool = self.0.spools.run(session, session.runs);
        let [output, errors] = [Stream::Output, Stream::Errors].map(|stream| spool.log(stream));
        OutputFiles { folder: self.0.spools.session(session), output, errors }
    }

    /// Returns the last lines of what a session's agent said and did.
    ///
    /// # Errors
    /// When they cannot be read.
    pub async fn output(&self, session: &Session, lines_max: usize) -> Result<Vec<String>> {
        let mut lines: Vec<String> = if session.order.agent == External::NAME {
            // The program that reports for such an agent knows best what its lines mean.
            String::from_utf8_lossy(&self.end(session, session.runs).await?).lines().map(str::to_owned).collect()
        } else {
            let mut frames = Frames::default();
            let events = self.last_events(session, session.runs).await?;
            events.iter().flat_map(|event| frames.of(event)).flat_map(shown).collect()
        };
        lines.drain(..lines.len().saturating_sub(lines_max));
        Ok(lines)
    }

    /// Returns what the end of the output of one of a session's processes means.
    pub(crate) async fn last_events(&self, session: &Session, run: u32) -> Result<Vec<Event>> {
        let mut reader = self.0.agent_registry().of_session(&session.order.agent).reader();
        let text = self.end(session, run).await?;
        Ok(text.split(|byte| *byte == b'\n').flat_map(|line| reader.feed(line)).collect())
    }

    async fn end(&self, session: &Session, run: u32) -> Result<Vec<u8>> {
        let spool = self.0.spools.run(session, run);
        self.0.parts.processes.end_of(&spool, Stream::Output).await.map_err(unreadable)
    }

    /// Returns the end of what a session's agent wrote to its standard error.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn errors(&self, session: &Session) -> Result<String> {
        let spool = self.0.spools.run(session, session.runs);
        let text = self.0.parts.processes.end_of(&spool, Stream::Errors).await.map_err(unreadable)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Writes down what an agent that others run reports, a line each.
    ///
    /// # Errors
    /// Refuses a session whose agent Fleet runs itself, or which is over.
    pub async fn report(&self, id: &SessionId, lines: Vec<String>) -> Result<()> {
        let session = self.get(id).await?;
        if !session.state.is_live() {
            return Err(Refusal::WrongState { session: id.clone(), state: session.state.name() }.into());
        }
        if session.order.agent != External::NAME {
            let agent = session.order.agent;
            return Err(Refusal::Incapable { agent, what: "be spoken for by others" }.into());
        }
        let spool = self.0.spools.run(&session, session.runs);
        let written = self.0.parts.processes.append_external(&spool, lines).await;
        written.map_err(|source| Error::File { what: "cannot keep what was reported".to_owned(), source })
    }
}

/// Reads the end of a log; nothing if there is none.
pub(crate) fn end_of(log: &Path) -> io::Result<Vec<u8>> {
    let mut file = match OpenOptions::new().read(true).open(log) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let from = file.metadata()?.len().saturating_sub(LOOK_BACK);
    file.seek(SeekFrom::Start(from))?;
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    if from > 0 {
        // The first line was cut.
        let begin = text.iter().position(|byte| *byte == b'\n').map_or(text.len(), |at| at + 1);
        text.drain(..begin);
    }
    Ok(text)
}

/// Makes a spool without a process.
pub(crate) fn touch(spool: &Spool) -> io::Result<File> {
    DirBuilder::new().recursive(true).mode(0o700).create(spool.path())?;
    OpenOptions::new().append(true).create(true).mode(0o600).open(spool.log(Stream::Output))
}

pub(crate) fn append(spool: &Spool, lines: &[String]) -> io::Result<()> {
    let mut text = String::new();
    for line in lines {
        text.extend(line.chars().map(|letter| if letter == '\n' { ' ' } else { letter }));
        text.push('\n');
    }
    // One write, so that lines of two reporters do not mix.
    touch(spool)?.write_all(text.as_bytes())
}

/// The lines that people read of a frame.
pub(crate) fn shown(frame: Frame) -> Vec<String> {
    match frame {
        Frame::Text { text } | Frame::Tool { text } | Frame::ToolResult { text } => {
            // What an agent says is between line breaks of the frame; blank lines within it are its own.
            let text = text.strip_prefix('\n').unwrap_or(&text);
            text.lines().map(str::to_owned).collect()
        }
        Frame::SoFar
        | Frame::Config { .. }
        | Frame::Usage { .. }
        | Frame::Retry { .. }
        | Frame::Notice { .. }
        | Frame::Done(_) => Vec::new(),
    }
}

fn unreadable(source: io::Error) -> Error {
    Error::File { what: "cannot read what the agent wrote".to_owned(), source }
}

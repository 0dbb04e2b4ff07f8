//! Where commands write and ask: data to standard output, everything else to standard error.

use std::io::{self, BufRead as _, IsTerminal as _, Write};
use std::pin::pin;
use std::time::Duration;

use api::quantity;
use config::Environment;
use runtime::Clock;
use serde_json::Value;

use crate::failure::Failure;

/// Narrower than this, a table is not cut any further.
const WIDTH_MIN: usize = 40;
/// How wide a table is where no terminal says so.
const WIDTH_OTHERWISE: usize = 100;

/// What takes longer than this is shown, and again after each such time.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);

/// The streams of a command, and what is known about who reads them.
pub struct Terminal {
    out: Box<dyn Write + Send>,
    err: Box<dyn Write + Send>,
    width: Option<usize>,
    style: Style,
    colours_data: bool,
    asks: bool,
    /// Whether a person watches the messages, and if there is a line of progress to remove.
    watched: bool,
    progress: bool,
}

/// Whether words are set off by colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// They are not.
    Plain,
    /// They are.
    Coloured,
}

impl Terminal {
    /// Takes the streams of this process.
    #[must_use]
    pub fn of_process(environment: &Environment) -> Self {
        let (out, err) = (io::stdout(), io::stderr());
        let plain = environment.get("NO_COLOR").is_some() || environment.get("TERM") == Some("dumb");
        Self {
            width: out.is_terminal().then(|| terminal_width(environment)),
            colours_data: out.is_terminal() && !plain,
            style: if err.is_terminal() && !plain { Style::Coloured } else { Style::Plain },
            asks: io::stdin().is_terminal() && err.is_terminal(),
            watched: err.is_terminal() && environment.get("TERM") != Some("dumb"),
            progress: false,
            out: Box::new(out),
            err: Box::new(err),
        }
    }

    /// Takes these streams; there is no person to ask or to show progress to.
    #[must_use]
    pub fn on(out: Box<dyn Write + Send>, err: Box<dyn Write + Send>, width: Option<usize>) -> Self {
        let style = Style::Plain;
        Self { out, err, width, style, colours_data: false, asks: false, watched: false, progress: false }
    }

    /// Has a person watch the messages, as on a terminal.
    #[must_use]
    pub fn watched(self) -> Self {
        Self { watched: true, ..self }
    }

    /// Waits for something, and shows for how long if that is more than a moment.
    pub async fn awaited<T>(&mut self, clock: &Clock, what: &str, work: impl Future<Output = T>) -> T {
        let begun = clock.monotonic();
        let mut work = pin!(work);
        loop {
            tokio::select! {
                done = &mut work => {
                    self.end_progress();
                    return done;
                }
                () = clock.sleep(PROGRESS_EVERY) => self.progress_since(clock, what, begun),
            }
        }
    }

    /// Shows what takes its time and for how long; nothing in the first moment.
    pub(crate) fn progress_since(&mut self, clock: &Clock, what: &str, begun: Duration) {
        let taken = clock.monotonic().saturating_sub(begun);
        if taken >= PROGRESS_EVERY {
            self.progress(&format!("{what}, {} …", quantity::whole_duration(taken.as_secs())));
        }
    }

    /// Shows what takes its time, on a line that the next message replaces; nothing unless a person watches.
    pub fn progress(&mut self, text: &str) {
        if self.watched {
            // Standard error may be closed.
            let _ = write!(self.err, "\r\x1b[K{}", self.style.dim(text)).and_then(|()| self.err.flush());
            self.progress = true;
        }
    }

    /// Removes the line of progress.
    pub fn end_progress(&mut self) {
        if std::mem::take(&mut self.progress) {
            let _ = write!(self.err, "\r\x1b[K").and_then(|()| self.err.flush());
        }
    }

    /// Returns how many characters a table may take on a line.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.width.unwrap_or(WIDTH_OTHERWISE)
    }

    /// Returns how many characters fit on a line, if a person reads them.
    #[must_use]
    pub fn width(&self) -> Option<usize> {
        self.width
    }

    pub(crate) fn colours_data(&self) -> bool {
        self.colours_data
    }

    /// Returns how data is set off.
    pub(crate) fn data_style(&self) -> Style {
        if self.colours_data { Style::Coloured } else { Style::Plain }
    }

    /// Returns whether a person sits at both ends.
    pub(crate) fn is_interactive(&self) -> bool {
        self.asks && self.width.is_some()
    }

    /// Returns how messages are set off.
    pub(crate) fn message_style(&self) -> Style {
        self.style
    }

    pub(crate) fn colours_messages(&self) -> bool {
        self.style == Style::Coloured
    }

    /// Writes data.
    ///
    /// # Errors
    /// [`Failure::ReaderGone`] when the reader has closed the pipe.
    pub fn print(&mut self, text: &str) -> Result<(), Failure> {
        self.end_progress();
        let written = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
        let failed = |error: io::Error| {
            let gone = error.kind() == io::ErrorKind::BrokenPipe;
            if gone { Failure::ReaderGone } else { Failure::io("cannot write the output", &error) }
        };
        written.map_err(failed)
    }

    /// Writes data as JSON: indented for a person, on one line for a program.
    ///
    /// # Errors
    /// [`Failure::ReaderGone`] when the reader has closed the pipe.
    pub fn print_json(&mut self, value: &Value) -> Result<(), Failure> {
        match self.width {
            Some(_) => self.print(&escaped(&format!("{value:#}\n"))),
            None => self.print(&escaped(&format!("{value}\n"))),
        }
    }

    /// Prints a message that is not data.
    pub fn say(&mut self, text: &str) {
        self.end_progress();
        // Standard error may be closed.
        let _ = writeln!(self.err, "{text}").and_then(|()| self.err.flush());
    }

    /// Prints a warning although the command worked.
    pub fn warn(&mut self, text: &str) {
        let label = self.style.warning("warning:");
        self.say(&format!("{label} {text}"));
    }

    /// Prints why the command failed, and returns the exit code.
    pub fn fail(&mut self, failure: &Failure) -> u8 {
        let text = failure.render(self.style);
        if !text.is_empty() {
            self.say(text.trim_end());
        }
        failure.exit_code()
    }

    /// Asks a question that only `y` answers with yes; none if there is no terminal.
    ///
    /// # Errors
    /// When the answer cannot be read.
    pub fn ask(&mut self, question: &str) -> Result<Option<bool>, Failure> {
        if !self.asks {
            return Ok(None);
        }
        let _ = write!(self.err, "{} [y/N] ", printable(question)).and_then(|()| self.err.flush());
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer).map_err(|error| Failure::io("cannot read the answer", &error))?;
        Ok(Some(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")))
    }
}

/// Leaves out of a stranger's text what could command the terminal.
pub(crate) fn printable(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t')).collect()
}

/// Writes the control characters that JSON allows in its strings as JSON writes the others: a terminal obeys some of them.
pub(crate) fn escaped(json: &str) -> String {
    if !json.contains(is_raw) {
        return json.to_owned();
    }
    let escape =
        |letter: char| if is_raw(letter) { format!("\\u{:04x}", u32::from(letter)) } else { letter.to_string() };
    json.chars().map(escape).collect()
}

fn is_raw(letter: char) -> bool {
    matches!(letter, '\u{7f}'..='\u{9f}')
}

impl Style {
    pub(crate) fn error(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    pub(crate) fn warning(self, text: &str) -> String {
        self.paint("1;33", text)
    }

    pub(crate) fn good(self, text: &str) -> String {
        self.paint("1;32", text)
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    fn paint(self, colour: &str, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Coloured => format!("\x1b[{colour}m{text}\x1b[0m"),
        }
    }
}

fn terminal_width(environment: &Environment) -> usize {
    let named = environment.get("COLUMNS").and_then(|columns| columns.parse().ok());
    let asked = || rustix::termios::tcgetwinsize(io::stdout()).ok().map(|size| usize::from(size.ws_col));
    named.or_else(asked).filter(|width| *width > 0).unwrap_or(WIDTH_OTHERWISE).max(WIDTH_MIN)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Paper(Arc<Mutex<Vec<u8>>>);

    impl Write for Paper {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Waits for so many seconds of a clock that is moved on as soon as it is waited for; what was shown meanwhile.
    async fn shown(secs: u64, made: impl Fn(Terminal) -> Terminal) -> String {
        let (clock, err) = (Clock::manual(types::Timestamp::UNIX_EPOCH), Paper::default());
        let mut terminal = made(Terminal::on(Box::new(io::sink()), Box::new(err.clone()), None));
        let work = clock.sleep(Duration::from_millis(secs * 1_000 + 500));
        let moved = async {
            for _ in 0..=secs * 2 {
                while clock.sleepers() < 2 {
                    tokio::task::yield_now().await;
                }
                clock.advance(Duration::from_millis(500));
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            () = terminal.awaited(&clock, "Starting the server", work) => {}
            () = async { moved.await; std::future::pending().await } => {}
        }
        String::from_utf8(err.0.lock().unwrap().clone()).unwrap()
    }

    #[tokio::test]
    async fn what_takes_more_than_a_second_is_shown_to_who_watches_and_removed_when_it_is_done() {
        assert_eq!(shown(0, Terminal::watched).await, "", "a moment is not worth a line");
        let shown_long = shown(2, Terminal::watched).await;
        assert!(shown_long.contains("Starting the server, 1 s …"), "{shown_long:?}");
        assert!(shown_long.contains("Starting the server, 2 s …"), "{shown_long:?}");
        assert!(shown_long.ends_with("\r\x1b[K"), "{shown_long:?}");
        assert_eq!(shown(2, |terminal| terminal).await, "", "a file is not written to");
    }
}

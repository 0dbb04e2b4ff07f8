//! Standard input as lines that can be waited for until some time.
//!
//! It is read only when there is something, so an agent that is busy finds what was said meanwhile, and one that waits
//! for time to pass still hears.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::os::fd::AsFd as _;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::clock;

/// What was heard.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum InputEvent {
    /// A line, without its line break; the last one needs none.
    Line(String),
    /// Nothing until the time was over.
    Nothing,
    /// Nothing, and there will be nothing.
    End,
}

/// Standard input, or another stream like it.
#[derive(Debug)]
pub(crate) struct Input {
    /// None after its end.
    reader: Option<BufReader<File>>,
    /// The beginning of a line that has no end yet.
    partial: Vec<u8>,
}

impl Input {
    /// Takes standard input, which no other code may read from then on.
    pub(crate) fn standard() -> io::Result<Self> {
        Ok(Self::of(io::stdin().as_fd().try_clone_to_owned()?.into()))
    }

    fn of(file: File) -> Self {
        Self { reader: Some(BufReader::new(file)), partial: Vec::new() }
    }

    /// Waits for the next line until `deadline`; for ever if there is none.
    ///
    /// After the end it waits all the same if there is a deadline: nothing is heard until then.
    pub(crate) fn next(&mut self, deadline: Option<Instant>) -> io::Result<InputEvent> {
        loop {
            let Some(reader) = &mut self.reader else {
                return if deadline.is_none() {
                    Ok(InputEvent::End)
                } else {
                    ready(None, deadline).map(|_| InputEvent::Nothing)
                };
            };
            if reader.buffer().is_empty() && !ready(Some(reader.get_ref()), deadline)? {
                return Ok(InputEvent::Nothing);
            }
            let bytes = match reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                bytes => bytes?,
            };
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let (line, used) = end.map_or((bytes, bytes.len()), |end| (bytes.split_at(end).0, end + 1));
            self.partial.extend_from_slice(line);
            reader.consume(used);
            if used == 0 {
                self.reader = None;
            }
            if end.is_some() || (used == 0 && !self.partial.is_empty()) {
                let line = std::mem::take(&mut self.partial);
                return Ok(InputEvent::Line(String::from_utf8_lossy(&line).into_owned()));
            }
        }
    }
}

/// Waits until there is something to read, or its end; false if the deadline came first.
fn ready(file: Option<&File>, deadline: Option<Instant>) -> io::Result<bool> {
    let mut sources: Vec<PollFd<'_>> = file.iter().map(|file| PollFd::new(*file, PollFlags::IN)).collect();
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(clock::now()));
        let limit = left.and_then(|left| Timespec::try_from(left).ok());
        match poll(&mut sources, limit.as_ref()) {
            Ok(0) if left.is_some() => return Ok(false),
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return Ok(true),
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn pipe() -> (Input, io::PipeWriter) {
        let (reader, writer) = io::pipe().unwrap();
        (Input::of(File::from(std::os::fd::OwnedFd::from(reader))), writer)
    }

    fn line(text: &str) -> InputEvent {
        InputEvent::Line(text.to_owned())
    }

    #[test]
    fn lines_come_one_by_one_however_they_were_written() {
        let (mut input, mut writer) = pipe();
        writer.write_all(b"a\n\nb").unwrap();
        assert_eq!(input.next(None).unwrap(), line("a"));
        assert_eq!(input.next(None).unwrap(), line(""));
        assert_eq!(input.next(Some(clock::now())).unwrap(), InputEvent::Nothing);
        writer.write_all(b"c\nd").unwrap();
        drop(writer);
        assert_eq!(input.next(None).unwrap(), line("bc"));
        assert_eq!(input.next(None).unwrap(), line("d"));
        assert_eq!(input.next(None).unwrap(), InputEvent::End);
        assert_eq!(input.next(Some(clock::now())).unwrap(), InputEvent::Nothing);
    }

    #[test]
    fn after_the_end_time_still_passes() {
        let (mut input, writer) = pipe();
        drop(writer);
        let deadline = clock::after_ms(30);
        assert_eq!(input.next(deadline).unwrap(), InputEvent::Nothing);
        assert!(clock::now() >= deadline.unwrap());
    }

    #[test]
    fn a_line_may_be_longer_than_any_buffer() {
        let (mut input, mut writer) = pipe();
        let long = "x".repeat(1_000_000);
        std::thread::scope(|scope| {
            scope.spawn(|| writeln!(writer, "{long}").unwrap());
            assert_eq!(input.next(None).unwrap(), line(&long));
        });
    }
}

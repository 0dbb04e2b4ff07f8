//! Making the logs of a spool small when its agent is gone: their ends stay, and a word that the rest is not there.
//!
//! The word is written first and says how much there was, so a trim that was cut short is only done again. A log is
//! replaced, never changed: a concurrent reader reads the whole of the old one.

use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::files::{self, Keep};
use crate::identity::boot_id;
use crate::spool::{Spool, Stream};

const TRIMMED: &str = "trimmed.json";

/// How many bytes of the end of each log stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    /// Of standard output.
    pub output: u64,
    /// Of standard error.
    pub errors: u64,
}

/// That logs were trimmed; `trimmed.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trimmed {
    /// When.
    pub at: Timestamp,
    /// How many bytes the logs had before.
    pub bytes_before: u64,
}

impl Kept {
    const fn of(self, stream: Stream) -> u64 {
        match stream {
            Stream::Output => self.output,
            Stream::Errors => self.errors,
        }
    }
}

impl Spool {
    /// Reads whether the logs were trimmed.
    ///
    /// # Errors
    /// When the word of it is there and cannot be read.
    pub fn trimmed(&self) -> io::Result<Option<Trimmed>> {
        self.read(TRIMMED)
    }

    /// Counts the bytes of its logs, and of those how many a trim would remove.
    #[must_use]
    pub fn bytes(&self, kept: Kept) -> (u64, u64) {
        let lengths = [Stream::Output, Stream::Errors].map(|stream| (self.length(stream), kept.of(stream)));
        let removable = lengths.iter().map(|(length, kept)| length.saturating_sub(*kept)).sum();
        (lengths.iter().map(|(length, _)| length).sum(), removable)
    }

    /// Cuts the logs down to whole lines of their ends, and returns how many bytes went; none of one in use. Blocks.
    ///
    /// # Errors
    /// When a file cannot be read or written. What was cut before is cut.
    pub fn trim(&self, kept: Kept, at: Timestamp) -> io::Result<u64> {
        let (before, removable) = self.bytes(kept);
        if removable == 0 || self.in_use()? {
            return Ok(0);
        }
        if self.trimmed()?.is_none() {
            let word = serde_json::to_string(&Trimmed { at, bytes_before: before })?;
            files::replace(&self.path().join(TRIMMED), word, Keep::ForEver)?;
        }
        for stream in [Stream::Output, Stream::Errors] {
            if self.length(stream) > kept.of(stream) {
                let log = self.log(stream);
                files::replace(&log, end_of(&log, kept.of(stream))?, Keep::ForEver)?;
            }
        }
        Ok(before - self.bytes(kept).0)
    }

    fn length(&self, stream: Stream) -> u64 {
        // One that is not there takes no room.
        std::fs::metadata(self.log(stream)).map_or(0, |log| log.len())
    }

    /// Returns whether its agent or its shim runs, or may.
    fn in_use(&self) -> io::Result<bool> {
        if self.exit()?.is_some() {
            return Ok(false);
        }
        let Some(record) = self.record()? else { return Ok(false) };
        Ok(record.boot == boot_id()? && (record.shim.runs() || record.agent.runs()))
    }
}

/// Reads the whole lines among the last bytes of a file.
fn end_of(path: &Path, bytes: u64) -> io::Result<Vec<u8>> {
    let mut file = files::open(path)?;
    let from = file.metadata()?.len().saturating_sub(bytes);
    // One byte more shows whether a line begins right there.
    file.seek(SeekFrom::Start(from.saturating_sub(1)))?;
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    if from > 0 {
        let begin = text.iter().position(|byte| *byte == b'\n').map_or(text.len(), |at| at + 1);
        text.drain(..begin);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn spool(output: &str, errors: &str) -> (tempfile::TempDir, Spool) {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::at(folder.path());
        for (stream, text) in [(Stream::Output, output), (Stream::Errors, errors)] {
            files::replace(&spool.log(stream), text, Keep::UntilReboot).unwrap();
        }
        (folder, spool)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_stays_are_the_last_whole_lines_that_there_is_room_for(
            lines in prop::collection::vec("[a-z]{0,6}", 0..20),
            kept in 0_u64..60,
        ) {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let (_folder, spool) = spool(&text, "");
            let gone = spool.trim(Kept { output: kept, errors: 0 }, Timestamp::UNIX_EPOCH).unwrap();
            let left = files::read(&spool.log(Stream::Output)).unwrap();
            prop_assert!(text.ends_with(&left) && left.len() as u64 <= kept.max(text.len() as u64 - gone));
            prop_assert_eq!(gone, (text.len() - left.len()) as u64);
            let more = text.len().checked_sub(left.len() + 1).map(|at| text[..at].rfind('\n').map_or(0, |at| at + 1));
            if let Some(begin) = more {
                prop_assert!((text.len() - begin) as u64 > kept, "a line more had room");
            }
            prop_assert_eq!(spool.trimmed().unwrap().is_some(), gone > 0 || text.len() as u64 > kept);
        }
    }

    #[test]
    fn a_second_trim_goes_on_from_the_first_and_the_word_is_that_of_the_first() {
        let (_folder, spool) = spool("one\ntwo\nthree\n", "an error\n");
        let at = |second| Timestamp::from_second(second).unwrap();
        assert_eq!(spool.bytes(Kept { output: 10, errors: 0 }), (23, 13));
        assert_eq!(spool.trim(Kept { output: 10, errors: 9 }, at(1)).unwrap(), 4);
        assert_eq!(files::read(&spool.log(Stream::Output)).unwrap(), "two\nthree\n");
        assert_eq!(spool.trim(Kept { output: 6, errors: 0 }, at(2)).unwrap(), 13);
        assert_eq!(files::read(&spool.log(Stream::Output)).unwrap(), "three\n");
        assert_eq!(spool.trimmed().unwrap(), Some(Trimmed { at: at(1), bytes_before: 23 }));
        assert_eq!(spool.trim(Kept { output: 6, errors: 0 }, at(3)).unwrap(), 0);
    }
}

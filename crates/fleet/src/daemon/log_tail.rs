//! The log of a server in the background, and what it says when the server does not come up.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use cli::Failure;

/// How many of the last lines are shown.
const LINES: usize = 15;

/// A log, and how long it was before the server started.
#[derive(Debug)]
pub(crate) struct LogTail {
    path: PathBuf,
    file: File,
    begun: u64,
}

impl LogTail {
    /// Opens the log, and makes it and its folder first if they are not there.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let open = || {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            let file = OpenOptions::new().create(true).append(true).read(true).mode(0o600).open(path)?;
            let begun = file.metadata()?.len();
            Ok(Self { path: path.to_owned(), file, begun })
        };
        open().map_err(|error| Failure::io(&format!("cannot write `{}`", path.display()), &error))
    }

    /// Returns the file for the server to write to.
    pub(crate) fn writer(&self) -> Result<File, Failure> {
        self.file.try_clone().map_err(|error| Failure::io("cannot open the log twice", &error))
    }

    /// Makes the failure of a server that did not come up, with what it logged last.
    pub(crate) fn explain(mut self, what: &str) -> Failure {
        let mut message = what.to_owned();
        for line in self.tail().unwrap_or_default() {
            message.push_str("\n    ");
            message.push_str(&line);
        }
        Failure::new(api::Kind::Unavailable, message)
            .hint(format!("See the whole log: `less {}`.", self.path.display()))
            .hint("Or start it in the foreground and watch: `fleet up`.")
    }

    fn tail(&mut self) -> io::Result<Vec<String>> {
        self.file.seek(SeekFrom::Start(self.begun))?;
        let mut bytes = Vec::new();
        self.file.read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<_> = text.lines().collect();
        Ok(lines[lines.len().saturating_sub(LINES)..].iter().map(|line| (*line).to_owned()).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn the_last_lines_that_this_start_logged_are_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("logs").join("server.log");
        LogTail::open(&path).unwrap().writer().unwrap().write_all(b"of an earlier start\n").unwrap();
        let log = LogTail::open(&path).unwrap();
        let lines: String = (0..20).map(|number| format!("line {number}\n")).collect();
        log.writer().unwrap().write_all(lines.as_bytes()).unwrap();
        let Failure::Refused { message, exit, .. } = log.explain("it ended") else { panic!("it is a refusal") };
        let expected: String = (5..20).map(|number| format!("\n    line {number}")).collect();
        assert_eq!((message, exit), (format!("it ended{expected}"), 8));
    }
}

//! Asking a program something short: who it is, whether it is logged in.
//!
//! Such a program is not an agent: it gets no shim and no spool, is given little time and no input, and whatever it has
//! started goes with it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use process::{Command, End, Finished, Keep};
use runtime::Clock;

/// How long a program may take to answer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How many bytes of its output are kept, and how many characters of the line that is shown.
const OUTPUT_MAX: usize = 64 * 1024;
const SAID_MAX: usize = 200;

/// What to ask, and with which environment; no other variable is passed on.
#[derive(Debug, Clone)]
pub struct Question {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its environment.
    pub env: BTreeMap<String, String>,
}

/// What a program said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It returned so.
    Said {
        /// Whether it returned zero.
        ok: bool,
        /// The first line that it printed.
        line: String,
    },
    /// Nothing in time, or it could not be started; this is why.
    Silent {
        /// Why.
        why: String,
    },
}

/// Runs a program, and not for long.
pub async fn ask(question: &Question, clock: &Clock) -> Answer {
    // Nowhere in particular: a repository may hold settings that run something.
    let command = Command {
        stdout: Keep::First(OUTPUT_MAX),
        stderr: Keep::First(OUTPUT_MAX),
        ..Command::new(&question.program, "/", TIMEOUT).args(&question.args).variables(&question.env)
    };
    let running = match command.start() {
        Ok(running) => running,
        Err(error) => return Answer::Silent { why: format!("it cannot be started: {error}") },
    };
    match running.finish(clock).await {
        Ok(Finished { end: End::TimedOut, .. }) => {
            Answer::Silent { why: format!("it did not answer within {} seconds", TIMEOUT.as_secs()) }
        }
        Ok(Finished { end, stdout, stderr, .. }) => {
            let said = if stdout.is_empty() { stderr } else { stdout };
            Answer::Said { ok: end == End::Code(0), line: first_line(&said) }
        }
        Err(error) => Answer::Silent { why: format!("it cannot be read: {error}") },
    }
}

fn first_line(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    line.chars().filter(|letter| !letter.is_control()).take(SAID_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Question {
        let args = vec!["-c".to_owned(), script.to_owned()];
        Question { program: PathBuf::from("/bin/sh"), args, env: [("A".to_owned(), "b".to_owned())].into() }
    }

    #[tokio::test]
    async fn a_program_says_one_line_with_the_environment_it_was_given_and_no_other() {
        let said = ask(&shell("echo; echo \"$A-$HOME\"; echo more"), &Clock::system()).await;
        assert_eq!(said, Answer::Said { ok: true, line: "b-".to_owned() });
        let failed = ask(&shell("echo not logged in >&2; exit 3"), &Clock::system()).await;
        assert_eq!(failed, Answer::Said { ok: false, line: "not logged in".to_owned() });
    }

    #[tokio::test]
    async fn what_is_no_program_is_silent_and_says_why() {
        let nobody = Question { program: PathBuf::from("/nowhere/at-all"), ..shell("") };
        assert!(matches!(ask(&nobody, &Clock::system()).await, Answer::Silent { .. }));
    }
}

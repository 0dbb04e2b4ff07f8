//! A reference that is locked and verified, and moves on command: for callers that change files along with it.
//!
//! As long as the lock is held, no process can commit to the branch or switch the checkout it was taken from. git
//! gives everything up by itself when its input ends, so a kill of ours leaves neither a lock nor a half-moved branch.

use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout};

use crate::command::{Command, Hooks, tail};
use crate::error::{Error, Failure};
use crate::locks::patiently;
use crate::oid::Oid;
use crate::repository::Repository;

/// How long git may take for one step.
const STEP: Duration = Duration::from_secs(60);

/// A move of a reference that git has said yes to; dropped, it does not happen.
#[derive(Debug)]
pub struct Prepared {
    command: Command,
    repository: Repository,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Repository {
    /// Locks a reference that is at `from`, to be moved to `to`; the inner error is where it was found instead.
    ///
    /// # Errors
    /// When git fails for another reason than a lost race, for example a lock that stays.
    pub async fn prepare(&self, reference: &str, from: &Oid, to: &Oid) -> Result<Result<Prepared, Option<Oid>>, Error> {
        let script = format!("start\nupdate {reference} {to} {from}\nprepare\n");
        let failure = match patiently(self.git.clock(), || self.begin(&script)).await {
            Ok(prepared) => return Ok(Ok(prepared)),
            Err(failure) => failure,
        };
        // git reports a lost race in text alone, so the reference itself is read.
        let found = self.reference(reference).await?;
        if found.as_ref() == Some(from) { Err(failure) } else { Ok(Err(found)) }
    }

    async fn begin(&self, script: &str) -> Result<Prepared, Error> {
        let apart = Self { kept_open: None, ..self.clone() };
        let command = apart.command(["update-ref", "-m", "fleet: land", "--stdin"]).hooks(Hooks::Asked);
        let command = command.masked().await?;
        let failed = |source| Error::Start { program: "git".to_owned(), source };
        let mut prepared = command.prepared().map_err(failed)?;
        prepared.stdin(Stdio::piped());
        // Not killed when dropped: it must be let to take its locks away.
        let mut child = tokio::process::Command::from(prepared).spawn().map_err(failed)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(command.unexpected("no pipes"));
        };
        let mut begun = Prepared { command, repository: self.clone(), child, input, output: BufReader::new(output) };
        begun.say(script, &["start: ok", "prepare: ok"]).await?;
        Ok(begun)
    }
}

impl Prepared {
    /// Moves the reference.
    ///
    /// # Errors
    /// When git cannot; the reference is then where it was.
    pub async fn commit(mut self) -> Result<(), Error> {
        self.say("commit\n", &["commit: ok"]).await?;
        self.abort().await;
        Ok(())
    }

    /// Gives the lock back and waits until it is gone.
    pub async fn abort(self) {
        let Self { repository, mut child, input, output, .. } = self;
        drop((input, output));
        let _ = repository.git.clock().timeout(STEP, child.wait()).await;
    }

    /// Sends git a command and waits for its answers.
    async fn say(&mut self, text: &str, answers: &[&str]) -> Result<(), Error> {
        let clock = self.repository.git.clock().clone();
        let talk = async {
            // One that has given up says why below.
            let _ = self.input.write_all(text.as_bytes()).await;
            let mut line = String::new();
            for answer in answers {
                line.clear();
                let read = self.output.read_line(&mut line).await;
                if read.is_err() || line.trim_end() != *answer {
                    return Err(self.refusal().await);
                }
            }
            Ok(())
        };
        match clock.timeout(STEP, talk).await {
            Ok(said) => said,
            Err(runtime::Elapsed) => Err(Error::TimedOut { command: self.command.text(), limit: STEP }),
        }
    }

    async fn refusal(&mut self) -> Error {
        let mut said = Vec::new();
        let _ = self.input.shutdown().await;
        if let Some(mut pipe) = self.child.stderr.take() {
            let _ = pipe.read_to_end(&mut said).await;
        }
        let code = self.child.wait().await.ok().and_then(|status| status.code());
        Error::Failed(Failure { command: self.command.text(), code, stderr: tail(&said) })
    }
}

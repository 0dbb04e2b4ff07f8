//! The permission hook: the program that an agent's own hook runs before each tool call.
//!
//! It reads the hook's question on standard input, decides by the session's permissions, writes the decision to the
//! session's journal and answers in the agent's words. It is started for every single call, so it makes no runtime,
//! reads no setting and asks no server. Hooks of agents let a call through on any exit code they do not know: so the
//! hook exits with status 0 and an answer, or with 2, which every agent takes for a no. It cannot allow a call that it
//! did not write down. Start with [`main`], then read `answer.rs`.

mod answer;
mod question;

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use policy::{Judged, SessionPermissions, Verdict, decide};
use runtime::Clock;

pub use question::Agent;

use answer::answer;
use question::Question;

/// The subcommand that runs the permission hook.
pub const WORD: &str = "__gate";

/// The exit code that every agent takes for a no, with the reason on standard error.
const NO: u8 = 2;

/// Most bytes of a question; files that an agent writes are in it.
const QUESTION_MAX: u64 = 64 << 20;

/// Where the permission hook finds its files; [`Hook::argv`] and [`main`] are two sides of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// Whose hook it is.
    pub agent: Agent,
    /// The permissions of the session.
    pub fence: PathBuf,
    /// The journal of the session.
    pub journal: PathBuf,
}

impl Hook {
    /// Returns the command line of the permission hook, with `program` as Fleet's executable.
    #[must_use]
    pub fn argv(&self, program: &str) -> Vec<String> {
        let (fence, journal) = (self.fence.display().to_string(), self.journal.display().to_string());
        let options = ["--agent", self.agent.as_str(), "--fence", &fence, "--journal", &journal];
        [program, WORD].into_iter().chain(options).map(str::to_owned).collect()
    }

    fn of(args: &[OsString]) -> Option<Self> {
        let (mut agent, mut fence, mut journal) = (None, None, None);
        let mut rest = args.iter();
        while let Some(option) = rest.next() {
            let value = rest.next()?;
            match option.to_str()? {
                "--agent" => agent = Some(Agent::of(value.to_str()?)?),
                "--fence" => fence = Some(PathBuf::from(value)),
                "--journal" => journal = Some(PathBuf::from(value)),
                _ => return None,
            }
        }
        Some(Self { agent: agent?, fence: fence?, journal: journal? })
    }
}

/// Runs the permission hook for one call, and returns the exit code of the program: 0 or 2, whatever happens.
///
/// `args` are what follows [`WORD`].
#[must_use]
pub fn main(args: &[OsString]) -> u8 {
    let mut question = Vec::new();
    let asked = io::stdin().lock().take(QUESTION_MAX).read_to_end(&mut question);
    let clock = Clock::system();
    // A panic is not an answer, and its exit code would allow the call.
    let answered = catch_unwind(AssertUnwindSafe(|| match asked {
        Ok(_) => judge(args, &question, &clock),
        Err(error) => Err(format!("the question cannot be read: {error}")),
    }));
    let said =
        answered.unwrap_or_else(|_| Err("the permission hook crashed; no call runs until it is fixed".to_owned()));
    said.and_then(|text| tell(&text)).map_or_else(refuse, |()| 0)
}

/// Decides about a question, writes the decision down, and returns what to print.
fn judge(args: &[OsString], question: &[u8], clock: &Clock) -> Result<String, String> {
    let usage = format!("{WORD} takes --agent claude|codex|gemini, --fence FILE and --journal FILE");
    let gate = Hook::of(args).ok_or(usage)?;
    let question = Question::read(gate.agent, question)?;
    let fence = SessionPermissions::load(&gate.fence).map_err(|error| error.to_string());
    let verdict = match &fence {
        Ok(fence) => decide(fence, &question.call),
        Err(why) => Verdict::unreadable(why.as_str()),
    };
    let judged = Judged::new(clock.now(), question.id, &question.call, verdict.clone());
    let written =
        judged.append(&gate.journal).map_err(|error| format!("the journal of calls cannot be written: {error}"));
    let fence = fence?;
    written?;
    Ok(answer(gate.agent, &fence, &question.call, &verdict))
}

fn tell(text: &str) -> Result<(), String> {
    let mut out = io::stdout().lock();
    let told = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    told.map_err(|error| format!("the answer cannot be given: {error}"))
}

fn refuse(why: String) -> u8 {
    // The agent may have closed the pipe; the exit code is enough.
    let _ = writeln!(io::stderr(), "Fleet refused this call: {why}");
    NO
}

#[cfg(test)]
#[path = "hook_tests.rs"]
mod tests;

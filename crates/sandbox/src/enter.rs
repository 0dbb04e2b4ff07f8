//! Entering a sandbox: this program is executed again, enters, and becomes the agent.
//!
//! The rules are read from the process that starts it, and what came of them is told to that before the agent runs: it
//! runs inside of all that was planned, or not at all. Nothing is started before the process is inside, but for
//! its own first process, which enters alone.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use rustix::thread::{CapabilitySet, CapabilitySets};

use crate::cgroup::{self, Cgroup};
use crate::error::{Error, step};
use crate::limits::Counted;
use crate::plan::{Bubblewrap, Isolation, Rules};
use crate::{bubblewrap, init, landlock_rules, namespaces, network, seccomp, support, sys};

/// The word after which the program enters a sandbox.
pub const WORD: &str = "__sandbox";

/// In place of a path for the status: no process reads it.
const NO_READER: &str = "-";

/// The exit code if the agent's program could not be executed, as with shells.
const NOT_EXECUTED: u8 = 126;

/// Rules for a process that is about to be started, and the status of entering them.
///
/// Both go through descriptors of this process, which the other one opens by their names in `/proc`: rules can be
/// longer than an argument may be. Inside of `bwrap` these names lead nowhere; there the rules are an argument,
/// and a failure shows in the agent's exit code.
#[derive(Debug)]
pub struct Handover {
    isolation: Isolation,
    text: String,
    rules: OwnedFd,
    told: PipeReader,
    telling: PipeWriter,
    cgroup: Option<Cgroup>,
}

impl Handover {
    /// Prepares the start of one process.
    ///
    /// # Errors
    /// When there are no descriptors left.
    pub fn new(rules: &Rules) -> io::Result<Self> {
        let (told, telling) = io::pipe()?;
        let file = memfd_create("sandbox", MemfdFlags::CLOEXEC)?;
        let mut file = File::from(file);
        let cgroup = match rules.cgroups.as_slice() {
            [] => None,
            parents => Some(Cgroup::make(parents, &rules.limits)?),
        };
        let made = cgroup.as_ref().map(Cgroup::folders).unwrap_or_default().to_vec();
        let text = serde_json::to_string(&Rules { cgroups: made, ..rules.clone() })?;
        file.write_all(text.as_bytes())?;
        Ok(Self { isolation: rules.isolation.clone(), text, rules: file.into(), told, telling, cgroup })
    }

    /// Takes the groups of the process, if it has some, to be dropped after its end.
    #[must_use]
    pub const fn take_cgroup(&mut self) -> Option<Cgroup> {
        self.cgroup.take()
    }

    /// Returns the program to start in place of another, and its arguments; `own` is this program.
    #[must_use]
    pub fn command(&self, own: &Path, program: &Path, args: &[impl AsRef<OsStr>]) -> (PathBuf, Vec<OsString>) {
        let name = |number: i32| OsString::from(format!("/proc/{}/fd/{number}", std::process::id()));
        let inner = [program.into()].into_iter().chain(args.iter().map(|arg| arg.as_ref().to_owned()));
        match &self.isolation {
            Isolation::Bubblewrap(outer) => {
                let own = std::fs::read_link(own).unwrap_or_else(|_| own.to_owned());
                let ours = [own.into(), WORD.into(), self.text.clone().into(), NO_READER.into()];
                let args = bubblewrap::arguments(outer).into_iter().chain(ours).chain(inner);
                (outer.program.clone(), args.collect())
            }
            Isolation::None | Isolation::Namespaces(_) => {
                let ours = [WORD.into(), name(self.rules.as_raw_fd()), name(self.telling.as_raw_fd())];
                (own.to_owned(), ours.into_iter().chain(inner).collect())
            }
        }
    }

    /// Waits until the process is inside and has become the other program.
    ///
    /// # Errors
    /// When it has not, with the reason: then it has ended, or is about to.
    pub fn entered(self, child: Pid) -> io::Result<()> {
        let Self { mut told, telling, rules, isolation, .. } = self;
        if matches!(isolation, Isolation::Bubblewrap(_)) {
            return Ok(());
        }
        let process = pidfd_open(child, PidfdFlags::empty())?;
        // As long as this process can write too, the end of the pipe says nothing.
        loop {
            let mut sources = [PollFd::new(&told, PollFlags::IN), PollFd::new(&process, PollFlags::IN)];
            match poll(&mut sources, None) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let [heard, ended] = sources.map(|source| source.revents().contains(PollFlags::IN));
            if heard {
                told.read_exact(&mut [0])?;
                break;
            }
            if ended {
                return Err(io::Error::other("the process ended before it entered its sandbox"));
            }
        }
        drop((telling, rules));
        let mut why = String::new();
        told.read_to_string(&mut why)?;
        if why.is_empty() { Ok(()) } else { Err(io::Error::other(why)) }
    }
}

/// Enters a sandbox and becomes another program; returns only if it cannot, and once that has ended where it is
/// the first process of namespaces or the one above.
///
/// Call it before any thread is started. `args` are what follows [`WORD`].
#[must_use]
pub fn main(args: &[OsString]) -> u8 {
    match args {
        [word, kind, groups @ ..] if word == support::PROBE && kind == support::CGROUP => {
            let groups: Vec<PathBuf> = groups.iter().map(PathBuf::from).collect();
            cgroup::enter(&groups).map_or(1, |()| 0)
        }
        [word, kind] if word == support::PROBE => namespaces::probe(kind),
        [rules, status, program, args @ ..] => match open(rules, status) {
            Ok((rules, status)) => enter(&rules, status, &Agent { program, args }),
            Err(error) => refuse(&error.to_string()),
        },
        _ => 2,
    }
}

/// The pipe to the process that waits for the status; none inside of `bwrap`.
type Status = Option<File>;

#[expect(clippy::disallowed_methods, reason = "reads the rules of this process, not a file of a user")]
fn open(rules: &OsString, status: &OsString) -> io::Result<(Rules, Status)> {
    if status == NO_READER {
        return Ok((serde_json::from_slice(rules.as_encoded_bytes())?, None));
    }
    let mut status = std::fs::OpenOptions::new().write(true).open(status)?;
    let rules = serde_json::from_slice(&std::fs::read(rules)?)?;
    status.write_all(b"+")?;
    Ok((rules, Some(status)))
}

/// The program to become.
pub(crate) struct Agent<'a> {
    program: &'a OsString,
    args: &'a [OsString],
}

fn enter(rules: &Rules, status: Status, agent: &Agent<'_>) -> u8 {
    // Before anything is made that counts.
    if let Err(error) = step("enter its control groups", cgroup::enter(&rules.cgroups)) {
        return tell(status, &error.to_string());
    }
    match &rules.isolation {
        Isolation::None | Isolation::Bubblewrap(_) => become_agent(rules, status, agent),
        Isolation::Namespaces(spaces) => match namespaces::enter(rules, spaces) {
            Ok(namespaces::Part::Agent) => become_agent(rules, status, agent),
            Ok(namespaces::Part::First { agent, report, bells }) => {
                drop(status);
                init::reap(agent, report, bells).map_or(1, |()| 0)
            }
            Ok(namespaces::Part::Above { first, told }) => {
                drop(status);
                init::report(first, told)
            }
            Err(error) => tell(status, &error.to_string()),
        },
    }
}

fn become_agent(rules: &Rules, status: Status, agent: &Agent<'_>) -> u8 {
    if let Err(error) = hand_over(&rules.isolation).and_then(|()| confine(rules)) {
        return tell(status, &error.to_string());
    }
    let error = execute(agent);
    tell(status, &format!("cannot execute `{}`: {error}", agent.program.display()))
}

/// Hands over the ports of the network that `bwrap` made; in namespaces of our own that has been done.
fn hand_over(isolation: &Isolation) -> Result<(), Error> {
    let Isolation::Bubblewrap(Bubblewrap { listen: Some(listen), .. }) = isolation else { return Ok(()) };
    let to = step("reach the process that listens for it", network::connect(&listen.give_to))?;
    step("hand its ports over", network::hand_over(&listen.ports, &to))
}

/// Gives up, for good, what this process does not need as an agent.
fn confine(rules: &Rules) -> Result<(), Error> {
    step("keep descriptors to itself", sys::keep_descriptors())?;
    let own = matches!(rules.isolation, Isolation::Namespaces(_));
    rules.limits.apply(if own { Counted::Alone } else { Counted::WithOthers })?;
    // The other layers do this too, each for itself; none of them may be there.
    step("gain nothing by programs", rustix::thread::set_no_new_privs(true))?;
    if rules.landlock {
        landlock_rules::apply(rules)?;
    }
    drop_capabilities()?;
    if let Some(sockets) = rules.sockets {
        seccomp::apply(sockets)?;
    }
    Ok(())
}

/// Gives up what the user root may do beyond what belongs to it; no program gives it back.
fn drop_capabilities() -> Result<(), Error> {
    for capability in CapabilitySet::all().iter() {
        // One that this kernel does not know, and one that others have taken away, is gone.
        let _ = rustix::thread::remove_capability_from_bounding_set(capability);
    }
    let none = CapabilitySet::empty();
    let none = CapabilitySets { effective: none, permitted: none, inheritable: none };
    step("give up capabilities", rustix::thread::set_capabilities(None, none))
}

#[expect(clippy::disallowed_methods, reason = "no process is started: this one becomes another")]
fn execute(agent: &Agent<'_>) -> io::Error {
    Command::new(agent.program).args(agent.args).exec()
}

/// Writes why there is no agent to the process that waits for it.
fn tell(status: Status, why: &str) -> u8 {
    match status.map(|mut status| status.write_all(why.as_bytes())) {
        Some(Ok(())) => NOT_EXECUTED,
        Some(Err(_)) | None => refuse(why),
    }
}

fn refuse(why: &str) -> u8 {
    // It goes to the agent's standard error; if that is closed, the exit code remains.
    let _ = writeln!(io::stderr(), "{why}");
    NOT_EXECUTED
}

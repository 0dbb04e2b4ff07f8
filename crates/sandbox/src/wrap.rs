//! Programs around the agent's own, for what landlock cannot do: a network of its own, and a file that stays as it is in
//! a folder that is written to.
//!
//! `bwrap` does both, and must be outside of the walls to do so. So it executes this program again, which puts the
//! walls up around itself and becomes the agent. Inside of them nothing is mounted and nothing unmounted.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::plan::{Outer, Walls};
use crate::walls::confine_self;

/// The word after which the program walls itself in; the walls, the agent's program and its arguments follow.
pub const WORD: &str = "__sandbox";

/// What is returned when the agent's program could not be executed, as shells do.
const NOT_EXECUTED: u8 = 126;

/// Returns the program to start in place of another, and its arguments, for walls that need one around it.
///
/// `own` is this program. None if [`crate::confined`] is enough.
#[must_use]
pub fn wrapped(walls: &Walls, own: &Path, program: &Path, args: &[String]) -> Option<(PathBuf, Vec<OsString>)> {
    let outer = walls.outer.clone()?;
    let inner = Walls { outer: None, ..walls.clone() };
    let inner = serde_json::to_string(&inner).ok()?;
    let own = [own.as_os_str().to_owned(), WORD.into(), inner.into(), program.as_os_str().to_owned()];
    let args = mounts(&outer).into_iter().chain(own).chain(args.iter().map(OsString::from));
    Some((outer.program, args.collect()))
}

/// The folder of what stays is mounted over itself, as nobody can move what something is mounted on.
fn mounts(outer: &Outer) -> Vec<OsString> {
    let mut args = ["--dev-bind", "/", "/"].map(OsString::from).to_vec();
    let mut mount = |how: &str, path: &Path| args.extend([how.into(), path.into(), path.into()]);
    let folders: BTreeSet<&Path> = outer.fixed.iter().filter_map(|path| path.parent()).collect();
    folders.into_iter().for_each(|folder| mount("--bind", folder));
    outer.fixed.iter().for_each(|path| mount("--ro-bind", path));
    args.extend(outer.network.then(|| OsString::from("--unshare-net")));
    args.push("--".into());
    args
}

/// Walls this program in and becomes another; returns only if it cannot.
///
/// `args` are what follows [`WORD`].
#[must_use]
pub fn main(args: &[OsString]) -> u8 {
    let [walls, program, args @ ..] = args else { return 2 };
    let Some(walls) = walls.to_str().and_then(|text| serde_json::from_str::<Walls>(text).ok()) else { return 2 };
    if let Err(error) = confine_self(&walls) {
        return refuse(&error.to_string());
    }
    refuse(&format!("cannot execute `{}`: {}", program.display(), become_program(program, args)))
}

#[expect(clippy::disallowed_methods, reason = "no process is started: this one becomes another")]
fn become_program(program: &OsString, args: &[OsString]) -> std::io::Error {
    Command::new(program).args(args).exec()
}

fn refuse(why: &str) -> u8 {
    // Whoever reads the agent's errors reads this; if nobody does, the code says it.
    let _ = writeln!(std::io::stderr(), "{why}");
    NOT_EXECUTED
}

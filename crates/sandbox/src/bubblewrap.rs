//! `bwrap` around the agent, where this program may make no namespaces and that one may: a network of its own, and
//! files that stay as they are in a folder that is written to.
//!
//! It executes this program again, which applies the rest of the rules to itself and becomes the agent.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use crate::plan::Bubblewrap;

/// Returns the arguments before those of the program to execute.
///
/// The folder of what stays is mounted over itself, as a mount point cannot be moved.
pub(crate) fn arguments(outer: &Bubblewrap) -> Vec<OsString> {
    let mut args = ["--dev-bind", "/", "/"].map(OsString::from).to_vec();
    let mut mount = |how: &str, path: &Path| args.extend([how.into(), path.into(), path.into()]);
    let folders: BTreeSet<&Path> = outer.fixed.iter().filter_map(|path| path.parent()).collect();
    folders.into_iter().for_each(|folder| mount("--bind", folder));
    outer.fixed.iter().for_each(|path| mount("--ro-bind", path));
    args.extend(outer.network.then(|| OsString::from("--unshare-net")));
    args.push("--".into());
    args
}

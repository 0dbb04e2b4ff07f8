//! Starts cargo and other programs in the root of the workspace.
//!
//! `cargo run` tells its child about the package it runs. A cargo below it would pass that on to build scripts that
//! watch these variables (ring's does), and they would build again; so they are taken away here.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// What `cargo run` sets for the program it runs, by prefix.
const PACKAGE_VARIABLES: [&str; 4] = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_"];

/// Runs a program whose output the developer sees; `false` if it failed.
pub(crate) fn passes(root: &Path, program: &str, args: &[&str]) -> Result<bool> {
    let status = command(root, program, args).status().with_context(|| format!("cannot start {program}"))?;
    Ok(status.success())
}

/// Runs a program and returns what it printed; its errors go to the developer's terminal.
pub(crate) fn output(root: &Path, program: &str, args: &[&str]) -> Result<String> {
    let output = command(root, program, args)
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start {program}"))?;
    if !output.status.success() {
        bail!("`{program} {}` failed: {}", args.join(" "), output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("{program} printed what is not UTF-8"))
}

/// Prepares a program that knows nothing of the package that runs it.
pub(crate) fn command(root: &Path, program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args).current_dir(root);
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(names_a_package) {
            command.env_remove(&name);
        }
    }
    command
}

fn names_a_package(variable: &str) -> bool {
    PACKAGE_VARIABLES.iter().any(|prefix| variable.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_variables_of_the_running_package_are_taken_away() {
        assert!(names_a_package("CARGO_PKG_NAME"));
        assert!(names_a_package("CARGO_MANIFEST_DIR"));
        assert!(!names_a_package("CARGO_HOME"));
        assert!(!names_a_package("CARGO_TARGET_DIR"));
    }

    #[test]
    fn a_failing_program_is_an_error_that_names_it() {
        let error = output(Path::new("."), "git", &["no-such-command"]).unwrap_err();
        assert!(error.to_string().contains("git no-such-command"), "{error}");
    }
}

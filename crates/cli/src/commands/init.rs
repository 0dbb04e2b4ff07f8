//! `fleet init`: makes the home directory, the key and a settings file to edit.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use config::{Form, Home, SETTINGS};

use crate::context::Context;
use crate::failure::Failure;

/// Create the home directory, its key and a settings file
///
/// Existing files are not changed.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// Overwrite the settings file; the old one is kept as runtime.toml.old
    #[arg(long)]
    force: bool,
}

const NEXT: &str = "\
Next:
  fleet doctor            see whether everything is there
  fleet up --background   start the server
  fleet login --link      open the web page
  fleet project create NAME PATH";

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, Failure> {
    let home = context.home()?;
    let made: Vec<_> = [make_home(&home)?, make_key(&home)?, make_settings(&home, args.force)?]
        .into_iter()
        .map(|(state, path)| format!("{state}  {}\n", path.display()))
        .collect();
    context.terminal.print(&made.concat())?;
    context.terminal.say(NEXT);
    Ok(0)
}

type Made = (&'static str, std::path::PathBuf);

fn make_home(home: &Home) -> Result<Made, Failure> {
    let state = state_of(home.path());
    home.create()?;
    Ok((state, home.path().to_owned()))
}

fn make_key(home: &Home) -> Result<Made, Failure> {
    let state = state_of(&home.token());
    home.local_key()?;
    Ok((state, home.token()))
}

fn make_settings(home: &Home, force: bool) -> Result<Made, Failure> {
    let path = home.runtime_toml();
    let failed = |error: &io::Error| Failure::io(&format!("cannot write `{}`", path.display()), error);
    if force && path.exists() {
        set_aside(&path).map_err(|error| failed(&error))?;
    }
    let created = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
    match created {
        Ok(mut file) => {
            file.write_all(template().as_bytes()).map_err(|error| failed(&error))?;
            Ok(("made   ", path))
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(("present", path)),
        Err(error) => Err(failed(&error)),
    }
}

#[expect(clippy::disallowed_methods, reason = "a settings file that is written anew is kept under another name")]
fn set_aside(path: &Path) -> io::Result<()> {
    std::fs::rename(path, path.with_extension("toml.old"))
}

fn state_of(path: &Path) -> &'static str {
    if path.exists() { "present" } else { "made   " }
}

/// The settings file in which every line is a comment.
fn template() -> String {
    let mut text = "# Settings of Fleet. A line without `#` takes the place of its default.\n".to_owned();
    for setting in SETTINGS {
        let value = match setting.form {
            Form::Integer | Form::Boolean if !setting.default.is_empty() => setting.default.to_owned(),
            Form::Integer | Form::Boolean | Form::Text => format!("{:?}", setting.default),
            Form::List => "[]".to_owned(),
        };
        // Writing to a string cannot fail.
        let _ = write!(text, "\n# {}\n# {} = {value}\n", setting.doc, setting.key);
    }
    text
}

#[cfg(test)]
mod tests {
    use config::{Environment, Overrides, Source};

    use super::*;

    #[test]
    fn the_template_changes_nothing_and_each_of_its_lines_would_be_accepted() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        make_settings(&home, false).unwrap();
        let load = || config::load(&home, &Environment::default(), &Overrides::new()).unwrap();
        assert!(load().resolved.iter().all(|setting| setting.source == Source::Default));

        let filled = |line: &str| match line.split_once(" = ") {
            Some((key, "\"\"")) if key.contains("budget") || key.ends_with("_mb") => format!("{key} = \"7\"\n"),
            Some((key, "\"\"")) if key.ends_with("_quiet") => format!("{key} = \"22:00-07:00\"\n"),
            Some((key, "\"\"")) => format!("{key} = \"secret\"\n"),
            Some(_) | None => format!("{line}\n"),
        };
        let uncommented = template().replace("\n# ", "\n");
        let settings: String = uncommented.lines().filter(|line| line.contains(" = ")).map(filled).collect();
        folder_write(&home, &settings);
        let loaded = load();
        assert!(loaded.resolved.iter().all(|setting| setting.source != Source::Default), "{settings}");
    }

    #[test]
    fn what_is_there_stays_unless_it_is_forced_and_then_it_is_kept_aside() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        folder_write(&home, "port = 4000\n");
        assert_eq!(make_settings(&home, false).unwrap().0, "present");
        assert_eq!(read(&home.runtime_toml()), "port = 4000\n");
        assert_eq!(make_settings(&home, true).unwrap().0, "made   ");
        assert_eq!(read(&folder.path().join("runtime.toml.old")), "port = 4000\n");
        assert_eq!(read(&home.runtime_toml()), template());
    }

    #[expect(clippy::disallowed_methods, reason = "a test plays the person who edits the file")]
    fn folder_write(home: &Home, text: &str) {
        std::fs::write(home.runtime_toml(), text).unwrap();
    }

    #[expect(clippy::disallowed_methods, reason = "a test looks at what was written")]
    fn read(path: &Path) -> String {
        std::fs::read_to_string(path).unwrap()
    }
}

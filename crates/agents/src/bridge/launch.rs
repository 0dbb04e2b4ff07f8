//! The command lines of agents behind the bridge. What each needs beside that is known where it is run without one.

use crate::launch::{COMMON, extra, passable, plain, tmp};
use crate::{Brief, Launch, LaunchError, Loading, Opening, Setup, Signal, Spoken, StdinProtocol, bridge};
use crate::{codex, gemini, opencode};

/// Arguments that would switch off what an agent asks about.
const BYPASS: [&str; 4] = ["dangerously", "yolo", "bypass", "skip-permissions"];

/// What an agent is started with.
#[derive(Debug, Default)]
pub(crate) struct Started {
    /// The program and its arguments.
    pub(crate) argv: Vec<String>,
    /// Environment to set.
    pub(crate) env: Vec<(String, String)>,
    /// Names of the environment that it needs beside the common ones.
    pub(crate) pass: Vec<&'static str>,
    /// Files to write before.
    pub(crate) files: Vec<crate::PrivateFile>,
}

pub(super) fn codex(setup: &Setup, brief: &Brief) -> Result<Launch, LaunchError> {
    let opening = Opening { model: setup.model(brief.model.as_deref()), ..Opening::of(brief) };
    launch(Spoken::Codex, setup, brief, &opening, codex::app_server(setup, brief)?)
}

pub(super) fn gemini(setup: &Setup, brief: &Brief) -> Result<Launch, LaunchError> {
    let loading = match brief.rested_secs {
        // Then it was begun in another minute, too.
        Some(60..) => Loading::AtOnce,
        Some(_) | None => Loading::NextMinute,
    };
    // Its model is in the command line.
    let opening = Opening { model: None, loading, ..Opening::of(brief) };
    launch(Spoken::Acp, setup, brief, &opening, gemini::acp(setup, brief)?)
}

pub(super) fn opencode(setup: &Setup, brief: &Brief) -> Result<Launch, LaunchError> {
    let opening = Opening { model: setup.model(brief.model.as_deref()), ..Opening::of(brief) };
    launch(Spoken::Acp, setup, brief, &opening, opencode::acp(setup, brief)?)
}

/// An agent of which only the name is known: everything else is in the settings.
pub(super) fn other(name: &str, setup: &Setup, brief: &Brief) -> Result<Launch, LaunchError> {
    let binary = setup.binary.clone().unwrap_or_else(|| name.to_owned());
    let mut argv = vec![plain("program", &binary)?];
    argv.extend(extra(name, setup, brief, &BYPASS)?);
    let opening = Opening { model: setup.model(brief.model.as_deref()), ..Opening::of(brief) };
    launch(Spoken::Acp, setup, brief, &opening, Started { argv, ..Started::default() })
}

fn launch(
    spoken: Spoken,
    setup: &Setup,
    brief: &Brief,
    opening: &Opening,
    started: Started,
) -> Result<Launch, LaunchError> {
    let (argv, opening) = bridge::across(spoken, brief, opening, started.argv)?;
    let (tmp, keep) = tmp(setup, brief);
    Ok(Launch {
        argv: passable(argv)?,
        cwd: brief.cwd.clone(),
        env: started.env.into_iter().chain(tmp).chain(setup.env(brief)).collect(),
        pass: setup.pass(&[&COMMON[..], &started.pass[..]].concat()),
        files: started.files.into_iter().chain(keep).collect(),
        stdin: StdinProtocol::JsonLines,
        pty: false,
        opening: vec![opening],
        stop: Signal::Term,
    })
}

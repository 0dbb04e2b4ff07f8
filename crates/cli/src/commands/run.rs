//! `fleet run`: a prompt becomes a mission of the repository around this folder, is started and followed.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use api::Page;
use api::devfleet::{
    CreateMission, CreateProject, DeleteMission, DispatchMission, ExplainMission, ListProjects, MissionStatus,
    StartOptions, WaitForMission,
};
use client::Client;
use serde_json::json;
use types::{MissionId, ProjectId};

use super::logs;
use crate::context::Context;
use crate::failure::Failure;
use crate::input::has_git;
use crate::render::moment;

/// Characters of a title that is made from a prompt.
const TITLE_CHARS: usize = 72;
/// What a process ends with that was interrupted.
pub(crate) const INTERRUPTED: u8 = 130;
/// How long one request waits for the mission to come to rest.
const WAIT_SECS: u32 = 600;

/// Run a prompt in this repository and follow it until its work has landed
///
/// Creates a project for the repository if there is none, creates a mission, starts an agent and shows its output.
/// Ctrl-C stops showing, not the agent. Exits with status 0 when the mission completed.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// What to do (`-` reads standard input); without it, the server runs in the foreground, as with `fleet up`
    pub(crate) prompt: Option<String>,
    /// Title of the mission [default: the first line of the prompt]
    #[arg(long)]
    title: Option<String>,
    /// Agent to start, such as `claude`, `codex` or `sim`
    #[arg(long)]
    agent: Option<String>,
    /// Model of the agent
    #[arg(long)]
    model: Option<String>,
    /// Return once the agent is started
    #[arg(long, short)]
    detach: bool,
}

pub(crate) async fn run(args: Args, context: &mut Context<'_>) -> Result<u8, Failure> {
    let prompt = prompt(args.prompt.unwrap_or_default())?;
    if prompt.trim().is_empty() {
        return Err(
            Failure::new(api::Kind::Invalid, "the prompt is empty").hint("Say what to do: `fleet run \"Add a cart\"`.")
        );
    }
    let here = std::env::current_dir().map_err(|error| Failure::io("cannot find the current folder", &error))?;
    let root = repository(&here)?;
    let client = context.connect().await?;
    let project = project(&client, &root, context).await?;
    let new = json!({
        "project_id": &project, "title": args.title.unwrap_or_else(|| title(&prompt)), "detailed_prompt": prompt,
        "agent": args.agent, "model": args.model,
    });
    let unreadable = |error: serde_json::Error| Failure::new(api::Kind::Invalid, error.to_string());
    let new: CreateMission = serde_json::from_value(new).map_err(unreadable)?;
    let mission = context.awaited("Creating a mission", client.call(new)).await?.output.id;
    let dispatch = DispatchMission { mission: mission.clone(), options: StartOptions::default() };
    let started = match context.awaited("Starting an agent", client.call(dispatch)).await {
        Ok(reply) => reply.output,
        Err(error) => return Err(taken_back(&client, mission, error).await),
    };
    match &started.session_id {
        Some(session) => context.terminal.say(&format!("Mission {mission}: session {session} started.")),
        None => context.terminal.say(&format!("Mission {mission} waits for a free slot: `fleet why {mission}`.")),
    }
    if args.detach || started.session_id.is_none() {
        context.terminal.say(&format!("Follow it: `fleet logs {mission} -f`."));
        return Ok(0);
    }
    context.terminal.say("Ctrl-C leaves it running.");
    let followed = async {
        logs::run(logs::Args::following(&mission), context).await?;
        context.awaited("Waiting for its landing", rested(&client, &mission)).await
    };
    let status = tokio::select! {
        status = followed => Some(status?),
        _ = tokio::signal::ctrl_c() => None,
    };
    let Some(status) = status else {
        context.terminal.say(&format!(
            "\nMission {mission} continues. Come back: `fleet logs {mission} -f`, `fleet attach {mission}`."
        ));
        context.terminal.say(&format!("End it: `fleet mission cancel {mission}`."));
        return Ok(INTERRUPTED);
    };
    let completed = status == MissionStatus::Completed;
    let why = client.call(ExplainMission { mission: mission.clone() }).await?.output.why;
    context.terminal.say(&moment::spoken(&why, context.clock.now()));
    context.terminal.say(&format!("What was done: `fleet report {mission}`."));
    Ok(u8::from(!completed))
}

/// Removes the mission of an agent that was refused: who mends the cause types the same again.
async fn taken_back(client: &Client, mission: MissionId, error: api::Error) -> Failure {
    let removed = client.call(DeleteMission { mission: mission.clone() }).await;
    let failure = Failure::from(error);
    if removed.is_ok() { failure } else { failure.hint(format!("Start it later: `fleet dispatch {mission}`.")) }
}

fn prompt(given: String) -> Result<String, Failure> {
    if given != "-" {
        return Ok(given);
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| Failure::io("cannot read standard input", &error))?;
    Ok(text)
}

/// Finds the top folder of the repository around a folder.
pub(crate) fn repository(here: &Path) -> Result<PathBuf, Failure> {
    let found = here.ancestors().find(|folder| has_git(folder));
    found.map(Path::to_owned).ok_or_else(|| {
        Failure::new(api::Kind::Invalid, format!("{} is not in a git repository", here.display()))
            .hint("Go to one, or make one: `git init && git add --all && git commit -m start`.")
    })
}

/// Finds the project of a repository, or creates it.
pub(crate) async fn project(client: &Client, root: &Path, context: &mut Context<'_>) -> Result<ProjectId, Failure> {
    let mut list = ListProjects::default();
    loop {
        let page = context.awaited("Looking for the project", client.call(list.clone())).await?;
        if let Some(card) = page.output.items.into_iter().find(|card| Path::new(&card.project.path) == root) {
            return Ok(card.project.id);
        }
        if page.next.is_none() {
            break;
        }
        list.page = Page { after: page.next, limit: None };
    }
    let name = root.file_name().map_or_else(|| "project".to_owned(), |name| name.to_string_lossy().into_owned());
    let path = root.display().to_string();
    let create = CreateProject { name, path, ..CreateProject::default() };
    let made = context.awaited("Creating a project", client.call(create)).await?.output;
    context.terminal.say(&format!("Project {} ({}) created for {}.", made.id, made.name, made.path));
    Ok(made.id)
}

/// Waits until a mission has no holder, is landed, or needs a person.
async fn rested(client: &Client, mission: &MissionId) -> Result<MissionStatus, Failure> {
    loop {
        let wait = WaitForMission { mission: mission.clone(), timeout_seconds: WAIT_SECS };
        let awaited = client.call(wait).await?.output;
        if !awaited.timed_out {
            return Ok(awaited.mission.status);
        }
    }
}

/// The first line of a prompt, cut at a word.
fn title(prompt: &str) -> String {
    let line = prompt.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("Untitled");
    if line.chars().count() <= TITLE_CHARS {
        return line.to_owned();
    }
    let cut: String = line.chars().take(TITLE_CHARS).collect();
    let end = cut.rfind(' ').filter(|end| *end > 0).unwrap_or(cut.len());
    format!("{}…", &cut[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_first_line_and_ends_at_a_word() {
        assert_eq!(title("\n  Add a cart.\nWith taxes."), "Add a cart.");
        assert_eq!(title(" \n"), "Untitled");
        let long = title(&"word ".repeat(40));
        assert!(long.ends_with("word…") && long.chars().count() <= TITLE_CHARS + 1, "{long}");
    }

    #[test]
    fn the_repository_of_a_folder_is_the_nearest_around_it() {
        let root = tempfile::tempdir().unwrap();
        let deep = root.path().join("repo/src/deep");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::create_dir(root.path().join("repo/.git")).unwrap();
        assert!(repository(&deep).is_err(), "an empty `.git` is no repository");
        std::fs::create_dir(root.path().join("repo/.git/HEAD")).unwrap();
        assert_eq!(repository(&deep).unwrap(), root.path().join("repo"));
    }
}

//! `fleet workflow run`, `validate`, `graph` and `schema`: workflows in files. The rest of the group is made from operations.

use std::collections::BTreeMap;
use std::path::Path;

use api::Page;
use api::claude_fleet::{ExecutionStatus, ExecutionView, GetExecution, ListWorkflows, StartWorkflow, WorkflowView};
use api::fleet::RunWorkflow;
use clap::{Subcommand, ValueEnum};
use client::{Client, Stream};
use serde_json::{Map, Value};
use types::{Definition, ExecutionId, InputKind, ProjectId};
use workflow::{Drawing, File, Format};

use super::run::{INTERRUPTED, project, repository};
use crate::context::Context;
use crate::failure::Failure;

/// Manage workflows: steps of agents, commands and people that depend on each other
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Clone, Subcommand)]
enum Command {
    Run(RunArgs),
    /// Check a file, and say where what is wrong with it is
    Validate {
        /// The file: YAML, JSON or TOML
        file: String,
    },
    Graph(GraphArgs),
    /// Print the JSON Schema of workflow files, for editors
    Schema,
}

/// Run a workflow in this repository and follow it until it ends
///
/// Creates a project for the repository if there is none. Ctrl-C stops showing, not the agents. Exits with status 0 when
/// the execution completed.
#[derive(Debug, Clone, clap::Args)]
struct RunArgs {
    /// A file, or the name or the id of a workflow
    workflow: String,
    /// A value that it is given, as NAME=VALUE; `@FILE` as the value reads a file
    #[arg(long, short, value_name = "NAME=VALUE")]
    input: Vec<String>,
    /// The project that its agents work on [default: that of the repository around this folder]
    #[arg(long)]
    project: Option<ProjectId>,
    /// What branches start from: a branch or a commit [default: the target branch]
    #[arg(long)]
    base: Option<String>,
    /// Return once it is started
    #[arg(long, short)]
    detach: bool,
}

/// Draw the steps of a workflow
#[derive(Debug, Clone, clap::Args)]
struct GraphArgs {
    /// A file, or the name or the id of a workflow
    workflow: String,
    /// What to draw with
    #[arg(long, value_enum, default_value_t = GraphFormat::Text)]
    format: GraphFormat,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum GraphFormat {
    /// A line for each step
    Text,
    /// For Mermaid, as in Markdown
    Mermaid,
    /// For Graphviz
    Dot,
}

/// What was named on the command line.
enum Named {
    File(Box<File>),
    Kept(Box<WorkflowView>),
}

impl Named {
    fn definition(&self) -> Definition {
        match self {
            Self::File(file) => file.definition(),
            Self::Kept(kept) => kept.definition.clone(),
        }
    }
}

pub(crate) async fn run(args: Args, context: &mut Context<'_>) -> Result<u8, Failure> {
    match args.command {
        Command::Run(args) => execute(args, context).await,
        Command::Validate { file } => {
            let read = read(&file)?;
            let steps = read.steps.len();
            context.terminal.say(&format!("{file}: workflow `{}` with {steps} steps is valid.", read.name));
            Ok(0)
        }
        Command::Graph(args) => {
            let named = if Path::new(&args.workflow).is_file() {
                Named::File(Box::new(read(&args.workflow)?))
            } else {
                named(&context.connect().await?, &args.workflow).await?
            };
            let drawing = match args.format {
                GraphFormat::Text => Drawing::Text,
                GraphFormat::Mermaid => Drawing::Mermaid,
                GraphFormat::Dot => Drawing::Dot,
            };
            context.terminal.print(&workflow::draw(&named.definition(), drawing))?;
            Ok(0)
        }
        Command::Schema => {
            context.terminal.print_json(&File::json_schema())?;
            Ok(0)
        }
    }
}

async fn execute(args: RunArgs, context: &mut Context<'_>) -> Result<u8, Failure> {
    let file = if Path::new(&args.workflow).is_file() { Some(read(&args.workflow)?) } else { None };
    let client = context.connect().await?;
    let named = match file {
        Some(file) => Named::File(Box::new(file)),
        None => named(&client, &args.workflow).await?,
    };
    let inputs = inputs(&named.definition(), &args.input)?;
    let on = match (args.project, std::env::current_dir()) {
        (Some(project), _) => Some(project),
        (None, Ok(here)) => match repository(&here) {
            Ok(root) => Some(project(&client, &root, context).await?),
            Err(failure) => return Err(failure.hint("Or name a project: `--project PROJECT`.")),
        },
        (None, Err(error)) => return Err(Failure::io("cannot find the current folder", &error)),
    };
    // Followed before it begins, so that nothing is missed.
    let events = client.stream("/api/events", None).await?;
    let started = match named {
        Named::File(file) => {
            let (name, definition) = (file.name.clone(), file.definition());
            let run = RunWorkflow { name, definition, inputs: Some(inputs), project: on, base: args.base };
            context.awaited("Starting the workflow", client.call(run)).await?.output
        }
        Named::Kept(kept) => {
            let (id, base) = (kept.id, args.base);
            let start = StartWorkflow { id, inputs: Some(inputs), swarm_id: None, project: on, base };
            context.awaited("Starting the workflow", client.call(start)).await?.output
        }
    };
    let id = started.id;
    context.terminal.say(&format!("Execution {id} of `{}` started.", started.name));
    if args.detach {
        context.terminal.say(&format!("See its steps: `fleet workflow steps {id}`."));
        return Ok(0);
    }
    context.terminal.say("Ctrl-C leaves it running.");
    let ended = tokio::select! {
        ended = follow(&client, events, &id, context) => Some(ended?),
        _ = tokio::signal::ctrl_c() => None,
    };
    match ended {
        Some(execution) => {
            context.terminal.say(&format!("Execution {id} is {}: {}.", word(execution.status), execution.why));
            if let Some(outputs) = execution.outputs.filter(|outputs| !outputs.is_empty()) {
                context.terminal.print_json(&Value::Object(outputs))?;
            }
            Ok(u8::from(execution.status != ExecutionStatus::Completed))
        }
        None => {
            context.terminal.say(&format!("\nExecution {id} continues: `fleet workflow steps {id}`."));
            context.terminal.say(&format!("End it: `fleet workflow cancel {id}`."));
            Ok(INTERRUPTED)
        }
    }
}

/// Shows what happens until the execution is over.
async fn follow(
    client: &Client,
    mut events: Stream,
    id: &ExecutionId,
    context: &mut Context<'_>,
) -> Result<ExecutionView, Failure> {
    loop {
        let execution = client.call(GetExecution { id: id.clone() }).await?.output;
        match execution.status {
            ExecutionStatus::Pending | ExecutionStatus::Running | ExecutionStatus::Paused => {}
            ExecutionStatus::Completed | ExecutionStatus::Failed | ExecutionStatus::Cancelled => return Ok(execution),
        }
        loop {
            let Some(frame) = events.next().await? else {
                return Err(Failure::new(api::Kind::Unavailable, "the server ended the stream of events")
                    .hint(format!("The execution continues: `fleet workflow status {id}`.")));
            };
            let change: Value = serde_json::from_str(&frame.data).unwrap_or_default();
            let lines = moves(&change, id);
            for line in &lines.steps {
                context.terminal.say(line);
            }
            if lines.is_over {
                break;
            }
        }
    }
}

/// What a change says of an execution.
#[derive(Default)]
struct Moves {
    steps: Vec<String>,
    is_over: bool,
}

fn moves(change: &Value, id: &ExecutionId) -> Moves {
    let mut found = Moves::default();
    for event in change["events"].as_array().into_iter().flatten() {
        let of_it = |field: &str| event[field].as_str().filter(|text| text.split('.').next() == Some(id.as_str()));
        match (event["type"].as_str(), of_it("step"), of_it("execution")) {
            (Some("step_moved"), Some(step), _) => {
                let step = step.split_once('.').map_or(step, |(_, step)| step);
                found.steps.push(format!("  {step}: {}", event["to"].as_str().unwrap_or_default()));
            }
            (Some("execution_moved"), _, Some(_)) => found.is_over |= event["to"].as_str() != Some("running"),
            _ => {}
        }
    }
    found
}

fn read(file: &str) -> Result<File, Failure> {
    let text = text_of(file)?;
    workflow::read(&text, Format::of(file)).map_err(|error| {
        let faults: Vec<String> = error.0.iter().map(|fault| format!("{file}:{fault}")).collect();
        Failure::new(api::Kind::Invalid, faults.join("\n"))
            .hint("`docs/workflows.md` explains the steps; `fleet workflow schema` prints the schema for editors.")
    })
}

#[expect(clippy::disallowed_methods, reason = "the file is one that the person names on the command line")]
fn text_of(file: &str) -> Result<String, Failure> {
    std::fs::read_to_string(file).map_err(|error| Failure::io(&format!("cannot read `{file}`"), &error))
}

/// Finds a workflow by its name or id.
async fn named(client: &Client, name: &str) -> Result<Named, Failure> {
    let mut list = ListWorkflows::default();
    loop {
        let page = client.call(list.clone()).await?;
        let fits = |kept: &WorkflowView| kept.name == name || kept.id.as_str() == name;
        if let Some(kept) = page.output.items.into_iter().find(fits) {
            return Ok(Named::Kept(Box::new(kept)));
        }
        match page.next {
            Some(next) => list.page = Page { after: Some(next), limit: None },
            None => break,
        }
    }
    Err(Failure::new(api::Kind::NotFound, format!("there is no file and no workflow `{name}`"))
        .hint("`fleet workflow list` shows the workflows; `examples/workflows` has files to start from."))
}

/// Reads NAME=VALUE; a value is JSON where its input is not a text.
fn inputs(definition: &Definition, given: &[String]) -> Result<Map<String, Value>, Failure> {
    let mut inputs = BTreeMap::new();
    for text in given {
        let refused = |why: String| {
            Failure::new(api::Kind::Invalid, why).hint("Give it as `--input NAME=VALUE`, or `--input NAME=@FILE`.")
        };
        let (name, value) = text.split_once('=').ok_or_else(|| refused(format!("`{text}` has no `=`")))?;
        let value = match value.strip_prefix('@') {
            Some(file) => text_of(file)?,
            None => value.to_owned(),
        };
        let kind = definition.inputs.get(name).map(|rule| rule.kind).unwrap_or_default();
        let value = match (kind, serde_json::from_str::<Value>(&value)) {
            (InputKind::String, _) | (InputKind::Any, Err(_)) => Value::String(value),
            (InputKind::Any, Ok(value)) if value.is_array() || value.is_object() => value,
            (InputKind::Any, Ok(_)) => Value::String(value),
            (_, Ok(value)) => value,
            (InputKind::Array, Err(_)) => value.lines().map(Value::from).collect(),
            (_, Err(error)) => return Err(refused(format!("input `{name}`: {error}"))),
        };
        if inputs.insert(name.to_owned(), value).is_some() {
            return Err(refused(format!("input `{name}` is given more than once")));
        }
    }
    Ok(inputs.into_iter().collect())
}

fn word(status: ExecutionStatus) -> &'static str {
    match status {
        ExecutionStatus::Pending => "pending",
        ExecutionStatus::Running => "running",
        ExecutionStatus::Paused => "paused",
        ExecutionStatus::Completed => "completed",
        ExecutionStatus::Failed => "failed",
        ExecutionStatus::Cancelled => "cancelled",
    }
}

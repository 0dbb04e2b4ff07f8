//! `fleet config`: the settings in force, and changes to `runtime.toml`.

use clap::Subcommand;
use config::{Overrides, Resolved};
use serde_json::{Value, json};

use crate::context::Context;
use crate::failure::Failure;
use crate::render::{Rows, grid};

/// Where the tables of agents are.
const FILE: &str = "runtime.toml";

/// Show or change settings
#[derive(Debug, Clone, clap::Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Clone, Subcommand)]
enum Command {
    /// List every setting with its value and source
    Show {
        /// Print runtime.toml as it is, without its secrets
        #[arg(long)]
        raw: bool,
    },
    /// Change settings in runtime.toml; a running server applies live ones
    ///
    /// All settings are changed, or none. An empty value, as in `port=`, removes a setting. Agents have settings of their own,
    /// such as `agents.claude.model=opus`.
    Set {
        /// Setting and value, such as `max_workers=3`
        #[arg(required = true, value_name = "KEY=VALUE", value_parser = pair)]
        changes: Vec<(String, String)>,
    },
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, Failure> {
    match &args.command {
        Command::Show { raw: true } => show_file(context),
        Command::Show { raw: false } => show(context),
        Command::Set { changes } => set(changes, context),
    }
}

fn show(context: &mut Context<'_>) -> Result<u8, Failure> {
    let loaded = config::load(&context.home()?, context.environment, &Overrides::new())?;
    let agents = config::agents_shown(&loaded.settings.agents);
    if context.options.json {
        context.terminal.print_json(&as_json(&loaded.resolved, &agents))?;
    } else {
        context.terminal.print(&grid(&as_rows(&loaded.resolved, &agents), context.terminal.width()))?;
    }
    for warning in &loaded.warnings {
        context.terminal.warn(&warning.to_string());
    }
    Ok(0)
}

fn show_file(context: &mut Context<'_>) -> Result<u8, Failure> {
    let home = context.home()?;
    let text = config::file_shown(&home)?;
    if text.is_empty() {
        context.terminal.say(&format!("No settings in {}.", home.runtime_toml().display()));
    } else {
        context.terminal.print(&text)?;
    }
    Ok(0)
}

fn set(changes: &[(String, String)], context: &mut Context<'_>) -> Result<u8, Failure> {
    let home = context.home()?;
    let pairs: Vec<_> = changes.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    let warnings = config::set(&home, &pairs)?;
    for (key, value) in pairs {
        context.terminal.say(&done(key, value));
    }
    for warning in warnings {
        context.terminal.warn(&warning.to_string());
    }
    Ok(0)
}

/// What was done, for eyes that may not be meant to see a secret.
fn done(key: &str, value: &str) -> String {
    match value {
        "" => format!("Removed {key}."),
        _ if config::is_secret(key) => format!("Set {key}; its value is not shown."),
        value => format!("Set {key} = {value}."),
    }
}

fn as_rows(resolved: &Resolved, agents: &[(String, String)]) -> Rows {
    let heading = ["KEY", "VALUE", "SOURCE"].map(str::to_owned).to_vec();
    let rows = resolved
        .iter()
        .map(|setting| vec![setting.setting.key.to_owned(), setting.shown().to_owned(), setting.source.to_string()]);
    let agents = agents.iter().map(|(key, shown)| vec![key.clone(), shown.clone(), FILE.to_owned()]);
    std::iter::once(heading).chain(rows).chain(agents).collect()
}

fn as_json(resolved: &Resolved, agents: &[(String, String)]) -> Value {
    let setting = |setting: &config::ResolvedSetting| json!({ "key": setting.setting.key, "value": setting.shown(), "source": setting.source.to_string() });
    let agent = |(key, shown): &(String, String)| json!({ "key": key, "value": shown, "source": FILE });
    resolved.iter().map(setting).chain(agents.iter().map(agent)).collect()
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("key and value are written as one word, KEY=VALUE")?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

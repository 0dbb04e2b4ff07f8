//! `fleet config`: the settings in force, and changes to `runtime.toml`.

use clap::Subcommand;
use config::{Home, Overrides, Reload, Resolved, Setting, Source};
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
        let width = if context.options.wide { usize::MAX } else { context.terminal.columns() };
        context.terminal.print(&grid(&as_rows(&loaded.resolved, &agents), width))?;
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
    say_effect(changes, &home, context)
}

/// Says what a change waits for: a restart, or the environment that overrides it.
fn say_effect(changes: &[(String, String)], home: &Home, context: &mut Context<'_>) -> Result<u8, Failure> {
    let loaded = config::load(home, context.environment, &Overrides::new())?;
    let settings: Vec<_> = changes.iter().filter_map(|(key, _)| Setting::find(key)).collect();
    for setting in &settings {
        let found = loaded.resolved.iter().find(|found| found.setting.key == setting.key);
        if let Some(Source::Env(variable)) = found.map(|found| found.source) {
            let message = format!("{variable} is set in this environment and overrides {}", setting.key);
            context.terminal.warn(&message);
        }
    }
    let waits: Vec<_> =
        settings.iter().filter(|setting| setting.reload == Reload::Restart).map(|setting| setting.key).collect();
    if !waits.is_empty() && home.read_server()?.is_some() {
        let message = format!(
            "A running server takes {} up when it starts again: `fleet up --stop`, `fleet up --background`.",
            waits.join(" and ")
        );
        context.terminal.say(&message);
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
    let rows = resolved.iter().flat_map(|setting| {
        let own = vec![setting.setting.key.to_owned(), setting.shown().to_owned(), setting.source.to_string()];
        let other = |name: &&str| {
            let source = format!("is {}", setting.setting.key);
            vec![(*name).to_owned(), setting.shown().to_owned(), source]
        };
        std::iter::once(own).chain(setting.setting.aliases.iter().map(other))
    });
    let agents = agents.iter().map(|(key, shown)| vec![key.clone(), shown.clone(), FILE.to_owned()]);
    std::iter::once(heading).chain(rows).chain(agents).collect()
}

fn as_json(resolved: &Resolved, agents: &[(String, String)]) -> Value {
    let setting = |setting: &config::ResolvedSetting| {
        let (own, value, source) = (setting.setting.key, setting.shown(), setting.source.to_string());
        let other = |name: &&str| json!({ "key": name, "value": value, "source": source, "same_as": own });
        let others: Vec<_> = setting.setting.aliases.iter().map(other).collect();
        std::iter::once(json!({ "key": own, "value": value, "source": source })).chain(others).collect::<Vec<_>>()
    };
    let agent = |(key, shown): &(String, String)| json!({ "key": key, "value": shown, "source": FILE });
    resolved.iter().flat_map(setting).chain(agents.iter().map(agent)).collect()
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("key and value are written as one word, KEY=VALUE")?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

//! `fleet config`: the settings in force, and changes to `runtime.toml`.

use clap::Subcommand;
use config::{Overrides, Resolved};
use serde_json::{Value, json};

use crate::context::Context;
use crate::failure::Failure;
use crate::render::{Rows, grid};

/// Show the settings, or change them
#[derive(Debug, Clone, clap::Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Clone, Subcommand)]
enum Command {
    /// Show every setting with its value and where that comes from
    Show {
        /// Print runtime.toml as it is
        #[arg(long)]
        raw: bool,
    },
    /// Change settings in runtime.toml; a running server takes up what it can
    ///
    /// All are changed or none. An empty value, as in `port=`, removes the setting.
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
    if context.options.json {
        context.terminal.print_json(&as_json(&loaded.resolved))?;
    } else {
        context.terminal.print(&grid(&as_rows(&loaded.resolved), context.terminal.width()))?;
    }
    for warning in &loaded.warnings {
        context.terminal.warn(&warning.to_string());
    }
    Ok(0)
}

#[expect(clippy::disallowed_methods, reason = "shows the settings file as it is, which config never does")]
fn show_file(context: &mut Context<'_>) -> Result<u8, Failure> {
    let path = context.home()?.runtime_toml();
    match std::fs::read_to_string(&path) {
        Ok(text) => context.terminal.print(&text)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            context.terminal.say(&format!("No settings file at {}.", path.display()));
        }
        Err(error) => return Err(Failure::io(&format!("cannot read `{}`", path.display()), &error)),
    }
    Ok(0)
}

fn set(changes: &[(String, String)], context: &mut Context<'_>) -> Result<u8, Failure> {
    let home = context.home()?;
    let pairs: Vec<_> = changes.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    let warnings = config::set(&home, &pairs)?;
    for (key, value) in pairs {
        let done = if value.is_empty() { format!("Removed {key}.") } else { format!("Set {key} = {value}.") };
        context.terminal.say(&done);
    }
    for warning in warnings {
        context.terminal.warn(&warning.to_string());
    }
    Ok(0)
}

fn as_rows(resolved: &Resolved) -> Rows {
    let heading = ["KEY", "VALUE", "SOURCE"].map(str::to_owned).to_vec();
    let rows = resolved
        .iter()
        .map(|setting| vec![setting.setting.key.to_owned(), setting.shown().to_owned(), setting.source.to_string()]);
    std::iter::once(heading).chain(rows).collect()
}

fn as_json(resolved: &Resolved) -> Value {
    let setting = |setting: &config::ResolvedSetting| json!({ "key": setting.setting.key, "value": setting.shown(), "source": setting.source.to_string() });
    resolved.iter().map(setting).collect()
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("it is not KEY=VALUE")?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

//! What of the settings is never shown: secrets, and the environment of agents, which may hold some.

use std::collections::BTreeMap;

use agents::Setup;
use toml_edit::{DocumentMut, Item, TableLike, Value};

use crate::agent_tables;
use crate::error::Error;
use crate::file;
use crate::home::Home;
use crate::registry::{SETTINGS, Setting, Settings};
use crate::value::Secret;

/// Replaces a value that is set and not shown.
pub(crate) const HIDDEN: &str = "(hidden)";

/// Returns whether the value of a key of `runtime.toml` is not to be shown.
#[must_use]
pub fn is_secret(key: &str) -> bool {
    let mut parts = key.split('.');
    let of_agent = parts.next() == Some(agent_tables::KEY) && parts.next().is_some() && parts.next() == Some("env");
    of_agent || Setting::find(key).is_some_and(|setting| setting.secret)
}

/// Returns the values that are secrets: those of settings, and of variables whose names say so.
pub fn known_secrets<'a>(
    settings: &'a Settings,
    environment: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Vec<String> {
    let own = [&settings.jwt_secret, &settings.callback_secret, &settings.notify_webhook, &settings.notify_slack]
        .into_iter()
        .flatten()
        .map(Secret::expose);
    let of_agents = settings.agents.values().flat_map(|setup| &setup.env);
    let variables = of_agents.map(|(name, value)| (name.as_str(), value.as_str())).chain(environment);
    let named = variables.filter(|(name, _)| redact::is_secret_name(name)).map(|(_, value)| value);
    own.chain(named).map(str::to_owned).collect()
}

/// Returns `runtime.toml` as it is, but for what is not to be shown; empty if there is none.
///
/// # Errors
/// When it cannot be read, or is malformed: then the positions of its secrets are unknown.
pub fn file_shown(home: &Home) -> Result<String, Error> {
    let path = home.runtime_toml();
    let text = file::read(&path)?;
    let mut document: DocumentMut = text.parse().map_err(|error| file::syntax(&path, &text, &error))?;
    for name in SETTINGS.iter().filter(|setting| setting.secret).flat_map(Setting::names) {
        document.get_mut(name).into_iter().for_each(hide);
    }
    let agents = document.get_mut(agent_tables::KEY).and_then(Item::as_table_like_mut);
    for (_, agent) in agents.into_iter().flat_map(TableLike::iter_mut) {
        agent.as_table_like_mut().and_then(|agent| agent.get_mut("env")).into_iter().for_each(hide);
    }
    Ok(document.to_string())
}

/// Returns what the tables of agents say, a key and a value each, as it may be shown.
#[must_use]
pub fn agents_shown(agents: &BTreeMap<String, Setup>) -> Vec<(String, String)> {
    agents
        .iter()
        .flat_map(|(name, setup)| agent_shown(setup).map(move |(key, text)| (named(name, &key), text)))
        .collect()
}

fn named(agent: &str, key: &str) -> String {
    format!("{}.{agent}.{key}", agent_tables::KEY)
}

fn agent_shown(setup: &Setup) -> impl Iterator<Item = (String, String)> {
    let Setup { binary, model, account, aliases, env, pass, args, protocol, pty, context_limit, prices, limits } =
        setup;
    let texts = [("binary", binary), ("model", model), ("account", account)];
    let texts = texts.into_iter().filter_map(|(key, text)| Some((key.to_owned(), text.clone()?)));
    let aliases = aliases.iter().map(|(alias, model)| (format!("aliases.{alias}"), model.clone()));
    let env = env.keys().map(|name| (format!("env.{name}"), HIDDEN.to_owned()));
    let lists = [("pass", pass), ("args", args)].into_iter().filter(|(_, list)| !list.is_empty());
    let lists = lists.map(|(key, list)| (key.to_owned(), list.join(",")));
    let protocol = protocol.map(|protocol| ("protocol".to_owned(), protocol.as_str().to_owned()));
    let pty = pty.then(|| ("pty".to_owned(), "true".to_owned()));
    let context = context_limit.map(|tokens| ("context_limit".to_owned(), tokens.to_string()));
    let prices = prices.iter().flat_map(|(model, price)| {
        let amounts = [
            ("input", Some(price.input)),
            ("output", Some(price.output)),
            ("cache_read", price.cache_read),
            ("cache_write", price.cache_write),
        ];
        let shown =
            move |(key, amount): (&str, Option<f64>)| Some((format!("prices.{model}.{key}"), amount?.to_string()));
        amounts.into_iter().filter_map(shown)
    });
    let limits = [
        ("turns_max", limits.turns_max.map(|most| most.to_string())),
        ("dollars_max", limits.dollars_max.map(|most| most.to_string())),
        ("tokens_max", limits.tokens_max.map(|most| most.to_string())),
        ("secs_max", limits.secs_max.map(|most| most.to_string())),
    ];
    let limits = limits.into_iter().filter_map(|(key, most)| Some((format!("limits.{key}"), most?)));
    texts.chain(aliases).chain(env).chain(lists).chain(protocol).chain(pty).chain(context).chain(prices).chain(limits)
}

/// Puts something else in the place of every value; keys, comments and blanks stay.
fn hide(item: &mut Item) {
    if let Some(table) = item.as_table_like_mut() {
        table.iter_mut().for_each(|(_, item)| hide(item));
        return;
    }
    match item.as_value_mut() {
        Some(value) => {
            let decor = value.decor().clone();
            *value = Value::from(HIDDEN);
            *value.decor_mut() = decor;
        }
        None => *item = toml_edit::value(HIDDEN),
    }
}

#[cfg(test)]
#[path = "secrets_tests.rs"]
mod tests;

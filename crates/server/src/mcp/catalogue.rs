//! The tools there are, described once for all clients.

use std::sync::Arc;

use api::{Audience, Effect, Spec};
use rmcp::model::{Tool, ToolAnnotations};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use service::{Binding, Registry};

use super::schema::portable;
use super::toolset::Toolset;

/// Every tool with its operation, in the order of the table.
#[derive(Debug)]
pub(super) struct Catalogue(Vec<Listed>);

/// One tool.
#[derive(Debug)]
pub(super) struct Listed {
    name: &'static str,
    pub(super) tool: Tool,
    pub(super) audience: Audience,
}

/// Describes every tool as clients see it, for the golden file.
#[must_use]
pub fn document(registry: &Registry) -> Value {
    let tools: Vec<Tool> = Catalogue::new(registry).shown(Toolset::All);
    json!(tools)
}

impl Catalogue {
    pub(super) fn new(registry: &Registry) -> Self {
        Self(registry.tools().filter_map(listed).collect())
    }

    /// Returns the tools of a set.
    pub(super) fn shown(&self, toolset: Toolset) -> Vec<Tool> {
        self.0.iter().filter(|listed| toolset.shows(listed.audience)).map(|listed| listed.tool.clone()).collect()
    }

    pub(super) fn find(&self, name: &str) -> Option<&Listed> {
        self.0.iter().find(|listed| listed.name == name)
    }

    /// Returns the name that was probably meant.
    pub(super) fn closest(&self, name: &str) -> Option<&'static str> {
        let ranked = self.0.iter().map(|listed| (likeness(name, listed.name), listed.name));
        ranked.max_by_key(|(likeness, _)| *likeness).filter(|(likeness, _)| *likeness >= 400).map(|(_, name)| name)
    }
}

/// A schema that is not one is a fault that a test over all operations rules out; it costs that tool alone.
fn listed(binding: &Binding) -> Option<Listed> {
    let audience = binding.tool?.audience;
    let schema = match binding.contract() {
        Ok(contract) => &contract.schema,
        Err(error) => {
            tracing::error!(tool = binding.name, %error, "tool cannot be described");
            return None;
        }
    };
    let description = schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut input = portable(schema)?;
    // It is the tool's own description, and need not be read twice.
    input.shift_remove("description");
    let mut tool = Tool::new(binding.name, description, Arc::new(input)).with_annotations(hints(&binding.spec));
    // A client holds an answer to the schema, and one of these may be an error: see `result::refusal`.
    if audience != Audience::Workers {
        tool.output_schema = output(binding).map(Arc::new);
    }
    Some(Listed { name: binding.name, tool, audience })
}

fn output(binding: &Binding) -> Option<Map<String, Value>> {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    portable(&Value::from((binding.output)(&mut settings.into_generator())))
}

/// What a client may tell its user before a call. Everything happens in Fleet: nothing outside is called.
fn hints(spec: &Spec) -> ToolAnnotations {
    let hints = ToolAnnotations::new().read_only(spec.effect == Effect::Read).open_world(false);
    match spec.effect {
        Effect::Read => hints.idempotent(true),
        Effect::Message | Effect::Work | Effect::Create | Effect::Change => hints.destructive(false).idempotent(false),
        Effect::Remove => hints.destructive(true).idempotent(false),
    }
}

/// Counts the pairs of letters that two names share, in thousandths of all of theirs.
///
/// Whoever mistakes the name of a tool mistakes the order of its words, which hardly changes the pairs.
fn likeness(one: &str, other: &str) -> usize {
    let pairs = |name: &str| -> Vec<(char, char)> {
        let letters: Vec<char> = name.chars().take(100).map(|letter| letter.to_ascii_lowercase()).collect();
        letters.iter().copied().zip(letters.iter().copied().skip(1)).collect()
    };
    let (ours, mut theirs) = (pairs(one), pairs(other));
    let total = ours.len() + theirs.len();
    let shared =
        ours.iter().filter(|pair| theirs.iter().position(|p| p == *pair).map(|at| theirs.swap_remove(at)).is_some());
    2000 * shared.count() / total.max(1)
}

#[cfg(test)]
#[path = "catalogue_tests.rs"]
mod tests;

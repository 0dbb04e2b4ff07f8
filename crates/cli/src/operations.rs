//! The operations that have a command line, with the schemas of their inputs.

use api::{Operation, Spec};
use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::pattern::Pattern;

/// An operation as the command line knows it.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// Its row in the table.
    pub(crate) spec: Spec,
    /// Its command line, taken apart.
    pub(crate) pattern: Pattern,
    input: fn() -> Value,
}

impl Entry {
    /// Makes the schema of its input, in which nothing refers to anything else.
    pub(crate) fn input(&self) -> Value {
        (self.input)()
    }

    /// Returns what a list of its answers is a list of.
    pub(crate) fn noun(&self) -> String {
        match self.spec.name.strip_suffix("_list") {
            Some(thing) => match thing.strip_suffix('y') {
                Some(beginning) => format!("{beginning}ies"),
                None => format!("{}s", thing.replace('_', " ")),
            },
            None => self.spec.name.rsplit('_').next().unwrap_or_default().to_owned(),
        }
    }
}

/// Returns every operation that has a command line, in the order of the table.
pub(crate) fn entries() -> Vec<Entry> {
    struct Entries(Vec<Entry>);
    impl api::Visitor for Entries {
        fn operation<O: Operation>(&mut self) {
            self.0.extend(entry::<O>());
        }
    }
    let mut entries = Entries(Vec::new());
    api::visit(&mut entries);
    entries.0
}

/// Returns an operation that has no command line of its own, for a command written by hand.
pub(crate) fn unlisted<O: Operation>() -> Entry {
    Entry { spec: O::SPEC, pattern: Pattern { words: Vec::new(), positions: Vec::new() }, input: input::<O> }
}

fn entry<O: Operation>() -> Option<Entry> {
    let pattern = Pattern::parse(O::SPEC.cli?)?;
    Some(Entry { spec: O::SPEC, pattern, input: input::<O> })
}

fn input<O: Operation>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_deserialize().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<O>().to_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_with_a_command_line_is_an_entry() {
        let expected: Vec<_> =
            api::specs().into_iter().filter(|spec| spec.cli.is_some()).map(|spec| spec.name).collect();
        assert_eq!(entries().iter().map(|entry| entry.spec.name).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn an_input_refers_to_nothing_outside_itself() {
        for entry in entries() {
            assert!(!entry.input().to_string().contains("$ref"), "{}", entry.spec.name);
        }
    }

    #[test]
    fn a_list_is_of_what_its_operation_is_named_for() {
        let nouns: Vec<_> = entries().iter().map(|entry| (entry.spec.name, entry.noun())).collect();
        for (name, noun) in [
            ("mission_list", "missions"),
            ("task_list", "tasks"),
            ("policy_list", "policies"),
            ("team_agents", "agents"),
            ("mission_events", "events"),
        ] {
            assert!(nouns.contains(&(name, noun.to_owned())), "{name}");
        }
    }
}

//! Which tools a mission gives its agents: those of a preset, or a list.

use serde::{Deserialize, Serialize};

/// The tools of a mission, where it names any.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum ToolChoice {
    /// Those of a preset.
    Preset(String),
    /// These.
    Listed(Vec<String>),
}

/// A text that begins like a list of tools and is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither a preset nor a JSON array of tools")]
pub struct ToolChoiceError(String);

impl ToolChoice {
    /// Reads a preset's name, or a JSON array of tools; an empty text names none.
    ///
    /// # Errors
    /// Refuses a text that begins with `[` and is not an array of texts.
    pub fn parse(text: &str) -> Result<Option<Self>, ToolChoiceError> {
        match text.trim() {
            "" => Ok(None),
            list if list.starts_with('[') => match serde_json::from_str(list) {
                Ok(tools) => Ok(Some(Self::Listed(tools))),
                Err(_) => Err(ToolChoiceError(list.chars().take(200).collect())),
            },
            name => Ok(Some(Self::Preset(name.to_owned()))),
        }
    }
}

/// A stored text that cannot be read counts as the name of an unknown preset: it is refused when it is used.
impl From<String> for ToolChoice {
    fn from(text: String) -> Self {
        Self::parse(&text).ok().flatten().unwrap_or(Self::Preset(text))
    }
}

impl From<ToolChoice> for String {
    fn from(choice: ToolChoice) -> Self {
        match choice {
            ToolChoice::Preset(name) => name,
            ToolChoice::Listed(tools) => serde_json::json!(tools).to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_is_a_preset_or_a_list_and_an_empty_one_is_neither() {
        let listed = |tools: &[&str]| Some(ToolChoice::Listed(tools.iter().map(|tool| (*tool).to_owned()).collect()));
        assert_eq!(ToolChoice::parse(" \n"), Ok(None));
        assert_eq!(ToolChoice::parse(" review "), Ok(Some(ToolChoice::Preset("review".to_owned()))));
        assert_eq!(ToolChoice::parse(r#" ["Read", "Bash(git *)"]"#), Ok(listed(&["Read", "Bash(git *)"])));
        assert_eq!(ToolChoice::parse("[]"), Ok(listed(&[])));
        for wrong in ["[", "[1]", "[Read]", r#"["Read"] and more"#] {
            let refused = ToolChoice::parse(wrong).unwrap_err().to_string();
            assert_eq!(refused, format!("`{wrong}` is neither a preset nor a JSON array of tools"));
        }
    }

    proptest! {
        #[test]
        fn every_stored_choice_reads_and_is_written_as_it_reads(text in "\\[?[a-z\", ]{0,9}\\]?") {
            let read = ToolChoice::from(text);
            let written = serde_json::to_string(&read).unwrap();
            prop_assert_eq!(serde_json::from_str::<ToolChoice>(&written).unwrap(), read);
        }

        #[test]
        fn a_list_is_written_so_that_it_reads_back(tools in prop::collection::vec(".{0,9}", 0..4)) {
            let choice = ToolChoice::Listed(tools);
            prop_assert_eq!(ToolChoice::parse(&String::from(choice.clone())), Ok(Some(choice)));
        }
    }
}

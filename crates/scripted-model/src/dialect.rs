//! The ways of speaking with a model, and where in a path each begins.

/// A way of speaking with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// Anthropic's Messages API: Claude Code.
    Messages,
    /// OpenAI's Responses API: Codex.
    Responses,
    /// OpenAI's chat completions: opencode and many others.
    Chat,
    /// Google's Gemini API.
    Gemini,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The next words of a conversation.
    Words,
    /// How many tokens something is.
    Count,
    /// Which models there are.
    Models,
    /// Whether anybody is there.
    Door,
    /// What no model has.
    Nowhere,
}

/// Where a version of an API begins in a path; everything before it is the label of the base URL.
const VERSIONS: [&str; 4] = ["/v1beta/", "/v1alpha/", "/v1beta1/", "/v1/"];

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Messages, Self::Responses, Self::Chat, Self::Gemini];
}

/// Splits a path into the label of the base URL and what an API knows.
pub(crate) fn split(path: &str) -> (&str, &str) {
    let begin = VERSIONS.iter().filter_map(|version| path.find(version)).min();
    begin.map_or((path, "/"), |at| path.split_at(at))
}

/// Tells what a path is for. What belongs to no dialect in particular is told as Anthropic would.
pub(crate) fn place(method: &str, path: &str) -> (Dialect, Place) {
    match (method, path) {
        ("POST", "/v1/messages") => (Dialect::Messages, Place::Words),
        ("POST", "/v1/messages/count_tokens") => (Dialect::Messages, Place::Count),
        ("POST", "/v1/responses") => (Dialect::Responses, Place::Words),
        ("POST", "/v1/chat/completions") => (Dialect::Chat, Place::Words),
        ("GET", "/v1/models") => (Dialect::Messages, Place::Models),
        ("HEAD" | "GET", "/") => (Dialect::Messages, Place::Door),
        ("POST", path) => match gemini(path) {
            Some((_, "generateContent" | "streamGenerateContent")) => (Dialect::Gemini, Place::Words),
            Some((_, "countTokens")) => (Dialect::Gemini, Place::Count),
            Some(_) => (Dialect::Gemini, Place::Nowhere),
            None => (Dialect::Messages, Place::Nowhere),
        },
        _ => (Dialect::Messages, Place::Nowhere),
    }
}

/// The model and the verb of a path of the Gemini API, such as `/v1beta/models/MODEL:countTokens`.
pub(crate) fn gemini(path: &str) -> Option<(&str, &str)> {
    path.split_once("/models/")?.1.split_once(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dialect_is_known_by_its_path_behind_any_label() {
        for (path, expected) in [
            ("/v1/messages", (Dialect::Messages, Place::Words)),
            ("/v1/messages/count_tokens", (Dialect::Messages, Place::Count)),
            ("/v1/responses", (Dialect::Responses, Place::Words)),
            ("/v1/chat/completions", (Dialect::Chat, Place::Words)),
            ("/v1beta/models/gemini-3:streamGenerateContent", (Dialect::Gemini, Place::Words)),
            ("/v1beta/models/gemini-3:generateContent", (Dialect::Gemini, Place::Words)),
            ("/v1beta/models/gemini-3:countTokens", (Dialect::Gemini, Place::Count)),
            ("/v1beta/models/gemini-3:embedContent", (Dialect::Gemini, Place::Nowhere)),
            ("/v1/elsewhere", (Dialect::Messages, Place::Nowhere)),
        ] {
            let labelled = format!("/agent-7{path}");
            let (label, rest) = split(&labelled);
            assert_eq!((label, place("POST", rest)), ("/agent-7", expected), "{path}");
        }
        assert_eq!(place("HEAD", split("/").1).1, Place::Door);
        assert_eq!(place("GET", split("/v1/models").1).1, Place::Models);
        assert_eq!(place("PUT", "/v1/messages").1, Place::Nowhere);
    }
}

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

/// The endpoint of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Endpoint {
    /// The next turn of a conversation.
    Completion,
    /// A token count.
    Count,
    /// The list of models.
    Models,
    /// A health check.
    Health,
    /// Unknown to any model.
    Unknown,
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

/// Returns what a path is for. What belongs to no dialect in particular is told as Anthropic would.
pub(crate) fn place(method: &str, path: &str) -> (Dialect, Endpoint) {
    match (method, path) {
        ("POST", "/v1/messages") => (Dialect::Messages, Endpoint::Completion),
        ("POST", "/v1/messages/count_tokens") => (Dialect::Messages, Endpoint::Count),
        ("POST", "/v1/responses") => (Dialect::Responses, Endpoint::Completion),
        ("POST", "/v1/chat/completions") => (Dialect::Chat, Endpoint::Completion),
        ("GET", "/v1/models") => (Dialect::Messages, Endpoint::Models),
        ("HEAD" | "GET", "/") => (Dialect::Messages, Endpoint::Health),
        ("POST", path) => match gemini(path) {
            Some((_, "generateContent" | "streamGenerateContent")) => (Dialect::Gemini, Endpoint::Completion),
            Some((_, "countTokens")) => (Dialect::Gemini, Endpoint::Count),
            Some(_) => (Dialect::Gemini, Endpoint::Unknown),
            None => (Dialect::Messages, Endpoint::Unknown),
        },
        _ => (Dialect::Messages, Endpoint::Unknown),
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
            ("/v1/messages", (Dialect::Messages, Endpoint::Completion)),
            ("/v1/messages/count_tokens", (Dialect::Messages, Endpoint::Count)),
            ("/v1/responses", (Dialect::Responses, Endpoint::Completion)),
            ("/v1/chat/completions", (Dialect::Chat, Endpoint::Completion)),
            ("/v1beta/models/gemini-3:streamGenerateContent", (Dialect::Gemini, Endpoint::Completion)),
            ("/v1beta/models/gemini-3:generateContent", (Dialect::Gemini, Endpoint::Completion)),
            ("/v1beta/models/gemini-3:countTokens", (Dialect::Gemini, Endpoint::Count)),
            ("/v1beta/models/gemini-3:embedContent", (Dialect::Gemini, Endpoint::Unknown)),
            ("/v1/elsewhere", (Dialect::Messages, Endpoint::Unknown)),
        ] {
            let labelled = format!("/agent-7{path}");
            let (label, rest) = split(&labelled);
            assert_eq!((label, place("POST", rest)), ("/agent-7", expected), "{path}");
        }
        assert_eq!(place("HEAD", split("/").1).1, Endpoint::Health);
        assert_eq!(place("GET", split("/v1/models").1).1, Endpoint::Models);
        assert_eq!(place("PUT", "/v1/messages").1, Endpoint::Unknown);
    }
}

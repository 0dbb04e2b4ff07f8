//! What a tool's caller gets to read: the output as text and as structure, or what went wrong and what to do next.

use api::{Audience, Error};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

/// Shows an output; its members stand in the order of its type.
pub(super) fn output(value: Value) -> CallToolResult {
    let text = serde_json::to_string_pretty(&value).unwrap_or_else(|_| value.to_string());
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    // Clients of older protocols take nothing but an object here.
    result.structured_content = Some(value).filter(Value::is_object);
    result
}

/// Shows an error in the form that the tools of an audience have for it.
pub(super) fn refusal(audience: Audience, refused: &Error) -> CallToolResult {
    match (audience, api::codefleet::domain_error(refused)) {
        (Audience::Workers, Some(shown)) => output(shown),
        (Audience::Workers | Audience::Agent | Audience::Orchestrator, _) => error(refused),
    }
}

/// Shows an error as a result that the model reads: a protocol error would be kept from it by most clients.
pub(super) fn error(error: &Error) -> CallToolResult {
    let code = format!("code: {}", error.code.as_str());
    let lines = std::iter::once(&error.message).chain(&error.hints).chain([&code]);
    let text = lines.map(String::as_str).collect::<Vec<_>>().join("\n");
    CallToolResult::error(vec![ContentBlock::text(text)])
}

#[cfg(test)]
mod tests {
    use api::Code;
    use serde_json::json;

    use super::*;

    fn text(result: &CallToolResult) -> &str {
        let [ContentBlock::Text(text)] = result.content.as_slice() else { panic!("one text") };
        &text.text
    }

    #[test]
    fn an_output_is_shown_as_indented_text_in_its_own_order_and_as_structure() {
        let result = output(json!({ "name": "shop", "id": "p-x7k2m" }));
        assert_eq!(text(&result), "{\n  \"name\": \"shop\",\n  \"id\": \"p-x7k2m\"\n}");
        assert_eq!(result.structured_content, Some(json!({ "name": "shop", "id": "p-x7k2m" })));
        assert_eq!(result.is_error, Some(false));
    }

    #[test]
    fn a_list_is_text_alone() {
        assert_eq!(output(json!([1])).structured_content, None);
    }

    #[test]
    fn a_workers_tool_answers_what_is_refused_as_a_result_and_a_wrong_argument_as_an_error() {
        let refused = Error::new(Code::MISSION_NOT_FOUND, "no such worker").hint("List them.");
        let result = refusal(Audience::Workers, &refused);
        assert_eq!(result.is_error, Some(false));
        let shown = json!({ "error": "ValueError", "details": "no such worker. List them." });
        assert_eq!(serde_json::from_str::<Value>(text(&result)).unwrap(), shown);
        assert_eq!(refusal(Audience::Agent, &refused), error(&refused));
        let wrong = Error::new(Code::FIELDS_INVALID, "worker_id: is required");
        assert_eq!(refusal(Audience::Workers, &wrong).is_error, Some(true));
    }

    #[test]
    fn an_error_reads_message_hint_code() {
        let result = error(&Error::new(Code::MISSION_NOT_FOUND, "no such mission").hint("List them."));
        assert_eq!(text(&result), "no such mission\nList them.\ncode: MISSION_NOT_FOUND");
        assert_eq!((result.is_error, result.structured_content), (Some(true), None));
    }
}

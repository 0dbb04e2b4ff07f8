//! Reads the Messages API.

use serde_json::Value;

use super::{ParsedRequest, ToolForm, list, speaker, texts};

pub(super) fn read(body: &Value, heard: &mut ParsedRequest) {
    heard.system = texts(&body["system"]).join("\n");
    for message in list(&body["messages"]) {
        for text in texts(&message["content"]) {
            heard.say(speaker(&message["role"]), text);
        }
        for part in list(&message["content"]).iter().filter(|part| part["type"] == "tool_result") {
            heard.answered(&part["tool_use_id"], texts(&part["content"]).join("\n"));
        }
    }
    for name in list(&body["tools"]).iter().filter_map(|tool| tool["name"].as_str()) {
        heard.declare(name, None, ToolForm::Function);
    }
}

//! Reads chat completions.

use serde_json::Value;

use super::{ParsedRequest, Speaker, ToolForm, list, speaker, texts};

pub(super) fn read(body: &Value, heard: &mut ParsedRequest) {
    for message in list(&body["messages"]) {
        let texts = texts(&message["content"]);
        if message["role"] == "tool" {
            heard.answered(&message["tool_call_id"], texts.join("\n"));
            continue;
        }
        let by = speaker(&message["role"]);
        if by == Speaker::System {
            heard.system.push_str(&texts.join("\n"));
        }
        texts.into_iter().for_each(|text| heard.say(by, text));
    }
    for name in list(&body["tools"]).iter().filter_map(|tool| tool["function"]["name"].as_str()) {
        heard.declare(name, None, ToolForm::Function);
    }
}

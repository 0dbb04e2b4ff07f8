//! Reads the Responses API. Codex may also declare tools amid the conversation.

use serde_json::Value;

use super::{ParsedRequest, Speaker, ToolForm, list, speaker, texts};

pub(super) fn read(body: &Value, heard: &mut ParsedRequest) {
    heard.system = body["instructions"].as_str().unwrap_or_default().to_owned();
    declare(heard, &body["tools"], None);
    if let Some(text) = body["input"].as_str() {
        heard.say(Speaker::User, text);
    }
    for item in list(&body["input"]) {
        match item["type"].as_str().unwrap_or("message") {
            "message" => texts(&item["content"]).into_iter().for_each(|text| heard.say(speaker(&item["role"]), text)),
            "additional_tools" => declare(heard, &item["tools"], None),
            kind if kind.ends_with("_output") => heard.answered(&item["call_id"], result(&item["output"])),
            _ => {}
        }
    }
}

fn result(output: &Value) -> String {
    match texts(output).as_slice() {
        [] => output.to_string(),
        texts => texts.join("\n"),
    }
}

fn declare(heard: &mut ParsedRequest, tools: &Value, namespace: Option<&str>) {
    for tool in list(tools) {
        let name = tool["name"].as_str().unwrap_or_default();
        match tool["type"].as_str().unwrap_or_default() {
            "namespace" => declare(heard, &tool["tools"], Some(name)),
            "function" => heard.declare(name, namespace, ToolForm::Function),
            "custom" => heard.declare(name, namespace, ToolForm::Free),
            kind => heard.declare(if name.is_empty() { kind } else { name }, namespace, ToolForm::Hosted),
        }
    }
}

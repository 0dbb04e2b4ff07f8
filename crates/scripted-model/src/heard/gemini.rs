//! Reads the Gemini API.

use serde_json::Value;

use super::{ParsedRequest, Speaker, ToolForm, list, speaker, texts};

pub(super) fn read(body: &Value, heard: &mut ParsedRequest) {
    heard.system = texts(&body["systemInstruction"]["parts"]).join("\n");
    for content in list(&body["contents"]) {
        for part in list(&content["parts"]) {
            hear(heard, speaker(&content["role"]), part);
        }
    }
    let declared = list(&body["tools"]).iter().flat_map(|group| list(&group["functionDeclarations"]));
    for name in declared.filter_map(|function| function["name"].as_str()) {
        heard.declare(name, None, ToolForm::Function);
    }
}

fn hear(heard: &mut ParsedRequest, by: Speaker, part: &Value) {
    let answer = &part["functionResponse"];
    if answer.is_object() {
        // An answer without an id is to the call of that name.
        let call = if answer["id"].is_string() { &answer["id"] } else { &answer["name"] };
        heard.answered(call, result(&answer["response"]));
    } else if let (Some(text), false) = (part["text"].as_str(), part["thought"] == true) {
        heard.say(by, text);
    }
}

fn result(response: &Value) -> String {
    let told = ["output", "error"].iter().find_map(|key| response[key].as_str());
    told.map_or_else(|| response.to_string(), str::to_owned)
}

use serde_json::json;

use super::*;
use crate::act::Act;

fn spoken(dialect: Dialect) -> Spoken {
    let usage = Usage { input: 3, output: 41, cache_read: 5, cache_write: 9 };
    let answer = Answer::new()
        .thinking("What to do? Ä thought that is longer than one piece.")
        .text("I shall write it down, in more words than one piece has.")
        .call("Write", json!({"file_path": "a.txt", "content": "ä \"quoted\" line\nand another"}))
        .usage(usage);
    Spoken::new(&answer, &Request::for_test(dialect, "m", &["Write"]))
}

fn streamed(dialect: Dialect) -> Vec<Value> {
    let events = spoken(dialect).events(dialect).into_iter().filter(|event| event.data != "[DONE]");
    events.map(|event| serde_json::from_str(&event.data).unwrap()).collect()
}

fn append(to: &mut Value, piece: &Value) {
    *to = json!(format!("{}{}", to.as_str().unwrap_or_default(), piece.as_str().unwrap()));
}

/// Puts a stream together as the API's readers do.
fn message_of(events: &[Value]) -> Value {
    let mut message = events[0]["message"].clone();
    for event in events {
        let at = event["index"].as_u64().unwrap_or_default() as usize;
        match event["type"].as_str().unwrap() {
            "content_block_start" => {
                let mut block = event["content_block"].clone();
                if block["type"] == "tool_use" {
                    block["input"] = json!("");
                }
                message["content"].as_array_mut().unwrap().push(block);
            }
            "content_block_delta" => {
                for (key, part) in event["delta"].as_object().unwrap().iter().filter(|(key, _)| *key != "type") {
                    let key = if key == "partial_json" { "input" } else { key };
                    append(&mut message["content"][at][key], part);
                }
            }
            "content_block_stop" if message["content"][at]["type"] == "tool_use" => {
                let block = &mut message["content"][at];
                block["input"] = serde_json::from_str(block["input"].as_str().unwrap()).unwrap();
            }
            "message_delta" => {
                message["stop_reason"] = event["delta"]["stop_reason"].clone();
                message["usage"] = event["usage"].clone();
            }
            _ => {}
        }
    }
    message
}

#[test]
fn a_stream_of_messages_put_together_is_the_message() {
    let message = spoken(Dialect::Messages).whole(Dialect::Messages);
    assert_eq!(message_of(&streamed(Dialect::Messages)), message);
    assert_eq!(message["stop_reason"], "tool_use");
    assert_eq!(message["usage"]["output_tokens"], 41);
    assert_eq!(message["content"][2]["id"], "toolu_7_2");
}

#[test]
fn a_stream_of_responses_says_in_pieces_what_its_end_says_whole() {
    let events = streamed(Dialect::Responses);
    let whole = spoken(Dialect::Responses).whole(Dialect::Responses);
    let end = events.last().unwrap();
    assert_eq!((&end["type"], &end["response"]), (&json!("response.completed"), &whole));
    let done = events.iter().filter(|event| event["type"] == "response.output_item.done");
    assert_eq!(done.map(|event| event["item"].clone()).collect::<Vec<_>>(), *whole["output"].as_array().unwrap());
    let mut text = json!("");
    events
        .iter()
        .filter(|event| event["type"] == "response.output_text.delta")
        .for_each(|event| append(&mut text, &event["delta"]));
    assert_eq!(text, whole["output"][1]["content"][0]["text"]);
    let numbers: Vec<_> = events.iter().map(|event| event["sequence_number"].as_u64().unwrap()).collect();
    assert!(numbers.iter().copied().eq(0..events.len() as u64), "{numbers:?}");
    let taken = json!({
        "input_tokens": 17, "input_tokens_details": {"cached_tokens": 5, "cache_write_tokens": 9},
        "output_tokens": 41, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 58,
    });
    assert_eq!(whole["usage"], taken);
}

#[test]
fn a_stream_of_chat_put_together_is_the_completion() {
    let mut message = json!({"content": ""});
    let mut end = Value::Null;
    let mut usage = Value::Null;
    for event in streamed(Dialect::Chat) {
        let delta = &event["choices"][0]["delta"];
        if delta["content"].is_string() {
            append(&mut message["content"], &delta["content"]);
        }
        if let Some(call) = delta["tool_calls"].get(0) {
            message["tool_calls"] = json!([{"id": call["id"], "type": "function", "function": call["function"]}]);
        }
        if event["choices"][0]["finish_reason"].is_string() {
            end = event["choices"][0]["finish_reason"].clone();
        }
        if event["usage"].is_object() {
            usage = event["usage"].clone();
        }
    }
    let whole = spoken(Dialect::Chat).whole(Dialect::Chat);
    message["role"] = json!("assistant");
    assert_eq!(message, whole["choices"][0]["message"]);
    assert_eq!((end, usage), (json!("tool_calls"), whole["usage"].clone()));
    assert_eq!(spoken(Dialect::Chat).events(Dialect::Chat).last().unwrap().data, "[DONE]");
}

#[test]
fn a_stream_of_gemini_put_together_is_the_answer() {
    let (mut text, mut thought, mut calls) = (json!(""), json!(""), Vec::new());
    let events = streamed(Dialect::Gemini);
    for part in events.iter().flat_map(|event| event["candidates"][0]["content"]["parts"].as_array().unwrap()) {
        match (&part["functionCall"], part["thought"] == true) {
            (Value::Null, true) => append(&mut thought, &part["text"]),
            (Value::Null, false) => append(&mut text, &part["text"]),
            (call, _) => calls.push(call.clone()),
        }
    }
    let whole = spoken(Dialect::Gemini).whole(Dialect::Gemini);
    let parts = &whole["candidates"][0]["content"]["parts"];
    assert_eq!((&thought, &text, &calls[0]), (&parts[0]["text"], &parts[1]["text"], &parts[2]["functionCall"]));
    let end = events.last().unwrap();
    assert_eq!(
        (&end["usageMetadata"], &end["candidates"][0]["finishReason"]),
        (&whole["usageMetadata"], &json!("STOP"))
    );
    assert_eq!(whole["usageMetadata"]["promptTokenCount"], 17);
}

#[test]
fn every_dialect_has_its_word_for_why_the_model_stopped() {
    let word = |dialect, stop: Option<StopReason>| {
        let answer = stop.map_or(Answer::new(), |stop| Answer::new().stop(stop));
        let whole = Spoken::new(&answer, &Request::for_test(dialect, "m", &[])).whole(dialect);
        let word = match dialect {
            Dialect::Messages => &whole["stop_reason"],
            Dialect::Responses => &whole["status"],
            Dialect::Chat => &whole["choices"][0]["finish_reason"],
            Dialect::Gemini => &whole["candidates"][0]["finishReason"],
        };
        word.as_str().unwrap().to_owned()
    };
    assert_eq!(Dialect::ALL.map(|dialect| word(dialect, None)), ["end_turn", "completed", "stop", "STOP"]);
    let full = Dialect::ALL.map(|dialect| word(dialect, Some(StopReason::MaxTokens)));
    assert_eq!(full, ["max_tokens", "incomplete", "length", "MAX_TOKENS"]);
}

#[test]
fn calls_of_one_answer_have_ids_of_their_own() {
    for dialect in Dialect::ALL {
        let answer = Answer::new().act(Act::shell("a")).act(Act::shell("b")).act_as("mine", Act::shell("c"));
        let spoken = Spoken::new(&answer, &Request::for_test(dialect, "m", &[]));
        let ids: Vec<_> = spoken.calls().map(|call| call.id.as_str()).collect();
        assert!(ids[0] != ids[1] && ids[2] == "mine", "{ids:?}");
    }
}

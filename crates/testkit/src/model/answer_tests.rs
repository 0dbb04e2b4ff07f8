use super::*;

/// Puts a stream together as the API's readers do.
fn put_together(events: &[Value]) -> Value {
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
                let block = &mut message["content"][at];
                for (key, part) in event["delta"].as_object().unwrap().iter().filter(|(key, _)| *key != "type") {
                    let key = if key == "partial_json" { "input" } else { key };
                    block[key] = json!(format!("{}{}", block[key].as_str().unwrap(), part.as_str().unwrap()));
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

fn events(answer: &Answer) -> Vec<Value> {
    let event = |step| match step {
        Step::Event(event) => Some(event),
        Step::Hold(_) | Step::Cut => None,
    };
    answer.steps(7, "m").into_iter().filter_map(event).collect()
}

#[test]
fn a_stream_put_together_is_the_message() {
    let usage = Usage { input: 3, output: 41, cache_read: 5, cache_write: 9 };
    let answer = Answer::new()
        .thinking("What to do? Ä thought that is longer than one piece.")
        .text("I shall write it down, in more words than one piece has.")
        .call("Write", json!({"file_path": "a.txt", "content": "ä \"quoted\" line\nand another"}))
        .usage(usage);
    let message = answer.message(7, "m");
    assert_eq!(put_together(&events(&answer)), message);
    assert_eq!(message["stop_reason"], "tool_use");
    assert_eq!(message["usage"]["output_tokens"], 41);
    assert_eq!(message["content"][2]["id"], "toolu_7_2");
}

#[test]
fn an_answer_without_calls_ends_the_turn_unless_told_otherwise() {
    assert_eq!(Answer::new().text("done").message(0, "m")["stop_reason"], "end_turn");
    assert_eq!(Answer::new().stop(StopReason::MaxTokens).message(0, "m")["stop_reason"], "max_tokens");
}

#[test]
fn a_cut_answer_ends_after_the_events_it_may_send() {
    let answer = Answer::new().text("never heard").cut_after(2);
    assert_eq!(events(&answer).len(), 2);
    assert!(matches!(answer.steps(0, "m").last(), Some(Step::Cut)));
}

use types::Cost;

use super::*;
use crate::{Adapter as _, claude::Claude};

/// A dollar for a token that is read, ten for one that is written; the small model costs a tenth.
fn claude() -> Claude {
    let price = |input: f64| Price { input, output: 10.0 * input, cache_read: None, cache_write: None };
    let prices = [("large".to_owned(), price(1e6)), ("small".to_owned(), price(1e5))].into();
    Claude::new(Setup { prices, ..Setup::default() })
}

fn said(id: &str, model: &str, within: Option<&str>, text: &str) -> String {
    let usage = serde_json::json!({ "input_tokens": 2, "output_tokens": 1 });
    let content = serde_json::json!([{ "type": "text", "text": text }]);
    let message = serde_json::json!({ "id": id, "model": model, "content": content, "usage": usage });
    serde_json::json!({ "type": "assistant", "message": message, "parent_tool_use_id": within }).to_string()
}

fn costs(lines: &[String]) -> Vec<Option<Cost>> {
    let mut reader = claude().reader();
    let events = lines.iter().flat_map(|line| reader.feed(line.as_bytes()));
    events.filter_map(|event| if let Event::Usage(usage) = event { Some(usage.cost) } else { None }).collect()
}

#[test]
fn what_a_call_wrote_is_counted_with_the_next_by_its_length() {
    let twelve = "twelve bytes";
    let lines = [said("1", "large", None, twelve), said("1", "large", None, twelve), said("2", "large", None, "")];
    // Two read and one told to be written; then, of 24 bytes, the seven tokens that were not told.
    assert_eq!(costs(&lines), [Some(12.0.into()), Some((12.0 + 70.0).into())]);
}

#[test]
fn a_subagent_has_the_price_of_its_own_model_and_words_of_its_own() {
    let text = "nine byte";
    let lines = [
        said("1", "large", None, text),
        said("2", "small", Some("call"), text),
        said("3", "small", Some("call"), text),
        said("4", "large", None, text),
    ];
    let expected: [f64; 4] = [12.0, 1.2, 1.2 + 2.0, 12.0 + 20.0];
    assert_eq!(costs(&lines), expected.map(|dollars| Some(dollars.into())));
}

#[test]
fn totals_begin_a_new_count() {
    let over = serde_json::json!({ "type": "result", "subtype": "success" }).to_string();
    let lines = [said("1", "large", None, "many words"), over, said("2", "large", None, "")];
    assert_eq!(costs(&lines), [Some(12.0.into()), Some(12.0.into())]);
}

#[test]
fn a_model_without_a_price_is_left_to_whoever_knows_one() {
    assert_eq!(costs(&[said("1", "unknown", None, "words")]), [None]);
}

//! What agents are told to do, in the language of the scripted one.

use serde_json::Value;

/// The text of an agent's script, as a prompt.
pub(super) fn prompt(steps: &[Value]) -> String {
    let steps: Vec<_> = steps.iter().map(inline).collect();
    format!("```sim\nstep = [\n{}\n]\n```\n", steps.join(",\n"))
}

/// A value in the language of scripts: steps are inline tables, also within steps.
fn inline(value: &Value) -> String {
    let list = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Object(fields) => {
            format!("{{ {} }}", list(fields.iter().map(|(key, value)| format!("{key} = {}", inline(value))).collect()))
        }
        Value::Array(values) => format!("[{}]", list(values.iter().map(inline).collect())),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_script_is_written_in_its_language() {
        let prompt = prompt(&[json!({ "do": "repeat", "step": [{ "do": "flood", "lines": 3 }] })]);
        assert_eq!(prompt, "```sim\nstep = [\n{ do = \"repeat\", step = [{ do = \"flood\", lines = 3 }] }\n]\n```\n");
    }
}

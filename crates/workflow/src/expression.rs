//! Conditions: `steps.judge.output.choice == "a" && inputs.fast`.
//!
//! A comparison has a path at its left and a value at its right; a path alone is true unless its value is empty, zero or
//! false. `&&` binds closer than `||`; there are no parentheses.

use std::cmp::Ordering;

use serde_json::Value;

use crate::template::{find, is_path, shown};

/// The operators, longer ones first.
const OPERATORS: [(&str, Operator); 8] = [
    ("===", Operator::Is),
    ("!==", Operator::IsNot),
    ("==", Operator::Is),
    ("!=", Operator::IsNot),
    (">=", Operator::AtLeast),
    ("<=", Operator::AtMost),
    (">", Operator::More),
    ("<", Operator::Less),
];

/// A condition: true if all of any of these are.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Expression(Vec<Vec<Term>>);

#[derive(Debug, Clone, PartialEq)]
struct Term {
    negated: bool,
    left: String,
    comparison: Option<(Operator, Operand)>,
}

#[derive(Debug, Clone, PartialEq)]
enum Operand {
    Value(Value),
    Path(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Is,
    IsNot,
    AtLeast,
    AtMost,
    More,
    Less,
}

/// Why a text is not a condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a comparison such as `steps.judge.output.choice == \"a\"`")]
pub(crate) struct ExpressionError(String);

impl Expression {
    pub(crate) fn parse(text: &str) -> Result<Self, ExpressionError> {
        let any = split(text, "||").into_iter().map(|all| split(all, "&&").into_iter().map(Term::parse).collect());
        Ok(Self(any.collect::<Result<_, _>>()?))
    }

    /// Returns the paths that it reads.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flatten().flat_map(|term| {
            let right = match &term.comparison {
                Some((_, Operand::Path(path))) => Some(path.as_str()),
                Some((_, Operand::Value(_))) | None => None,
            };
            std::iter::once(term.left.as_str()).chain(right)
        })
    }

    pub(crate) fn holds(&self, scope: &Value) -> bool {
        self.0.iter().any(|all| all.iter().all(|term| term.holds(scope)))
    }
}

impl Term {
    fn parse(text: &str) -> Result<Self, ExpressionError> {
        let whole = text.trim();
        let error = || ExpressionError(whole.chars().take(60).collect());
        let found = OPERATORS
            .iter()
            .filter_map(|(sign, operator)| whole.find(sign).map(|at| (at, *sign, *operator)))
            .min_by_key(|(at, sign, _)| (*at, std::cmp::Reverse(sign.len())));
        let (left, comparison) = match found {
            Some((at, sign, operator)) => {
                let right = operand(whole[at + sign.len()..].trim()).ok_or_else(error)?;
                (whole[..at].trim(), Some((operator, right)))
            }
            None => (whole, None),
        };
        let (left, negated) = match left.strip_prefix('!') {
            Some(left) if comparison.is_none() => (left.trim(), true),
            Some(_) | None => (left, false),
        };
        if !is_path(left) {
            return Err(error());
        }
        Ok(Self { negated, left: left.to_owned(), comparison })
    }

    fn holds(&self, scope: &Value) -> bool {
        let left = find(scope, &self.left).unwrap_or(&Value::Null);
        let Some((operator, right)) = &self.comparison else { return is_true(left) != self.negated };
        let right = match right {
            Operand::Value(value) => value,
            Operand::Path(path) => find(scope, path).unwrap_or(&Value::Null),
        };
        match operator {
            Operator::Is => equal(left, right),
            Operator::IsNot => !equal(left, right),
            Operator::AtLeast => order(left, right).is_some_and(Ordering::is_ge),
            Operator::AtMost => order(left, right).is_some_and(Ordering::is_le),
            Operator::More => order(left, right).is_some_and(Ordering::is_gt),
            Operator::Less => order(left, right).is_some_and(Ordering::is_lt),
        }
    }
}

/// Splits at a sign that is not within quotes.
fn split<'a>(text: &'a str, sign: &str) -> Vec<&'a str> {
    let (mut parts, mut from, mut quote) = (Vec::new(), 0, None);
    for (at, letter) in text.char_indices() {
        match quote {
            Some(open) if letter == open => quote = None,
            Some(_) => {}
            None if letter == '"' || letter == '\'' => quote = Some(letter),
            None if at >= from && text[at..].starts_with(sign) => {
                parts.push(&text[from..at]);
                from = at + sign.len();
            }
            None => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

/// Reads the right side: JSON, a text in single quotes, a path, or one word.
fn operand(text: &str) -> Option<Operand> {
    if let Ok(value) = serde_json::from_str(text) {
        return Some(Operand::Value(value));
    }
    let quoted = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    if let Some(quoted) = quoted.filter(|quoted| !quoted.contains('\'')) {
        return Some(Operand::Value(quoted.into()));
    }
    match text.split('.').next() {
        Some("inputs" | "steps" | "execution" | "item") if is_path(text) => Some(Operand::Path(text.to_owned())),
        Some(_) if is_path(text) => Some(Operand::Value(text.into())),
        Some(_) | None => None,
    }
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(is) => *is,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

/// A number and the text that is written so are the same: outputs of agents are texts.
fn equal(left: &Value, right: &Value) -> bool {
    left == right || order(left, right) == Some(Ordering::Equal)
}

fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (number(left), number(right)) {
        (Some(left), Some(right)) => left.partial_cmp(&right),
        (_, _) if left.is_null() != right.is_null() => None,
        (_, _) => Some(shown(left).cmp(&shown(right))),
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn holds(text: &str) -> bool {
        let scope = json!({
            "inputs": { "count": 3, "name": "cart", "fast": true, "none": null, "list": [] },
            "steps": { "judge": { "output": { "choice": "a", "score": "7.5" } } },
        });
        Expression::parse(text).unwrap().holds(&scope)
    }

    #[test]
    fn a_comparison_reads_a_path_and_a_value() {
        for text in [
            "inputs.count == 3",
            "inputs.count >= 3 && inputs.count < 4",
            "inputs.name === 'cart'",
            "inputs.name != \"shop\"",
            "steps.judge.output.choice == a",
            "steps.judge.output.score > 7",
            "inputs.count == 9 || inputs.fast",
            "!inputs.none && !inputs.list",
            "inputs.name == 'a || b' || inputs.fast",
            "inputs.unknown != 3",
        ] {
            assert!(holds(text), "{text}");
        }
        for text in ["inputs.count > 3", "inputs.unknown > 0", "inputs.unknown == ''", "!inputs.fast", "inputs.none"] {
            assert!(!holds(text), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_comparison_is_refused() {
        for text in ["", "a b == 3", "inputs.x == ", "== 3", "inputs.x == (1)", "inputs.x && ", "$(ls) == 1"] {
            assert!(Expression::parse(text).is_err(), "{text}");
        }
    }
}

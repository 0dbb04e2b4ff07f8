//! Computes the cost of every call of an agent that reports its input when a call begins, and its output only when a
//! turn is over.
//!
//! What was written is reckoned by its length until then, and counted with the next call of the same agent. So all that
//! is missing at any time is what the call under way has written.

use std::collections::BTreeMap;

use serde_json::Value;
use types::Tokens;

use crate::price::of_model;
use crate::{Event, Price, Reader, Setup, Usage};

/// Bytes of a written token: fewer than words or code have, so that what is written is not reckoned too low.
const TOKEN_BYTES: u64 = 3;

/// Reads as another reader does, and puts a price to calls.
pub(crate) struct Priced<R> {
    reader: R,
    prices: BTreeMap<String, Price>,
    /// The last call of the agent, and of each of its subagents.
    calls: BTreeMap<Option<String>, Call>,
}

/// A call whose words are still to be counted.
struct Call {
    price: Price,
    /// Tokens that it is told to have written.
    told: u64,
    /// Bytes that it has.
    bytes: u64,
}

impl Call {
    /// Returns what it wrote beyond what was told.
    fn rest(&self) -> Tokens {
        let written = self.bytes.div_ceil(TOKEN_BYTES);
        Tokens { output: written.saturating_sub(self.told), ..Tokens::default() }
    }
}

impl<R> Priced<R> {
    pub(crate) fn new(reader: R, setup: &Setup) -> Self {
        Self { reader, prices: setup.prices.clone(), calls: BTreeMap::new() }
    }

    fn price(&mut self, event: &mut Event) {
        if let Event::Usage(usage) = event {
            self.call(usage);
        } else if let Event::Text { text, within } | Event::Thinking { text, within } = event {
            self.wrote(within, text.len());
        } else if let Event::ToolCall { input, within, .. } = event {
            self.wrote(within, input.to_string().len());
        } else if let Event::Result(_) = event {
            self.calls.clear();
        }
    }

    fn call(&mut self, usage: &mut Usage) {
        // A report of nothing but the context is not a call.
        let Some(price) = of_model(&self.prices, usage.model.as_deref()) else { return };
        if usage.tokens == Tokens::default() {
            return;
        }
        let call = Call { price, told: usage.tokens.output, bytes: 0 };
        let before = self.calls.insert(usage.within.clone(), call);
        let rest = before.map(|before| before.price.of(before.rest())).unwrap_or_default();
        usage.cost = Some(price.of(usage.tokens).plus(rest));
    }

    fn wrote(&mut self, within: &Option<String>, bytes: usize) {
        if let Some(call) = self.calls.get_mut(within) {
            call.bytes = call.bytes.saturating_add(bytes as u64);
        }
    }
}

impl<R: Reader> Reader for Priced<R> {
    fn feed(&mut self, line: &[u8]) -> Vec<Event> {
        let mut events = self.reader.feed(line);
        if !self.prices.is_empty() {
            events.iter_mut().for_each(|event| self.price(event));
        }
        events
    }

    /// The next process computes without the output of the previous call, which the next totals include.
    fn state(&self) -> Value {
        self.reader.state()
    }
}

#[cfg(test)]
#[path = "priced_tests.rs"]
mod tests;

//! Answers that are kept as long as the records that they were made from stay the same.
//!
//! A list of a thousand tasks takes milliseconds to read, encode and clear of secrets, and is asked for far more often
//! than one of them changes. What is kept is bounded, and is checked against the version of its groups before it is
//! given out again: an answer holds every change that was acknowledged before it was asked for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use api::Operation;
use redact::Redactor;
use store::Version;

use crate::{Answer, Handle, Service};

/// Bytes of all answers together, at which they are forgotten.
const BYTES_MAX: usize = 8 << 20;

/// Answers shorter than this are made as fast as they are found.
const BYTES_MIN: usize = 4 << 10;

/// The answers that are kept.
#[derive(Debug, Default)]
pub(crate) struct Answers(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    bytes: usize,
    answers: HashMap<Key, (Basis, Answer)>,
}

/// What was asked: the operation, its input, and whether secrets are taken out of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    operation: &'static str,
    input: String,
    redacted: bool,
}

/// What an answer rests on.
#[derive(Debug, Clone)]
struct Basis {
    version: Version,
    redactor: Option<Arc<Redactor>>,
}

/// A question whose answer may be kept.
#[derive(Debug)]
pub(crate) struct Question {
    key: Key,
    basis: Basis,
}

impl Question {
    /// Looks at what an answer would rest on; to be asked before it is read. None, if no answer to it can be kept.
    pub(crate) fn new<O: Operation>(service: &Service, op: &O, redactor: Option<&Arc<Redactor>>) -> Option<Self>
    where
        Service: Handle<O>,
    {
        let version = service.store.version(&service.groups_read(op)?)?;
        let input = serde_json::to_string(op).ok()?;
        let key = Key { operation: O::SPEC.name, input, redacted: redactor.is_some() };
        Some(Self { key, basis: Basis { version, redactor: redactor.cloned() } })
    }
}

impl Answers {
    /// Returns the answer that was kept for a question, if it still holds.
    pub(crate) fn find(&self, question: &Question) -> Option<Answer> {
        let kept = self.kept();
        let (basis, answer) = kept.answers.get(&question.key)?;
        basis.is(&question.basis).then(|| answer.clone())
    }

    /// Keeps the answer to a question.
    pub(crate) fn keep(&self, question: Question, answer: &Answer) {
        let bytes = answer.body.len();
        if !(BYTES_MIN..=BYTES_MAX).contains(&bytes) {
            return;
        }
        let mut kept = self.kept();
        if kept.bytes + bytes > BYTES_MAX {
            *kept = Kept::default();
        }
        kept.bytes += bytes;
        let replaced = kept.answers.insert(question.key, (question.basis, answer.clone()));
        kept.bytes -= replaced.map_or(0, |(_, answer)| answer.body.len());
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Basis {
    fn is(&self, other: &Self) -> bool {
        let redactor = match (&self.redactor, &other.redactor) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        redactor && self.version == other.version
    }
}

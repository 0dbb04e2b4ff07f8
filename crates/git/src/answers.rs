//! Answers of git that never change, because the question names objects and nothing else: they are asked once.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Error;
use crate::repository::Repository;

/// How many answers are known at most; the next one after that is the first again.
const ANSWERS_MAX: usize = 512;

/// How long an answer may be to be kept.
const BYTES_MAX: usize = 16 * 1024;

/// What git has answered, by the words of the question.
#[derive(Debug, Default)]
pub(crate) struct Answers(Mutex<HashMap<Box<str>, Box<[u8]>>>);

impl Answers {
    fn get(&self, question: &str) -> Option<Vec<u8>> {
        self.known().get(question).map(|answer| answer.to_vec())
    }

    fn keep(&self, question: String, answer: &[u8]) {
        if answer.len() > BYTES_MAX {
            return;
        }
        let mut known = self.known();
        if known.len() >= ANSWERS_MAX {
            known.clear();
        }
        known.insert(question.into(), answer.into());
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Box<str>, Box<[u8]>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Repository {
    /// Asks git something whose answer follows from the objects that are named alone, unless it is known.
    pub(crate) async fn ask_once(&self, args: &[&str]) -> Result<Vec<u8>, Error> {
        let question = args.join("\0");
        if let Some(known) = self.git.answers().get(&question) {
            return Ok(known);
        }
        let answer = self.look(args.iter().copied()).run().await?;
        self.git.answers().keep(question, &answer);
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_known_until_there_are_too_many_and_a_long_one_never() {
        let answers = Answers::default();
        answers.keep("long".to_owned(), &vec![0; BYTES_MAX + 1]);
        answers.keep("first".to_owned(), b"1");
        assert_eq!((answers.get("first"), answers.get("long")), (Some(b"1".to_vec()), None));
        (1..ANSWERS_MAX).for_each(|number| answers.keep(number.to_string(), b""));
        assert!(answers.get("first").is_some() && answers.known().len() == ANSWERS_MAX);
        answers.keep("one more".to_owned(), b"");
        assert_eq!((answers.get("first"), answers.known().len()), (None, 1));
    }
}

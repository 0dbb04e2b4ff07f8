//! Text that comes in pieces, of which a secret may take two.
//!
//! What may be the beginning of a secret is held back until it is known whether it is one; all other text passes at
//! once.

use crate::redactor::Redactor;
use crate::shape::{BEGIN, END, SHAPES, is_key_text, is_word};

/// How much of a word is held back: longer ones are looked at as they are.
const HELD_MAX: usize = 8 << 10;

/// The end of the line that ends a block.
const LAST: &str = "KEY-----";

/// One text that comes in pieces.
#[derive(Debug, Clone, Default)]
pub struct Passage {
    held: String,
}

impl Passage {
    /// Takes the next piece, and returns what can be shown by now.
    #[must_use]
    pub fn push(&mut self, redactor: &Redactor, piece: &str) -> String {
        self.held.push_str(piece);
        let upto = settled(&self.held, redactor);
        let rest = self.held.split_off(upto);
        let ready = std::mem::replace(&mut self.held, rest);
        redactor.text(&ready).into_owned()
    }

    /// Returns whether something is held back.
    #[must_use]
    pub const fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    /// Returns what is left when no more comes.
    #[must_use]
    pub fn end(&mut self, redactor: &Redactor) -> String {
        redactor.text(&std::mem::take(&mut self.held)).into_owned()
    }
}

/// Returns up to where nothing can be the beginning of a secret that continues.
fn settled(text: &str, redactor: &Redactor) -> usize {
    let open = [open_block(text), open_word(text), open_value(text, redactor)].into_iter().flatten().min();
    open.filter(|open| text.len() - open <= HELD_MAX.max(redactor.longest())).unwrap_or(text.len())
}

/// Returns where a block begins that has not ended, if there is one.
fn open_block(text: &str) -> Option<usize> {
    let begins = text.rfind(BEGIN)?;
    let block = text.get(begins..)?;
    let ends = block.find(END).is_some_and(|end| block.get(end..).is_some_and(|rest| rest.contains(LAST)));
    (!ends && block.bytes().all(is_key_text)).then_some(begins)
}

/// Returns where in the last word something begins as a secret does, if it does.
fn open_word(text: &str) -> Option<usize> {
    let word = text.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    // The dashes at the end of a block begin no other.
    let closed = text.rfind(END).and_then(|end| Some(end + text.get(end..)?.find(LAST)? + LAST.len()));
    let from = word.max(text.len().saturating_sub(HELD_MAX)).max(closed.unwrap_or(0));
    let begins = |at: usize| {
        let Some(rest) = text.get(at..) else { return false };
        SHAPES.iter().any(|shape| rest.starts_with(shape.start) || shape.start.starts_with(rest))
    };
    // The first place will do: what follows is held with it.
    (from..text.len()).find(|at| edge(text, *at) && begins(*at))
}

/// Returns where a value that is known may have begun, if it may.
fn open_value(text: &str, redactor: &Redactor) -> Option<usize> {
    let from = text.len().saturating_sub(redactor.longest());
    (from..text.len()).find(|at| text.get(*at..).is_some_and(|rest| redactor.may_begin_with(rest)))
}

/// A word of dashes may be the beginning of a block, wherever it is.
fn edge(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    bytes.get(at) == Some(&b'-') || !before.is_some_and(|byte| is_word(*byte))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::REDACTED;

    /// A value of this shape that is not a real secret; put together here, so that no file has one.
    fn key() -> String {
        format!("ghp_{}", "a1B2c3D4".repeat(4))
    }

    fn pass(redactor: &Redactor, pieces: &[&str]) -> String {
        let mut passage = Passage::default();
        let mut shown: String = pieces.iter().map(|piece| passage.push(redactor, piece)).collect();
        shown.push_str(&passage.end(redactor));
        shown
    }

    #[test]
    fn a_secret_in_two_pieces_is_shown_in_none() {
        let redactor = Redactor::new(["a value with blanks"]);
        let text = format!("before {} after, a value with blanks, end", key());
        for at in 0..text.len() {
            let (first, second) = text.split_at(at);
            assert_eq!(pass(&redactor, &[first, second]), format!("before {REDACTED} after, {REDACTED}, end"), "{at}");
        }
    }

    #[test]
    fn a_block_in_many_pieces_is_shown_in_none() {
        let redactor = Redactor::default();
        let begin = format!("-----BEGIN {} KEY-----", "OPENSSH PRIVATE");
        let end = format!("-----END {} KEY-----", "OPENSSH PRIVATE");
        let text = format!("see\n{begin}\nb3BlbnNzaC1rZXkt\nAAAABG5vbmUAAAAE\n{end}\nthere");
        for size in 1..text.len() {
            let pieces: Vec<&str> =
                text.as_bytes().chunks(size).map(|piece| std::str::from_utf8(piece).unwrap()).collect();
            assert_eq!(pass(&redactor, &pieces), format!("see\n{REDACTED}\nthere"), "{size}");
        }
    }

    #[test]
    fn text_that_begins_no_secret_is_not_held_back() {
        let (redactor, mut passage) = (Redactor::new(["a value with blanks"]), Passage::default());
        assert_eq!(passage.push(&redactor, "All tests pass."), "All tests pass.");
        assert_eq!(passage.push(&redactor, " It is gh"), " It is ");
        assert!(passage.holds());
        assert_eq!(passage.push(&redactor, "astly"), "ghastly");
        assert!(!passage.holds());
    }

    proptest! {
        #[test]
        fn pieces_come_out_as_the_whole_does(
            words in prop::collection::vec("[a-z ]{0,12}|ö+", 0..8),
            secret in any::<bool>(),
            cuts in prop::collection::vec(0..200_usize, 0..6),
        ) {
            let mut words = words;
            if secret {
                words.insert(words.len() / 2, format!(" {} ", key()));
            }
            let text = words.concat();
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| text.is_char_boundary(*cut)).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&str> = cuts.windows(2).map(|cut| &text[cut[0]..cut[1]]).collect();
            let redactor = Redactor::new(["known to all of us"]);
            prop_assert_eq!(pass(&redactor, &pieces), redactor.text(&text).into_owned());
        }
    }
}

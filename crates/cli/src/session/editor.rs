//! A line that is being typed, kept here so that it can be drawn again below whatever else is printed.
//!
//! It knows the few keys that a shell's simplest line has. It draws nothing itself.

/// What a key led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Act {
    /// A line is whole.
    Line(String),
    /// The line looks different now.
    Redraw,
    /// The person wants to leave.
    Leave,
}

/// The line so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Editor {
    text: String,
    /// Bytes of a character that has not come whole.
    part: Vec<u8>,
    escape: Escape,
}

/// Where in an escape sequence, such as that of an arrow key, the bytes are; those keys do nothing here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Escape {
    #[default]
    Outside,
    Begun,
    Within,
}

impl Editor {
    /// Returns the line so far.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Takes in what was typed.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<Act> {
        let mut acts: Vec<Act> = bytes.iter().filter_map(|byte| self.key(*byte)).collect();
        // Once is enough for however much was pasted.
        let last = acts.iter().rposition(|act| *act == Act::Redraw);
        let mut at = 0;
        acts.retain(|act| {
            at += 1;
            *act != Act::Redraw || Some(at - 1) == last
        });
        acts
    }

    fn key(&mut self, byte: u8) -> Option<Act> {
        match (self.escape, byte) {
            (Escape::Begun, b'[' | b'O') => self.escape = Escape::Within,
            (Escape::Within, 0x30..=0x3f) => {}
            (Escape::Begun | Escape::Within, _) => self.escape = Escape::Outside,
            (Escape::Outside, 0x1b) => self.escape = Escape::Begun,
            (Escape::Outside, _) => return self.plain_key(byte),
        }
        None
    }

    fn plain_key(&mut self, byte: u8) -> Option<Act> {
        match byte {
            b'\r' | b'\n' => return Some(Act::Line(std::mem::take(&mut self.text))),
            // Ctrl-D: the end, as it is for a shell, on an empty line alone.
            0x04 if self.text.is_empty() => return Some(Act::Leave),
            0x08 | 0x7f => drop(self.text.pop()),
            // Ctrl-U: the whole line.
            0x15 => self.text.clear(),
            // Ctrl-W: the last word.
            0x17 => {
                let kept = self.text.trim_end().rfind(' ').map_or(0, |at| at + 1);
                self.text.truncate(kept);
            }
            b'\t' => self.text.push(' '),
            // Ctrl-L: draw again.
            0x0c => {}
            0x00..=0x1f => return None,
            _ => {
                self.part.push(byte);
                match std::str::from_utf8(&self.part) {
                    Ok(letter) => self.text.push_str(letter),
                    Err(error) if error.error_len().is_none() => return None,
                    Err(_) => {}
                }
                self.part.clear();
            }
        }
        Some(Act::Redraw)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn typed(bytes: &[u8]) -> (Vec<Act>, String) {
        let mut editor = Editor::default();
        let acts = editor.feed(bytes);
        (acts, editor.text)
    }

    #[test]
    fn keys_that_correct_the_line_do_so() {
        for (keys, left) in
            [("abc\x7f\x08", "a"), ("one two\x17", "one "), ("one  \x17two", "two"), ("abc\x15d", "d"), ("ä\x7fö", "ö")]
        {
            assert_eq!(typed(keys.as_bytes()), (vec![Act::Redraw], left.to_owned()), "{keys:?}");
        }
    }

    #[test]
    fn arrow_keys_and_function_keys_leave_no_trace() {
        assert_eq!(typed(b"a\x1b[A\x1b[1;5C\x1b[15~\x1bOPb").1, "ab");
    }

    #[test]
    fn the_end_is_heard_on_an_empty_line_alone() {
        assert_eq!(typed(b"\x04").0, [Act::Leave]);
        assert_eq!(typed(b"a\x04"), (vec![Act::Redraw], "a".to_owned()));
    }

    #[test]
    fn several_lines_at_once_are_several_lines() {
        let (acts, rest) = typed(b"one\rtwo\nthr");
        assert_eq!(acts, [Act::Line("one".to_owned()), Act::Line("two".to_owned()), Act::Redraw]);
        assert_eq!(rest, "thr");
    }

    proptest! {
        #[test]
        fn any_bytes_cut_anywhere_type_the_same(bytes: Vec<u8>, cut in 0..40_usize) {
            let (mut whole, mut parts) = (Editor::default(), Editor::default());
            let (first, second) = bytes.split_at(cut.min(bytes.len()));
            let lines = |acts: Vec<Act>| acts.into_iter().filter(|act| *act != Act::Redraw).collect::<Vec<_>>();
            let once = lines(whole.feed(&bytes));
            let mut twice = lines(parts.feed(first));
            twice.extend(lines(parts.feed(second)));
            prop_assert_eq!(once, twice);
            prop_assert_eq!(whole.text, parts.text);
        }
    }
}

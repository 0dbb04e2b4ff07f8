//! Cutting bytes into lines without losing or doubling one, wherever the reads fall.

/// A line with its place in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Where it begins.
    pub offset: u64,
    /// Its bytes, without the line break.
    pub bytes: Vec<u8>,
    /// Where the next one begins: a reader that has processed this line resumes here.
    pub next: u64,
    /// Whether it ended with a line break. The last words of a killed agent may not, and a line that is longer than
    /// [`Splitter::LINE_MAX`] comes in pieces.
    pub whole: bool,
}

/// Collects bytes of a file, read in order, into lines.
#[derive(Debug, Clone)]
pub struct Splitter {
    /// Where the bytes that were not taken out yet begin in the file.
    offset: u64,
    /// What was put in: first what was taken out already, then the rest.
    bytes: Vec<u8>,
    taken: usize,
    /// Up to where there is no line break after what was taken out.
    searched: usize,
    line_max: usize,
}

impl Splitter {
    /// The longest line that is held in memory.
    pub const LINE_MAX: usize = 32 << 20;

    /// Begins at an offset at which a line begins.
    #[must_use]
    pub const fn at(offset: u64) -> Self {
        Self::with_line_max(offset, Self::LINE_MAX)
    }

    const fn with_line_max(offset: u64, line_max: usize) -> Self {
        Self { offset, bytes: Vec::new(), taken: 0, searched: 0, line_max }
    }

    /// Returns the offset of the first byte that was not put in yet.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.offset + self.pending() as u64
    }

    /// Puts in the bytes that follow.
    pub fn push(&mut self, bytes: &[u8]) {
        // Once per read and not once per line, so that taking out a line moves nothing.
        self.bytes.drain(..self.taken);
        self.searched -= self.taken;
        self.taken = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// Takes out the next line, if its end is there.
    pub fn next_line(&mut self) -> Option<Line> {
        let found = self.bytes[self.searched..].iter().position(|byte| *byte == b'\n');
        match found.map(|at| self.searched + at - self.taken) {
            Some(length) if length <= self.line_max => Some(self.take(length, 1)),
            _ if self.pending() > self.line_max => Some(self.take(self.line_max, 0)),
            Some(_) | None => {
                self.searched = self.bytes.len();
                None
            }
        }
    }

    /// Takes out what is left when nothing follows any more.
    pub fn rest(&mut self) -> Option<Line> {
        (self.pending() > 0).then(|| self.take(self.pending(), 0))
    }

    fn pending(&self) -> usize {
        self.bytes.len() - self.taken
    }

    fn take(&mut self, length: usize, line_break: usize) -> Line {
        let (offset, begin) = (self.offset, self.taken);
        self.taken += length + line_break;
        self.offset += (length + line_break) as u64;
        self.searched = self.taken;
        Line { offset, bytes: self.bytes[begin..begin + length].to_vec(), next: self.offset, whole: line_break > 0 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{Strategy, any};
    use proptest::sample::select;
    use proptest::{prop_assert, prop_assert_eq, proptest};

    use super::*;

    /// Text in which line breaks are frequent, several in a row too.
    fn text() -> impl Strategy<Value = Vec<u8>> {
        vec(select(b"\n\nab\r\0".as_slice()), 0..200)
    }

    /// Reads everything from an offset in pieces of the given sizes.
    fn read(text: &[u8], from: u64, sizes: &[usize], line_max: usize) -> Vec<Line> {
        let mut splitter = Splitter::with_line_max(from, line_max);
        let mut lines = Vec::new();
        let mut rest = &text[from as usize..];
        for size in sizes.iter().copied().chain([usize::MAX]) {
            let (piece, after) = rest.split_at(size.min(rest.len()));
            splitter.push(piece);
            rest = after;
            while let Some(line) = splitter.next_line() {
                lines.push(line);
            }
        }
        lines.extend(splitter.rest());
        lines
    }

    fn joined(lines: &[Line]) -> Vec<u8> {
        lines.iter().flat_map(|line| line.bytes.iter().copied().chain(line.whole.then_some(b'\n'))).collect()
    }

    proptest! {
        #[test]
        fn no_byte_is_lost_or_doubled_wherever_the_reads_fall(text in text(), sizes in vec(0_usize..20, 0..40)) {
            let lines = read(&text, 0, &sizes, 1000);
            prop_assert_eq!(joined(&lines), &text[..]);
            prop_assert_eq!(&lines, &read(&text, 0, &[], 1000));
            prop_assert!(lines.iter().rev().skip(1).all(|line| line.whole));
            prop_assert!(lines.iter().all(|line| !line.bytes.contains(&b'\n')));
        }

        #[test]
        fn reading_on_from_any_line_gives_the_lines_that_follow(text in text(), sizes in vec(0_usize..20, 0..40), at: usize) {
            let lines = read(&text, 0, &[], 1000);
            if !lines.is_empty() {
                let at = at % lines.len();
                prop_assert_eq!(read(&text, lines[at].next, &sizes, 1000), &lines[at + 1..]);
                prop_assert_eq!(read(&text, lines[at].offset, &sizes, 1000), &lines[at..]);
            }
        }

        #[test]
        fn a_line_that_is_too_long_comes_in_pieces_that_make_it_up(text in text(), sizes in vec(0_usize..20, 0..40), max in 1_usize..8) {
            let lines = read(&text, 0, &sizes, max);
            prop_assert_eq!(joined(&lines), text);
            prop_assert!(lines.iter().all(|line| line.bytes.len() <= max));
        }

        #[test]
        fn bytes_that_are_no_text_pass_unchanged(text in vec(any::<u8>(), 0..300)) {
            prop_assert_eq!(joined(&read(&text, 0, &[7, 11, 13], 1000)), text);
        }
    }
}

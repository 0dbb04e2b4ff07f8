//! The last lines of what a check says.

use std::collections::VecDeque;

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// How many of the last lines are kept, and how many bytes at most.
const LINES: usize = 60;
const BYTES: usize = 8_000;

/// The last bytes of an output.
#[derive(Debug, Default)]
pub(crate) struct Tail(VecDeque<u8>);

impl Tail {
    /// Reads to the end; what was read stays when this is dropped before.
    pub(crate) async fn read(&mut self, mut pipe: impl AsyncRead + Unpin) {
        let mut bytes = vec![0; 16 * 1024];
        while let Ok(count @ 1..) = pipe.read(&mut bytes).await {
            self.0.extend(bytes.iter().take(count));
            let over = self.0.len().saturating_sub(BYTES);
            self.0.drain(..over);
        }
    }

    /// Returns the last lines.
    pub(crate) fn text(&self) -> String {
        let bytes: Vec<u8> = self.0.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.trim_end().lines().collect();
        lines.get(lines.len().saturating_sub(LINES)..).unwrap_or_default().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_last_lines_are_kept_and_the_flood_before_them_is_not() {
        let flood: String = (0..100_000).map(|number| format!("line {number}\n")).collect();
        let mut tail = Tail::default();
        tail.read(flood.as_bytes()).await;
        let text = tail.text();
        assert!(text.ends_with("line 99998\nline 99999"), "{text}");
        assert_eq!(text.lines().count(), LINES);
        let mut one = Tail::default();
        one.read("x".repeat(1_000_000).as_bytes()).await;
        assert_eq!(one.text().len(), BYTES);
    }
}

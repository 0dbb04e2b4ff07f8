//! Paths are bytes; texts that hold them are not. Two ways to write one as the other.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::repository::path_from;

/// Writes a path as printable ASCII that [`unescape`] reads back.
pub(crate) fn escape(path: &Path) -> String {
    let mut text = String::new();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'%' | 0..=0x1f | 0x7f..=0xff => {
                // Writing to a text cannot fail.
                let _ = write!(text, "%{byte:02x}");
            }
            _ => text.push(char::from(*byte)),
        }
    }
    text
}

/// Reads what [`escape`] wrote; none if it did not.
pub(crate) fn unescape(text: &str) -> Option<PathBuf> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first == b'%' {
            let (digits, after) = after.split_at_checked(2)?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            rest = after;
        } else {
            bytes.push(*first);
        }
    }
    Some(path_from(&bytes))
}

/// Writes a path in the quotes of C, as git reads it where a line holds one path.
pub(crate) fn quote(path: &Path, line: &mut Vec<u8>) {
    line.push(b'"');
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'"' | b'\\' => line.extend([b'\\', *byte]),
            0..=0x1f | 0x7f => line.extend(format!("\\{byte:03o}").as_bytes()),
            _ => line.push(*byte),
        }
    }
    line.extend(b"\"\n");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_path_comes_back_from_its_escaped_form(bytes: Vec<u8>) {
            let path = path_from(&bytes);
            let text = escape(&path);
            prop_assert!(text.is_ascii() && !text.contains('\n'));
            prop_assert_eq!(unescape(&text), Some(path));
        }
    }

    #[test]
    fn a_text_that_was_not_escaped_is_refused() {
        assert_eq!((unescape("%"), unescape("%4"), unescape("%zz")), (None, None, None));
    }

    #[test]
    fn a_line_break_does_not_end_a_quoted_path() {
        let mut line = Vec::new();
        quote(Path::new("a\n\"b\\"), &mut line);
        assert_eq!(line, b"\"a\\012\\\"b\\\\\"\n");
    }
}

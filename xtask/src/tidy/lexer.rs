//! Splits Rust source into code, comments and literals, without parsing it.
//!
//! All parts keep the length and the line breaks of the source, so an offset found in one is an offset in the others.
//! The text of a string or character literal is in neither code nor comments: a rule never trips over its own tests.

/// A source file in three parts, each with spaces where the others have text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) code: String,
    pub(super) comments: String,
    /// String and character literals, with their delimiters.
    pub(super) literals: String,
}

/// What a stretch of source is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    Comment,
    Literal,
}

/// Splits the source; text that is not Rust comes out as some split, never as a panic.
pub(super) fn split(source: &str) -> Parts {
    let bytes = source.as_bytes();
    let mut code = vec![b' '; bytes.len()];
    let mut comments = code.clone();
    let mut literals = code.clone();
    let mut at = 0;
    while at < bytes.len() {
        let (kind, end) = next(bytes, at);
        let end = end.clamp(at + 1, bytes.len());
        match kind {
            Kind::Code => code[at..end].copy_from_slice(&bytes[at..end]),
            Kind::Comment => comments[at..end].copy_from_slice(&bytes[at..end]),
            Kind::Literal => {
                // The delimiters stay, so that `""` is still seen as something.
                code[at] = b'"';
                code[end - 1] = b'"';
                literals[at..end].copy_from_slice(&bytes[at..end]);
            }
        }
        at = end;
    }
    for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
        code[at] = b'\n';
        comments[at] = b'\n';
        literals[at] = b'\n';
    }
    Parts { code: lossy(&code), comments: lossy(&comments), literals: lossy(&literals) }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The stretch that starts at `at`: its kind and its end.
fn next(bytes: &[u8], at: usize) -> (Kind, usize) {
    let rest = &bytes[at..];
    if rest.starts_with(b"//") {
        return (Kind::Comment, at + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()));
    }
    if rest.starts_with(b"/*") {
        return (Kind::Comment, at + block_comment(rest));
    }
    match rest[0] {
        b'"' => (Kind::Literal, at + quoted(rest)),
        b'\'' => match character(rest) {
            Some(length) => (Kind::Literal, at + length),
            None => (Kind::Code, at + 1),
        },
        byte if is_word(byte) => {
            let word = rest.iter().position(|byte| !is_word(*byte)).unwrap_or(rest.len());
            match raw_string(&rest[..word], &rest[word..]) {
                Some(length) => (Kind::Literal, at + word + length),
                None => (Kind::Code, at + word),
            }
        }
        _ => (Kind::Code, at + 1),
    }
}

/// Whether the byte may stand in an identifier; every byte of a non-ASCII character may.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// The length of a block comment, nested ones included.
fn block_comment(rest: &[u8]) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// The length of a literal between quotes of the kind it starts with.
fn quoted(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            byte if byte == rest[0] => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// The length of a character literal, or nothing if the quote starts a lifetime.
fn character(rest: &[u8]) -> Option<usize> {
    if rest.get(1) == Some(&b'\\') {
        return Some(quoted(rest));
    }
    let first = *rest.get(1)?;
    let width = match first {
        0..0x80 => 1,
        0x80..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    };
    (rest.get(1 + width) == Some(&b'\'')).then_some(width + 2)
}

/// The length of a raw string after its prefix, or nothing if no raw string starts here.
fn raw_string(prefix: &[u8], rest: &[u8]) -> Option<usize> {
    if !matches!(prefix, b"r" | b"br" | b"cr") {
        return None;
    }
    let hashes = rest.iter().take_while(|byte| **byte == b'#').count();
    if rest.get(hashes) != Some(&b'"') {
        return None;
    }
    let mut end = vec![b'"'];
    end.resize(hashes + 1, b'#');
    let body = hashes + 1;
    let length = rest[body..].windows(end.len()).position(|window| window == end);
    Some(length.map_or(rest.len(), |length| body + length + end.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(source: &str) -> String {
        let code = split(source).code;
        assert_eq!(code.len(), source.len());
        code.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_leave_the_code_and_keep_their_place() {
        let parts = split("a // b\n/* c /* d */ e */ f\n");
        assert_eq!(parts.code, "a     \n                  f\n");
        assert_eq!(parts.comments, "  // b\n/* c /* d */ e */  \n");
    }

    #[test]
    fn the_text_of_a_string_is_neither_code_nor_comment() {
        let parts = split(r#"f("} // x \" {", '}', '\'', b'{', b"{")"#);
        assert!(parts.literals.contains("} // x"));
        assert!(!parts.code.contains(['{', '}']), "{}", parts.code);
        assert_eq!(parts.comments.trim(), "");
        assert!(parts.code.ends_with(')'));
    }

    #[test]
    fn raw_strings_end_at_their_own_hashes() {
        assert_eq!(split("r#\"a \"{\" b\"# x").code, "\"          \" x");
        assert!(code("br\"\\\" x").ends_with('x'));
    }

    #[test]
    fn a_raw_identifier_is_code() {
        assert_eq!(code("r#fn r#type"), "r#fn r#type");
    }

    #[test]
    fn a_lifetime_is_code_and_a_character_is_not() {
        assert_eq!(code("&'a str, 'outer: loop"), "&'a str, 'outer: loop");
        assert!(!code("'{' 'é' '→' '\\u{7b}'").contains(['{', 'é', '→']));
    }

    #[test]
    fn broken_source_is_split_without_a_panic() {
        for source in ["\"", "'", "'\\", "r#\"", "/*", "b'", "'é", "\"\\"] {
            assert_eq!(split(source).code.len(), source.len(), "{source}");
        }
    }
}

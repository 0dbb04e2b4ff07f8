//! The command that a shell is started with, taken out of the line that starts it.

/// Returns what the shell is to run; the line itself if it starts no shell.
pub(super) fn unwrapped(line: &str) -> String {
    match words(line).as_deref() {
        Some([_, option, command]) if matches!(option.as_str(), "-c" | "-lc") => command.clone(),
        Some(_) | None => line.to_owned(),
    }
}

/// Splits a line into words as a shell would that expands nothing; none if a quote is left open.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' => quoted(&mut letters, word.get_or_insert_default())?,
            '"' => double_quoted(&mut letters, word.get_or_insert_default())?,
            '\\' => word.get_or_insert_default().push(letters.next()?),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Some(words)
}

fn quoted(letters: &mut std::str::Chars<'_>, word: &mut String) -> Option<()> {
    loop {
        match letters.next()? {
            '\'' => return Some(()),
            letter => word.push(letter),
        }
    }
}

fn double_quoted(letters: &mut std::str::Chars<'_>, word: &mut String) -> Option<()> {
    loop {
        match letters.next()? {
            '"' => return Some(()),
            '\\' => match letters.next()? {
                escaped @ ('$' | '`' | '"' | '\\') => word.push(escaped),
                '\n' => {}
                other => word.extend(['\\', other]),
            },
            letter => word.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_what_the_shell_is_given() {
        let cases = [
            ("/bin/bash -lc 'touch no.txt'", "touch no.txt"),
            ("/bin/bash -lc ls", "ls"),
            (r#"/bin/sh -c "echo 'a b' \"\$HOME\" \n""#, r#"echo 'a b' "$HOME" \n"#),
            (r"bash -c 'a'\''b'", "a'b"),
            ("git status", "git status"),
            ("/bin/bash -lc 'left open", "/bin/bash -lc 'left open"),
            ("/bin/bash -lc a b", "/bin/bash -lc a b"),
        ];
        for (line, command) in cases {
            assert_eq!(unwrapped(line), command);
        }
    }
}

//! Hosts that a text names.

use crate::script::Script;

/// Programs whose plain arguments are hosts.
const CALLERS: [&str; 14] =
    ["curl", "dig", "ftp", "host", "nc", "ncat", "nslookup", "ping", "rsync", "scp", "sftp", "ssh", "telnet", "wget"];

/// Finds the hosts of all addresses in a text.
pub(crate) fn in_text(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, behind)) = rest.split_once("://") {
        found.extend(host(behind));
        rest = behind;
    }
    found
}

/// Finds the hosts of a script: of addresses, of remotes such as `git@host:path`, and of what is told to connect.
pub(crate) fn in_script(source: &str, script: &Script) -> Vec<String> {
    let mut found = in_text(source);
    for simple in &script.commands {
        let calls = CALLERS.contains(&simple.program());
        for word in simple.words.iter().skip(1) {
            // The value of `--url=HOST`; what else begins with a dash is an option alone.
            let option = word.text.starts_with('-');
            let value = word.text.split_once('=').map(|(_, value)| value).filter(|_| option);
            let Some(word) = value.or((!option).then_some(word.text.as_str())) else { continue };
            let remote = word.split_once('@').filter(|(_, behind)| behind.contains(':'));
            match remote {
                _ if word.contains("://") || word.contains(char::is_whitespace) => found.extend(in_text(word)),
                Some((_, behind)) => found.extend(host(behind)),
                None if calls && (word.contains('.') || word == "localhost") => found.extend(host(word)),
                None => {}
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Reads the host at the beginning of what follows `://`.
fn host(text: &str) -> Option<String> {
    let end = |c: char| matches!(c, '/' | '?' | '#' | '"' | '\'' | '`' | ',' | ')' | '>' | '\\') || c.is_whitespace();
    let authority = text.split(end).next().unwrap_or_default();
    let named = authority.rsplit('@').next().unwrap_or_default();
    let named = match named.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or_default(),
        None => named.split(':').next().unwrap_or_default(),
    };
    let named = named.trim_end_matches('.').to_ascii_lowercase();
    (!named.is_empty()).then_some(named)
}

//! What differs from run to run (ids, commits, times, ports, folders) and what the page shows in its place.

use std::collections::BTreeMap;
use std::path::Path;

/// Prefixes of ids that a person sees.
const KINDS: [&str; 9] = ["a", "d", "g", "l", "m", "p", "r", "s", "v"];
/// Characters behind the prefix.
const ID_LENGTH: std::ops::RangeInclusive<usize> = 5..=12;

/// Names of this run, and what the page calls them.
#[derive(Debug, Default)]
pub(crate) struct Names {
    folders: Vec<(String, String)>,
    shown: BTreeMap<String, String>,
    counts: BTreeMap<String, usize>,
}

impl Names {
    pub(crate) fn new<'a>(folders: impl IntoIterator<Item = (&'a Path, &'a str)>) -> Self {
        let folders = folders.into_iter().map(|(real, shown)| (real.display().to_string(), shown.to_owned()));
        Self { folders: folders.collect(), ..Self::default() }
    }

    /// Puts the names of this run into a command of the page.
    pub(crate) fn real(&self, text: &str) -> String {
        self.shown.iter().fold(text.to_owned(), |text, (real, shown)| text.replace(shown, real))
    }

    /// Puts the names of the page into an output of this run.
    pub(crate) fn shown(&mut self, text: &str) -> String {
        let text = self.folders.iter().fold(text.to_owned(), |text, (real, shown)| text.replace(real, shown));
        let (mut out, mut word) = (String::new(), String::new());
        for letter in text.chars().chain(['\n']) {
            if letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.' | ':' | '$' | '+') {
                word.push(letter);
                continue;
            }
            let whole = word.trim_end_matches(['.', ':']);
            out.push_str(&self.word(whole, &out));
            out.push_str(&word[whole.len()..]);
            out.push(letter);
            word.clear();
        }
        out.pop();
        out
    }

    fn word(&mut self, word: &str, before: &str) -> String {
        let tail = word.rsplit('-').next().unwrap_or_default();
        let kind = word.strip_suffix(tail).and_then(|kind| kind.strip_suffix('-')).unwrap_or_default();
        let is_id = ID_LENGTH.contains(&tail.len())
            && tail.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit());
        let is_number = word.chars().next().is_some_and(|first| first.is_ascii_digit());
        let is_hash = (7..=40).contains(&word.len())
            && word.chars().all(|letter| matches!(letter, '0'..='9' | 'a'..='f'))
            && word.chars().any(|letter| letter.is_ascii_digit());
        if is_id && kind == "worker" {
            let session = self.named(&format!("s-{tail}"), "s");
            return session.replacen("s-", "worker-", 1);
        }
        if is_id && KINDS.contains(&kind) {
            return self.named(word, kind);
        }
        if kind == "shop" && tail.len() == 8 {
            return "shop-1a2b3c4d".to_owned();
        }
        if is_hash {
            return self.named(word, "commit");
        }
        if let Some((host, _)) = word.split_once(":").filter(|(host, _)| *host == "127.0.0.1") {
            return format!("{host}:3847");
        }
        if before.ends_with("process ") && is_number {
            return "4242".to_owned();
        }
        if let Some(dollars) = word.strip_prefix('$').filter(|rest| rest.parse::<f64>().is_ok()) {
            return format!(
                "${}",
                dollars.chars().map(|digit| if digit == '.' { '.' } else { '0' }).collect::<String>()
            );
        }
        let is_time = is_number
            && (word.matches(':').count() > 0 || word.ends_with("ms") || (word.ends_with('s') && word.len() < 7));
        if is_time {
            return word.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter }).collect();
        }
        word.to_owned()
    }

    /// Numbers names of a kind in the order in which they appear.
    fn named(&mut self, real: &str, kind: &str) -> String {
        if let Some(shown) = self.shown.get(real) {
            return shown.clone();
        }
        let count = self.counts.entry(kind.to_owned()).or_default();
        *count += 1;
        let shown = if kind == "commit" { format!("c0ffe{count:02}") } else { format!("{kind}-aaaa{count}") };
        self.shown.insert(real.to_owned(), shown.clone());
        shown
    }
}

#[test]
fn names_of_a_run_are_shown_as_the_pages_and_back() {
    let mut names = Names::new([(Path::new("/tmp/x/ann"), "/srv/ann")]);
    let text = "m-x7k2m (worker-f7avb, devfleet/s-f7avb): 78e4c93 at 12:34:56 for $0.013, /tmp/x/ann, 127.0.0.1:40123.";
    let shown = "m-aaaa1 (worker-aaaa1, devfleet/s-aaaa1): c0ffe01 at 00:00:00 for $0.000, /srv/ann, 127.0.0.1:3847.";
    assert_eq!(names.shown(text), shown);
    assert_eq!(names.shown("of m-x7k2m and m-b2c3d\n"), "of m-aaaa1 and m-aaaa2\n");
    assert_eq!(names.real("fleet logs m-aaaa2"), "fleet logs m-b2c3d");
}

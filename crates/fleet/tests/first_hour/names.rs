//! What differs from run to run (ids, commits, times, ports, folders) and what the page shows in its place.

use std::collections::BTreeMap;
use std::path::Path;

/// Prefixes of ids that a person sees.
const KINDS: [&str; 9] = ["a", "d", "g", "l", "m", "p", "r", "s", "v"];
/// Where the page says that the server listens.
const ADDRESS: &str = "127.0.0.1:3847";
/// What the page has in place of the hash in the name of a folder.
const FOLDER: &str = "1a2b3c4d";
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
        // Milliseconds are not a commit.
        let is_hash = (7..=40).contains(&word.len())
            && (word.len() < 12 || word.chars().any(|letter| letter.is_ascii_lowercase()))
            && word.chars().all(|letter| matches!(letter, '0'..='9' | 'a'..='f'))
            && word.chars().any(|letter| letter.is_ascii_digit());
        if is_id && kind == "worker" {
            let session = self.named(&format!("s-{tail}"), "s");
            return session.replacen("s-", "worker-", 1);
        }
        if is_id && KINDS.contains(&kind) {
            return self.named(word, kind);
        }
        // A line that is too long for the terminal ends within it.
        if kind == "shop" && (3..=FOLDER.len()).contains(&tail.len()) && tail.chars().all(|it| it.is_ascii_hexdigit()) {
            return format!("shop-{}", &FOLDER[..tail.len()]);
        }
        if is_hash {
            return self.named(word, "commit");
        }
        if word.starts_with("127.0.0.1:") {
            // Only the last server that was started can be called.
            self.shown.retain(|_, shown| shown != ADDRESS);
            self.shown.insert(word.to_owned(), ADDRESS.to_owned());
            return ADDRESS.to_owned();
        }
        if before.ends_with("process ") && is_number {
            return "4242".to_owned();
        }
        let is_time = is_number && word.contains(':');
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
        let shown = if kind == "commit" { format!("c0ffe{count:02}") } else { format!("{kind}-aaa{count:02}") };
        self.shown.insert(real.to_owned(), shown.clone());
        shown
    }
}

#[test]
fn names_of_a_run_are_shown_as_the_pages_and_back() {
    let mut names = Names::new([(Path::new("/tmp/x/ann"), "/srv/ann")]);
    let text = "m-x7k2m (worker-f7avb, devfleet/s-f7avb): 78e4c93 at 12:34:56 for $0.01, /tmp/x/ann, 127.0.0.1:40123.";
    let shown = "m-aaa01 (worker-aaa01, devfleet/s-aaa01): c0ffe01 at 00:00:00 for $0.01, /srv/ann, 127.0.0.1:3847.";
    assert_eq!(names.shown(text), shown);
    assert_eq!(names.shown("of m-x7k2m and m-b2c3d\n"), "of m-aaa01 and m-aaa02\n");
    assert_eq!(names.real("fleet logs m-aaa02"), "fleet logs m-b2c3d");
    assert_eq!(names.shown("in shop-aa8424f0/s-x and shop-aa8424…\n"), "in shop-1a2b3c4d/s-x and shop-1a2b3c…\n");
    assert_eq!(names.shown("created: 1763452800000\n"), "created: 1763452800000\n");
    assert_eq!(names.shown("restarted at 127.0.0.1:5\n"), "restarted at 127.0.0.1:3847\n");
    assert_eq!(names.real("curl http://127.0.0.1:3847/health"), "curl http://127.0.0.1:5/health");
}

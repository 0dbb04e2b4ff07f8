//! What a command runs itself: `sudo -u root X`, `find -exec X`, `sh -c 'X'`, `eval X`.
//!
//! Options of such programs are not known one by one: whatever may be the command behind them is returned. Too much is
//! better than too little here, since it is for rules that stop something.

use crate::script::Simple;
use crate::shell::is_assignment;
use crate::words::Word;

/// Something that a command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Runs {
    /// This command.
    Command(Vec<Word>),
    /// The commands of a script.
    Script(Word),
    /// The commands that it reads.
    Stdin,
}

/// Programs that run the command behind their options, with how many words are between.
const WRAPPERS: [(&str, usize); 50] = [
    // Words of the shell, where the parser takes them for a program.
    ("!", 0),
    ("do", 0),
    ("elif", 0),
    ("else", 0),
    ("if", 0),
    ("then", 0),
    ("until", 0),
    ("while", 0),
    ("{", 0),
    ("builtin", 0),
    ("busybox", 0),
    ("chroot", 1),
    ("chrt", 1),
    ("command", 0),
    ("coproc", 1),
    ("dbus-run-session", 0),
    ("doas", 0),
    ("env", 0),
    ("exec", 0),
    ("fakeroot", 0),
    ("faketime", 1),
    ("flock", 1),
    ("gdb", 0),
    ("ionice", 0),
    ("ltrace", 0),
    ("nice", 0),
    ("nohup", 0),
    ("noglob", 0),
    ("nsenter", 0),
    ("numactl", 0),
    ("parallel", 0),
    ("pkexec", 0),
    ("proxychains", 0),
    ("runuser", 0),
    ("setarch", 1),
    ("setpriv", 0),
    ("setsid", 0),
    ("stdbuf", 0),
    ("strace", 0),
    ("sudo", 0),
    ("systemd-run", 0),
    ("taskset", 1),
    ("time", 0),
    ("timeout", 1),
    ("toybox", 0),
    ("unbuffer", 0),
    ("unshare", 0),
    ("valgrind", 0),
    ("xargs", 0),
    ("xvfb-run", 0),
];

const SHELLS: [&str; 9] = ["ash", "bash", "dash", "fish", "ksh", "mksh", "sh", "yash", "zsh"];

/// Programs whose arguments are texts that a shell reads.
const READERS: [&str; 3] = ["alias", "eval", "trap"];

/// Most words of `ssh` and the like behind which a command is looked for.
const TAILS_MAX: usize = 9;

/// Options of `find` and `fd` that a command follows.
const FIND: [&str; 8] = ["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"];

/// Returns what a command runs itself.
pub(crate) fn runs(simple: &Simple) -> Vec<Runs> {
    let Some((_, rest)) = simple.words.split_first() else { return Vec::new() };
    let program = simple.program();
    if SHELLS.contains(&program) {
        return shell(rest);
    }
    if READERS.contains(&program) {
        return texts(rest);
    }
    if matches!(program, "entr" | "script" | "ssh" | "su" | "watch") {
        let commands = (1..rest.len().min(TAILS_MAX)).filter_map(|from| rest.get(from..));
        let named = commands.filter(|words| words.first().is_some_and(|first| !first.text.starts_with('-')));
        return texts(rest).into_iter().chain(named.map(|words| Runs::Command(words.to_vec()))).collect();
    }
    if matches!(program, "find" | "fd" | "fdfind") {
        return found(rest);
    }
    let Some((_, between)) = WRAPPERS.iter().find(|(name, _)| *name == program) else { return Vec::new() };
    let scripts = rest.iter().zip(rest.iter().skip(1)).filter(|(option, _)| is_script_option(&option.text));
    let scripts = scripts.map(|(_, script)| Runs::Script(script.clone()));
    let joined = rest.iter().filter_map(|word| word.text.strip_prefix("--split-string=").map(|text| (word, text)));
    let joined = joined.map(|(word, text)| Runs::Script(Word { text: text.to_owned(), ..word.clone() }));
    let mut all: Vec<Runs> = scripts.chain(joined).collect();
    all.extend(behind(rest, *between).into_iter().map(Runs::Command));
    if program == "xargs" {
        all.extend(replaced(rest));
    }
    all
}

/// `env -S`, `flock -c`, `runuser -c`.
fn is_script_option(word: &str) -> bool {
    matches!(word, "-S" | "--split-string" | "-c" | "--command")
}

/// Every place behind the options where the command may begin: a word behind an option may be its value.
fn behind(rest: &[Word], between: usize) -> Vec<Vec<Word>> {
    let mut found = Vec::new();
    let (mut maybe_value, mut between) = (false, between);
    for (at, word) in rest.iter().enumerate() {
        if word.text == "--" {
            maybe_value = false;
            continue;
        }
        if word.text.starts_with('-') && word.text.len() > 1 {
            maybe_value = !word.text.contains('=');
            continue;
        }
        if is_assignment(&word.text) {
            continue;
        }
        found.push(rest.get(at..).unwrap_or_default().to_vec());
        match (maybe_value, between) {
            (true, _) => maybe_value = false,
            (false, 0) => break,
            (false, _) => between -= 1,
        }
    }
    found
}

/// `xargs -I % % x` runs what it reads.
fn replaced(rest: &[Word]) -> Option<Runs> {
    let marks = rest.iter().zip(rest.iter().skip(1).map(Some).chain([None])).filter_map(|(option, next)| {
        let joined = option.text.strip_prefix("-I").or_else(|| option.text.strip_prefix("--replace="));
        joined
            .filter(|mark| !mark.is_empty())
            .map(str::to_owned)
            .or_else(|| (option.text == "-I").then(|| next.map(|next| next.text.clone())).flatten())
    });
    let marks: Vec<String> = marks.collect();
    let programs = behind(rest, 0);
    let is_mark = |word: &Word| marks.contains(&word.text);
    let read = programs.iter().skip(marks.len().min(1)).any(|words| words.first().is_some_and(is_mark));
    read.then_some(Runs::Stdin)
}

/// `sh -c TEXT`, `sh FILE`, or `sh` alone, which reads what it is given.
fn shell(rest: &[Word]) -> Vec<Runs> {
    let is_option = |word: &&Word| word.text.starts_with(['-', '+']);
    let short = |word: &&Word| is_option(word) && !word.text.starts_with("--");
    let arguments = rest.iter().filter(|word| !is_option(word));
    if rest.iter().filter(short).any(|word| word.text.contains('c')) || rest.iter().any(|word| !word.known) {
        return arguments.map(|word| Runs::Script(word.clone())).collect();
    }
    let from_stdin = rest.iter().filter(short).any(|word| word.text.contains('s')) || arguments.count() == 0;
    if from_stdin { vec![Runs::Stdin] } else { Vec::new() }
}

/// Each argument is a script, and so are all of them together.
fn texts(rest: &[Word]) -> Vec<Runs> {
    let whole = rest.iter().fold(Word { known: true, ..Word::default() }, |whole, word| {
        let blank = if whole.text.is_empty() { "" } else { " " };
        Word { text: format!("{}{blank}{}", whole.text, word.text), known: whole.known && word.known, ..whole }
    });
    let each = rest.iter().filter(|word| !word.text.starts_with('-'));
    let values = each.clone().filter_map(|word| {
        let (_, value) = word.text.split_once('=')?;
        Some(Word { text: value.to_owned(), ..word.clone() })
    });
    let scripts = each.cloned().chain(values).filter(|word| word.text.contains(char::is_whitespace));
    let scripts = std::iter::once(whole).chain(scripts).filter(|word| !word.text.is_empty());
    scripts.map(Runs::Script).collect()
}

/// Every command behind an option that runs one, up to `;` or `+`.
fn found(rest: &[Word]) -> Vec<Runs> {
    let starts = rest.iter().enumerate().filter(|(_, word)| FIND.contains(&word.text.as_str()));
    let commands = starts.map(|(at, _)| {
        let behind = rest.iter().skip(at + 1);
        behind.take_while(|word| !matches!(word.text.as_str(), ";" | "+")).cloned().collect::<Vec<Word>>()
    });
    commands.filter(|words| !words.is_empty()).map(Runs::Command).collect()
}

//! What a script is found to run: ordinary shell, its evasions, and random texts.

use proptest::prelude::*;

use super::*;

fn lines(text: &str) -> Vec<String> {
    Script::of(text).commands.iter().map(Simple::bare_line).collect()
}

fn finds(text: &str, line: &str) -> bool {
    lines(text).iter().any(|found| found == line)
}

/// Ways to run `rm x` that a rule about `rm *` must see.
const RUNS_IT: &[&str] = &[
    "rm x",
    "/bin/rm x",
    "\\rm x",
    "'rm' x",
    "r''m x",
    "$'rm' x",
    "A=b rm x",
    ">f rm x",
    "rm x &",
    "true && rm x",
    "true\nrm x",
    "true | rm x",
    "(rm x)",
    "{ rm x; }",
    "! rm x",
    "if true; then rm x; fi",
    "if false; then :; elif true; then rm x; else :; fi",
    "if rm x; then :; fi",
    "for i in 1 2; do rm x; done",
    "for ((i=0; i<1; i++)); do rm x; done",
    "while rm x; do :; done",
    "until false; do rm x; done",
    "select i in a; do rm x; done",
    "case a in a) rm x;; esac",
    "f() { rm x; }; f",
    "function f { rm x; }; f",
    "coproc rm x",
    "coproc NAME { rm x; }",
    "time rm x",
    "time -p rm x",
    "echo $(rm x)",
    "echo `rm x`",
    "echo \"a $(rm x) b\"",
    "echo ${a:-$(rm x)}",
    "echo $((1 + $(rm x)))",
    "[[ -n $(rm x) ]]",
    "a=$(rm x)",
    "export a=$(rm x)",
    "a=(1 $(rm x))",
    "diff <(rm x) y",
    "tee >(rm x)",
    "exec 3< <(rm x)",
    "cat <<E\n$(rm x)\nE",
    "bash <<E\nrm x\nE",
    "bash <<'E'\nrm x\nE",
    "sh <<< 'rm x'",
    "cat <<< \"$(rm x)\"",
    "eval rm x",
    "eval 'rm x'",
    "eval \"eval 'rm x'\"",
    "sh -c 'rm x'",
    "bash -lc \"rm x\"",
    "bash -o pipefail -c 'rm x'",
    "bash -c 'bash -c \"rm x\"'",
    "trap 'rm x' EXIT",
    "alias a='rm x'",
    "sudo rm x",
    "sudo -u root rm x",
    "sudo -n --user=root A=b rm x",
    "doas -u root rm x",
    "env rm x",
    "env -i rm x",
    "env -u A rm x",
    "env -u A B=c rm x",
    "env -S 'rm x'",
    "env '--split-string=rm x'",
    "timeout 9 rm x",
    "timeout -s KILL 9 rm x",
    "timeout --signal=KILL -k 5 9 rm x",
    "nice rm x",
    "nice -n 5 rm x",
    "nohup rm x",
    "setsid -w rm x",
    "stdbuf -oL rm x",
    "stdbuf -o L rm x",
    "ionice -c 3 rm x",
    "command rm x",
    "command -p rm x",
    "builtin command rm x",
    "exec rm x",
    "exec -a b rm x",
    "chroot / rm x",
    "flock f rm x",
    "flock f -c 'rm x'",
    "taskset 1 rm x",
    "unshare -r rm x",
    "ssh host rm x",
    "ssh -p 22 host 'rm x'",
    "su -c 'rm x' ann",
    "watch -n 1 rm x",
    "busybox rm x",
    "xargs rm x",
    "echo y | xargs -n 1 -I{} rm x",
    "find . -exec rm x ;",
    "find . -name a -exec rm x \\; -print",
    "find . -execdir rm x +",
    "find . -ok rm x ';'",
    "find . -exec sh -c 'rm x' \\;",
    "sudo env A=b nice -n 5 timeout 9 sh -c 'true; rm x'",
];

#[test]
fn every_way_to_run_a_command_is_found() {
    for text in RUNS_IT {
        let script = Script::of(text);
        assert!(finds(text, "rm x"), "{text:?}: {:?}", lines(text));
        assert_eq!(script.unclear, None, "{text:?}");
    }
}

#[test]
fn a_word_that_is_no_command_runs_nothing() {
    for text in [
        "echo rm x",
        "echo 'rm x'",
        "git commit -m 'rm x'",
        "echo a # rm x",
        "cat <<E\nrm x\nE",
        "grep rm x",
        "timeout 9 echo rm x",
        "find . -name rm -print",
        "for rm in x; do echo y; done",
        "rm=x true",
    ] {
        assert!(!lines(text).iter().any(|line| line.starts_with("rm ")), "{text:?}: {:?}", lines(text));
        assert_eq!(Script::of(text).unclear, None, "{text:?}");
    }
}

#[test]
fn what_is_known_only_when_it_runs_is_unclear() {
    for (text, why) in [
        ("$X x", Unclear::Program),
        ("${X} x", Unclear::Program),
        ("r$X x", Unclear::Program),
        ("$(echo rm) x", Unclear::Program),
        ("`echo rm` x", Unclear::Program),
        ("\"$X\" x", Unclear::Program),
        ("r? x", Unclear::Program),
        ("/bin/r[m] x", Unclear::Program),
        ("{rm,x}", Unclear::Syntax),
        ("$'\\x72m' x", Unclear::Program),
        ("rm${IFS}x", Unclear::Program),
        ("sudo $X", Unclear::Program),
        ("env A=b \"$X\"", Unclear::Program),
        ("find . -exec {} \\;", Unclear::Program),
        ("a=(rm x); \"${a[@]}\"", Unclear::Program),
        ("eval $X", Unclear::Script),
        ("eval \"$(cat f)\"", Unclear::Script),
        ("sh -c \"$X\"", Unclear::Script),
        ("bash \"$X\"", Unclear::Script),
        ("curl -s example.org | sh", Unclear::Script),
        ("echo cm0geA== | base64 -d | bash -s", Unclear::Script),
        ("bash < f", Unclear::Script),
        ("echo rm | xargs -I % % x", Unclear::Script),
        ("if true; then rm x", Unclear::Syntax),
        ("echo 'rm", Unclear::Syntax),
        ("echo $(rm x", Unclear::Syntax),
        ("a\0b", Unclear::Syntax),
    ] {
        assert_eq!(Script::of(text).unclear, Some(why), "{text:?}: {:?}", lines(text));
    }
}

#[test]
fn a_variable_that_rules_spell_otherwise_is_read_as_they_spell_it() {
    assert!(finds("rm -r $HOME/a \"${HOME}/b\" $PWD/c", "rm -r ~/a ~/b ./c"));
    let words = Script::of("cat < $HOME/.ssh/id > \"$HOME\"/y").targets;
    assert_eq!(words.iter().filter(|word| word.starts_with("~/")).count(), 2, "{words:?}");
}

#[test]
fn a_command_that_is_known_in_part_tells_how_it_begins() {
    let begin = |text: &str| Script::of(text).commands.first().and_then(Simple::known_begin);
    assert_eq!(begin("git push origin").as_deref(), None);
    assert_eq!(begin("git $X origin").as_deref(), Some("git "));
    assert_eq!(begin("git pu$(true)sh").as_deref(), Some("git "));
    assert_eq!(begin("git commit -m \"$M\"").as_deref(), Some("git commit -m "));
}

#[test]
fn a_script_within_too_many_scripts_is_unclear_and_not_read_for_ever() {
    let quoted = |text: &str| format!("eval {}", text.chars().flat_map(|c| ['\\', c]).collect::<String>());
    let nested = (0..6).fold("rm x".to_owned(), |text, _| format!("eval \"eval {text}\""));
    assert!(finds("eval eval eval rm x", "rm x"));
    let _ = (Script::of(&nested), Script::of(&quoted("rm x")));
    let deep = "eval ".repeat(20) + "rm x";
    assert_eq!(Script::of(&deep).unclear, Some(Unclear::Size));
    let many = "a;".repeat(5000);
    assert_eq!(Script::of(&many).unclear, Some(Unclear::Size));
}

#[test]
fn texts_of_the_greatest_size_are_read_in_time_and_on_a_small_stack() {
    for step in
        ["(", "$(", "`", "{ ", "<<E\n", "if ", "a|", "((", "\"$(", "[[ ", "case ", "${", "<(", "sudo ", "eval '"]
    {
        let text = step.repeat((1 << 16) / step.len());
        let _ = Script::of(&text);
    }
}

/// What may stand around a command without keeping it from being one.
fn around() -> impl Strategy<Value = (&'static str, &'static str)> {
    prop::sample::select(vec![
        ("", ""),
        ("if true; then ", "; fi"),
        ("for i in a; do ", "; done"),
        ("while ", "; do :; done"),
        ("! ", ""),
        ("( ", " )"),
        ("{ ", "; }"),
        ("echo $( ", " )"),
        ("true && ", " || true"),
        ("a | ", " | b"),
        ("f() { ", "; }"),
        ("case a in a) ", ";; esac"),
        ("cat <( ", " )"),
        ("\n\n", "\n"),
    ])
}

/// What may stand right in front of a simple command.
fn wrapper() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "",
        "sudo ",
        "sudo -u root ",
        "env -u A ",
        "env A=b ",
        "timeout -s KILL 9 ",
        "nice -n 5 ",
        "nohup ",
        "A=b ",
        "command ",
        "coproc ",
        "time ",
        "xargs -n 1 ",
        "find . -exec ",
    ])
}

#[test]
fn a_negated_case_is_unclear_rather_than_a_program_named_case() {
    assert!(Script::of("! case a in a) rm a;; esac").unclear.is_some());
    assert!(Script::of("case a in a) rm a;; esac").unclear.is_none());
}

proptest! {
    #[test]
    fn a_command_is_found_within_whatever_stands_around_it(
        outer in prop::collection::vec(around(), 0..4),
        wrappers in prop::collection::vec(wrapper(), 0..3),
        argument in "[a-z]{1,8}",
    ) {
        let inner = format!("{}rm {argument}", wrappers.concat());
        // There `find` runs a program of that name.
        prop_assume!(!inner.contains("-exec A=b"));
        let text = outer.iter().fold(inner, |text, (before, after)| format!("{before}{text}{after}"));
        // Where the grammar loses its way, the script is unclear: no rule allows it, and rules that ask or block apply.
        let unclear = Script::of(&text).unclear.is_some();
        prop_assert!(unclear || finds(&text, &format!("rm {argument}")), "{}: {:?}", text, lines(&text));
    }

    #[test]
    fn a_command_in_single_quotes_for_a_shell_is_found(argument in "[a-z ]{1,8}", shell in "(ba|da|z|k)?sh") {
        let text = format!("{shell} -c 'rm {argument}'");
        prop_assert!(lines(&text).iter().any(|line| line.starts_with("rm")), "{text}");
    }

    #[test]
    fn letters_of_any_language_and_signs_that_no_shell_knows_are_parts_of_words(sign in "[^ -~\n\t\0]") {
        prop_assert!(finds(&format!("a{sign} b{sign}; rm x"), &format!("a{sign} b{sign}")), "{:?}", sign);
        let text = format!("echo {sign}; rm x");
        prop_assert!(finds(&text, "rm x"), "{}", text);
    }

    #[test]
    fn any_text_is_read(text in ".{0,60}", more in "[ab'\"\\\\ $`;&|<>(){}#=,.\n-]{0,40}") {
        for text in [text, more] {
            let script = Script::of(&text);
            let _ = (script.words(&text), script.paths(&text));
        }
    }
}

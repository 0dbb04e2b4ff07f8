use serde_json::json;
use types::{About, Pattern, Rule, TeamName, Timestamp};

use super::*;
use crate::permissions::{Answer, OnAsk};
use crate::{Dialect, concerning, preset};

fn fence(preset_name: &str) -> SessionPermissions {
    SessionPermissions { tools: preset(preset_name), ..SessionPermissions::open("/repo".into()) }
}

fn bash(command: &str) -> Call {
    Call::of(Dialect::Claude, "Bash", &json!({"command": command}))
}

fn file(tool: &str, path: &str) -> Call {
    Call::of(Dialect::Claude, tool, &json!({"file_path": path}))
}

fn allows(fence: &SessionPermissions, call: &Call) -> bool {
    decide(fence, call) == Verdict::Allow
}

fn why(fence: &SessionPermissions, call: &Call) -> String {
    match decide(fence, call) {
        Verdict::Block { why, .. } => why,
        other @ (Verdict::Allow | Verdict::Ask { .. }) => panic!("{}: {other:?}", call.what()),
    }
}

fn rule(code: &str, decision: Decision, priority: i32, about: About) -> Rule {
    Rule {
        id: RuleId::from_code(code).unwrap(),
        team: TeamName::default_team(),
        project: None,
        name: format!("rule {code}"),
        decision,
        about,
        why: None,
        priority,
        enabled: true,
        created_by: Handle::owner(),
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
    }
}

fn pattern(text: &str) -> Option<Pattern> {
    Some(text.parse().unwrap())
}

fn on_command(text: &str) -> About {
    About { command: pattern(text), ..About::default() }
}

#[test]
fn a_preset_covers_what_it_is_for() {
    for (name, commands) in [
        (
            "review",
            vec![
                "git diff",
                "git diff HEAD~1 -- src/a.rs",
                "git log --oneline -5 2>/dev/null",
                "git diff; git log",
                "cd /repo && git log",
            ],
        ),
        (
            "explore",
            vec![
                "git status",
                "git --no-pager show HEAD",
                "ls -la src/",
                "find . -name '*.rs'",
                "git branch -a",
                "git rev-parse --git-dir",
            ],
        ),
        ("test", vec!["cargo test --all", "NO_COLOR=1 pytest -q tests/a.py", "npm test"]),
        ("implement", vec!["rm -rf target && make > log", "echo $(date)"]),
    ] {
        for command in commands {
            assert_eq!(decide(&fence(name), &bash(command)), Verdict::Allow, "{name}: {command}");
        }
    }
    assert!(allows(&fence("review"), &file("Read", "/repo/src/a.rs")));
    assert!(allows(&fence("implement"), &file("Write", "src/../b.rs")));
    assert!(allows(&fence("review"), &Call::of(Dialect::Claude, "TodoWrite", &json!({}))));
}

/// Begins like what `review` has, one a line.
const NOT_REVIEW: &str = r#"git
git push
git diffx
git difftool
git diff; rm a
git diff && git push
git diff | sh
git diff & rm a
git diff $(rm a)
git diff `rm a`
git diff "$(rm a)"
git diff > a
git diff >> a
git diff <(rm a)
(git diff)
eval git diff
GIT_EXTERNAL_DIFF=./x git diff
PAGER=./x git log
git -c core.pager=./x diff
git --exec-path=. diff
git -C /other log
git diff --output=a
git diff --outp a
git diff --ext-diff
git diff --ext
git log --output a
env git diff
git diff $X
git diff {--output=a,b}
git diff *
git diff -*
g\it push
git diff --no-index /etc/passwd a
git diff ~/.ssh/id_rsa
git log ../../x
git diff -O/etc/x
/usr/bin/git diff
git  push
xargs git diff
git log ext::sh
! git diff
time git diff"#;

/// Begins like what `explore` has, one a line.
const NOT_EXPLORE: &str = r#"find . -exec rm {} +
find . -delete
find . -ok x
find . -fprint a
find . '-exec' x
find / -name x
find . -execdir a
git push
git commit -am x
git checkout .
git branch -D main
git branch new
git tag v1
git config core.pager x
git stash
git stash drop
git grep -O x
git grep --open-files x
git bisect run sh
git submodule foreach x
git remote add a b
git worktree add x
git reflog expire --all
git unknown
git clean -fd
git update-ref a b
ls ~
git archive -o a HEAD
git hook run a
ls; rm a
git log --exec=x"#;

#[test]
fn a_pattern_does_not_cover_what_only_begins_like_it() {
    let odd = ["", " ", "git diff\nrm a", "git log # it's\nrm a\n'", "git diff\u{0}", "git diff \u{7}"];
    for command in NOT_REVIEW.lines().chain(odd) {
        assert!(!allows(&fence("review"), &bash(command)), "{command:?}");
    }
    for command in NOT_EXPLORE.lines() {
        assert!(!allows(&fence("explore"), &bash(command)), "{command:?}");
    }
}

#[test]
fn a_refusal_says_what_was_wrong() {
    let review = fence("review");
    assert!(why(&review, &bash("git diff --output=a")).contains("--output"));
    assert!(why(&review, &bash("git diff > a")).contains("redirection"));
    assert!(why(&review, &bash("git diff && rm a")).contains("`rm a`"));
    assert!(why(&review, &file("Write", "a")).contains("Write"));
    assert!(why(&review, &file("Read", "../b")).contains("../b"));
}

#[test]
fn files_are_written_in_the_folder_and_where_else_it_is_said_and_never_in_what_git_keeps() {
    let mut implement = fence("implement");
    for outside in
        ["/etc/passwd", "../a", "/repo/../a", "~/.bashrc", "/repository/a", ".git/config", "/repo/a/.GIT/hooks/x", ""]
    {
        assert!(!allows(&implement, &file("Write", outside)), "{outside}");
    }
    implement.writable = vec!["/cache".into()];
    assert!(allows(&implement, &file("Edit", "/cache/a")));
    assert!(!allows(&implement, &Call::of(Dialect::Claude, "Write", &json!({"content": "x"}))));
}

#[test]
fn whoever_has_no_shell_reads_in_the_folder() {
    let mut review = fence("review");
    for outside in ["/users/ann/.ssh/id_rsa", "~/.ssh/id_rsa", "~root/x", "../../etc/passwd"] {
        assert!(!allows(&review, &file("Read", outside)), "{outside}");
    }
    let glob = |pattern: &str| Call::of(Dialect::Claude, "Glob", &json!({"pattern": pattern}));
    assert!(allows(&review, &glob("src/**/*.rs")));
    for outside in ["/etc/*", "../*", "{src,/etc}/*", "~/*"] {
        assert!(!allows(&review, &glob(outside)), "{outside}");
    }
    assert!(!allows(&review, &Call::of(Dialect::Claude, "Grep", &json!({"pattern": "x", "path": "/etc"}))));
    review.readable = vec!["/users/ann/notes".into()];
    assert!(allows(&review, &file("Read", "/users/ann/notes/a")));
    assert!(allows(&fence("implement"), &file("Read", "/usr/include/stdio.h")));
}

#[test]
fn tools_of_servers_are_there_only_if_they_are_listed() {
    let mut review = fence("review");
    let call = |dialect, tool: &str| Call::of(dialect, tool, &json!({}));
    assert!(!allows(&review, &call(Dialect::Claude, "mcp__fleet__submit_report")));
    review.tools.as_mut().unwrap().extend(["mcp__fleet__*".to_owned(), "mcp__my_shop__*".to_owned()]);
    assert!(allows(&review, &call(Dialect::Claude, "mcp__fleet__submit_report")));
    assert!(allows(&review, &call(Dialect::Gemini, "mcp_my_shop_buy")));
    assert!(!allows(&review, &call(Dialect::Gemini, "mcp_other_buy")));
    assert!(!allows(&review, &call(Dialect::Codex, "write_stdin")));
}

#[test]
fn the_rule_of_the_highest_priority_counts_and_of_equals_the_strictest() {
    let [block, ask, allow] = [Decision::Block, Decision::Ask, Decision::Allow];
    let rules = |rules: &[(Decision, i32)]| {
        let made = rules.iter().enumerate().map(|(n, (decision, priority))| {
            rule(&"abcde".replace('a', &"bcd"[n..=n]), *decision, *priority, on_command("git push *"))
        });
        SessionPermissions { rules: made.collect(), ..fence("implement") }
    };
    let push = bash("make && git push origin main");
    assert!(matches!(
        decide(&rules(&[(allow, 0), (block, 0), (ask, 0)]), &push),
        Verdict::Block { by: By::Rule { .. }, .. }
    ));
    assert!(matches!(decide(&rules(&[(allow, 0), (ask, 0)]), &push), Verdict::Ask { .. }));
    assert!(matches!(decide(&rules(&[(ask, 2), (block, 1)]), &push), Verdict::Ask { .. }));
    let alone = bash("git push");
    assert_eq!(decide(&rules(&[(allow, 2), (block, 1)]), &alone), Verdict::Allow);
    // What else it runs is not what the rule allows.
    assert!(matches!(decide(&rules(&[(allow, 2), (block, 1)]), &push), Verdict::Block { .. }));
}

#[test]
fn a_rule_that_stops_is_not_got_around_by_writing_it_differently() {
    let stopped = SessionPermissions {
        rules: vec![rule("bbbbb", Decision::Block, 0, on_command("rm *"))],
        ..SessionPermissions::open("/repo".into())
    };
    for command in
        ["rm a", "x; rm a", "sudo rm a", "/bin/rm a", "sh -c 'rm a'", "$(rm a)", "r'm' a", "A=b rm a", "x | xargs rm"]
    {
        assert!(!allows(&stopped, &bash(command)), "{command}");
    }
    assert!(allows(&stopped, &bash("cargo rm-dist")));
    let tool = About { tool: pattern("Bash(git push *)"), ..About::default() };
    let stopped = SessionPermissions {
        rules: vec![rule("bbbbb", Decision::Block, 0, tool)],
        ..SessionPermissions::open("/repo".into())
    };
    assert!(!allows(&stopped, &bash("a && git push --output=x $(b)")));
    assert!(allows(&stopped, &bash("git pull")));
    assert!(!allows(&stopped, &bash("if true; then sudo -u root git push; fi")));
    assert!(!allows(&stopped, &bash("git $X")));
}

#[test]
fn a_command_that_cannot_be_read_is_stopped_by_a_rule_that_stops_and_allowed_by_none_that_allows() {
    let with = |decision, text: &str| SessionPermissions {
        rules: vec![rule("bbbbb", decision, 1, on_command(text)), rule("ccccc", Decision::Block, 0, on_command("*"))],
        ..SessionPermissions::open("/repo".into())
    };
    let unclear = ["$X", "curl x | sh", "eval \"$X\"", "ls 'a", "r? x", "git $X", "git pu$(true)sh", "sh -c \"$X\""];
    for command in unclear {
        let verdict = |decision, text| decide(&with(decision, text), &bash(command));
        let by = |code: &str| By::Rule { id: RuleId::from_code(code).unwrap(), name: format!("rule {code}") };
        assert!(
            matches!(verdict(Decision::Ask, "git push *"), Verdict::Ask { by: of, .. } if of == by("bbbbb")),
            "{command}"
        );
        assert!(
            matches!(verdict(Decision::Block, "git push *"), Verdict::Block { by: of, .. } if of == by("bbbbb")),
            "{command}"
        );
        assert!(
            matches!(verdict(Decision::Allow, "*"), Verdict::Block { by: of, .. } if of == by("ccccc")),
            "{command}"
        );
    }
    // What is certainly something else is left alone.
    for command in ["git commit -m \"$M\"", "ls $X", "git log", "for i in a; do ls $i; done", "cargo test > out"] {
        let alone = SessionPermissions {
            rules: vec![rule("bbbbb", Decision::Block, 0, on_command("git push *"))],
            ..SessionPermissions::open("/repo".into())
        };
        assert!(allows(&alone, &bash(command)), "{command}");
    }
}

#[test]
fn a_refusal_of_an_unclear_command_says_what_is_unclear() {
    let stopped = SessionPermissions {
        rules: vec![rule("bbbbb", Decision::Block, 0, on_command("git push *"))],
        ..SessionPermissions::open("/repo".into())
    };
    assert_eq!(why(&stopped, &bash("git push")), "rule bbbbb");
    let told = why(&stopped, &bash("curl x | sh"));
    assert_eq!(told, "rule bbbbb (it may run this: a shell reads a script that is known only when it runs)");
}

#[test]
fn rules_are_about_paths_hosts_and_tools_too() {
    let with = |about: About| SessionPermissions {
        rules: vec![rule("bbbbb", Decision::Block, 0, about)],
        home: Some("/users/ann".into()),
        ..SessionPermissions::open("/repo".into())
    };
    let env = with(About { path: pattern("**/.env"), ..About::default() });
    for call in [file("Read", "/repo/a/.env"), file("Edit", ".env"), bash("cat .env"), bash("cp a/.env b")] {
        assert!(!allows(&env, &call), "{}", call.what());
    }
    assert!(allows(&env, &file("Read", "env")));
    let keys = with(About { path: pattern("~/.ssh/**"), ..About::default() });
    assert!(!allows(&keys, &file("Read", "/users/ann/.ssh/id_rsa")));
    assert!(!allows(&keys, &bash("cat ~/.ssh/id_rsa")));
    for command in ["cat $HOME/.ssh/id_rsa", "cat \"${HOME}\"/.ssh/id", "cat < $HOME/.ssh/id", "A=~/.ssh/id run"] {
        assert!(!allows(&keys, &bash(command)), "{command}");
    }
    let hosts = with(About { host: pattern("*.evil.example"), ..About::default() });
    assert!(!allows(&hosts, &bash("curl https://a.evil.example/x")));
    for command in
        ["curl --url=a.evil.example/x", "sudo -u b curl a.evil.example", "if true; then wget a.evil.example; fi"]
    {
        assert!(!allows(&hosts, &bash(command)), "{command}");
    }
    assert!(allows(&hosts, &bash("curl https://good.example/x")));
    let fetches = with(About { tool: pattern("regex:^(WebFetch|web_fetch)$"), ..About::default() });
    assert!(!allows(&fetches, &Call::of(Dialect::Gemini, "web_fetch", &json!({"prompt": "x"}))));
    let both = with(About { tool: pattern("Write"), path: pattern("docs/**"), ..About::default() });
    assert!(!allows(&both, &file("Write", "docs/a.md")));
    assert!(allows(&both, &file("Read", "docs/a.md")));
}

#[test]
fn asking_does_not_widen_the_tools_and_an_answer_is_for_exactly_one_call() {
    let mut review = fence("review");
    review.on_ask = OnAsk::Defer;
    review.rules = vec![rule("bbbbb", Decision::Ask, 0, About { tool: pattern("Bash"), ..About::default() })];
    assert!(matches!(decide(&review, &bash("rm a")), Verdict::Block { by: By::Preset, .. }));
    let call = bash("git diff");
    assert!(matches!(decide(&review, &call), Verdict::Ask { .. }));
    let answer = |allow| Answer { key: call.key(), allow, by: Handle::owner(), why: None };
    review.answers = vec![answer(true)];
    assert_eq!(decide(&review, &call), Verdict::Allow);
    assert!(matches!(decide(&review, &bash("git diff HEAD")), Verdict::Ask { .. }));
    review.answers.push(answer(false));
    assert!(matches!(decide(&review, &call), Verdict::Block { by: By::Person { .. }, .. }));
}

#[test]
fn a_pattern_that_cannot_be_read_is_refused_with_its_place_and_stops_where_it_is_met() {
    let error = crate::check_rule(&on_command("regex:git (push")).unwrap_err();
    assert_eq!(error.to_string(), "`command` is no pattern: unclosed group, at character 5");
    assert!(crate::check_rule(&About::default()).is_err());
    assert!(crate::check_rule(&on_command("regex:(a{1000}){1000}")).unwrap_err().why.contains("too large"));
    let broken = |decision| SessionPermissions {
        rules: vec![rule("bbbbb", decision, 0, on_command("regex:("))],
        ..fence("implement")
    };
    assert!(!allows(&broken(Decision::Block), &bash("ls")));
    assert!(allows(&broken(Decision::Allow), &bash("ls")));
}

#[test]
fn rules_of_other_teams_and_projects_do_not_concern_a_session() {
    let mine = rule("bbbbb", Decision::Block, 0, on_command("a"));
    let off = Rule { enabled: false, ..rule("ccccc", Decision::Block, 0, on_command("a")) };
    let other = Rule { team: "other".parse().unwrap(), ..rule("ddddd", Decision::Block, 0, on_command("a")) };
    let project =
        Rule { project: Some("p-aaaaa".parse().unwrap()), ..rule("eeeee", Decision::Block, 0, on_command("a")) };
    let all = [mine.clone(), off, other, project.clone()];
    let team = TeamName::default_team();
    assert_eq!(concerning(&all, &team, None), std::slice::from_ref(&mine));
    assert_eq!(concerning(&all, &team, Some(&"p-aaaaa".parse().unwrap())), [mine, project]);
}

#[path = "decide_props.rs"]
mod props;

#[test]
fn a_question_to_the_terminal_is_refused_with_the_tool_that_reaches_a_person_whatever_the_session_may() {
    let input = json!({ "questions": [{ "question": "Which port?", "options": [{ "label": "80" }] }] });
    let tools = [(Dialect::Claude, "AskUserQuestion"), (Dialect::Gemini, "ask_user"), (Dialect::Opencode, "question")];
    for (dialect, tool) in tools {
        let call = Call::of(dialect, tool, &input);
        for permissions in [fence("implement"), fence("review"), SessionPermissions::open(std::path::PathBuf::new())] {
            let Verdict::Block { why, .. } = decide(&permissions, &call) else { panic!("{tool} was let through") };
            assert!(why.contains("mcp__fleet__ask_human"), "{why}");
        }
    }
}

//! The properties that hold for whatever commands, rules and presets there are; examples are in `decide_tests.rs`.

use proptest::prelude::*;

use super::*;

/// What a shell is told behind a command that is refused.
fn appended() -> impl Strategy<Value = String> {
    prop_oneof![
        ".{0,20}",
        "[ ;&|\n<>(){}'\"$`#\\\\a-z/.*=-]{0,30}",
        prop::sample::select(vec![
            " && git diff",
            "; git log",
            " | git log",
            " # git diff",
            "' git diff '",
            "\ngit log"
        ])
        .prop_map(str::to_owned),
    ]
}

fn commands() -> impl Strategy<Value = String> {
    let known = [
        "git diff",
        "git log -5",
        "rm -rf /",
        "git push",
        "find . -delete",
        "ls",
        "cargo test",
        "echo x > y",
        "git -c a=b diff",
        "sh -c ls",
    ];
    prop_oneof![
        prop::sample::select(known.to_vec()).prop_map(str::to_owned),
        "[ ;&|\n<>(){}'\"$`#\\\\a-z/.*=-]{0,30}",
        ".{0,30}"
    ]
}

fn presets() -> impl Strategy<Value = &'static str> {
    prop::sample::select(crate::PRESETS.map(|(name, _)| name).to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn nothing_joined_to_a_refused_command_makes_it_pass(name in narrow(), command in commands(), join in joins(), more in appended()) {
        let fence = fence(name);
        // Text that ends in the middle of a quote or an operator is not a command yet.
        let parts = crate::shell::parts(&command).unwrap_or_default();
        if parts.is_empty() || allows(&fence, &bash(&command)) {
            return Ok(());
        }
        for longer in [format!("{command}{join}{more}"), format!("{more}{join}{command}")] {
            // Text in front may open a quote that contains the command.
            let still = crate::shell::parts(&longer).is_ok_and(|parts| whole(&parts, &command));
            prop_assert!(!still || !allows(&fence, &bash(&longer)), "{longer:?}");
        }
    }

    #[test]
    fn nothing_behind_the_words_of_a_foreign_command_makes_it_pass(command in foreign(), more in appended()) {
        let longer = format!("{command}{more}");
        prop_assert!(!allows(&fence("review"), &bash(&longer)), "{longer:?}");
    }

    #[test]
    fn the_same_is_decided_each_time_and_nothing_panics(name in presets(), command in commands(), tool in "[A-Za-z_(* )]{0,12}", path in ".{0,20}") {
        let mut fence = fence(name);
        fence.tools.as_mut().unwrap().push(tool.clone());
        fence.rules = vec![rule("bbbbb", Decision::Ask, 0, About { path: path.parse().ok(), ..on_command("git *") })];
        for call in [bash(&command), file("Write", &path), file(&tool, &path), Call::of(Dialect::Acp, &tool, &json!([path]))] {
            prop_assert_eq!(decide(&fence, &call), decide(&fence.clone(), &call));
        }
    }

    #[test]
    fn a_rule_that_allows_or_asks_never_widens_a_preset(name in presets(), command in commands(), priority in -9..9, asks: bool) {
        let plain = fence(name);
        let decision = if asks { Decision::Ask } else { Decision::Allow };
        let every = About { tool: pattern("*"), ..About::default() };
        let ruled = SessionPermissions { rules: vec![rule("bbbbb", decision, priority, every)], ..plain.clone() };
        let call = bash(&command);
        prop_assert!(allows(&plain, &call) || !allows(&ruled, &call));
        let asked = matches!(decide(&ruled, &call), Verdict::Ask { .. });
        prop_assert!(allows(&plain, &call) || !asked);
    }

    #[test]
    fn what_blocks_beats_what_allows_at_the_same_priority(command in commands(), priority in -9..9) {
        let about = || About { tool: pattern("Bash"), ..About::default() };
        let rules = vec![rule("bbbbb", Decision::Allow, priority, about()), rule("ccccc", Decision::Block, priority, about())];
        let fence = SessionPermissions { rules, ..SessionPermissions::open("/repo".into()) };
        prop_assert!(!allows(&fence, &bash(&command)));
    }
}

fn narrow() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["review", "test", "explore"])
}

fn joins() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![";", " && ", " || ", " | ", " & ", "\n", "|&"])
}

fn foreign() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "rm -rf /",
        "git push",
        "git diff; rm ",
        "git diff > a",
        "git log --output=a ",
        "git -c a=b diff",
        "echo $(git diff)",
        "git diff | sh ",
    ])
}

/// Returns whether the simple commands of a command are still among these.
fn whole(parts: &[crate::shell::Part], command: &str) -> bool {
    crate::shell::parts(command).is_ok_and(|own| own.iter().all(|part| parts.contains(part)))
}

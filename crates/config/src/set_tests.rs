use std::os::unix::fs::{PermissionsExt as _, symlink};

use tempfile::TempDir;

use super::*;

fn home(runtime_toml: &str) -> (TempDir, Home) {
    let directory = tempfile::tempdir().unwrap();
    let home = Home::at(directory.path());
    disk::replace(&home.runtime_toml(), runtime_toml).unwrap();
    (directory, home)
}

fn after(runtime_toml: &str, changes: &[(&str, &str)]) -> String {
    let (_directory, home) = home(runtime_toml);
    set(&home, changes).unwrap();
    file::read(&home.runtime_toml()).unwrap()
}

#[test]
fn comments_and_everything_else_stay() {
    let before =
        "# my fleet\nport = 4000 # not 3847\n\n# logs\nlog_level = \"debug\"\n\n[agents.mine]\nbinary = 'mine'\n";
    let expected = "# my fleet\nport = 5000 # not 3847\n\n# logs\nlog_level = \"debug\"\nhost = \"::1\"\n\n[agents.mine]\nbinary = 'mine'\n";
    assert_eq!(after(before, &[("port", "5000"), ("host", "::1")]), expected);
}

#[test]
fn values_are_written_as_what_they_are() {
    let changes = [("port", "1"), ("open_registration", "true"), ("allowed_hosts", "a, b"), ("db_path", "say \"hi\"")];
    let expected = "port = 1\nopen_registration = true\nallowed_hosts = [\"a\", \"b\"]\ndb_path = 'say \"hi\"'\n";
    assert_eq!(after("", &changes), expected);
}

#[test]
fn an_agent_is_edited_where_it_stands_or_made() {
    let mine = "[agents.mine] # here\nmodel = 'a' # small\nenv = { A = '1' }\n";
    let expected = "[agents.mine] # here\nmodel = \"b\" # small\nenv = { A = '1' , B = \"2\" }\n";
    assert_eq!(after(mine, &[("agents.mine.model", "b"), ("agents.mine.env.B", "2")]), expected);

    let changes = [
        ("agents.claude.model", "opus"),
        ("agents.claude.args", "-v, --quick"),
        ("agents.claude.limits.turns_max", "3"),
        ("agents.claude.limits.dollars_max", "0.5"),
    ];
    let expected = "port = 1\n\n[agents.claude]\nmodel = \"opus\"\nargs = [\"-v\", \"--quick\"]\n\
                    limits.turns_max = 3\nlimits.dollars_max = 0.5\n";
    assert_eq!(after("port = 1\n", &changes), expected);
    assert_eq!(after("", &[("agents.claude.model", ""), ("agents.claude.env.A", "")]), "");
    assert_eq!(
        after(expected, &[("agents.claude.limits.turns_max", "")]),
        expected.replace("limits.turns_max = 3\n", "")
    );
}

#[test]
fn what_no_agent_can_have_is_not_written() {
    let before = "[agents.mine]\nmodel = 'a'\n";
    let (_directory, home) = home(before);
    for (key, value) in [
        ("agents.mine", "x"),
        ("agents.mine.modle", "x"),
        ("agents.mine.model.x", "x"),
        ("agents.mine.env", "A=1"),
        ("agents.mine.limits.turns", "1"),
        ("agents.mine.limits.turns_max", "many"),
        ("agents.mine.binary", " "),
    ] {
        let error = set(&home, &[(key, value)]).unwrap_err().to_string();
        assert!(error.contains(key), "{error}");
        assert_eq!(file::read(&home.runtime_toml()).unwrap(), before);
    }
    let error = set(&home, &[("agents.My.model", "x")]).unwrap_err().to_string();
    assert!(error.contains("takes the name of an agent"), "{error}");
}

#[test]
fn an_empty_value_removes_its_key_under_every_name() {
    assert_eq!(after("max_concurrent = 3\nport = 1\n", &[("max_workers", "")]), "port = 1\n");
    assert_eq!(after("", &[("port", "")]), "");
}

#[test]
fn a_file_that_uses_an_alias_goes_on_using_it() {
    assert_eq!(after("max_concurrent = 3 # few\n", &[("max_workers", "4")]), "max_concurrent = 4 # few\n");
    assert_eq!(after("", &[("max_concurrent", "4")]), "max_concurrent = 4\n");
}

#[test]
fn what_would_be_refused_is_not_written() {
    let before = "port = 4000 # mine\n";
    let (_directory, home) = home(before);
    for (changes, expected) in [
        (vec![("log_level", "debug"), ("port", "many")], "cannot use `many` for setting `port`"),
        (vec![("prt", "1")], "cannot find setting `prt`; did you mean `port`?"),
        (
            vec![("open_registration", "true"), ("host", "0.0.0.0")],
            "cannot use settings `open_registration` and `host`",
        ),
    ] {
        let error = set(&home, &changes).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
        assert_eq!(file::read(&home.runtime_toml()).unwrap(), before);
    }
}

#[test]
fn a_refused_value_can_be_repaired() {
    assert_eq!(after("port = 'many'\n", &[("port", "1")]), "port = 1\n");
}

#[test]
fn a_malformed_file_is_not_overwritten() {
    let (_directory, home) = home("port = = 1\n");
    let error = set(&home, &[("port", "1")]).unwrap_err();
    assert!(matches!(error, Error::Syntax { .. }), "{error}");
    assert_eq!(file::read(&home.runtime_toml()).unwrap(), "port = = 1\n");
}

#[test]
fn a_documented_key_is_kept_for_the_version_that_reads_it_and_told_of() {
    let (_directory, home) = home("");
    let warnings = set(&home, &[("telegram_default_cwd", "/srv"), ("telegram_chat_id", "80")]).unwrap();
    assert_eq!(warnings.len(), 2);
    let written = file::read(&home.runtime_toml()).unwrap();
    assert_eq!(written, "telegram_default_cwd = \"/srv\"\ntelegram_chat_id = 80\n");
}

#[test]
fn the_file_is_for_its_owner_and_no_other_file_stays_behind() {
    let directory = tempfile::tempdir().unwrap();
    let home = Home::at(directory.path().join("home"));
    set(&home, &[("jwt_secret", "0123456789abcdef0123456789abcdef")]).unwrap();
    assert_eq!(home.runtime_toml().metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(files(&home), 1);
}

#[test]
fn a_linked_file_stays_a_link() {
    let (directory, home) = home("");
    let target = directory.path().join("dotfiles.toml");
    disk::replace(&target, "port = 1\n").unwrap();
    disk::remove(&home.runtime_toml()).unwrap();
    symlink(&target, home.runtime_toml()).unwrap();
    set(&home, &[("port", "2")]).unwrap();
    assert!(home.runtime_toml().is_symlink());
    assert_eq!(file::read(&target).unwrap(), "port = 2\n");
}

#[test]
fn two_who_set_at_once_do_not_undo_each_other() {
    let (_directory, home) = home("");
    let keys = ["port", "max_workers", "rate_limit_per_minute", "shutdown_grace_secs"];
    std::thread::scope(|scope| {
        for key in keys {
            let home = &home;
            scope.spawn(move || set(home, &[(key, "7")]).unwrap());
        }
    });
    let written = file::read(&home.runtime_toml()).unwrap();
    assert!(keys.iter().all(|key| written.contains(&format!("{key} = 7\n"))), "{written}");
}

/// Counts the files of a home; its folder of data is none.
fn files(home: &Home) -> usize {
    home.path().read_dir().unwrap().filter(|entry| entry.as_ref().unwrap().path().is_file()).count()
}

#[test]
fn an_agent_or_model_that_does_not_exist_is_refused_with_the_closest() {
    let (_directory, home) = home("");
    for (key, value, meant) in [
        ("default_agent", "cluade", "`claude`"),
        ("coder", "codx", "`codex`"),
        ("claude_model", "opsu", "`opus`"),
        ("agents.claude.model", "sonet", "`sonnet`"),
        ("model", "hiku", "`haiku`"),
        ("gemini_model", "flsh", "`flash`"),
    ] {
        let refused = set(&home, &[(key, value)]).unwrap_err().to_string();
        assert!(refused.contains(&format!("did you mean {meant}?")), "{key}: {refused}");
    }
    assert_eq!(file::read(&home.runtime_toml()).unwrap(), "");
    let fine = [("default_agent", "codex"), ("codex_model", "gpt-next"), ("claude_model", "claude-next-9")];
    set(&home, &fine).unwrap();
    set(&home, &[("agents.claude.aliases.big", "claude-opus-4-6"), ("agents.claude.model", "big")]).unwrap();
    set(&home, &[("agents.mine.protocol", "acp"), ("agents.mine.binary", "mine"), ("default_agent", "mine")]).unwrap();
}

#[test]
fn prices_are_set_for_a_model_whose_name_may_have_dots() {
    let changes = [("agents.codex.prices.gpt-5.1.input", "1.25"), ("agents.codex.prices.gpt-5.1.output", "10")];
    let expected = "[agents.codex]\n\n[agents.codex.prices.\"gpt-5.1\"]\ninput = 1.25\noutput = 10\n";
    assert_eq!(after("", &changes), expected);
    let taken_back = [("agents.codex.prices.gpt-5.1.input", ""), ("agents.codex.prices.gpt-5.1.output", "")];
    assert_eq!(after(expected, &taken_back), "[agents.codex]\n");
    let (_directory, home) = home("");
    assert!(set(&home, &[("agents.codex.prices.*.input", "1")]).is_err(), "the other price is missing");
}

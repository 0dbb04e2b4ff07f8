use proptest::prelude::*;

use super::*;

fn reason(text: &str) -> String {
    Recipe::parse(text).unwrap_err().to_string()
}

#[test]
fn every_key_is_read() {
    let recipe = Recipe::parse(
        "[workspace]\nsetup = ['npm ci', 'make']\nteardown = ['make down']\ncopy = ['.env', './config/local.json']\n\
         link = ['node_modules']\nenv = { MODE = 'test' }\nport = 'HTTP_PORT'\ntimeout_secs = 30\n",
    );
    let expected = Recipe {
        setup: vec!["npm ci".to_owned(), "make".to_owned()],
        teardown: vec!["make down".to_owned()],
        copy: vec![".env".into(), "config/local.json".into()],
        link: vec!["node_modules".into()],
        env: [("MODE".to_owned(), "test".to_owned())].into(),
        port: Some("HTTP_PORT".to_owned()),
        timeout: Duration::from_secs(30),
    };
    assert_eq!(recipe, Ok(expected));
}

#[test]
fn a_file_without_the_table_does_nothing_and_other_tables_are_not_looked_at() {
    assert_eq!(Recipe::parse(""), Ok(Recipe::default()));
    assert_eq!(Recipe::parse("[landing]\nanything = 1\n"), Ok(Recipe::default()));
}

#[test]
fn a_port_is_wanted_by_true_by_name_or_not_at_all() {
    let port = |value: &str| Recipe::parse(&format!("[workspace]\nport = {value}\n")).unwrap().port;
    assert_eq!((port("true").as_deref(), port("'X'").as_deref(), port("false")), (Some("PORT"), Some("X"), None));
    assert!(reason("[workspace]\nport = 8080\n").contains("`port` must be true, false or the name of a variable"));
}

#[test]
fn an_unknown_key_is_refused_by_name_and_line() {
    let said = reason("[workspace]\nport = true\nsetpu = ['x']\n");
    assert!(said.contains("setpu") && said.contains("line 3"), "{said}");
}

#[test]
fn a_path_that_leads_elsewhere_is_refused() {
    for path in ["/etc/passwd", "../x", "a/../../x", "", ".", ".git", "sub/.git/config", ".GIT/hooks"] {
        let said = reason(&format!("[workspace]\ncopy = ['{path}']\n"));
        assert!(said.starts_with(&format!("cannot use `{path}` in `copy`")), "{said}");
    }
}

#[test]
fn names_and_times_that_cannot_be_are_refused() {
    assert!(reason("[workspace]\nenv = { 'A=B' = 'x' }\n").contains("`A=B`"));
    assert!(reason("[workspace]\nport = '1X'\n").contains("`1X`"));
    assert!(reason("[workspace]\ntimeout_secs = 0\n").contains("timeout_secs = 0"));
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_fall(text in ".{0,200}") {
        drop(Recipe::parse(&format!("[workspace]\n{text}")));
    }

    #[test]
    fn no_accepted_path_leaves_the_folder(path in "[a-z./]{1,20}") {
        if let Ok(recipe) = Recipe::parse(&format!("[workspace]\ncopy = ['{path}']")) {
            prop_assert!(recipe.copy.iter().all(|path| path.is_relative() && !path.starts_with("..")));
            prop_assert!(recipe.copy.iter().all(|path| path.components().all(|part| matches!(part, Component::Normal(_)))));
        }
    }
}

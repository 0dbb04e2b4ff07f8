use super::*;

const RULES: &str = r#"
[crate.types]
may-use = []
why = "plain data"
[crate.api]
may-use = ["types"]
why = "the contract"
[crate.fleet]
may-use = { all_but = ["xtask"] }
why = "the top"
[crate.testkit]
may-use = { all_but = ["xtask"] }
dev-only = true
why = "helps tests"
[crate.xtask]
may-use = []
why = "a tool"

[[external]]
names = ["axum"]
only-in = ["fleet"]
why = "one web server"
[[external]]
names = ["tokio"]
never-in = ["types"]
why = "no waiting in data"

[[absent]]
names = ["openssl-sys"]
why = "no system library"
"#;

fn member(name: &str, uses: &[(&str, bool, bool)]) -> Member {
    let uses = uses.iter().map(|(name, ours, dev)| Use { name: (*name).to_owned(), ours: *ours, dev: *dev });
    Member { name: name.to_owned(), manifest: format!("crates/{name}/Cargo.toml"), uses: uses.collect() }
}

/// Complaints about a workspace in which one crate uses something and the others nothing.
fn complaints(name: &str, uses: &[(&str, bool, bool)]) -> Vec<Complaint> {
    let rest = ["types", "api", "fleet", "testkit", "xtask"].into_iter().filter(|other| *other != name);
    let mut members: Vec<_> = rest.map(|other| member(other, &[])).collect();
    members.push(member(name, uses));
    let tree =
        Tree::of(&[("crates/types/Cargo.toml", "[dependencies]\nserde.workspace = true\napi.workspace = true\n")]);
    check(&Rules::parse(RULES).unwrap(), &Graph { members, ..Graph::default() }, &tree)
}

fn messages(name: &str, uses: &[(&str, bool, bool)]) -> Vec<String> {
    complaints(name, uses).into_iter().map(|complaint| complaint.message).collect()
}

#[test]
fn an_arrow_that_points_up_is_found_at_its_line() {
    let expected = Complaint::new("crates/types/Cargo.toml", 3, "arrows", "`types` may not use `api`: plain data");
    assert_eq!(complaints("types", &[("api", true, false)]), [expected]);
}

#[test]
fn an_arrow_that_is_listed_passes() {
    assert_eq!(messages("api", &[("types", true, false), ("serde", false, false)]), [""; 0]);
    assert_eq!(messages("fleet", &[("types", true, false), ("api", true, false), ("axum", false, false)]), [""; 0]);
}

#[test]
fn the_tool_is_used_by_nobody() {
    assert_eq!(messages("fleet", &[("xtask", true, false)]), ["`fleet` may not use `xtask`: the top"]);
}

#[test]
fn tests_may_use_anything_and_testkit_is_for_tests_alone() {
    assert_eq!(messages("types", &[("api", true, true), ("tokio", false, true), ("testkit", true, true)]), [""; 0]);
    let expected = "`testkit` is a dev-dependency or none: helps tests";
    assert_eq!(messages("fleet", &[("testkit", true, false)]), [expected]);
}

#[test]
fn a_crate_of_others_stays_where_it_may_be() {
    assert_eq!(messages("api", &[("axum", false, false)]), ["`api` may not use `axum`: one web server"]);
    assert_eq!(messages("types", &[("tokio", false, false)]), ["`types` may not use `tokio`: no waiting in data"]);
    assert_eq!(messages("api", &[("tokio", false, false)]), [""; 0]);
}

#[test]
fn a_crate_without_arrows_and_arrows_without_a_crate_are_found() {
    let members = ["types", "api", "fleet", "testkit", "web"].map(|name| member(name, &[])).into();
    let found = check(&Rules::parse(RULES).unwrap(), &Graph { members, ..Graph::default() }, &Tree::of(&[]));
    let messages: Vec<_> = found.into_iter().map(|complaint| complaint.message).collect();
    assert_eq!(
        messages,
        ["[crate.web] is missing: say what it may use and why", "[crate.xtask] is about no crate: remove it"]
    );
}

#[test]
fn a_package_that_must_be_absent_is_found_with_those_who_asked() {
    let resolved = [("openssl-sys".to_owned(), vec!["native-tls".to_owned()])].into();
    let found = present(&Rules::parse(RULES).unwrap(), &Graph { resolved, ..Graph::default() });
    assert_eq!(found[0].message, "openssl-sys is in the graph, asked for by native-tls: no system library");
}

#[test]
fn a_misspelt_rule_is_refused() {
    assert!(Rules::parse(&RULES.replace("dev-only", "dev-olny")).is_err());
}

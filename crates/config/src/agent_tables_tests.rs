use std::collections::BTreeSet;

use types::Limits;

use super::*;
use crate::file::FileValues;

fn agents(text: &str) -> Result<BTreeMap<String, Setup>, Error> {
    FileValues::parse(Path::new("runtime.toml"), text).map(|values| values.agents)
}

fn refusal(text: &str) -> String {
    agents(text).unwrap_err().to_string()
}

#[test]
fn the_fields_are_those_of_a_setup_and_its_limits() {
    let keys = |value: serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    let fields: BTreeSet<String> = FIELDS.iter().map(|field| field.name.to_owned()).collect();
    assert_eq!(fields, keys(serde_json::to_value(Setup::default()).unwrap()));

    let limits = Limits { turns_max: Some(1), dollars_max: Some(1.0), tokens_max: Some(1), secs_max: Some(1) };
    let known: BTreeSet<String> = LIMITS.iter().map(|&limit| limit.to_owned()).collect();
    assert_eq!(known, keys(serde_json::to_value(limits).unwrap()));
}

#[test]
fn a_table_may_be_written_in_every_way_that_toml_has() {
    let header = "[agents.claude]\nmodel = 'opus'\nargs = ['-v']\n[agents.claude.limits]\nturns_max = 3\n";
    let dotted = "agents.claude.model = 'opus'\nagents.claude.args = ['-v']\nagents.claude.limits.turns_max = 3\n";
    let inline = "agents = { claude = { model = 'opus', args = ['-v'], limits = { turns_max = 3 } } }\n";
    let limits = Limits { turns_max: Some(3), ..Limits::default() };
    let setup = Setup { model: Some("opus".to_owned()), args: vec!["-v".to_owned()], limits, ..Setup::default() };
    for text in [header, dotted, inline] {
        assert_eq!(agents(text).unwrap(), BTreeMap::from([("claude".to_owned(), setup.clone())]), "{text}");
    }
    assert_eq!(agents("[agents]\n").unwrap(), BTreeMap::new());
    assert_eq!(agents("[agents.sim]\n").unwrap()["sim"], Setup::default());
}

#[test]
fn a_wrong_table_is_refused_with_file_place_key_and_what_is_allowed() {
    for (text, expected) in [
        (
            "[agents.claude]\nmodle = 'opus'\n",
            "cannot use `agents.claude.modle` in `runtime.toml` at line 2, column 1: unknown field `modle`, expected one \
             of `binary`, `model`, `account`, `aliases`, `env`, `pass`, `args`, `protocol`, `pty`, `context_limit`, \
             `prices`, `limits`",
        ),
        (
            "[agents.claude]\nbinary = 'c'\nmodel = 3\n",
            "cannot use `agents.claude.model` in `runtime.toml` at line 3, column 9: invalid type: integer `3`, expected \
             a string",
        ),
        (
            "[agents.claude.limits]\nturns_max = -1\n",
            "cannot use `agents.claude.limits.turns_max` in `runtime.toml` at line 2, column 13: invalid value: integer \
             `-1`, expected u32",
        ),
        (
            "[agents.claude]\nlimits = { turn_max = 1 }\n",
            "cannot use `agents.claude.limits.turn_max` in `runtime.toml` at line 2, column 12: there is no such limit; \
             limits are turns_max, dollars_max, tokens_max, secs_max",
        ),
        (
            "[agents.claude]\nlimits.dollars_max = nan\n",
            "cannot use `agents.claude.limits.dollars_max` in `runtime.toml` at line 2, column 1: takes an amount of at \
             least 0",
        ),
        (
            "[agents.'My Agent']\n",
            "cannot use `agents.My Agent` in `runtime.toml` at line 1, column 9: takes the name of an agent: 1 to 32 of \
             a-z, 0-9, `_` and `-`",
        ),
        (
            "agents.claude = 'opus'\n",
            "cannot use `agents.claude` in `runtime.toml` at line 1, column 17: takes a table that may have binary, \
             model, account, aliases, env, pass, args, protocol, pty, context_limit, prices, limits",
        ),
        (
            "[[agents]]\nmodel = 'opus'\n",
            "cannot use `agents` in `runtime.toml` at line 1, column 1: takes a table for each agent, such as \
             `[agents.claude]`",
        ),
        (
            "\n[agents.claude]\nbinary = ' '\n",
            "cannot use `agents.claude.binary` in `runtime.toml` at line 3, column 1: takes text that is not empty",
        ),
        (
            "[agents.claude]\npass = ['A=b']\n",
            "cannot use `agents.claude.pass` in `runtime.toml` at line 2, column 1: takes names of variables, which are \
             not empty and have no `=`",
        ),
    ] {
        assert_eq!(refusal(text), expected);
    }
}

#[test]
fn no_refusal_repeats_what_env_says() {
    for env in [
        "env = 'KEY=715'",
        "env = ['KEY=715']",
        "env = [715]",
        "env = 715",
        "env = { KEY = 715 }",
        "env = { KEY = ['715'] }",
        "env = { KEY = { is = '715' } }",
        "env.KEY = 715",
        "env = { 'KEY=715' = '' }",
        "env = { KEY = \"715\\u0000\" }",
    ] {
        let refused = refusal(&format!("[agents.claude]\n{env}\n"));
        assert!(refused.starts_with("cannot use `agents.claude.env") && !refused.contains("715"), "{refused}");
    }
}

#[test]
fn only_the_names_of_env_are_shown() {
    let read = agents("[agents.claude]\nenv = { API_KEY = 'hunter2' }\n").unwrap();
    assert_eq!(read["claude"].env["API_KEY"], "hunter2");
    let shown = format!("{read:?}");
    assert!(shown.contains("API_KEY") && !shown.contains("hunter2"), "{shown}");
}

#[test]
fn an_agent_has_an_account_of_its_own_unless_the_table_names_one() {
    let read = agents("[agents.fast]\naccount = 'work'\n[agents.slow]\n").unwrap();
    assert_eq!((read["fast"].account("fast"), read["slow"].account("slow")), ("work", "slow"));
}

#[test]
fn an_agent_that_came_went_or_changed_is_named() {
    let old = agents("[agents.a]\n[agents.b]\n[agents.c]\nmodel = 'x'\n").unwrap();
    let new = agents("[agents.b]\n[agents.c]\nmodel = 'y'\n[agents.d]\n").unwrap();
    assert_eq!(changes(&old, &new), ["agents.a", "agents.c", "agents.d"]);
    assert!(changes(&new, &new).is_empty());
}

use std::path::Path;

use super::*;
use crate::file::FileValues;

fn presets(text: &str) -> Result<Presets, String> {
    let read = FileValues::parse(Path::new("runtime.toml"), text);
    read.map(|values| values.presets).map_err(|error| error.to_string())
}

#[test]
fn a_table_gives_tools_a_name() {
    let read = presets("port = 1\n[presets.docs]\ntools = [\"Read\", \"Bash(git log *)\"]\n").unwrap();
    assert_eq!(read, Presets::from([("docs".to_owned(), vec!["Read".to_owned(), "Bash(git log *)".to_owned()])]));
    assert_eq!(presets("port = 1\n").unwrap(), Presets::new());
}

#[test]
fn a_wrong_table_is_refused_with_its_place() {
    for (text, told) in [
        ("presets = 3\n", "takes a table for each preset"),
        ("[presets.Docs]\ntools = [\"Read\"]\n", "presets.Docs"),
        ("\n[presets.review]\ntools = [\"Read\"]\n", "this is the name of a built-in preset"),
        ("[presets.full-access]\ntools = [\"Read\"]\n", "this is the name of a built-in preset"),
        ("[presets.docs]\n", "an array of tools"),
        ("[presets.docs]\ntools = []\n", "an array of tools"),
        ("[presets.docs]\ntools = [3]\n", "an array of tools"),
        ("[presets.docs]\ntools = [\"Read\"]\nmore = 1\n", "nothing else"),
        ("[presets.docs]\ntools = [\"Bash(rm; ls)\"]\n", "`Bash(rm; ls)` is not a tool"),
    ] {
        let error = presets(text).unwrap_err();
        assert!(error.contains(told), "{text}: {error}");
        assert!(error.contains("runtime.toml"), "{error}");
    }
}

#[test]
fn what_changed_is_named() {
    let (old, new) = (
        presets("[presets.a]\ntools=[\"Read\"]\n[presets.b]\ntools=[\"Read\"]\n").unwrap(),
        presets("[presets.b]\ntools=[\"Grep\"]\n[presets.c]\ntools=[\"Read\"]\n").unwrap(),
    );
    assert_eq!(changes(&old, &new), ["presets.a", "presets.b", "presets.c"]);
    assert!(changes(&new, &new).is_empty());
}

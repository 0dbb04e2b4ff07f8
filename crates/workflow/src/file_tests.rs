use super::*;

const YAML: &str = "\
name: review
inputs:
  task: { type: string, required: true }
steps:
  - key: make
    type: spawn
    config: { agent: codex, task: \"{{inputs.task}}\" }
  - key: look
    type: spawn
    dependsOn: [make]
    config:
      task: |
        Review this:
        {{steps.make.output.summary}}
      worktree: inherit
";

const TOML: &str = r#"
name = "review"
inputs.task = { type = "string", required = true }

[[steps]]
key = "make"
type = "spawn"
config = { agent = "codex", task = "{{inputs.task}}" }

[[steps]]
key = "look"
type = "spawn"
dependsOn = ["make"]
config = { worktree = "inherit", task = "Review this:\n{{steps.make.output.summary}}\n" }
"#;

fn faults(text: &str, format: Format) -> Vec<String> {
    read(text, format).unwrap_err().0.iter().map(ToString::to_string).collect()
}

#[test]
fn the_same_workflow_is_read_from_every_format() {
    let yaml = read(YAML, Format::Yaml).unwrap();
    assert_eq!(read(TOML, Format::Toml).unwrap(), yaml);
    let json = serde_json::to_string_pretty(&yaml).unwrap();
    assert_eq!(read(&json, Format::Json).unwrap(), yaml);
    assert_eq!(yaml.definition().steps.len(), 2);
}

#[test]
fn a_fault_is_told_with_its_line_and_column() {
    let lost = YAML.replace("[make]", "[mkae]");
    assert_eq!(faults(&lost, Format::Yaml), ["10:17: steps[1].dependsOn[0]: there is no step `mkae`"]);
    let lost = TOML.replace("[\"make\"]", "[\"mkae\"]");
    assert_eq!(faults(&lost, Format::Toml), ["13:14: steps[1].dependsOn[0]: there is no step `mkae`"]);
    let json = "{\n  \"name\": \"x\",\n  \"steps\": [\n    { \"key\": \"a\", \"type\": \"wait\" }\n  ]\n}";
    assert!(faults(json, Format::Json)[0].starts_with("4:"), "{:?}", faults(json, Format::Json));
}

#[test]
fn a_field_that_does_not_exist_is_refused_wherever_it_is() {
    for (before, after) in [
        ("name: review", "nmae: review\nname: review"),
        ("type: spawn\n    dep", "tpye: 1\n    type: spawn\n    dep"),
        ("worktree: inherit", "worktre: inherit"),
    ] {
        let text = YAML.replace(before, after);
        assert_ne!(text, YAML);
        assert_eq!(faults(&text, Format::Yaml).len(), 1, "{:?}", faults(&text, Format::Yaml));
    }
}

#[test]
fn a_file_that_cannot_be_read_says_where() {
    assert!(faults("name: a: b", Format::Yaml)[0].starts_with("1:"), "{:?}", faults("name: a: b", Format::Yaml));
    assert!(faults("{\n \"name\": }", Format::Json)[0].starts_with("2:"));
    assert!(faults("a = 1\nb =", Format::Toml)[0].starts_with("2:"));
    assert_eq!(faults("", Format::Yaml).len(), 1);
}

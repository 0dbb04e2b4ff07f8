use super::*;
use crate::PRESETS;

fn tools(list: &[&str]) -> Vec<String> {
    list.iter().map(|tool| (*tool).to_owned()).collect()
}

#[test]
fn every_preset_can_be_read_and_only_review_and_explore_do_not_write() {
    for (name, list) in PRESETS {
        assert_eq!(check_tools(list.iter().copied()), Ok(()), "{name}");
        let reads = matches!(name, "review" | "explore");
        assert_eq!(access(Some(&tools(list))) == Access::ReadOnly, reads, "{name}");
    }
    assert_eq!(access(None), Access::Workspace);
}

#[test]
fn a_tool_that_runs_what_is_not_known_to_read_writes() {
    for writes in
        ["Bash", "Bash(*)", "*", "Bash(make *)", "Bash(git push *)", "Bash(git commit:*)", "Edit(src/**)", "B*"]
    {
        assert_eq!(access(Some(&tools(&["Read", writes]))), Access::Workspace, "{writes}");
    }
    for reads in ["Read", "Bash(git status)", "Bash(ls *)", "WebSearch", "mcp__shop__*", "Bash(git log:*)"] {
        assert_eq!(access(Some(&tools(&[reads]))), Access::ReadOnly, "{reads}");
    }
}

#[test]
fn what_is_no_pattern_is_refused_by_its_name() {
    for odd in
        ["", "Bash(git", "Bash(a; b)", "Bash('git' *)", "Read Write", "Task(x)", "WebFetch(example.com)", "Bash(* x)"]
    {
        let error = check_tools(["Read", odd]).unwrap_err();
        assert!(error.to_string().contains(odd), "{error}");
    }
}

#[test]
fn a_server_is_all_its_tools_and_no_other_server() {
    let is_for = |pattern: &str, tool: &str| ToolPattern::parse(pattern).unwrap().is_for(tool);
    for pattern in ["mcp__shop", "mcp__shop__*", "mcp__shop__buy", "mcp__*"] {
        assert!(is_for(pattern, "mcp__shop__buy"), "{pattern}");
    }
    assert!(!is_for("mcp__shop", "mcp__shopping__buy"));
    assert!(!is_for("mcp__shop__*", "mcp__shopping__buy"));
    assert!(!is_for("Read", "ReadAll"));
}

//! What a member of an answer is called in a heading or a label.

/// Members that say more under another name.
const NAMES: &[(&str, &str)] = &[
    ("mission_number", "number"),
    ("mission_count", "missions"),
    ("running_count", "running"),
    ("completed_count", "completed"),
    ("mission_title", "mission"),
    ("project_name", "project"),
    ("team_name", "team"),
    ("total_cost_usd", "cost"),
    ("total_tokens", "tokens"),
    ("max_budget_usd", "max cost"),
    ("owner_handle", "owner"),
    ("worker_handle", "worker"),
];

/// Endings that the value itself shows: `3 min ago`, `$0.42`, `3.7 s`.
const ENDINGS: [&str; 5] = ["_at", "_usd", "_ms", "_secs", "_seconds"];

/// Returns the name of a member in words: `project` for `project_name`, `created` for `createdAt`.
pub(super) fn of(key: &str) -> String {
    let name = crate::field::kebab(key).replace('-', "_");
    if let Some((_, said)) = NAMES.iter().find(|(long, _)| *long == name) {
        return (*said).to_owned();
    }
    let bare = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
    bare.replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leaves_out_what_its_value_says() {
        let names =
            ["createdAt", "check_timeout_secs", "total_cost_usd", "project_name", "target_branch", "usd"].map(of);
        assert_eq!(names, ["created", "check timeout", "cost", "project", "target branch", "usd"]);
    }
}

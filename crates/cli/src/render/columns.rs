//! Which columns a list has, and in which order: declared for each list, worked out from the names for any other.
//!
//! What identifies a row and its state come first and stay; ids of other things and second times are left to `--wide`
//! and to the detail of one object.

use serde_json::{Map, Value};

use super::{cell, name};

/// Lists by operation, and by the member of an object that holds one. A column is `member` or `member=heading`. `~` may be
/// cut, `-` is left out first where it does not fit, and `?` is there only if a row has it: such columns are last, so
/// that the others keep their places.
const LISTS: &[(&[&str], &str)] = &[
    (
        &["mission_list", "mission_children", "missions", "children"],
        "id mission_number=#- title~ state agent- project_name- updated_at=changed- waits_for~?",
    ),
    (
        &["session_list", "sessions"],
        "id state agent handle=worker- mission_id=mission mission_title=title~ total_cost_usd started_at- waits_for~?",
    ),
    (&["project_list"], "id name path~ mission_count- running_count- completed_count- created_at-"),
    (&["mission_events"], "created_at=when event_type=event data~"),
    (
        &["landing_list", "landings"],
        "id status mission_id=mission title~ target_branch=target- updated_at=changed- why~?",
    ),
    (&["question_list"], "id status mission_id=mission- question=question~ asked_at=asked- answered_by=by?"),
    (&["approval_list"], "id status mission_id=mission- summary=call~ created_at=asked- answered_by=by?"),
    (&["report_list"], "id verdict mission_id=mission- mission_title=title~ what_done=done~ created_at=when-"),
    (&["session_messages"], "number=# delivery from- text~ created_at=sent- why~?"),
    (&["agent_list"], "name found login version~ model~- default- login_command=log_in_with?"),
    (&["budget_list"], "of period used~ resets_at- used_up~?"),
    (&["account_list"], "account reason since- until message~"),
    (&["worker_list"], "handle state health agent- totalCostUsd- spawnedAt=started- workingDir=folder~ waitsFor~?"),
    (&["team_agents"], "handle agentType=role createdAt- lastSeen"),
    (&["task_list"], "id status subject~ ownerHandle createdByHandle=by- updatedAt=changed-"),
    (&["policy_list"], "id enabled decision name~ tool- command~? path~? host~? projectId=project?"),
    (&["policy_violations"], "timestamp=when handle tool- operation=call~ missionId=mission- reason~"),
    (&["lineage_worker"], "id status origin agent- title~ turns- costUsd- createdAt=started-"),
    (&["workspace_list"], "session purpose bytes=size dirty- lastUsedAt=used- removedAfter=removed path~ inUseBy?"),
    (&["workspace_snapshots"], "snapshot commit~"),
    (&["retention_show", "retention_run"], "name kept due removed what~ failed~?"),
    (&["mcp_server_list"], "id server_name=name server_type=type enabled config~"),
    (&["workflow_list"], "id name version description~ isTemplate=template- updatedAt=changed-"),
    (&["execution_list"], "id name~ status stepsOver=over stepsTotal=of projectId=project- createdAt=began- why~"),
    (&["execution_steps"], "id status stepType=type missionId=mission why~ startedAt=began- retryCount=retries-"),
    (&["execution_events"], "createdAt=when stepId=step eventType=event actor- details~"),
    (&["view_list"], "id name~ page query~ created_by=by- updated_at=changed-"),
    (
        &["schedule_list"],
        "id title~ schedule_cron=cron next_run_at=next last_scheduled_at=last- time_zone=zone- schedule_enabled=on",
    ),
    (&["commits"], "hash~ subject~"),
    (&["files"], "change path~ added removed"),
    (&["checks"], "command~ passed=green outcome~ duration_ms=took-"),
];

/// Members of lists that have no columns of their own, in the order in which people look for them.
const ORDER: &[&str] = &["id", "uid", "number", "handle", "name", "title", "subject", "state", "status", "kind"];
/// So many columns of such a list are kept in any case, and so many are shown.
const KEPT: usize = 3;
const COLUMNS_MAX: usize = 8;
/// A longer text is read elsewhere than in a table.
const TEXT_MAX: usize = 300;

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    /// The member that it shows.
    pub(super) key: String,
    /// What it is called.
    pub(super) heading: String,
    /// Whether its cells may be cut.
    pub(super) cuts: bool,
    /// Whether it is left out where there is no room.
    pub(super) yields: bool,
    /// Whether it is there only if a row has it.
    optional: bool,
}

/// Chooses the columns of a list.
pub(super) fn of(list: &str, objects: &[&Map<String, Value>], wide: bool) -> Vec<Column> {
    let declared = LISTS.iter().find(|(names, _)| names.contains(&list)).map(|(_, columns)| declared(columns));
    let told = |key: &str| objects.iter().any(|object| object.get(key).is_some_and(|value| !cell::is_empty(value)));
    let has = |key: &str| objects.iter().any(|object| object.contains_key(key));
    let mut columns = declared.clone().unwrap_or_default();
    columns.retain(|column| if column.optional { told(&column.key) } else { has(&column.key) });
    if declared.is_none() || wide {
        let mut others = found(objects);
        others.retain(|other| columns.iter().all(|column| column.key != other.key));
        if !wide {
            others.truncate(COLUMNS_MAX);
        }
        columns.extend(others);
    }
    columns
}

fn declared(columns: &str) -> Vec<Column> {
    columns.split(' ').map(column).collect()
}

fn column(text: &str) -> Column {
    let bare = text.trim_end_matches(['~', '-', '?']);
    let marks = &text[bare.len()..];
    let (key, heading) = match bare.split_once('=') {
        Some((key, heading)) => (key, heading.replace('_', " ")),
        None => (bare, name::of(bare)),
    };
    let has = |mark: char| marks.contains(mark);
    Column {
        key: key.to_owned(),
        heading: heading.to_uppercase(),
        cuts: has('~'),
        yields: has('-'),
        optional: has('?'),
    }
}

/// Finds the columns of a list that has none declared: plain ones that say something, the telling ones first.
fn found(objects: &[&Map<String, Value>]) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for key in objects.iter().flat_map(|object| object.keys()) {
        let values = || objects.iter().filter_map(|object| object.get(key));
        let tells = values().any(|value| !cell::is_empty(value));
        let fits = values().all(|value| cell::is_plain(value) && cell::text(value).chars().count() <= TEXT_MAX);
        // A handle says the same to people.
        let spoken = !key.ends_with("_uid") && !key.ends_with("Uid");
        // Fleet's own word says more than that of a contract.
        let said_better = key == "status" && objects.iter().all(|object| object.contains_key("state"));
        let is_new = columns.iter().all(|column| column.key != *key);
        if tells && fits && spoken && !said_better && key != "cost_unknown" && key != "costUnknown" && is_new {
            let heading = name::of(key).to_uppercase();
            columns.push(Column { key: key.clone(), heading, cuts: may_cut(key), yields: true, optional: false });
        }
    }
    let rank = |column: &Column| ORDER.iter().position(|known| *known == column.key).unwrap_or(ORDER.len());
    columns.sort_by_key(rank);
    columns.iter_mut().take(KEPT).for_each(|column| column.yields = false);
    columns
}

/// A cut id or state says nothing.
fn may_cut(key: &str) -> bool {
    !matches!(key, "id" | "uid" | "status" | "state") && !key.ends_with("_id") && !key.ends_with("Id")
}

#[cfg(test)]
#[path = "columns_tests.rs"]
mod tests;

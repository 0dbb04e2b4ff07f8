//! Lists as tables: the telling columns first, as many as fit.

use serde_json::{Map, Value};

use super::cell;

/// Rows of a table, heading first.
pub(crate) type Rows = Vec<Vec<String>>;

/// With more columns than this, lines are printed instead of a table.
const COLUMNS_MAX: usize = 8;
/// A cell is cut to this, unless there is room.
const CELL_MAX: usize = 48;
/// A longer text is read elsewhere than in a table.
const TEXT_MAX: usize = 300;
/// The narrowest that a column is cut to, first while there are others to leave out and then in any case.
const CELL_MIN: [usize; 2] = [24, 10];
/// So many columns are kept while others can be cut.
const COLUMNS_KEPT: [usize; 2] = [4, 1];
const GAP: &str = "  ";

/// Columns in the order in which people look for them; those not named here come after.
const ORDER: &[&str] = &[
    "id",
    "uid",
    "number",
    "handle",
    "name",
    "title",
    "subject",
    "status",
    "state",
    "waits_for",
    "event_type",
    "agent",
    "agent_type",
    "priority",
    "owner_handle",
    "mission",
    "branch",
    "target_branch",
    "why",
    "used",
    "cost",
    "started",
    "project_name",
    "team_name",
    "kind",
    "missions",
    "running",
    "completed",
    "path",
    "data",
    "model",
    "created_at",
    "last_seen",
    "updated_at",
];

/// Columns that say more under another name.
const NAMES: &[(&str, &str)] = &[
    ("mission_number", "number"),
    ("mission_count", "missions"),
    ("running_count", "running"),
    ("completed_count", "completed"),
    ("mission_title", "mission"),
    ("total_cost_usd", "cost"),
    ("started_at", "started"),
];

/// Writes objects as a table.
pub(super) fn of(objects: &[&Map<String, Value>], width: Option<usize>) -> String {
    let columns = columns(objects);
    let heading = columns.iter().map(|column| column.name.replace('_', " ").to_uppercase()).collect();
    let row = |object: &&Map<String, Value>| {
        let text = |column: &Column<'_>| cell::of(object, column.key);
        columns.iter().map(text).collect()
    };
    let rows: Rows = std::iter::once(heading).chain(objects.iter().map(row)).collect();
    grid(&rows, width)
}

struct Column<'a> {
    key: &'a str,
    name: String,
}

/// Chooses the columns: plain ones that say something, the telling ones first.
fn columns<'a>(objects: &[&'a Map<String, Value>]) -> Vec<Column<'a>> {
    let mut columns: Vec<Column<'_>> = Vec::new();
    for key in objects.iter().flat_map(|object| object.keys()) {
        let values = || objects.iter().filter_map(|object| object.get(key));
        let tells = values().any(|value| !cell::is_empty(value));
        let short = |value| key == "why" || cell::text(value).chars().count() <= TEXT_MAX;
        let fits = values().all(|value| cell::is_plain(value) && short(value));
        // A handle says the same to people.
        let spoken = !key.ends_with("_uid") && !key.ends_with("Uid");
        // Fleet's own word says more than that of a contract.
        let said_better = key == "status" && objects.iter().all(|object| object.contains_key("state"));
        if tells
            && fits
            && spoken
            && !said_better
            && key != "cost_unknown"
            && columns.iter().all(|column| column.key != key)
        {
            columns.push(Column { key, name: name(key) });
        }
    }
    let rank = |column: &Column<'_>| ORDER.iter().position(|known| *known == column.name).unwrap_or(ORDER.len());
    columns.sort_by_key(rank);
    columns.truncate(COLUMNS_MAX);
    columns
}

fn name(key: &str) -> String {
    let name = crate::field::kebab(key).replace('-', "_");
    NAMES.iter().find(|(long, _)| *long == name).map_or(name, |(_, short)| (*short).to_owned())
}

/// Aligns rows in columns; within `width` by cutting wide cells, then by leaving out the last columns.
#[must_use]
pub fn grid(rows: &[Vec<String>], width: Option<usize>) -> String {
    let widths = fitted(natural_widths(rows), width);
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| {
            let cell = cell::cut(cell, *width);
            let pad = width.saturating_sub(cell.chars().count());
            cell + &" ".repeat(pad)
        });
        text.push_str(cells.collect::<Vec<_>>().join(GAP).trim_end());
        text.push('\n');
    }
    text
}

fn natural_widths(rows: &[Vec<String>]) -> Vec<usize> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max();
    (0..columns).map(|at| width(at).unwrap_or(0)).collect()
}

fn fitted(natural: Vec<usize>, width: Option<usize>) -> Vec<usize> {
    let Some(width) = width else { return natural };
    let total = |widths: &[usize]| widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1);
    if total(&natural) <= width {
        return natural;
    }
    let mut widths: Vec<_> = natural.iter().map(|width| (*width).min(CELL_MAX)).collect();
    for (cell_min, columns_kept) in CELL_MIN.into_iter().zip(COLUMNS_KEPT) {
        while total(&widths) > width {
            let excess = total(&widths) - width;
            match widest(&widths) {
                Some((at, most)) if most > cell_min => widths[at] -= excess.min(most - cell_min),
                Some(_) | None if widths.len() > columns_kept => widths.truncate(widths.len() - 1),
                Some(_) | None => break,
            }
        }
    }
    widths
}

/// The widest column with its width; the first is an id, and of no use when cut.
fn widest(widths: &[usize]) -> Option<(usize, usize)> {
    widths.iter().copied().enumerate().skip(1).max_by_key(|(at, width)| (*width, usize::MAX - at))
}

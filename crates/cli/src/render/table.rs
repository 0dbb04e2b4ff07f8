//! Lists as tables: aligned, as wide as the terminal, with the state in colour where there is any.

use serde_json::{Map, Value};

use super::cell::{self, Detail};
use super::columns::{self, Column};
use super::{View, cut};
use crate::terminal::Style;

/// Rows of a table, heading first.
pub(crate) type Rows = Vec<Vec<String>>;

/// The narrowest that a column is cut to, first while others can be left out and then in any case.
const CELL_MIN: [usize; 2] = [20, 8];
/// A cell is never wider than this where the table does not fit.
const CELL_MAX: usize = 60;
const GAP: &str = "  ";

/// Writes objects as a table.
pub(super) fn of(list: &str, objects: &[&Map<String, Value>], view: View) -> String {
    let columns = columns::of(list, objects, view.wide);
    let row = |object: &&Map<String, Value>| {
        columns.iter().map(|column| cell::of(object, &column.key, view.now, Detail::Brief)).collect()
    };
    let rows: Rows = objects.iter().map(row).collect();
    written(&columns, &rows, view)
}

/// Aligns rows in columns, heading first; within `width` by cutting wide cells.
#[must_use]
pub fn grid(rows: &[Vec<String>], width: usize) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let limits: Vec<_> = (0..count).map(|at| Limit { cuts: at > 0, yields: false }).collect();
    let widths = fitted(&natural(rows, count), &limits, width);
    rows.iter().map(|row| line(row, &widths, |_, text| text)).collect()
}

fn written(columns: &[Column], rows: &[Vec<String>], view: View) -> String {
    let heading: Vec<_> = columns.iter().map(|column| column.heading.clone()).collect();
    let limits: Vec<_> = columns.iter().map(|column| Limit { cuts: column.cuts, yields: column.yields }).collect();
    let all: Rows = std::iter::once(heading).chain(rows.iter().cloned()).collect();
    let natural = natural(&all, columns.len());
    let widths =
        if view.wide { natural.into_iter().map(Some).collect() } else { fitted(&natural, &limits, view.width) };
    let is_state = |at: usize| columns.get(at).is_some_and(|column| matches!(column.key.as_str(), "state" | "status"));
    let lines = all.iter().enumerate().map(|(number, row)| {
        line(row, &widths, |at, text| match number {
            0 => view.style.dim(&text),
            _ if is_state(at) => in_colour(view.style, &text),
            _ => text,
        })
    });
    lines.collect()
}

/// What may be done to a column that does not fit.
#[derive(Debug, Clone, Copy)]
struct Limit {
    cuts: bool,
    yields: bool,
}

fn natural(rows: &[Vec<String>], count: usize) -> Vec<usize> {
    let width = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max();
    (0..count).map(|at| width(at).unwrap_or(0)).collect()
}

/// Returns how wide each column is; none for one that is left out.
fn fitted(natural: &[usize], limits: &[Limit], width: usize) -> Vec<Option<usize>> {
    let mut widths: Vec<Option<usize>> = natural.iter().copied().map(Some).collect();
    let total = |widths: &[Option<usize>]| {
        let (sum, count) = widths.iter().flatten().fold((0, 0), |(sum, count), width| (sum + width, count + 1));
        sum + GAP.len() * usize::saturating_sub(count, 1)
    };
    let cap = |widths: &mut [Option<usize>], at: usize, most: usize| {
        if let Some(Some(width)) = widths.get_mut(at) {
            *width = (*width).min(most);
        }
    };
    let cutting: Vec<usize> = (0..limits.len()).filter(|at| limits[*at].cuts).collect();
    if total(&widths) > width {
        cutting.iter().for_each(|at| cap(&mut widths, *at, CELL_MAX));
    }
    for least in CELL_MIN {
        while total(&widths) > width {
            let excess = total(&widths) - width;
            let widest = cutting.iter().copied().filter_map(|at| Some((widths[at]?, at))).max();
            let last = (0..limits.len()).rev().find(|at| limits[*at].yields && widths[*at].is_some());
            match (widest, last) {
                (Some((most, at)), _) if most > least => {
                    cap(&mut widths, at, (most - excess.min(most - least)).max(least))
                }
                (_, Some(at)) => widths[at] = None,
                (_, None) => break,
            }
        }
    }
    widths
}

fn line(row: &[String], widths: &[Option<usize>], paint: impl Fn(usize, String) -> String) -> String {
    let shown: Vec<_> =
        row.iter().zip(widths).enumerate().filter_map(|(at, (cell, width))| Some((at, cell, (*width)?))).collect();
    let mut text = String::new();
    let mut gap = 0;
    for (at, cell, width) in shown {
        let cell = cut(cell, width);
        let count = cell.chars().count();
        if !cell.is_empty() {
            // Blanks are written before a cell, so that none is left at the end of a line.
            text.push_str(&" ".repeat(std::mem::take(&mut gap)));
            text.push_str(&paint(at, cell));
        }
        gap += width.saturating_sub(count) + GAP.len();
    }
    text + "\n"
}

/// Sets a state off: what is well, what failed, and what waits for a person.
fn in_colour(style: Style, state: &str) -> String {
    match state {
        "done" | "landed" | "completed" | "allowed" => style.good(state),
        "failed" | "stuck" | "denied" | "cancelled" | "dropped" => style.error(state),
        "awaiting_approval" | "awaiting_answer" | "in_review" | "review" | "waiting" | "parked" | "returned" => {
            style.warning(state)
        }
        _ => state.to_owned(),
    }
}

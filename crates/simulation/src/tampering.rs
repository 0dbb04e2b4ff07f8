//! Bugs planted in the store: what the server reads is not what is kept, or what it commits is not what is applied.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use kv::{Action, Commit, Expect, Key, Row};
use runtime::Rng;
use serde_json::Value;
use types::{Allotment, Limits, MissionState, Spent};

use crate::bug::Bug;
use crate::purse::{blinded, blinded_limits};

/// One in so many changes of a mission is spoilt.
const SPOILT: u64 = 8;

/// What is kept and what is shown of a field, by the key of its record.
type Hidden = BTreeMap<(Key, &'static str), (Value, Value)>;

/// Changes what passes between the server and its store.
#[derive(Debug)]
pub(crate) struct Tampering {
    bug: Option<Bug>,
    rng: Rng,
    /// What was hidden, by the key and the field: it is put back when the record is written.
    hidden: Mutex<Hidden>,
}

impl Tampering {
    pub(crate) fn new(bug: Option<Bug>, rng: Rng) -> Self {
        Self { bug, rng, hidden: Mutex::default() }
    }

    /// Hides a part of a record that is read.
    pub(crate) fn read(&self, mut row: Row) -> Row {
        let Some(field) = self.field(&row.key) else { return row };
        let Ok(mut record) = serde_json::from_slice::<Value>(&row.value) else { return row };
        let Some(shown) = record.pointer_mut(&format!("/d/{field}")) else { return row };
        let real = shown.clone();
        *shown = self.hide(field, &real);
        self.hidden().insert((row.key.clone(), field), (real, shown.clone()));
        if let Ok(bytes) = serde_json::to_vec(&record) {
            row.value = bytes.into();
        }
        row
    }

    /// Puts back what was hidden, and spoils what is to be spoilt.
    pub(crate) fn write(&self, mut commit: Commit) -> Commit {
        for operation in &mut commit.operations {
            let Some(field) = self.field(&operation.key) else { continue };
            let Action::Put(bytes) = &operation.action else { continue };
            let Ok(mut record) = serde_json::from_slice::<Value>(bytes) else { continue };
            let Some(fields) = record.get_mut("d").and_then(Value::as_object_mut) else { continue };
            let hidden = self.hidden().get(&(operation.key.clone(), field)).cloned();
            // A record leaves out a field that says nothing, as the hidden one may.
            if let Some((real, shown)) = hidden
                && fields.get(field).is_none_or(|written| *written == shown)
            {
                fields.insert(field.to_owned(), real);
                if let Ok(bytes) = serde_json::to_vec(&record) {
                    operation.action = Action::Put(bytes.into());
                }
            }
        }
        self.spoil(commit)
    }

    /// Lets the part of a commit that concerns a mission go wrong now and then.
    fn spoil(&self, mut commit: Commit) -> Commit {
        let spoils = matches!(self.bug, Some(Bug::KeepsLeases | Bug::LosesMissions));
        if !spoils || self.rng.below(SPOILT) != 0 {
            return commit;
        }
        let is_mission = |key: &Key| key.partition.as_str() == "mission" && !key.sort.contains('/');
        for operation in commit.operations.iter_mut().filter(|operation| is_mission(&operation.key)) {
            if let (Action::Put(_), Expect::At(_)) = (&operation.action, &operation.expect) {
                operation.action = match self.bug {
                    Some(Bug::LosesMissions) => Action::Delete,
                    _ => Action::Check,
                };
            }
        }
        commit
    }

    /// Returns the field of a record that the server does not see as it is.
    fn field(&self, key: &Key) -> Option<&'static str> {
        if !is_record(key) {
            return None;
        }
        match (self.bug?, key.partition.as_str()) {
            (Bug::IgnoresProjectBudgets | Bug::IgnoresDailyBudgets, "project") => Some("budget"),
            (Bug::IgnoresMissionBudgets, "mission") => Some("limits"),
            (Bug::HoldsTwice, "mission") => Some("state"),
            (Bug::ForgetsBookings, "session") => Some("booked"),
            (Bug::IgnoresDollars | Bug::IgnoresTokens | Bug::IgnoresTurns | Bug::IgnoresTime, "project") => {
                Some("budget")
            }
            (Bug::IgnoresDollars | Bug::IgnoresTokens | Bug::IgnoresTurns | Bug::IgnoresTime, "mission") => {
                Some("limits")
            }
            _ => None,
        }
    }

    fn hide(&self, field: &str, real: &Value) -> Value {
        let seen = match field {
            "budget" if self.bug == Some(Bug::IgnoresProjectBudgets) => serde_json::to_value(Allotment::default()),
            "budget" => serde_json::from_value(real.clone())
                .and_then(|allotment| serde_json::to_value(blinded(self.bug, allotment))),
            "limits" if self.bug == Some(Bug::IgnoresMissionBudgets) => serde_json::to_value(Limits::default()),
            "limits" => serde_json::from_value(real.clone())
                .and_then(|limits| serde_json::to_value(blinded_limits(self.bug, limits))),
            "state" => match serde_json::from_value(real.clone()) {
                Ok(MissionState::Held { since, .. }) if self.rng.below(SPOILT) == 0 => {
                    serde_json::to_value(MissionState::Ready { since })
                }
                Ok(_) | Err(_) => Ok(real.clone()),
            },
            _ => serde_json::to_value(Spent::default()),
        };
        seen.unwrap_or_else(|_| real.clone())
    }

    fn hidden(&self) -> MutexGuard<'_, Hidden> {
        self.hidden.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Records lie below their id; lists of them have a path.
fn is_record(key: &Key) -> bool {
    matches!(key.partition.as_str(), "mission" | "project" | "session" | "landing") && !key.sort.contains('/')
}

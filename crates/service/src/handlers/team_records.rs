//! Plain records of teams: one handler for each of the five operations, whatever the kind.

use api::fleet::Resolved;
use api::{Code, Create, Delete, Error, Get, List, Listing, Operation, Update};
use serde_json::Value;
use store::{Query, Transaction, by};
use tokens::Member;
use types::{Event, RecordChange, RecordId as _, RecordKind, Role, TeamName, TeamRecord};

use super::{LIST_MAX, listing};
use crate::authority::{Belonging, Viewer};
use crate::{Caller, Handle, Result, Service};

/// Records of one kind that a team may have: people choose among them by name.
const RECORDS_MAX: u64 = 500;

/// Every kind of plain records.
macro_rules! kinds {
    ($visit:ident!($($arguments:tt)*)) => {
        $visit!($($arguments)* types::SavedView)
    };
}

macro_rules! place_of {
    ($service:ident $named:ident $($kind:ty),*) => {
        $(if let Some(place) = $service.placed::<TeamRecord<$kind>>($named).await? {
            return Ok(Some(place));
        })*
    };
}

macro_rules! begin_so {
    ($service:ident $prefix:ident $who:ident $found:ident $($kind:ty),*) => {
        $(for record in $service.beginning($prefix, |record: &TeamRecord<$kind>| $who.sees(record)).await? {
            let name = record.fields.name().to_owned();
            $found.push(super::resolve::resolved(record.id.to_string(), <$kind>::COMMAND, name));
        })*
    };
}

impl Service {
    /// Finds the records whose ids begin so, whatever their kind.
    pub(super) async fn records_beginning(&self, who: &Viewer, prefix: &str) -> Result<Vec<Resolved>> {
        let mut found = Vec::new();
        kinds!(begin_so!(self prefix who found));
        Ok(found)
    }

    /// Says where the record belongs that an id names, whatever its kind.
    pub(crate) async fn record_place(&self, named: Option<&str>) -> Result<Option<Belonging>> {
        kinds!(place_of!(self named));
        Ok(None)
    }

    async fn record<K: RecordKind>(&self, member: &Member, id: &K::Id) -> Result<TeamRecord<K>> {
        self.read_seen(member, id, || not_found(K::COMMAND, &id.to_string())).await
    }
}

/// The refusal of a record that does not exist, or that the caller may not know of. A kind's command is its name.
pub(crate) fn not_found(command: &str, id: &str) -> Error {
    Error::new(Code::RECORD_NOT_FOUND, format!("there is no {command} `{id}`"))
        .hint(format!("`fleet {command} list` shows what there is."))
}

impl<K: RecordKind> Handle<Create<K>> for Service
where
    Create<K>: Operation<Output = TeamRecord<K>>,
{
    async fn handle(&self, caller: &Caller, Create(fields): Create<K>) -> Result<TeamRecord<K>> {
        let member = caller.member()?;
        let (stamp, fields) = (self.stamp(member, &member.team), &fields);
        let (at, team) = (stamp.at, &stamp.team);
        let made = self.store.transact(&stamp, |tx| async move {
            self.record_name_is_free(team, fields, None).await?;
            let count = self.store.count(&by::team_record::team::<K>(team));
            if count >= RECORDS_MAX {
                let message = format!("team `{team}` has {count} records of this kind: {}", K::NOUN);
                return Err(Error::new(Code::RECORDS_FULL, message)
                    .hint(format!("Remove one: `fleet {command} delete ID`.", command = K::COMMAND))
                    .into());
            }
            let id = self.draw_id(|code| format!("{}{code}", K::Id::PREFIX).parse::<K::Id>())?;
            let created_by = member.handle.clone();
            let record = TeamRecord {
                id,
                fields: fields.clone(),
                team: team.clone(),
                created_by,
                created_at: at,
                updated_at: at,
            };
            tx.insert(&record)?;
            changed(&tx, &record, RecordChange::Created);
            Ok::<_, crate::Error>(record)
        });
        made.await
    }
}

impl<K: RecordKind> Handle<List<K>> for Service
where
    List<K>: Operation<Output = Listing<TeamRecord<K>>>,
{
    async fn handle(&self, caller: &Caller, op: List<K>) -> Result<Listing<TeamRecord<K>>> {
        let member = caller.member()?;
        let group = if member.role == Role::Owner {
            by::team_record::all::<K>()
        } else {
            by::team_record::team::<K>(&member.team)
        };
        let page = self.page_of(member, Query::earliest(group, LIST_MAX), op.page, |_| true).await?;
        Ok(listing(page, |record| record))
    }
}

impl<K: RecordKind> Handle<Get<K>> for Service
where
    Get<K>: Operation<Output = TeamRecord<K>>,
{
    async fn handle(&self, caller: &Caller, op: Get<K>) -> Result<TeamRecord<K>> {
        self.record(caller.member()?, &op.id).await
    }
}

impl<K: RecordKind> Handle<Update<K>> for Service
where
    Update<K>: Operation<Output = TeamRecord<K>>,
{
    async fn handle(&self, caller: &Caller, op: Update<K>) -> Result<TeamRecord<K>> {
        let member = caller.member()?;
        let stamp = self.stamp(member, &self.record::<K>(member, &op.id).await?.team);
        let (op, at) = (&op, stamp.at);
        let made = self.store.transact(&stamp, |tx| async move {
            let held =
                tx.get::<TeamRecord<K>>(&op.id).await?.ok_or_else(|| not_found(K::COMMAND, &op.id.to_string()))?;
            let fields = edited(&held.record.fields, op)?;
            if fields == held.record.fields {
                return Ok(held.record);
            }
            self.record_name_is_free(&held.record.team, &fields, Some(&op.id)).await?;
            let record = TeamRecord { fields, updated_at: at, ..held.record.clone() };
            tx.update(&held, &record)?;
            changed(&tx, &record, RecordChange::Updated);
            Ok::<_, crate::Error>(record)
        });
        made.await
    }
}

impl<K: RecordKind> Handle<Delete<K>> for Service
where
    Delete<K>: Operation<Output = TeamRecord<K>>,
{
    async fn handle(&self, caller: &Caller, op: Delete<K>) -> Result<TeamRecord<K>> {
        let member = caller.member()?;
        let stamp = self.stamp(member, &self.record::<K>(member, &op.id).await?.team);
        let id = &op.id;
        let gone = self.store.transact(&stamp, |tx| async move {
            let held = tx.get::<TeamRecord<K>>(id).await?.ok_or_else(|| not_found(K::COMMAND, &id.to_string()))?;
            tx.delete(&held);
            changed(&tx, &held.record, RecordChange::Deleted);
            Ok::<_, crate::Error>(held.record)
        });
        gone.await
    }
}

impl Service {
    /// Refuses a name that another record of the team has. The index holds each name once, so the second caller
    /// is tried again and refused here.
    async fn record_name_is_free<K: RecordKind>(&self, team: &TeamName, fields: &K, own: Option<&K::Id>) -> Result<()> {
        let (group, name) = (by::team_record::team::<K>(team), fields.name());
        let others =
            self.first::<TeamRecord<K>>(Query::earliest(group, LIST_MAX), |it| it.fields.name() == name).await?;
        match others.into_iter().find(|other| Some(&other.id) != own) {
            Some(other) => {
                let message = format!("name: `{name}` is taken by `{}`", other.id);
                let (command, id) = (K::COMMAND, other.id);
                let hint = format!("Choose another name, or change that one: `fleet {command} update {id}`.");
                Err(Error::new(Code::RECORD_EXISTS, message).hint(hint).into())
            }
            None => Ok(()),
        }
    }
}

fn changed<K: RecordKind>(tx: &Transaction, record: &TeamRecord<K>, change: RecordChange) {
    tx.append(Event::RecordChanged { table: K::TABLE.to_owned(), id: record.id.to_string(), change });
}

/// Returns the fields with what an update changes of them.
fn edited<K: RecordKind>(fields: &K, op: &Update<K>) -> Result<K> {
    let fault = |error: serde_json::Error| Error::new(Code::FIELDS_INVALID, error.to_string());
    let mut edited = serde_json::to_value(fields).map_err(fault)?;
    if let Value::Object(known) = &mut edited {
        known.extend(op.changes.clone());
    }
    Ok(serde_json::from_value(edited).map_err(fault)?)
}

//! The one way to change a mission: what a decision made of it is written together with the event that announces it.

use types::{Event, Mission};

use crate::{Error, Held, Transaction};

impl Transaction {
    /// Writes what a mission that was read has become and, if its state is another, the event that says so. A mission
    /// that is as it was is not written.
    ///
    /// Which state may follow which is decided before, by the rules of missions.
    ///
    /// # Errors
    /// When the record cannot be written as a document.
    pub fn move_mission(&self, held: &Held<Mission>, next: &Mission) -> Result<(), Error> {
        let before = &held.record;
        if before == next {
            return Ok(());
        }
        self.update(held, next)?;
        if before.state != next.state {
            let (from, to) = (before.state.name(), next.state.name());
            self.append(Event::MissionMoved { mission: next.id.clone(), from, to });
        }
        Ok(())
    }
}

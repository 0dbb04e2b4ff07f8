//! Slots for clients that follow the fleet: streams and sockets, which cost memory for as long as they are open.
//!
//! A client with many could lock others out. So some are kept for the owner, no member has more than its share, and
//! all who have not yet said who they are have a few together.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use api::{Code, Error};
use service::Caller;
use tokens::Member;
use types::{Role, Uid};

/// All slots, and who has them.
#[derive(Debug)]
pub(crate) struct StreamSlots {
    max: usize,
    taken: Mutex<HashMap<Client, usize>>,
}

/// Whose a slot is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Client {
    /// The owner.
    Owner,
    /// A member of a team, or the agent of a session.
    Member(Uid),
    /// Clients that have not shown a token.
    Stranger,
}

/// A slot; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct StreamSlot {
    slots: Arc<StreamSlots>,
    client: Client,
}

impl StreamSlots {
    pub(crate) fn new(max: usize) -> Self {
        Self { max, taken: Mutex::default() }
    }

    /// Takes a slot, if there is one for this client.
    pub(crate) fn take(self: &Arc<Self>, client: Client) -> Result<StreamSlot, Error> {
        let mut taken = self.taken();
        if !has_room(self.max, &taken, &client) {
            return Err(Error::new(Code::TOO_MANY_STREAMS, "all places for clients that follow the fleet are taken")
                .hint("Close one that is no longer needed, or try again later."));
        }
        *taken.entry(client.clone()).or_default() += 1;
        drop(taken);
        Ok(StreamSlot { slots: Arc::clone(self), client })
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<Client, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Decides whether a client may have one more: a quarter is kept for the owner, a member has an eighth at most, and
/// strangers have a sixty-fourth together.
fn has_room(max: usize, taken: &HashMap<Client, usize>, client: &Client) -> bool {
    let all: usize = taken.values().sum();
    let own = taken.get(client).copied().unwrap_or_default();
    let of_owner = taken.get(&Client::Owner).copied().unwrap_or_default();
    let share = |part: usize| (max / part).max(1);
    let bound = match client {
        Client::Owner => return all < max,
        Client::Member(_) => share(8),
        Client::Stranger => share(64),
    };
    own < bound && all < max && all - of_owner < max - max / 4
}

impl Client {
    /// Returns whose slot a caller would take.
    pub(crate) fn of(caller: &Caller) -> Self {
        match caller {
            Caller::Known(member) => Self::known(member),
            Caller::Anonymous => Self::Stranger,
        }
    }

    /// Returns whose slot a member would take.
    pub(crate) fn known(member: &Member) -> Self {
        if member.role == Role::Owner { Self::Owner } else { Self::Member(member.uid()) }
    }
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        let mut taken = self.slots.taken();
        if let Some(count) = taken.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str) -> Client {
        Client::Member(Uid::of(&"alpha".parse().unwrap(), &name.parse().unwrap()))
    }

    /// Takes as many as it gets.
    fn all(slots: &Arc<StreamSlots>, client: &Client) -> Vec<StreamSlot> {
        std::iter::from_fn(|| slots.take(client.clone()).ok()).collect()
    }

    #[test]
    fn strangers_and_members_together_leave_places_to_the_owner() {
        let slots = Arc::new(StreamSlots::new(4096));
        let strangers = all(&slots, &Client::Stranger);
        assert_eq!(strangers.len(), 64);
        let greedy = all(&slots, &member("ann"));
        assert_eq!(greedy.len(), 512);
        let others: Vec<_> = (0..20).flat_map(|number| all(&slots, &member(&format!("m{number}")))).collect();
        assert_eq!(strangers.len() + greedy.len() + others.len(), 3072);
        assert_eq!(all(&slots, &Client::Owner).len(), 1024);
    }

    #[test]
    fn the_owner_alone_may_have_every_place_and_a_place_that_is_given_back_is_free() {
        let slots = Arc::new(StreamSlots::new(16));
        let owners = all(&slots, &Client::Owner);
        assert_eq!(owners.len(), 16);
        assert!(slots.take(Client::Stranger).is_err() && slots.take(member("ann")).is_err());
        drop(owners);
        assert!(slots.taken().is_empty());
        assert!(slots.take(Client::Stranger).is_ok());
    }
}

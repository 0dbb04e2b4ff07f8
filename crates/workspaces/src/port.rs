//! A port of its own for each workspace, free on the loopback interface when it was given.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Error;

/// How many ports are tried; the system gives another one each time.
const TRIES: u32 = 200;

/// The ports that workspaces have.
#[derive(Debug, Default)]
pub(crate) struct Ports {
    taken: Mutex<BTreeSet<u16>>,
    known: AtomicBool,
}

impl Ports {
    /// Finds a port without a listener that no other workspace has.
    pub(crate) fn take(&self) -> Result<u16, Error> {
        let mut taken = self.taken();
        // Held until one is found, so that the system does not offer the same again.
        let mut refused = Vec::new();
        for _ in 0..TRIES {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|source| Error::Port { source })?;
            let port = listener.local_addr().map_err(|source| Error::Port { source })?.port();
            if taken.insert(port) {
                return Ok(port);
            }
            refused.push(listener);
        }
        Err(Error::Port { source: std::io::ErrorKind::AddrInUse.into() })
    }

    /// Whether the ports given by an earlier server were not asked for yet; true once.
    pub(crate) fn is_new(&self) -> bool {
        !self.known.swap(true, Ordering::Relaxed)
    }

    /// Remembers a port that a workspace was given in an earlier life of this program.
    pub(crate) fn keep(&self, port: u16) {
        self.taken().insert(port);
    }

    /// Gives a port back.
    pub(crate) fn free(&self, port: u16) {
        self.taken().remove(&port);
    }

    fn taken(&self) -> MutexGuard<'_, BTreeSet<u16>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_workspaces_get_one_port() {
        let ports = Ports::default();
        let given: BTreeSet<u16> = (0..50).map(|_| ports.take().unwrap()).collect();
        assert_eq!(given.len(), 50);
    }
}

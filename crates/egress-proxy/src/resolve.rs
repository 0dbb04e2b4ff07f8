//! Looking up the addresses of a name.

use std::io;
use std::net::{IpAddr, ToSocketAddrs as _};

/// Looks names up.
pub trait Resolve: Send + Sync {
    /// Returns the addresses of a name.
    ///
    /// # Errors
    /// When there are none, or the resolver fails.
    fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The resolver of the system.
#[derive(Debug, Clone, Copy, Default)]
pub struct System;

impl Resolve for System {
    fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        // The final dot keeps the search domains of the machine out of it. Some files of names know none with it.
        let absolute = (format!("{name}.").as_str(), 0).to_socket_addrs();
        let found = absolute.or_else(|_| (name, 0).to_socket_addrs())?;
        Ok(found.map(|address| address.ip()).collect())
    }
}

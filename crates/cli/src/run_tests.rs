//! Commands against a server that answers what it is told.

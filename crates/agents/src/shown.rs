//! Events in the words of the systems that Fleet stands in for; each dialect has one place.

pub mod devfleet;
pub mod fleet;
pub mod place;

//! Events in the words of the systems whose contracts Fleet implements; each dialect has one module.

pub mod devfleet;
pub mod fleet;
pub mod place;

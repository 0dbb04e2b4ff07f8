//! How much may be said about one mission.
//!
//! A mission is found by each of its tags and links, and each of these places is a row of its own. The narrowest store
//! takes a hundred rows in one commit, so that is how many a change of everything at once may touch. A test changes a
//! mission that has the most of each in every way.

/// Most tags.
pub(crate) const TAGS_MAX: usize = 16;

/// Most missions that one waits for.
pub(crate) const LINKS_MAX: usize = 16;

//! Sessions as people follow them: found by what was typed, read to the end, shown in lines, spoken to.
//!
//! Nothing here knows how an agent is run; everything comes over the wire.

pub(crate) mod editor;
mod follow;
mod frame;
pub(crate) mod keyboard;
mod landing;
mod show;
mod target;

pub use follow::{Follower, News, Told};
pub use frame::{Done, Frame};
pub(crate) use landing::{LandingPage, Then};
pub(crate) use show::{Shower, cut, json_line};
pub(crate) use target::{Wanted, find};

//! Runs sessions: starts an agent, follows what it writes, tells it what others say, ends it, takes it up again.
//!
//! Every live session has one task, its [`actor`], which alone writes the session's record; others ask it. What must
//! survive a crash of the server is committed before it is acted on, or can be read again from the spool: so a new
//! server that finds a session finds its process too, starts none twice, and loses no line and no message. Which state
//! follows which is decided in [`next`], without I/O. The crate speaks no dialect and knows no caller's role. Start
//! with [`Sessions`].

mod actor;
mod approvals;
mod ask;
mod assign;
mod books;
mod bursar;
mod canaries;
mod chatter;
mod ends;
mod error;
mod examine;
mod folders;
mod hub;
mod landing_rules;
mod lending;
mod letters;
mod lineage;
mod live;
mod next;
mod outbox;
mod output;
mod parking;
mod parts;
mod programs;
mod redaction;
mod restarts;
mod roster;
#[cfg(test)]
mod samples;
mod secrets;
mod shelf;
mod slots;
mod spawn;
mod spools;
mod transcript;
mod trim;
mod wait;
mod waited;

pub use approvals::Answer;
pub use ask::{Asked, Automatic, NewSession};
pub use assign::{unmet, unresolved};
pub use books::own_budget;
pub use canaries::Tried;
pub use canary::{Admission, Finding, Kept};
pub use chatter::{Chatter, Said};
pub use error::{Error, Refusal};
pub use examine::{Examined, Login};
pub use hub::Sessions;
pub use landing_rules::landing_rules;
pub use lending::Loans;
pub use lineage::{Cut, Lineage};
pub use live::Live;
pub use next::{Decided, Ended, Next, Rules, decide};
pub use parts::Parts;
pub use restarts::RestartCount;
pub use roster::Roster;
pub use slots::Bound;
pub use transcript::{Item, Transcript, Until};

type Result<T> = std::result::Result<T, Error>;

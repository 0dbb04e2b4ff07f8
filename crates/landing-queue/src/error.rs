//! Why a turn of a queue could not be finished; the worker tries again.

/// A failure of something that a queue uses.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// A session could not be resumed, for a reason that may pass.
    #[error(transparent)]
    Session(#[from] sessions::Error),
    /// The repository could not be read.
    #[error("landing `{landing}`: {source}")]
    Repository {
        /// The landing that was looked at.
        landing: types::LandingId,
        /// What went wrong.
        #[source]
        source: landing::Error,
    },
}

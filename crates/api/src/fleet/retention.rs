//! What is kept, for how long, and what is due.

use api_macros::{input, output};

/// Show what is kept for how long, and how much is due
#[input(Default)]
pub struct ShowRetention {}

/// Remove what is due now, as the server does every hour
#[input(Default)]
pub struct RunRetention {}

/// One kind of thing that is removed when it is old
#[output]
pub struct RetentionRow {
    /// Its name
    pub name: String,
    /// How long it is kept: such as `90 days`, or `for ever`
    pub kept: String,
    /// How many are due
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<u64>,
    /// How many were removed
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<u64>,
    /// The setting that says how long; change it with `fleet config set`
    pub setting: String,
    /// What goes
    pub what: String,
    /// Why some could not be looked at or removed
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

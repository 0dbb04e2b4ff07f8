//! Accounts of model providers that are not good for now.

use api_macros::{input, output};
use types::ParkedAccount;

use crate::IsoTime;

/// List parked accounts
#[input(Default)]
pub struct ListParkedAccounts {}

/// An account whose sessions wait
#[output]
pub struct ParkedAccountView {
    /// The account
    pub account: String,
    /// What it failed of
    pub reason: String,
    /// What was said about it
    pub message: String,
    /// Since when
    pub since: IsoTime,
    /// When its sessions go on; unset if a person must see to it
    pub until: Option<IsoTime>,
}

/// Unpark an account: its sessions continue now
#[input]
pub struct UnparkAccount {
    /// The account
    #[schemars(length(min = 1, max = 100))]
    pub account: String,
}

/// An account after it was unparked
#[output]
pub struct Unparked {
    /// The account
    pub account: String,
    /// What was done, in one sentence
    pub summary: String,
    /// Whether it is parked now, which it is not
    pub parked: bool,
    /// Whether it was parked before
    pub was_parked: bool,
    /// How many sessions had waited for it
    pub waited: u64,
}

impl From<ParkedAccount> for ParkedAccountView {
    fn from(parked: ParkedAccount) -> Self {
        Self {
            account: parked.account,
            reason: parked.class.as_str().to_owned(),
            message: parked.text,
            since: IsoTime(parked.since),
            until: parked.until.map(IsoTime),
        }
    }
}

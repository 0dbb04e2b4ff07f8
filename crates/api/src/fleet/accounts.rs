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

/// Whether an account was parked
#[output]
pub struct Unparked {
    /// The account
    pub account: String,
    /// Whether its sessions had waited
    pub parked: bool,
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

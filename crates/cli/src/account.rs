//! The account that a token names, as far as the token itself says; only the server checks its signature.

use api::{Code, Error};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use tokens::Member;
use types::{TeamName, Uid};

/// The bearer of a token.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Account {
    /// Stands for the bearer.
    pub(crate) uid: Uid,
    /// The bearer's team.
    pub(crate) team_name: TeamName,
}

impl Account {
    /// The person who holds the local key.
    pub(crate) fn owner() -> Self {
        let owner = Member::owner();
        Self { uid: owner.uid(), team_name: owner.team }
    }

    /// Reads the account of a token, without checking its signature.
    pub(crate) fn of_token(token: &str) -> Result<Self, Error> {
        let payload = token.split('.').nth(1).and_then(|part| URL_SAFE_NO_PAD.decode(part).ok());
        let account = payload.and_then(|payload| serde_json::from_slice(&payload).ok());
        account.ok_or_else(|| {
            Error::new(Code::TOKEN_INVALID, "cannot read the token: it names no account")
                .hint("Make a new one: `fleet token`, or `fleet token --as HANDLE --team TEAM --role ROLE`.")
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use runtime::Clock;
    use tokens::Keys;
    use types::Role;

    use super::*;

    #[test]
    fn a_token_says_whom_it_speaks_for() {
        let scout = Member {
            handle: "scout".parse().unwrap(),
            team: "red".parse().unwrap(),
            role: Role::Worker,
            session: None,
        };
        let keys = Keys::new(b"a key of thirty-two bytes or so.", None);
        let token = keys.issue(&scout, Clock::system().now(), Duration::from_secs(60)).unwrap();
        let account = Account::of_token(&token).unwrap();
        assert_eq!(account, Account { uid: scout.uid(), team_name: scout.team });
    }

    #[test]
    fn what_is_no_token_is_refused_with_what_to_do() {
        for text in ["", "abc", "a.b.c", "a.e30.c"] {
            assert_eq!(Account::of_token(text).unwrap_err().code, Code::TOKEN_INVALID, "{text}");
        }
    }
}

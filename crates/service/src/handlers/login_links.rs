//! Sign-in links.

use api::IsoTime;
use api::fleet::{CreateLoginLink, LoginLink};

use crate::login::LINK_LIFETIME;
use crate::{Caller, Handle, Result, Service};

/// Characters of a sign-in code: more than anyone can guess in five minutes.
const CODE_LENGTH: usize = 40;

impl Handle<CreateLoginLink> for Service {
    async fn handle(&self, _: &Caller, _: CreateLoginLink) -> Result<LoginLink> {
        let (now, code) = (self.clock.now(), self.rng.short_code(CODE_LENGTH));
        let expires_at = now.checked_add(LINK_LIFETIME).map_err(|error| crate::Error::Fault(error.to_string()))?;
        self.logins.add(code.clone(), expires_at, now);
        Ok(LoginLink { path: format!("/login?code={code}"), expires_at: IsoTime(expires_at) })
    }
}

//! Pushes the target branch to a remote, on request.

use crate::error::Error;
use crate::outcome::Push;
use crate::{Ground, Lander};

impl Lander {
    /// Pushes the target branch as it is to the branch of the same name at `remote`, never over what is there.
    ///
    /// # Errors
    /// When there is no target, or git fails otherwise than by the remote's refusal.
    pub async fn push(&self, ground: &Ground, remote: &str) -> Result<Push, Error> {
        let opened = self.open(&ground.folder).await?;
        let target = self.target(ground, &opened.repository).await?;
        match opened.repository.push_to(remote, &target).await {
            Ok(()) => Ok(Push::Done),
            Err(git::Error::PushRejected { said, .. }) => Ok(Push::Rejected { said }),
            Err(git::Error::PushDenied { said, .. }) => Ok(Push::Denied { said }),
            Err(git::Error::NoRemote { .. }) => Ok(Push::NoRemote),
            Err(error) => Err(error.into()),
        }
    }
}

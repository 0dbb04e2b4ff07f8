//! Following a letter to the agent it is for.

use std::time::Duration;

use types::{Delivery, Letter};

use crate::hub::Sessions;
use crate::{Error, Result};

impl Sessions {
    /// Waits until a letter got as far as is enough, and returns it; as it is then, if that takes too long.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn followed(
        &self,
        letter: Letter,
        patience: Duration,
        enough: impl Fn(&Delivery) -> bool + Send,
    ) -> Result<Letter> {
        let id = letter.id.clone();
        let mut moved = self.0.post.subscribe();
        let arrived = async {
            loop {
                match self.letter(&id).await? {
                    Some(letter) if !enough(&letter.delivery) => {}
                    found => return Ok::<_, Error>(found),
                }
                // The hub, which moves it, outlives this call.
                let _ = moved.changed().await;
            }
        };
        let found = match self.0.parts.clock.timeout(patience, arrived).await {
            Ok(found) => found?,
            Err(runtime::Elapsed) => self.letter(&id).await?,
        };
        Ok(found.unwrap_or(letter))
    }
}

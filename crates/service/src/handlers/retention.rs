//! What is kept, for how long, and what is due.

use api::Listing;
use api::fleet::{RetentionRow, RunRetention, ShowRetention};
use retention::{Keep, Mode, Swept};

use crate::{Caller, Handle, Result, Service};

/// Seconds of a day.
const DAY_SECS: u64 = 86_400;

impl Handle<ShowRetention> for Service {
    async fn handle(&self, _: &Caller, _: ShowRetention) -> Result<Listing<RetentionRow>> {
        let swept = self.retention.sweep(Mode::Look).await;
        Ok(Listing::whole(swept.into_iter().map(|one| row(one, Mode::Look)).collect()))
    }
}

impl Handle<RunRetention> for Service {
    async fn handle(&self, _: &Caller, _: RunRetention) -> Result<Listing<RetentionRow>> {
        let swept = self.retention.sweep(Mode::Remove).await;
        Ok(Listing::whole(swept.into_iter().map(|one| row(one, Mode::Remove)).collect()))
    }
}

fn row(swept: Swept, mode: Mode) -> RetentionRow {
    let kept = match swept.keep {
        Keep::Forever => "for ever".to_owned(),
        Keep::For(age) => match age.as_secs() / DAY_SECS {
            1 => "1 day".to_owned(),
            days => format!("{days} days"),
        },
    };
    RetentionRow {
        name: swept.name.to_owned(),
        kept,
        due: (mode == Mode::Look).then_some(swept.count),
        removed: (mode == Mode::Remove).then_some(swept.count),
        setting: swept.setting.to_owned(),
        what: swept.what.to_owned(),
        failed: swept.failed,
    }
}

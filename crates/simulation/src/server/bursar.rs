//! Watches the budgets while agents run; as `sessions::bursar`.

use std::sync::Arc;

use schedule::{Spender, overdrawn, time_up_at};
use types::Timestamp;

use super::books::spender;
use super::{PAUSE, Server};

/// Keeps to the budgets until the server dies.
pub(super) async fn keep_budgets(server: Arc<Server>) {
    let mut turned = server.turned.subscribe();
    let mut renews_at = None;
    loop {
        turned.mark_unchanged();
        let now = server.site.clock.now();
        // Those who wait for one that has begun anew look for themselves.
        if renews_at.is_some_and(|at| at <= now) {
            server.slots.ease();
        }
        let again_at;
        (again_at, renews_at) = server.look(now).await.unwrap_or((Some(now + PAUSE), renews_at));
        tokio::select! {
            biased;
            Ok(()) = turned.changed() => {}
            () = until(&server, again_at) => {}
        }
    }
}

impl Server {
    /// Tells those who run under a budget that is used up; says when to look again, and when one begins anew.
    async fn look(&self, now: Timestamp) -> Result<(Option<Timestamp>, Option<Timestamp>), store::Error> {
        let budgets = self.budgets(now).await?;
        let live = self.live();
        let running: Vec<_> = live.values().filter(|live| live.shown.since.is_some()).collect();
        for live in &running {
            if overdrawn(spender(&live.session), &budgets, now).is_some() {
                live.overdrawn.notify_one();
            }
        }
        let spenders: Vec<Spender<'_>> = running.iter().map(|live| spender(&live.session)).collect();
        let time_up = time_up_at(&spenders, &budgets, now);
        let renews_at = budgets.iter().filter_map(|budget| budget.overdrawn(now)?.resets_at).min();
        Ok((time_up.into_iter().chain(renews_at).min(), renews_at))
    }
}

async fn until(server: &Server, at: Option<Timestamp>) {
    match at {
        Some(at) => server.site.clock.sleep_until(at).await,
        None => std::future::pending().await,
    }
}

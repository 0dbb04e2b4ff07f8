//! What workers say, from the sessions to all sockets: gathered once for all of them, a few times a second.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use runtime::{Kind, Stop};
use sessions::{Chatter, Said};
use tokio::sync::broadcast;

use crate::App;

/// How long what is said is gathered before it is passed on: nobody reads faster.
const GATHER: Duration = Duration::from_millis(50);

/// Most messages that a slow socket may be behind before it loses some.
const BEHIND_MAX: usize = 1024;

/// Passes on what workers say to whoever follows.
#[derive(Debug)]
pub(crate) struct Voices {
    sender: broadcast::Sender<Arc<Said>>,
    /// Whether the task runs that passes on; held while listening begins and ends, so that neither misses the other.
    runs: Mutex<bool>,
}

impl Default for Voices {
    fn default() -> Self {
        Self { sender: broadcast::Sender::new(BEHIND_MAX), runs: Mutex::default() }
    }
}

impl Voices {
    /// Begins to follow what workers say.
    pub(super) fn follow(app: &App) -> broadcast::Receiver<Arc<Said>> {
        let mut runs = app.voices.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let receiver = app.voices.sender.subscribe();
        app.service.sessions().chatter().listen(true);
        if !std::mem::replace(&mut *runs, true) {
            let voices = app.clone();
            app.tree.spawn(Kind::Chore, "voices of workers", move |stop| async move { pass_on(&voices, &stop).await });
        }
        receiver
    }

    /// Passes on what was said until now; listens no longer if nobody follows.
    pub(super) fn flush(&self, chatter: &Chatter) {
        let _runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        for said in chatter.take() {
            // Whether anybody follows is seen right below.
            let _ = self.sender.send(Arc::new(said));
        }
        if self.sender.receiver_count() == 0 {
            chatter.listen(false);
        }
    }
}

async fn pass_on(app: &App, stop: &Stop) {
    let chatter = app.service.sessions().chatter();
    loop {
        let gathered = async {
            chatter.heard().await;
            app.service.clock().sleep(GATHER).await;
        };
        tokio::select! {
            () = stop.asked() => return,
            () = gathered => app.voices.flush(chatter),
        }
    }
}

//! What workers say, from the sessions to all sockets: gathered once for all of them, a few times a second.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use runtime::{Kind, Stop};
use sessions::{LiveOutput, Said};
use tokio::sync::broadcast;

use crate::App;

/// How long output is gathered before it is passed on: no person reads faster.
const GATHER: Duration = Duration::from_millis(50);

/// Most messages that a slow socket may be behind before it loses some.
const BEHIND_MAX: usize = 1024;

/// Passes on the output of workers to followers.
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
        app.service.sessions().live_output().listen(true);
        if !std::mem::replace(&mut *runs, true) {
            let voices = app.clone();
            app.tree.spawn(Kind::Chore, "output of workers", move |stop| async move { pass_on(&voices, &stop).await });
        }
        receiver
    }

    /// Passes on the output so far; stops listening without followers.
    pub(super) fn flush(&self, live_output: &LiveOutput) {
        let _runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        for said in live_output.take() {
            // Whether there are followers is seen right below.
            let _ = self.sender.send(Arc::new(said));
        }
        if self.sender.receiver_count() == 0 {
            live_output.listen(false);
        }
    }
}

async fn pass_on(app: &App, stop: &Stop) {
    let live_output = app.service.sessions().live_output();
    loop {
        let gathered = async {
            live_output.heard().await;
            app.service.clock().sleep(GATHER).await;
        };
        tokio::select! {
            () = stop.asked() => return,
            () = gathered => app.voices.flush(live_output),
        }
    }
}

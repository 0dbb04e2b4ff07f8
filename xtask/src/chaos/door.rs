//! The way to whichever server lives at the moment. It is closed while none does.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::http::Connection;
use crate::server::Access;

/// How long a client waits for a server; longer means that none comes up any more.
const CLOSED_MAX: Duration = Duration::from_secs(60);

/// The way in; clones lead to the same server.
#[derive(Clone)]
pub(super) struct Door {
    shared: Arc<Shared>,
    /// Hears of each call as it is sent, to know when it is a good moment for a kill.
    calls: Sender<Call>,
}

#[derive(Default)]
struct Shared {
    open: Mutex<Open>,
    changed: Condvar,
}

#[derive(Default)]
struct Open {
    access: Option<Access>,
    /// Servers so far.
    lives: u64,
}

/// What kind of call it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    Create,
    Dispatch,
    Cancel,
    Message,
    Look,
}

/// What came of a call.
#[derive(Debug, Clone)]
pub(super) enum Answer {
    /// It was answered well.
    Done(Value),
    /// It was refused, with this status and these words.
    Refused { status: u16, why: String },
    /// It is unknown whether it was carried out.
    Lost,
}

impl Answer {
    /// What was answered, or in words that it was not.
    pub(super) fn done(self) -> Result<Value, String> {
        match self {
            Self::Done(value) => Ok(value),
            Self::Refused { status, why } => Err(format!("{status}: {why}")),
            Self::Lost => Err("no answer came".to_owned()),
        }
    }
}

impl Door {
    pub(super) fn new(calls: Sender<Call>) -> Self {
        Self { shared: Arc::default(), calls }
    }

    /// Says where the server is, or that there is none.
    pub(super) fn set(&self, access: Option<Access>) {
        let mut open = self.open();
        open.lives += u64::from(access.is_some());
        open.access = access;
        self.shared.changed.notify_all();
    }

    /// Waits for a server; returns it and how many there were.
    pub(super) fn wait(&self) -> Option<(Access, u64)> {
        let deadline = Instant::now() + CLOSED_MAX;
        let mut open = self.open();
        loop {
            if let Some(access) = &open.access {
                return Some((access.clone(), open.lives));
            }
            let left = deadline.checked_duration_since(Instant::now())?;
            open = self.shared.changed.wait_timeout(open, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Returns the server if there is one right now.
    pub(super) fn peek(&self) -> Option<(Access, u64)> {
        let open = self.open();
        open.access.clone().map(|access| (access, open.lives))
    }

    /// Calls once, as soon as there is a server.
    pub(super) fn call(&self, call: Call, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let Some((access, _)) = self.wait() else { return Answer::Lost };
        let request = access.request(method, path, body);
        let Ok(mut connection) = Connection::open(access.address) else {
            // The server has just gone; its successor comes in a moment.
            std::thread::sleep(Duration::from_millis(20));
            return Answer::Lost;
        };
        let _ = self.calls.send(call);
        match connection.send(&request) {
            Ok((status @ 200..300, body)) => serde_json::from_slice(&body)
                .map_or_else(|error| Answer::Refused { status, why: format!("no JSON: {error}") }, Answer::Done),
            Ok((status, body)) => Answer::Refused { status, why: String::from_utf8_lossy(&body).into_owned() },
            Err(_) => Answer::Lost,
        }
    }

    /// Calls until there is an answer; only for what may be done twice.
    pub(super) fn insist(&self, call: Call, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let deadline = Instant::now() + CLOSED_MAX;
        loop {
            let answer = self.call(call, method, path, body);
            if !matches!(answer, Answer::Lost) || Instant::now() > deadline {
                return answer;
            }
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.shared.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

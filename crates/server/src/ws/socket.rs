//! One socket: reads what the client says, asks the application, sends what `talk` decides.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use futures::FutureExt as _;
use runtime::Stop;
use service::Caller;
use sessions::Said;
use store::{Entry, Tail};
use tokens::Member;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use types::{Change, Role};

use super::lookup;
use super::message::{self, Reply, Request};
use super::talk::{Heard, News, Talk};
use super::voices::Voices;
use crate::App;
use crate::stream_slots::{Client, StreamSlot};

/// How often a client must show that it is still there.
const PING_EVERY: Duration = Duration::from_secs(30);

/// How long a client may take to receive one message.
const SEND_WAIT: Duration = Duration::from_secs(10);

/// How long a client may take to receive the last one.
const GOODBYE_WAIT: Duration = Duration::from_secs(1);

/// How long a client may take to say who it is.
const AUTHENTICATE_WITHIN: Duration = Duration::from_secs(10);

/// Why a socket ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The client closed it, or its connection broke.
    Gone,
    /// The client did not answer a ping, or did not take what was sent.
    Silent,
    /// The client did not say who it is.
    Stranger,
    /// The client sent what cannot be read at all.
    Protocol,
    /// The server stops.
    Stopping,
    /// The feed cannot be read.
    Failed,
}

struct Session {
    app: App,
    socket: WebSocket,
    /// What the client's messages are counted under until it has said who it is.
    address: String,
    talk: Talk,
    token: Option<String>,
    /// The feed from the moment on in which the client was believed; none before.
    tail: Option<Tail>,
    /// What workers say, from the same moment on.
    voices: Option<Receiver<Arc<Said>>>,
    /// When the next ping is due, on the clock that never goes back.
    due: Duration,
    /// Until when the client has to say who it is; none once it has.
    deadline: Option<Duration>,
    awaits_pong: bool,
    /// Its slot among those that follow the fleet: one of the few for strangers, until it has said who it is.
    slot: StreamSlot,
}

/// A client that has just come.
pub(super) struct Arrival {
    pub(super) address: String,
    /// Who it is, if its request said so already.
    pub(super) opening: Option<(Member, String)>,
    pub(super) slot: StreamSlot,
}

/// Serves a socket until it ends.
pub(super) async fn run(app: App, socket: WebSocket, arrival: Arrival) {
    let Arrival { address, opening, slot } = arrival;
    let stop = app.tree.stop_of(runtime::Kind::Listener);
    let now = app.service.clock().monotonic();
    let (due, deadline) = (now + PING_EVERY, Some(now + AUTHENTICATE_WITHIN));
    let talk = Talk::default();
    let (token, tail, voices) = (None, None, None);
    let mut session =
        Session { app, socket, address, talk, token, tail, voices, due, deadline, awaits_pong: false, slot };
    let end = session.serve(&stop, opening).await;
    tracing::debug!(?end, "socket ended");
    session.goodbye(end).await;
}

impl Session {
    async fn serve(&mut self, stop: &Stop, opening: Option<(Member, String)>) -> End {
        let greeted = match opening {
            Some((member, token)) => self.introduce(member, token).await,
            None => Ok(()),
        };
        let mut so_far = greeted;
        while so_far.is_ok() {
            so_far = self.step(stop).await;
        }
        so_far.err().unwrap_or(End::Gone)
    }

    async fn step(&mut self, stop: &Stop) -> Result<(), End> {
        let clock = self.app.service.clock().clone();
        let rest = self.due.saturating_sub(clock.monotonic());
        let patience = self.deadline.map(|deadline| deadline.saturating_sub(clock.monotonic()));
        tokio::select! {
            biased;
            () = stop.asked() => Err(End::Stopping),
            () = clock.sleep(patience.unwrap_or(Duration::MAX)), if patience.is_some() => Err(End::Stranger),
            () = clock.sleep(rest) => self.tick().await,
            message = self.socket.recv() => match message {
                Some(Ok(message)) => self.receive(message).await,
                Some(Err(_)) => Err(End::Protocol),
                None => Err(End::Gone),
            },
            entry = next(&mut self.tail) => match entry {
                Ok(entry) => self.pass_on(&entry.change).await,
                Err(error) => {
                    tracing::warn!(%error, "change feed cannot be read, a socket ends");
                    Err(End::Failed)
                }
            },
            said = overhear(&mut self.voices) => self.say(said).await,
        }
    }

    async fn receive(&mut self, message: Message) -> Result<(), End> {
        match message {
            Message::Text(text) => self.read(text.as_str()).await,
            Message::Binary(bytes) => self.read(&String::from_utf8_lossy(&bytes)).await,
            // The library has answered already.
            Message::Ping(_) => Ok(()),
            Message::Pong(_) => {
                self.awaits_pong = false;
                Ok(())
            }
            Message::Close(_) => Err(End::Gone),
        }
    }

    async fn read(&mut self, text: &str) -> Result<(), End> {
        let heard = match message::read(text) {
            Err(reply) => return self.send(&reply).await,
            Ok(Request::Ping) => Heard::Ping,
            Ok(Request::Unsubscribe { chat_id }) => Heard::Unsubscribe(chat_id),
            Ok(request @ (Request::Auth { .. } | Request::Subscribe { .. })) => {
                if let Err(refusal) = self.count() {
                    return self.send(&Reply::error(refusal.message)).await;
                }
                match request {
                    Request::Auth { token } => return self.authenticate(token).await,
                    Request::Subscribe { chat_id, uid } => {
                        lookup::chat(&self.app.service, &self.talk, chat_id, uid).await.map_err(failed)?
                    }
                    Request::Unsubscribe { .. } | Request::Ping => return Ok(()),
                }
            }
        };
        self.hear(heard).await
    }

    async fn authenticate(&mut self, token: String) -> Result<(), End> {
        match self.app.service.authenticate(Some(&token)) {
            Ok(Caller::Known(member)) => match self.app.slots.take(Client::known(&member)) {
                Ok(slot) => {
                    self.slot = slot;
                    self.introduce(member, token).await
                }
                Err(full) => self.hear(Heard::Auth(Err(full.message))).await,
            },
            Ok(Caller::Anonymous) => Ok(()),
            Err(refusal) => self.hear(Heard::Auth(Err(refusal.message))).await,
        }
    }

    /// Begins to follow the feed before the client is told that it does.
    async fn introduce(&mut self, member: Member, token: String) -> Result<(), End> {
        let store = self.app.service.store();
        if self.tail.is_none() {
            self.tail = Some(store.tail(store.position()));
            self.voices = Some(Voices::follow(&self.app));
        }
        (self.token, self.deadline) = (Some(token), None);
        self.hear(Heard::Auth(Ok(member))).await
    }

    async fn hear(&mut self, heard: Heard) -> Result<(), End> {
        let (talk, reply) = std::mem::take(&mut self.talk).hear(heard);
        self.talk = talk;
        match reply {
            Some(reply) => self.send(&reply).await,
            None => Ok(()),
        }
    }

    async fn pass_on(&mut self, change: &Change) -> Result<(), End> {
        for event in &change.events {
            let news = lookup::news(&self.app.service, &self.talk, change, event).await.map_err(failed)?;
            if let Some(News::Gone { .. }) = news {
                self.last_words().await?;
            }
            if let Some(reply) = news.and_then(|news| self.talk.tell(news)) {
                self.send(&reply).await?;
            }
        }
        Ok(())
    }

    /// Passes on what a worker said, to those who may see it.
    async fn say(&mut self, said: Result<Arc<Said>, u64>) -> Result<(), End> {
        let reply = match said {
            Ok(said) if !lookup::may_hear(&self.app.service, &self.talk, &said) => None,
            Ok(said) => self.talk.tell(News::Said(said)),
            Err(missed) => Some(Reply::error(format!("{missed} messages of workers were left out: read faster"))),
        };
        match reply {
            Some(reply) => self.send(&reply).await,
            None => Ok(()),
        }
    }

    /// Whoever is gone has said everything before.
    async fn last_words(&mut self) -> Result<(), End> {
        self.app.voices.flush(self.app.service.sessions().live_output());
        while let Some(said) = overhear(&mut self.voices).now_or_never() {
            self.say(said).await?;
        }
        Ok(())
    }

    /// Drops whoever missed the last ping, forgets whoever's token is over, pings the rest.
    async fn tick(&mut self) -> Result<(), End> {
        if self.awaits_pong {
            return Err(End::Silent);
        }
        self.due = self.app.service.clock().monotonic() + PING_EVERY;
        if self.token.is_some() && self.app.service.authenticate(self.token.as_deref()).is_err() {
            (self.token, self.tail, self.voices) = (None, None, None);
            self.deadline = Some(self.app.service.clock().monotonic() + AUTHENTICATE_WITHIN);
            self.hear(Heard::Expired).await?;
        }
        self.awaits_pong = true;
        self.push(Message::Ping(Vec::new().into())).await
    }

    /// Counts what costs something, like any other request of the same client.
    fn count(&self) -> Result<(), api::Error> {
        let client = match self.talk.member() {
            Some(member) if member.role == Role::Owner => return Ok(()),
            Some(member) => member.uid().to_string(),
            None => self.address.clone(),
        };
        self.app.limiter.admit(
            client,
            self.app.service.settings().rate_limit_per_minute,
            self.app.service.clock().monotonic(),
        )
    }

    async fn send(&mut self, reply: &Reply) -> Result<(), End> {
        let text = serde_json::to_string(reply).map_err(|error| {
            tracing::error!(%error, "a message cannot be written");
            End::Failed
        })?;
        let owner = self.talk.member().is_some_and(|member| member.role == Role::Owner);
        let text = if owner { text } else { self.app.service.sessions().redactor().text(&text).into_owned() };
        self.push(Message::Text(text.into())).await
    }

    async fn push(&mut self, message: Message) -> Result<(), End> {
        let clock = self.app.service.clock().clone();
        match clock.timeout(SEND_WAIT, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(End::Gone),
            Err(_) => Err(End::Silent),
        }
    }

    async fn goodbye(mut self, end: End) {
        let (code, reason) = match end {
            End::Gone | End::Silent => return,
            End::Stranger => (close_code::POLICY, "say who you are within ten seconds"),
            End::Protocol => (close_code::SIZE, "the message cannot be read or is too large"),
            End::Stopping => (close_code::AWAY, "the server stops"),
            End::Failed => (close_code::ERROR, "the server cannot continue; connect again"),
        };
        let frame = CloseFrame { code, reason: reason.into() };
        let clock = self.app.service.clock().clone();
        // Whoever does not take it finds the connection closed.
        let _ = clock.timeout(GOODBYE_WAIT, self.socket.send(Message::Close(Some(frame)))).await;
    }
}

/// Returns the next change; waits for ever where no feed is followed.
async fn next(tail: &mut Option<Tail>) -> Result<Arc<Entry>, store::Error> {
    match tail {
        Some(tail) => tail.next().await,
        None => std::future::pending().await,
    }
}

/// Returns what a worker says next, or how much was missed; waits for ever where nobody is listened to.
async fn overhear(voices: &mut Option<Receiver<Arc<Said>>>) -> Result<Arc<Said>, u64> {
    match voices {
        Some(voices) => match voices.recv().await {
            Ok(said) => Ok(said),
            Err(RecvError::Lagged(missed)) => Err(missed),
            // The application, which sends, outlives every socket.
            Err(RecvError::Closed) => std::future::pending().await,
        },
        None => std::future::pending().await,
    }
}

fn failed(error: service::Error) -> End {
    tracing::warn!(%error, "a socket's question to the store failed");
    End::Failed
}

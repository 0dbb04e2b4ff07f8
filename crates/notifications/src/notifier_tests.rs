//! What is told, when, how often, and where: with a real receiver on loopback and a clock that the test moves.

use config::{Environment, Home, Overrides};
use kv::MemEngine;
use serde_json::Value;
use store::Options;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use types::Event;

use super::*;

struct World {
    notifier: Notifier,
    gatherer: Gatherer,
    sent: LastSent,
    listener: TcpListener,
    folder: tempfile::TempDir,
}

impl World {
    async fn new(quiet: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let loaded = config::load(&Home::at(folder.path()), &Environment::default(), &Overrides::new()).unwrap();
        let settings = Settings {
            notify_webhook: Some(Secret::new(format!("http://{}/hook", listener.local_addr().unwrap()))),
            notify_quiet: (!quiet.is_empty()).then(|| quiet.parse().unwrap()),
            ..loaded.settings
        };
        let clock = Clock::manual("2026-11-18T23:00:00Z".parse().unwrap());
        let engine = Arc::new(MemEngine::default());
        let store = Store::open(engine, Options { writer: "test".to_owned(), seed: 1 }).await.unwrap();
        let redactor = Arc::new(Redactor::new(["a-known-secret-value"]));
        let notifier = Notifier::new(Parts {
            store: store.clone(),
            clock: clock.clone(),
            rng: Rng::seeded(1),
            settings: watch::channel(Arc::new(settings)).1,
            redactor: Arc::clone(&redactor),
            secret: Secret::new("of callbacks"),
            desktop: Desktop::find(&Environment::default(), folder.path()),
        });
        let gatherer = Gatherer::open(&store, &clock, &redactor).await.unwrap();
        Self { notifier, gatherer, sent: LastSent::new(), listener, folder }
    }

    fn parts(&self) -> &Parts {
        &self.notifier.0
    }

    /// Something happens that waits for a person, and is gathered.
    async fn happens(&mut self, why: &str) {
        let stamp = by_itself(self.parts().clock.now());
        let event = &Event::BudgetUsedUp { project: None, why: why.to_owned(), resets_at: None };
        let store = self.parts().store.clone();
        store
            .transact(&stamp, |tx| async move {
                tx.append(event.clone());
                Ok::<_, store::Error>(())
            })
            .await
            .unwrap();
        self.gather().await;
    }

    /// Reads the feed up to its end.
    async fn gather(&mut self) {
        let settings = Arc::clone(&self.parts().settings.borrow());
        let channels = self.notifier.channels(&settings);
        let end = self.parts().store.position();
        loop {
            let entry = self.gatherer.next().await.unwrap();
            self.gatherer.take_in(&entry, &channels, &settings).await.unwrap();
            if entry.position >= end {
                return;
            }
        }
    }

    /// Delivers what is due to a receiver that answers so; returns what that got.
    async fn delivers(&mut self, status: &str) -> (String, Value) {
        let Self { notifier, sent, listener, .. } = self;
        let hear = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut bytes = Vec::new();
            loop {
                let mut part = [0; 4096];
                let count = stream.read(&mut part).await.unwrap();
                bytes.extend_from_slice(&part[..count]);
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let body = text.split_once("\r\n\r\n").and_then(|(_, body)| serde_json::from_str(body).ok());
                if let Some(body) = body {
                    let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
                    stream.write_all(answer.as_bytes()).await.unwrap();
                    let id = text.lines().find_map(|line| line.strip_prefix("fleet-delivery: ")).unwrap();
                    return (id.to_owned(), body);
                }
            }
        };
        let (heard, delivered) = tokio::join!(hear, notifier.deliver(sent));
        delivered.unwrap();
        heard
    }

    /// Looks whether something is due; nothing may be.
    async fn rests(&mut self) -> Option<Timestamp> {
        self.notifier.deliver(&mut self.sent).await.unwrap()
    }
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[tokio::test]
async fn what_comes_in_quiet_hours_is_told_as_one_when_they_end() {
    let mut world = World::new("22:00-07:00 UTC").await;
    for why in ["one", "two", "three"] {
        world.happens(why).await;
    }
    assert_eq!(world.rests().await, Some(at("2026-11-19T07:00:00Z")));
    world.parts().clock.advance(Duration::from_secs(8 * 3_600));
    let (_, body) = world.delivers("204 No Content").await;
    assert_eq!((&body["count"], body["items"].as_array().unwrap().len()), (&3.into(), 3));
    assert!(body["text"].as_str().unwrap().starts_with("3 things wait for you:"), "{body}");
    assert_eq!(world.rests().await, None, "it is told once");
}

#[tokio::test]
async fn a_notification_is_retried_with_its_id_and_what_comes_close_behind_waits() {
    let mut world = World::new("").await;
    world.happens("over: a-known-secret-value").await;
    let (first, body) = world.delivers("500 Broken").await;
    assert!(!body.to_string().contains("a-known-secret-value"), "{body}");
    world.parts().clock.advance(Duration::from_secs(60));
    let (second, again) = world.delivers("200 OK").await;
    assert_eq!((second, again), (first, body));
    world.happens("another").await;
    let next = world.rests().await;
    assert_eq!(next, world.parts().clock.now().checked_add(SPACING).ok());
    world.parts().clock.advance(SPACING);
    world.delivers("200 OK").await;
    assert_eq!(world.rests().await, None);
}

#[tokio::test]
async fn a_server_that_was_killed_tells_nothing_twice_and_forgets_nothing() {
    let mut world = World::new("22:00-07:00 UTC").await;
    world.happens("one").await;
    // The next server begins where the last one wrote down that it was; the commit of the bookmark is that of the
    // notification, so there is no moment between them.
    let Parts { store, clock, redactor, .. } = &world.notifier.0;
    world.gatherer = Gatherer::open(store, clock, redactor).await.unwrap();
    world.happens("two").await;
    world.parts().clock.advance(Duration::from_secs(8 * 3_600));
    let (_, body) = world.delivers("200 OK").await;
    assert_eq!(body["count"], 2, "{body}");
    assert_eq!(world.rests().await, None);
}

#[tokio::test]
async fn a_flood_is_one_message_and_what_is_kept_of_it_is_bounded() {
    let mut world = World::new("22:00-07:00 UTC").await;
    for number in 0..WAITING_MAX + 20 {
        world.happens(&format!("number {number}")).await;
    }
    world.parts().clock.advance(Duration::from_secs(8 * 3_600));
    let (_, body) = world.delivers("200 OK").await;
    assert_eq!(body["count"], WAITING_MAX);
    assert_eq!(body["text"].as_str().unwrap().lines().count(), 12);
    assert_eq!(world.rests().await, None);
}

#[tokio::test]
async fn a_channel_that_is_switched_off_and_a_kind_that_is_not_wanted_tell_nothing() {
    let mut world = World::new("").await;
    let mut settings = Settings::clone(&world.parts().settings.borrow());
    settings.notify_kinds = vec!["question".to_owned()];
    world.notifier.0.settings = watch::channel(Arc::new(settings.clone())).1;
    world.happens("unwanted").await;
    assert_eq!(world.rests().await, None);
    settings.notify_kinds = vec!["budget".to_owned()];
    world.notifier.0.settings = watch::channel(Arc::new(settings.clone())).1;
    world.happens("wanted").await;
    settings.notify_webhook = None;
    world.notifier.0.settings = watch::channel(Arc::new(settings)).1;
    assert_eq!(world.rests().await, None);
    assert!(world.folder.path().exists());
}

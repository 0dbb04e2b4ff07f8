use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use supervisor::{Error, Refusal};

use super::*;
use crate::memory::MemoryFiles;

/// A shim as its outbox sees it: takes each number once, in order.
#[derive(Debug, Default)]
struct Shim {
    lines: Vec<String>,
    /// How many of the next tries do not get there.
    deaf: u32,
    /// Whether the answers get lost although the line got there.
    mute: bool,
}

type Shared = Arc<Mutex<Shim>>;

fn hand(shim: &Shared) -> Hand {
    let shim = Arc::clone(shim);
    Box::new(move |seq, bytes| {
        let mut shim = shim.lock().unwrap();
        let broken = || Err(Error::Connection(io::Error::other("it broke")));
        let answer = if shim.deaf > 0 {
            shim.deaf -= 1;
            broken()
        } else {
            let taken = shim.lines.len() as u64;
            if seq == taken + 1 {
                shim.lines.push(String::from_utf8(bytes).unwrap());
            }
            match seq.cmp(&(taken + 1)) {
                std::cmp::Ordering::Greater => Err(Error::Refused(Refusal::OutOfOrder { expected: taken + 1 })),
                _ if std::mem::take(&mut shim.mute) => broken(),
                std::cmp::Ordering::Less | std::cmp::Ordering::Equal => Ok(()),
            }
        };
        async move { answer }.boxed()
    })
}

fn letter(number: u64) -> Cause {
    // Codes leave out some letters, so two of them count.
    let code: String = format!("{number:08b}").chars().map(|bit| if bit == '1' { 'b' } else { 'a' }).collect();
    Cause::Letter { id: LetterId::from_code(&code).unwrap() }
}

const PATH: &str = "deep/outbox";

struct World {
    files: MemoryFiles,
    shim: Shared,
    outbox: Option<Outbox>,
}

impl World {
    /// A process that was just started with one line to be told.
    fn new() -> Self {
        let files = MemoryFiles::default();
        begin(&files, Path::new(PATH), &["opening".to_owned()]).unwrap();
        let mut world = Self { files, shim: Shared::default(), outbox: None };
        world.crash();
        world
    }

    /// Another server takes over; returns what it finds handed over.
    fn crash(&mut self) -> Vec<Cause> {
        let delivered = self.shim.lock().unwrap().lines.len() as u64;
        let files = Arc::new(self.files.clone());
        let (outbox, known) = Outbox::open(files, PATH.into(), hand(&self.shim), Clock::system(), delivered).unwrap();
        self.outbox = Some(outbox);
        known
    }

    fn push(&mut self, number: u64) {
        self.outbox.as_mut().unwrap().push(letter(number), format!("letter {number}")).unwrap();
    }

    fn send(&mut self) -> Sent {
        let outbox = self.outbox.as_mut().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(outbox.next())
    }

    fn send_all(&mut self) {
        while self.outbox.as_ref().unwrap().is_busy() {
            self.send().result.unwrap();
        }
    }
}

#[derive(Debug, Clone)]
enum Deed {
    Push,
    Send,
    Crash,
    CrashInMidWrite,
    SendWithLostAnswer,
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let deed = prop_oneof![
        3 => Just(Deed::Push),
        3 => Just(Deed::Send),
        1 => Just(Deed::Crash),
        1 => Just(Deed::CrashInMidWrite),
        1 => Just(Deed::SendWithLostAnswer),
    ];
    proptest::collection::vec(deed, 0..24)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn every_line_gets_there_once_and_in_order_whenever_the_server_dies(deeds in deeds()) {
        let mut world = World::new();
        let mut letters = 0;
        for deed in deeds {
            let busy = world.outbox.as_ref().unwrap().is_busy();
            match deed {
                Deed::Push => {
                    letters += 1;
                    world.push(letters);
                }
                Deed::Send if busy => world.send().result.unwrap(),
                // The server dies before it hears the answer: it sends the same again.
                Deed::SendWithLostAnswer if busy => {
                    let mut outbox = world.outbox.take().unwrap();
                    world.shim.lock().unwrap().mute = true;
                    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
                    runtime.block_on(async { assert!(futures::poll!(std::pin::pin!(outbox.next())).is_pending()) });
                    drop(outbox);
                    world.shim.lock().unwrap().mute = false;
                    world.crash();
                }
                Deed::Send | Deed::SendWithLostAnswer => {}
                Deed::Crash => drop(world.crash()),
                Deed::CrashInMidWrite => {
                    world.outbox = None;
                    world.files.append(Path::new(PATH), "{\"seq\":99,\"cause\":{\"ki").unwrap();
                    world.crash();
                }
            }
            // What a server reads again in the output, or finds queued, it asks for again.
            for known in 1..=letters {
                world.push(known);
            }
        }
        world.send_all();
        let expected: Vec<String> =
            std::iter::once("opening\n".to_owned()).chain((1..=letters).map(|number| format!("letter {number}\n"))).collect();
        prop_assert_eq!(&world.shim.lock().unwrap().lines, &expected);
        let found: Vec<LetterId> = super::letters(&world.files, Path::new(PATH)).unwrap().collect();
        prop_assert_eq!(found.len() as u64, letters);
        let known = world.crash();
        prop_assert_eq!(known.len() as u64, letters + 1, "everything was handed over");
    }
}

#[test]
fn a_line_that_did_not_get_there_is_sent_again_before_those_behind_it() {
    let mut world = World::new();
    world.push(1);
    world.shim.lock().unwrap().deaf = 1;
    world.send_all();
    assert_eq!(world.shim.lock().unwrap().lines, ["opening\n", "letter 1\n"]);
}

#[test]
fn a_process_that_reads_no_more_is_not_asked_for_ever() {
    let mut world = World::new();
    let refuse: Hand = Box::new(|_, _| async { Err(Error::Refused(Refusal::InputClosed)) }.boxed());
    world.outbox.as_mut().unwrap().hand = refuse;
    assert!(world.send().result.is_err());
    assert!(!world.outbox.as_ref().unwrap().is_busy());
}

#[test]
fn an_outbox_that_was_never_written_holds_no_letters() {
    assert_eq!(letters(&MemoryFiles::default(), Path::new(PATH)).unwrap().count(), 0);
}

//! A client without the secret of a launch is obeyed in nothing, and does not delay one that has it.

use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fleet_supervisor::End;

use crate::*;

/// Connects to the shim of an agent, as any process of this user can that reaches its spool.
fn connect(spool: &Spool) -> UnixStream {
    let stream = UnixStream::connect(spool.path().join("shim.sock")).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Says something and returns everything that is answered until the shim closes the connection.
fn say(spool: &Spool, said: &str) -> String {
    let mut stream = connect(spool);
    // A shim that has heard enough closes before all of it is written.
    let _ = stream.write_all(said.as_bytes());
    let mut answer = Vec::new();
    let mut chunk = [0; 4096];
    // One that is refused may be told so by a broken connection.
    while let Ok(length @ 1..) = stream.read(&mut chunk) {
        answer.extend_from_slice(&chunk[..length]);
        if answer.ends_with(b"\n") {
            break;
        }
    }
    String::from_utf8(answer).unwrap()
}

/// The secret of a launch, as its owner reads it.
#[expect(clippy::disallowed_methods, reason = "the test reads what only the owner may")]
fn secret(spool: &Path) -> String {
    let record: serde_json::Value = serde_json::from_slice(&std::fs::read(spool.join("shim.json")).unwrap()).unwrap();
    record["secret"].as_str().unwrap().to_owned()
}

const STOP: &str = "{\"op\":\"stop\",\"signal\":\"kill\",\"grace_ms\":0}\n";

#[tokio::test]
async fn an_agent_can_neither_stop_nor_signal_nor_type_to_another_without_its_secret() {
    let world = World::new();
    let (own, other) = (world.start("own", &["echo"]).await, world.start("other", &["echo"]).await);
    let wrong = secret(own.spool().path());
    let input = "{\"op\":\"input\",\"seq\":1,\"bytes\":\"aGkK\"}\n";
    for said in [STOP, "{\"op\":\"signal\",\"signal\":\"kill\"}\n", input, "{\"op\":\"close-input\"}\n"] {
        for hello in [
            String::new(),
            format!("{{\"secret\":\"{wrong}\"}}\n"),
            "{\"secret\":\"\"}\n".to_owned(),
            "{}\n".to_owned(),
        ] {
            assert_eq!(say(other.spool(), &format!("{hello}{said}")), "", "{hello}{said}");
        }
    }
    let status = other.status().await.unwrap();
    assert_eq!((status.phase, status.input.accepted), (fleet_supervisor::Phase::Running, 0));
    // The same words with the secret are obeyed: it is the secret that is missing.
    let right = format!("{{\"secret\":\"{}\"}}\n", secret(other.spool().path()));
    assert_eq!(say(other.spool(), &format!("{right}{STOP}")), "{\"reply\":\"done\"}\n");
    let exit = world.clock.timeout(PATIENCE, other.ended()).await.unwrap().unwrap();
    assert_eq!(exit.end, End::Signalled { signal: 9 });
    own.stop(quickly()).await.unwrap();
}

#[tokio::test]
async fn the_secret_is_for_its_owner_alone_and_in_no_environment_and_no_argument_of_the_agent() {
    let world = World::new();
    let running = world.start("a", &["environment"]).await;
    let secret = secret(running.spool().path());
    let mode = std::fs::metadata(running.spool().path().join("shim.json")).unwrap().permissions().mode();
    assert_eq!((mode & 0o777, secret.len()), (0o600, 64));
    let said = world.all(&mut world.tail(&running, Stream::Output, 0)).await.join("\n");
    assert!(said.contains("FLEET_LAUNCH=") && !said.contains(&secret), "{said}");
    assert!(!format!("{:?}", running.record()).contains(&secret));
}

#[tokio::test]
async fn an_agent_is_found_again_by_the_secret_in_its_spool() {
    let world = World::new();
    let running = world.start("a", &["echo"]).await;
    let again = world.adopt_running("a").await;
    again.input(1, b"hello\n").await.unwrap();
    let mut tail = world.tail(&again, Stream::Output, 0);
    assert_eq!(text(&world.next(&mut tail).await.unwrap()), "heard hello");
    running.stop(quickly()).await.unwrap();
}

#[tokio::test]
async fn strangers_that_are_silent_talk_nonsense_or_never_end_are_disconnected_and_delay_no_stop() {
    let world = World::new();
    let running = world.start("a", &["idle"]).await;
    let mut silent: Vec<UnixStream> = (0..100).map(|_| connect(running.spool())).collect();
    assert_eq!(say(running.spool(), "what is this\n"), "");
    assert_eq!(say(running.spool(), &"x".repeat(1 << 20)), "");
    // Each of them is closed by the shim, the last ones when their time is up.
    for stream in &mut silent {
        assert_eq!(stream.read(&mut [0]).unwrap(), 0);
    }
    let _silent: Vec<UnixStream> = (0..100).map(|_| connect(running.spool())).collect();
    let asked = world.clock.monotonic();
    let exit = running.stop(quickly()).await.unwrap();
    let took = world.clock.monotonic() - asked;
    assert!(took < Duration::from_secs(5) && exit.stopped, "{took:?} {exit:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_strangers_delays_no_stop() {
    let world = World::new();
    let running = world.start("a", &["stubborn"]).await;
    let over = Arc::new(AtomicBool::new(false));
    let floods: Vec<_> = (0..2)
        .map(|_| {
            let (over, socket) = (Arc::clone(&over), running.spool().path().join("shim.sock"));
            runtime::thread("flood", move || {
                while !over.load(Ordering::Relaxed) {
                    if let Ok(mut stream) = UnixStream::connect(&socket) {
                        let _ = stream.write_all(&[b'x'; 2048]);
                    }
                }
            })
            .unwrap()
        })
        .collect();
    let asked = world.clock.monotonic();
    let exit = running.stop(quickly()).await;
    let took = world.clock.monotonic() - asked;
    over.store(true, Ordering::Relaxed);
    floods.into_iter().for_each(|flood| flood.join().unwrap());
    assert!(took < Duration::from_secs(10) && exit.as_ref().is_ok_and(|exit| exit.stopped), "{took:?} {exit:?}");
}

#[tokio::test]
async fn a_shim_whose_socket_cannot_be_reached_is_stopped_by_a_signal_and_leaves_word() {
    let world = World::new();
    let running = world.start("a", &["idle"]).await;
    #[expect(clippy::disallowed_methods, reason = "the test takes the socket away")]
    std::fs::remove_file(running.spool().path().join("shim.sock")).unwrap();
    let exit = running.stop(quickly()).await.unwrap();
    assert_eq!((exit.end, exit.stopped), (End::Signalled { signal: 15 }, true));
}

#[tokio::test]
async fn an_agent_whose_secret_is_lost_is_found_and_can_be_ended() {
    let world = World::new();
    let running = world.start("a", &["idle"]).await;
    let spool = running.spool().path();
    #[expect(clippy::disallowed_methods, reason = "the test makes a record of another version")]
    let record = std::fs::read_to_string(spool.join("shim.json")).unwrap();
    let mut lost: Record = serde_json::from_str(&record).unwrap();
    lost.secret = None;
    #[expect(clippy::disallowed_methods, reason = "the test makes a record of another version")]
    std::fs::write(spool.join("shim.json"), serde_json::to_string(&lost).unwrap()).unwrap();
    let Adopted::Lost { leftover: Some(leftover), .. } = world.adopt("a").await else { panic!("it is not found") };
    assert_eq!(leftover.agent(), running.record().agent);
    leftover.end().await;
    assert!(!running.record().agent.runs() && !running.record().shim.runs());
}

//! An agent that writes without end is ended before the disk is full, and nothing it wrote is lost or hidden.

use fleet_supervisor::{End, Exit, Terminal};

use crate::*;

const LOG_MAX: u64 = 1 << 20;

impl World {
    fn capped(&self, args: &[&str]) -> Launch {
        Launch { log_max: LOG_MAX, ..self.launch(args) }
    }

    async fn end_of(&self, running: &Running) -> Exit {
        self.clock.timeout(PATIENCE, running.ended()).await.expect("it writes on").unwrap()
    }

    /// Returns whether the log has every line from the first on, and more than the limit of them.
    async fn assert_whole(&self, running: &Running, stream: Stream) {
        let mut tail = self.tail(running, stream, 0);
        let (mut number, mut length) = (0, 0);
        while let Some(line) = self.next(&mut tail).await {
            length = line.next;
            if line.whole {
                assert!(text(&line).starts_with(&format!("{number} x")), "line {number} is not there");
                number += 1;
            }
        }
        assert!(length >= LOG_MAX, "{length}");
    }
}

#[tokio::test]
async fn an_agent_that_writes_too_much_is_stopped_and_its_end_names_the_log() {
    let world = World::new();
    for (name, word, stream) in [("a", "output", Stream::Output), ("b", "errors", Stream::Errors)] {
        let running = world.start_launch(name, &world.capped(&["held-flood", word])).await;
        // Followed: the watch of this tail is the one that notices.
        let mut tail = world.tail(&running, Stream::Output, 0);
        world.next(&mut tail).await.unwrap();
        running.input(1, b"go on\n").await.unwrap();
        let exit = world.end_of(&running).await;
        assert_eq!((exit.capped, exit.stopped), (Some(stream), false));
        // Asked, or killed if the machine was so busy that it wrote on meanwhile.
        assert!(matches!(exit.end, End::Signalled { signal: 15 | 9 }), "{exit:?}");
    }
}

#[tokio::test]
async fn an_agent_that_nobody_follows_is_stopped_too_and_its_log_is_whole() {
    let world = World::new();
    for (name, word, stream) in [("a", "output", Stream::Output), ("b", "errors", Stream::Errors)] {
        let running = world.start_launch(name, &world.capped(&["flood", word])).await;
        assert_eq!(world.end_of(&running).await.capped, Some(stream));
        world.assert_whole(&running, stream).await;
    }
}

#[tokio::test]
async fn an_agent_whose_follower_is_gone_is_stopped_too() {
    let world = World::new();
    let running = world.start_launch("a", &world.capped(&["held-flood", "output"])).await;
    let mut tail = world.tail(&running, Stream::Output, 0);
    world.next(&mut tail).await.unwrap();
    drop(tail);
    running.input(1, b"go on\n").await.unwrap();
    assert_eq!(world.end_of(&running).await.capped, Some(Stream::Output));
}

#[tokio::test]
async fn one_that_goes_on_writing_when_asked_to_end_is_killed_before_its_grace_is_over() {
    let world = World::new();
    let mut launch = world.capped(&["stubborn-flood", "output"]);
    launch.stop = Stop::new(Signal::Terminate, Stop::GRACE_MAX);
    let running = world.start_launch("a", &launch).await;
    let began = world.clock.monotonic();
    let exit = world.end_of(&running).await;
    assert_eq!((exit.capped, exit.end), (Some(Stream::Output), End::Signalled { signal: 9 }));
    assert!(world.clock.monotonic() - began < Stop::GRACE_MAX);
    world.assert_whole(&running, Stream::Output).await;
}

#[tokio::test]
async fn a_terminal_is_no_way_around_the_limit() {
    let world = World::new();
    let terminal = Some(Terminal { rows: 24, columns: 80 });
    let launch = Launch { terminal, ..world.capped(&["flood", "output"]) };
    let running = world.start_launch("a", &launch).await;
    assert_eq!(world.end_of(&running).await.capped, Some(Stream::Output));
    world.assert_whole(&running, Stream::Output).await;
}

#[tokio::test]
async fn an_agent_that_stays_below_the_limit_is_left_alone() {
    let world = World::new();
    let running = world.start_launch("a", &world.capped(&["lines", "1000"])).await;
    let exit = world.end_of(&running).await;
    assert_eq!((exit.capped, exit.end), (None, End::Exited { code: 0 }));
}

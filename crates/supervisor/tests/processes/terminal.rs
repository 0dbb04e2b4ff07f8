//! An agent that wants a terminal has one, and its log is as whole as without.

use fleet_supervisor::{End, Terminal};

use crate::*;

impl World {
    fn on_terminal(&self, program: &str, args: &[&str]) -> Launch {
        let terminal = Some(Terminal { rows: 30, columns: 100 });
        let env = vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())];
        Launch { program: program.into(), env, terminal, ..self.launch(args) }
    }
}

#[tokio::test]
async fn a_program_that_holds_lines_back_without_a_terminal_writes_them_at_once() {
    let world = World::new();
    let running = world.start_launch("a", &world.on_terminal("grep", &["o"])).await;
    let mut tail = world.tail(&running, Stream::Output, 0);
    for (seq, message) in [(1, "one"), (2, "two"), (3, "four")] {
        running.input(seq, format!("{message}\n").as_bytes()).await.unwrap();
        assert_eq!(text(&world.next(&mut tail).await.unwrap()), message);
    }
    running.close_input().await.unwrap();
    let exit = world.clock.timeout(PATIENCE, running.ended()).await.unwrap().unwrap();
    assert_eq!((exit.end, exit.input_delivered), (End::Exited { code: 0 }, 3));
}

#[tokio::test]
async fn output_is_a_terminal_of_the_size_asked_for_that_changes_no_byte_and_nothing_else_is_one() {
    let world = World::new();
    let script =
        "test -t 1 && echo output; test -t 0 || test -t 2 || echo only; stty size <&1; printf 'a\\tb\\r\\nc\\n'";
    let running = world.start_launch("a", &world.on_terminal("sh", &["-c", script])).await;
    let said = world.all(&mut world.tail(&running, Stream::Output, 0)).await;
    assert_eq!(said, ["output", "only", "30 100", "a\tb\r", "c"]);
    assert_eq!(world.all(&mut world.tail(&running, Stream::Errors, 0)).await, [""; 0]);
}

#[tokio::test]
async fn output_is_no_terminal_unless_one_is_asked_for() {
    let world = World::new();
    let launch = Launch { terminal: None, ..world.on_terminal("sh", &["-c", "test -t 1 || echo none"]) };
    let running = world.start_launch("a", &launch).await;
    assert_eq!(world.all(&mut world.tail(&running, Stream::Output, 0)).await, ["none"]);
}

#[tokio::test]
async fn what_is_written_to_a_terminal_right_before_the_end_is_in_the_log() {
    let world = World::new();
    for number in 0..10 {
        let launch = world.on_terminal(PROBE, &["lines", "3000"]);
        let running = world.start_launch(&format!("agent-{number}"), &launch).await;
        let mut expected = numbered(3000);
        expected.push("without an end".to_owned());
        assert_eq!(world.all(&mut world.tail(&running, Stream::Output, 0)).await, expected);
    }
}

#[tokio::test]
async fn an_agent_on_a_terminal_is_stopped_and_found_again_like_any_other() {
    let world = World::new();
    let running = world.start_launch("a", &world.on_terminal(PROBE, &["family"])).await;
    let mut tail = world.tail(&running, Stream::Output, 0);
    let mut family = Vec::new();
    for _ in 0..4 {
        family.push(Identity::of(world.next_pid(&mut tail).await).unwrap());
    }
    let exit = world.adopt_running("a").await.stop(quickly()).await.unwrap();
    assert_eq!((exit.end, exit.stopped, exit.survivors), (End::Signalled { signal: 9 }, true, vec![]));
    assert!(family.iter().all(|process| !process.runs()), "{family:?}");
}

//! Input reaches an agent once and in order, whichever client sends it and however often.

use fleet_supervisor::{End, Error, Refusal};

use crate::*;

#[tokio::test]
async fn a_message_sent_again_over_a_new_connection_is_heard_once() {
    let world = World::new();
    let running = world.start("a", &["echo"]).await;
    for seq in 1..=20_u64 {
        let message = format!("message {seq}\n");
        running.input(seq, message.as_bytes()).await.unwrap();
        // A supervisor that does not know whether it was heard finds the agent again and repeats itself.
        world.adopt_running("a").await.input(seq, message.as_bytes()).await.unwrap();
    }
    running.input(1, b"message 1\n").await.unwrap();
    let status = running.status().await.unwrap();
    assert_eq!((status.input.open, status.input.accepted, status.input.delivered), (true, 20, 20));
    running.close_input().await.unwrap();
    let heard = world.all(&mut world.tail(&running, Stream::Output, 0)).await;
    assert_eq!(heard, (1..=20).map(|seq| format!("heard message {seq}")).collect::<Vec<_>>());
    let exit = running.ended().await.unwrap();
    assert_eq!((exit.end, exit.input_delivered), (End::Exited { code: 0 }, 20));
}

#[tokio::test]
async fn what_an_agent_is_started_with_is_heard_first_and_once_though_a_supervisor_sends_it_again() {
    let world = World::new();
    let opening = vec!["first\n".to_owned(), "second\n".to_owned()];
    let running = world.start_launch("a", &Launch { opening, ..world.launch(&["echo"]) }).await;
    let mut tail = world.tail(&running, Stream::Output, 0);
    // Nothing was sent.
    assert_eq!(text(&world.next(&mut tail).await.unwrap()), "heard first");
    let found = world.adopt_running("a").await;
    assert_eq!(found.status().await.unwrap().input.delivered, 2);
    for (seq, message) in [(1, "first\n"), (2, "second\n"), (3, "third\n")] {
        found.input(seq, message.as_bytes()).await.unwrap();
    }
    found.close_input().await.unwrap();
    assert_eq!(world.all(&mut tail).await, ["heard second", "heard third"]);
    assert_eq!(running.ended().await.unwrap().input_delivered, 3);
}

#[tokio::test]
async fn an_opening_longer_than_a_pipe_holds_is_handed_over_as_it_is_read() {
    let world = World::new();
    let opening = vec!["x".repeat(1 << 20) + "\n", "last\n".to_owned()];
    let running = world.start_launch("a", &Launch { opening, ..world.launch(&["echo"]) }).await;
    running.close_input().await.unwrap();
    let heard = world.all(&mut world.tail(&running, Stream::Output, 0)).await;
    assert_eq!(heard.iter().map(String::len).collect::<Vec<_>>(), [(1 << 20) + 6, "heard last".len()]);
    assert_eq!(running.ended().await.unwrap().input_delivered, 2);
}

#[tokio::test]
async fn many_who_send_the_same_message_at_once_are_heard_as_one() {
    let world = World::new();
    let running = world.start("a", &["echo"]).await;
    let send = || running.input(1, b"once\n");
    let (a, b, c, d) = tokio::join!(send(), send(), send(), send());
    assert!([a, b, c, d].iter().all(Result::is_ok));
    running.close_input().await.unwrap();
    assert_eq!(world.all(&mut world.tail(&running, Stream::Output, 0)).await, ["heard once"]);
    running.ended().await.unwrap();
}

#[tokio::test]
async fn a_gap_is_refused_and_the_number_that_comes_next_is_said() {
    let world = World::new();
    let running = world.start("a", &["echo"]).await;
    let gap = running.input(2, b"second\n").await;
    assert!(matches!(gap, Err(Error::Refused(Refusal::OutOfOrder { expected: 1 }))), "{gap:?}");
    running.input(1, b"first\n").await.unwrap();
    running.input(2, b"second\n").await.unwrap();
    running.stop(quickly()).await.unwrap();
}

#[tokio::test]
async fn an_agent_that_does_not_read_makes_nobody_else_wait_and_its_message_is_reported_undelivered() {
    let world = World::new();
    let running = world.start("a", &["idle"]).await;
    // More than a pipe holds.
    let long = vec![b'x'; 1 << 20];
    let waits = running.input(1, &long);
    let rest = async {
        let status = loop {
            let status = running.status().await.unwrap();
            if status.input.accepted == 1 {
                break status;
            }
        };
        assert_eq!(status.input.delivered, 0);
        running.stop(quickly()).await.unwrap()
    };
    let (sent, exit) = tokio::join!(waits, rest);
    assert!(matches!(sent, Err(Error::Refused(Refusal::InputClosed))), "{sent:?}");
    assert_eq!(exit.input_delivered, 0);
}

#[tokio::test]
async fn a_long_message_arrives_whole() {
    let world = World::new();
    let running = world.start("a", &["echo"]).await;
    let mut long = vec![b'x'; 3 << 20];
    long.push(b'\n');
    running.input(1, &long).await.unwrap();
    let heard = world.next(&mut world.tail(&running, Stream::Output, 0)).await.unwrap();
    assert_eq!(heard.bytes.len(), (3 << 20) + "heard ".len());
    running.stop(quickly()).await.unwrap();
}

#[tokio::test]
async fn an_agent_without_input_is_at_its_end_at_once_and_refuses_messages() {
    let world = World::new();
    let mut launch = world.launch(&["echo"]);
    launch.stdin = Stdin::Closed;
    let running = world.start_launch("a", &launch).await;
    let exit = world.clock.timeout(PATIENCE, running.ended()).await.unwrap().unwrap();
    assert_eq!(exit.end, End::Exited { code: 0 });

    launch.args = vec!["idle".to_owned()];
    let running = world.start_launch("b", &launch).await;
    let refused = running.input(1, b"hello\n").await;
    assert!(matches!(refused, Err(Error::Refused(Refusal::InputClosed))), "{refused:?}");
    running.stop(quickly()).await.unwrap();
}

#[tokio::test]
async fn an_agent_that_is_told_once_reads_all_of_it_then_its_end_and_refuses_more() {
    let world = World::new();
    let mut launch = world.launch(&["echo"]);
    launch.stdin = Stdin::Opening;
    // More than a pipe holds, so that it cannot be closed at once.
    let long = "x".repeat(1 << 20);
    launch.opening = vec![format!("{long}\n"), "last\n".to_owned()];
    let running = world.start_launch("a", &launch).await;
    let refused = running.input(3, b"more\n").await;
    assert!(matches!(refused, Err(Error::Refused(Refusal::InputClosed) | Error::Connection(_))), "{refused:?}");
    let heard = world.all(&mut world.tail(&running, Stream::Output, 0)).await;
    assert_eq!(heard, [format!("heard {long}"), "heard last".to_owned()]);
    let exit = world.clock.timeout(PATIENCE, running.ended()).await.unwrap().unwrap();
    assert_eq!((exit.end, exit.input_delivered), (End::Exited { code: 0 }, 2));
}

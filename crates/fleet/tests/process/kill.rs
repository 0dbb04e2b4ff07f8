//! Promise 1: once a call is answered, its effect survives `kill -9`.

use std::time::Duration;

use api::Code;
use api::devfleet::DeleteProject;
use runtime::Rng;
use testkit::{Launch, Server};

use crate::FLEET;
use crate::ledger::Ledger;
use crate::load::{Load, assert_gone, prepare};

const WRITERS: usize = 16;

/// Kills in one test.
const KILLS: u64 = 6;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_acknowledged_write_survives_kills_at_random_moments_exactly_once() {
    let chance = Rng::from_os();
    let mut server = Server::fresh(FLEET).await;
    let project = prepare(&server).await;
    let mut acknowledged = Vec::new();
    for life in 0..KILLS {
        // Some lives end while the first writes are under way, others after a few hundred; one outlives a snapshot.
        let patience = match life {
            0 | 3 => chance.below(4),
            2 => 1050,
            _ => 20 + chance.below(150),
        };
        let mut load = Load::start(&server, &project, WRITERS);
        for _ in 0..patience {
            acknowledged.push(load.next().await);
        }
        let launch = server.kill().await;
        let (rest, ends) = load.rest().await;
        assert_gone(&ends);
        acknowledged.extend(rest);

        server = launch.up().await;
        let ledger = Ledger::read(&server).await;
        ledger.assert_holds(&acknowledged);
        ledger.assert_counted().await;
        // A write whose answer was lost may be there or not, and each writer had one under way.
        let unanswered = ledger.len() - acknowledged.len();
        assert!(unanswered <= WRITERS * (life as usize + 1), "{unanswered} writes came from nowhere");
    }
    Ledger::read(&server).await.assert_same_through_tasks().await;
    assert!(acknowledged.len() > 80, "only {} writes in all lives", acknowledged.len());
}

#[tokio::test]
async fn a_server_that_was_killed_starts_again_beside_what_it_left_behind() {
    let mut server = Server::fresh(FLEET).await;
    for _ in 0..3 {
        let (pid, url) = (server.pid(), server.url().to_owned());
        assert!(server.home().join("server.json").exists());
        server = server.restart().await;
        assert!(server.pid() != pid && server.url() != url, "the description is that of the dead");
    }
}

#[tokio::test]
async fn a_server_killed_while_it_makes_its_home_finds_all_it_needs_the_next_time() {
    let chance = Rng::from_os();
    let mut launch = Launch::new(FLEET);
    for _ in 0..5 {
        for _ in 0..4 {
            launch.killed_after(Duration::from_millis(chance.below(60))).await;
        }
        let server = launch.clone().up().await;
        prepare(&server).await;
        server.kill().await;
        launch = Launch::new(FLEET);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deletion_that_a_kill_cut_off_can_be_repeated_and_leaves_nothing() {
    let chance = Rng::from_os();
    let mut server = Server::fresh(FLEET).await;
    for _ in 0..4 {
        let project = prepare(&server).await;
        let mut load = Load::start(&server, &project, WRITERS);
        for _ in 0..150 {
            load.next().await;
        }
        let launch = server.kill().await;
        load.rest().await;
        server = launch.up().await;

        let delete = DeleteProject { project: project.clone() };
        let moment = Duration::from_millis(chance.below(120));
        // Whether the call is answered before the kill is open, as are its effects if it is not.
        let _ = tokio::time::timeout(moment, server.owner().call(delete.clone())).await;
        server = server.restart().await;
        Ledger::read(&server).await.assert_counted().await;
        let answer = server.owner().call(delete).await;
        assert!(answer.is_ok() || answer.is_err_and(|error| error.code == Code::PROJECT_NOT_FOUND));
        let ledger = Ledger::read(&server).await;
        assert_eq!(ledger.of(&project), 0, "missions outlived their project");
        ledger.assert_counted().await;
    }
}

//! Servers that run, are gone, or are another program.

use std::sync::{Arc, Mutex};

use super::*;

/// A terminal whose two streams a test reads.
#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Paper {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

fn terminal() -> (Terminal, Paper) {
    let paper = Paper::default();
    (Terminal::on(Box::new(paper.clone()), Box::new(paper.clone()), None), paper)
}

/// A home that describes a server at a port on which nothing listens.
fn home_of(pid: u32) -> (tempfile::TempDir, Home) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let started_at = Clock::system().now();
    let server = ServerFile { pid, host: "127.0.0.1".to_owned(), port, started_at, version: "0.1.0".to_owned() };
    home.write_server(&server).unwrap();
    (folder, home)
}

#[tokio::test]
async fn a_process_that_took_over_the_id_of_a_server_is_not_signalled() {
    // This very process: if it were signalled, the test would die.
    let (_folder, home) = home_of(std::process::id());
    let (mut terminal, paper) = terminal();
    assert_eq!(stop(&home, &Environment::default(), &mut terminal).await, Ok(0));
    assert_eq!(paper.text(), "The server is stopped already; what it left behind was removed.\n");
    assert_eq!(home.read_server().unwrap(), None);
}

#[tokio::test]
async fn a_description_that_outlived_its_server_is_removed() {
    let (_folder, home) = home_of(4_000_000);
    let (mut terminal, paper) = terminal();
    assert_eq!(status(&UpArgs::default(), &home, &mut terminal).await, Ok(1));
    assert_eq!(paper.text(), "{\"running\":false}\n", "no terminal: a program reads it");
    assert_eq!(home.read_server().unwrap(), None);
    assert_eq!(stop(&home, &Environment::default(), &mut terminal).await, Ok(0));
    assert!(paper.text().ends_with("The server is stopped already.\n"));
}

#[tokio::test]
async fn a_person_reads_lines_about_a_server_that_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let paper = Paper::default();
    let mut terminal = Terminal::on(Box::new(paper.clone()), Box::new(paper.clone()), Some(100));
    assert_eq!(status(&UpArgs::default(), &Home::at(folder.path()), &mut terminal).await, Ok(1));
    assert_eq!(paper.text(), "The server is stopped.\n");
}

#[test]
fn a_time_is_said_in_its_two_largest_units() {
    for (seconds, said) in [(5, "5 s"), (65, "1 min 5 s"), (3700, "1 h 1 min"), (90000, "1 d 1 h")] {
        assert_eq!(spoken(seconds), said);
    }
}

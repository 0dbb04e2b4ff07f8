//! The proxy beside a command that has a network of its own: it ends with the command, and with this process.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use egress_proxy::{JOURNAL_FILE, Limits, Order, Refused};
use runtime::Clock;
use sandbox::{Confined, Egress, HANDED_OVER};
use tokio::process::Child;

/// How long a proxy that was asked to end is waited for: it writes down what it refused last.
const PATIENCE: Duration = Duration::from_secs(2);

/// How many refused hosts people are shown.
const SHOWN_MAX: usize = 16;

/// A proxy that runs; dropped, it is ended.
#[derive(Debug)]
pub(crate) struct Proxy {
    child: Child,
    input: UnixStream,
    journal: PathBuf,
}

impl Proxy {
    /// Starts the proxy of a command, if it has one.
    pub(crate) fn start(confined: &Confined) -> io::Result<Option<Self>> {
        let Some(Egress { hosts, listen, folder }) = &confined.egress else { return Ok(None) };
        let order = Order {
            hosts: hosts.clone(),
            forward: listen.ports.iter().skip(1).copied().collect(),
            journal: folder.join(JOURNAL_FILE),
            socket: listen.give_to.clone(),
            // No other process knows its path.
            secret: HANDED_OVER.to_owned(),
            limits: Limits::default(),
        };
        // What it refused to another command is not told of this one.
        remove(&order.journal)?;
        let (command, input) = egress_proxy::command(&confined.program)?;
        let mut command = tokio::process::Command::from(command);
        let child = command.kill_on_drop(true).spawn()?;
        drop(command);
        egress_proxy::give(&input, &order)?;
        Ok(Some(Self { child, input, journal: order.journal }))
    }

    /// Ends it and returns what it refused.
    pub(crate) async fn end(self, clock: &Clock) -> Vec<Refused> {
        let Self { mut child, input, journal } = self;
        drop(input);
        if clock.timeout(PATIENCE, child.wait()).await.is_err() {
            let _ = child.kill().await;
        }
        runtime::blocking(move || egress_proxy::refused(&journal)).await.unwrap_or_default()
    }
}

#[expect(clippy::disallowed_methods, reason = "the journal is Fleet's own; no command writes to its folder")]
fn remove(journal: &PathBuf) -> io::Result<()> {
    match std::fs::remove_file(journal) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Returns what was refused as lines for people, the first of them.
#[must_use]
pub fn shown(refused: &[Refused]) -> Vec<String> {
    let mut lines: Vec<String> = refused.iter().take(SHOWN_MAX).map(ToString::to_string).collect();
    lines.extend((refused.len() > SHOWN_MAX).then(|| format!("and {} more hosts", refused.len() - SHOWN_MAX)));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_of_refused_hosts_does_not_grow_with_them() {
        let line = |number| {
            let text = format!(
                r#"{{"host":"h{number}.example","port":443,"why":"not_listed","count":3,"first":"2026-01-01T00:00:00Z","last":"2026-01-01T00:00:00Z"}}"#
            );
            serde_json::from_str::<Refused>(&text).unwrap()
        };
        let refused: Vec<Refused> = (0..100).map(line).collect();
        let shown = shown(&refused);
        assert_eq!(shown[0], "h0.example:443 ×3 is not on the list of hosts that it may reach");
        assert_eq!((shown.len(), shown.last().unwrap().as_str()), (SHOWN_MAX + 1, "and 84 more hosts"));
    }
}

//! The proxy as a process, with its sockets inside of a network namespace.

use std::io::Write as _;
use std::net::UdpSocket;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use fleet_egress_proxy::{JOURNAL_FILE, Limits, Order, PORT, WORD, refused};

use crate::world::Web;

fn probe() -> &'static str {
    env!("CARGO_BIN_EXE_egress-probe")
}

/// A proxy, and the other end of its standard input.
struct Started {
    proxy: Child,
    input: UnixStream,
    order: Order,
}

fn start(folder: &Path, hosts: &[&str], forward: &[u16]) -> Started {
    let order = Order {
        hosts: hosts.iter().map(|host| host.parse().unwrap()).collect(),
        forward: forward.to_vec(),
        journal: folder.join(JOURNAL_FILE),
        socket: folder.join("egress.sock"),
        secret: "of this launch".to_owned(),
        limits: Limits::default(),
    };
    let (mut input, theirs) = UnixStream::pair().unwrap();
    let proxy = Command::new(probe()).arg(WORD).env_clear().stdin(Stdio::from(OwnedFd::from(theirs))).spawn().unwrap();
    writeln!(input, "{}", serde_json::to_string(&order).unwrap()).unwrap();
    Started { proxy, input, order }
}

/// Tries things in a network of its own, or in that of the test; returns a line for each.
fn tries(started: Option<&Started>, what: &[String]) -> Vec<String> {
    let mut command = Command::new(if started.is_some() { "bwrap" } else { probe() });
    if let Some(started) = started {
        command.args(["--dev-bind", "/", "/", "--unshare-net", "--", probe()]);
        let ports = std::iter::once(PORT).chain(started.order.forward.iter().copied());
        let ports = ports.map(|port| port.to_string()).collect::<Vec<_>>().join(",");
        command.arg("inside").arg(&started.order.socket).args([&started.order.secret, &ports]).arg(probe());
    }
    let output = command.arg("try").args(what).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// Returns whether the machine lets `bwrap` make a network namespace.
fn can_part_networks() -> bool {
    let made = Command::new("bwrap").args(["--dev-bind", "/", "/", "--unshare-net", "--", "true"]).status();
    made.is_ok_and(|status| status.success())
}

/// Answers every datagram.
fn names() -> String {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap().to_string();
    let answer = move || {
        let mut question = [0; 64];
        while let Ok((_, from)) = socket.recv_from(&mut question) {
            let _ = socket.send_to(b"name!", from);
        }
    };
    drop(runtime::thread("names", answer).unwrap());
    address
}

#[test]
fn inside_of_its_network_only_listed_hosts_are_reached_and_without_it_everything_is() {
    if !can_part_networks() {
        return;
    }
    let (listed, other, forwarded, names) = (Web::start(), Web::start(), Web::start(), names());
    let folder = tempfile::tempdir().unwrap();
    let port = forwarded.address.port();
    let mut started = start(folder.path(), &[&listed.address.to_string()], &[port]);
    let what = [
        format!("tcp={}", listed.address),
        format!("tcp={}", other.address),
        format!("udp={names}"),
        format!("tcp={}", forwarded.address),
        format!("via=127.0.0.1:{PORT}/{}", listed.address),
        format!("via=127.0.0.1:{PORT}/{}", other.address),
        format!("via=127.0.0.1:{PORT}/localhost:{}", other.address.port()),
    ];
    let inside = tries(Some(&started), &what);
    assert_eq!(inside, ["nothing", "nothing", "nothing", "here", "here", "403", "403"]);
    let outside = tries(None, &what);
    assert_eq!(outside, ["here", "here", "name!", "here", "nothing", "nothing", "nothing"], "the control");

    // The proxy of one is out of reach for another, and ends when its input is closed.
    let theirs = tempfile::tempdir().unwrap();
    let mut neighbour = start(theirs.path(), &[], &[]);
    let through =
        tries(Some(&neighbour), &[format!("tcp=127.0.0.1:{port}"), format!("via=127.0.0.1:{PORT}/{}", listed.address)]);
    assert_eq!(through, ["nothing", "403"], "its own proxy has a list of its own");
    drop((started.input, neighbour.input));
    assert!(started.proxy.wait().unwrap().success() && neighbour.proxy.wait().unwrap().success());
    let seen: Vec<_> =
        refused(&started.order.journal).unwrap().into_iter().map(|line| (line.host, line.port, line.count)).collect();
    let port = other.address.port();
    assert_eq!(seen, [("127.0.0.1".to_owned(), port, 1), ("localhost".to_owned(), port, 1)]);
}

#[test]
fn a_proxy_that_is_given_no_sockets_ends() {
    let folder = tempfile::tempdir().unwrap();
    let Started { mut proxy, input, .. } = start(folder.path(), &[], &[]);
    drop(input);
    assert!(!proxy.wait().unwrap().success());
}

#[test]
fn sockets_that_come_without_the_secret_are_not_served() {
    let folder = tempfile::tempdir().unwrap();
    let Started { mut proxy, input, order, .. } = start(folder.path(), &[], &[]);
    let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut stranger = UnixStream::connect(&order.socket);
    while stranger.is_err() {
        stranger = UnixStream::connect(&order.socket);
    }
    let stranger = stranger.unwrap();
    fleet_egress_proxy::send(&stranger, "a guess", &[std::os::fd::AsFd::as_fd(&socket)]).unwrap();
    // The proxy hangs up, and waits for the secret.
    assert_eq!(std::io::Read::read(&mut &stranger, &mut [0; 1]).unwrap_or_default(), 0);
    assert!(order.socket.exists());
    drop(input);
    assert!(!proxy.wait().unwrap().success());
}

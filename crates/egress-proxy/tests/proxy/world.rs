//! A proxy on loopback, a resolver that knows what a test says, and servers that note what reaches them.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fleet_egress_proxy::{AllowList, JOURNAL_FILE, Journal, Limits, Listener, Proxy, Refused, Resolve};
use tempfile::TempDir;

/// Longer than anything takes here.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// What the resolver knows, and what it was asked.
#[derive(Default)]
pub(crate) struct Names {
    known: BTreeMap<String, Vec<IpAddr>>,
    asked: Mutex<Vec<String>>,
}

struct Resolver(Arc<Names>);

impl Resolve for Resolver {
    fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        self.0.asked.lock().unwrap().push(name.to_owned());
        self.0.known.get(name).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

pub(crate) struct World {
    pub(crate) address: SocketAddr,
    proxy: Arc<Proxy>,
    names: Arc<Names>,
    folder: TempDir,
}

impl World {
    pub(crate) fn new(rules: &[&str], names: &[(&str, &str)]) -> Self {
        Self::held_to(rules, names, Limits::default())
    }

    pub(crate) fn held_to(rules: &[&str], names: &[(&str, &str)], limits: Limits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let rules: Vec<_> = rules.iter().map(|rule| rule.parse().unwrap()).collect();
        let known = names.iter().map(|(name, address)| ((*name).to_owned(), vec![address.parse().unwrap()])).collect();
        let names = Arc::new(Names { known, asked: Mutex::default() });
        let journal = Journal::begin(&folder.path().join(JOURNAL_FILE)).unwrap();
        let resolver = Box::new(Resolver(Arc::clone(&names)));
        let proxy = Proxy::new(AllowList::new(&rules), resolver, journal, limits, runtime::Clock::system());
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        let (served, listener) = (Arc::clone(&proxy), Listener::Proxy(socket));
        drop(runtime::thread("proxy", move || served.serve(&listener)).unwrap());
        Self { address, proxy, names, folder }
    }

    pub(crate) fn client(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends bytes and returns everything that comes back.
    pub(crate) fn say(&self, bytes: impl AsRef<[u8]>) -> String {
        let mut client = self.client();
        client.write_all(bytes.as_ref()).unwrap();
        let mut answer = Vec::new();
        let _ = client.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Asks for a tunnel; returns the answer's status, and the tunnel.
    pub(crate) fn connect(&self, target: &str) -> (u16, TcpStream) {
        let mut client = self.client();
        client.write_all(format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n").as_bytes()).unwrap();
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") && client.read(&mut byte).unwrap() > 0 {
            head.push(byte[0]);
        }
        (status(&String::from_utf8(head).unwrap()), client)
    }

    /// Greets by SOCKS5 and asks for a name; returns the answer's code, and the tunnel.
    pub(crate) fn socks(&self, name: &str, port: u16) -> (u8, TcpStream) {
        let mut request = vec![5, 1, 0, 5, 1, 0, 3, u8::try_from(name.len()).unwrap()];
        request.extend(name.as_bytes());
        request.extend(port.to_be_bytes());
        let mut client = self.client();
        client.write_all(&request).unwrap();
        let mut answer = [0; 12];
        client.read_exact(&mut answer).unwrap();
        assert_eq!(answer[..3], [5, 0, 5]);
        (answer[3], client)
    }

    pub(crate) fn looked_up(&self) -> Vec<String> {
        self.names.asked.lock().unwrap().clone()
    }

    /// Returns what was written down, as `HOST:PORT ×COUNT`.
    pub(crate) fn refused(&self) -> Vec<Refused> {
        self.proxy.finish();
        fleet_egress_proxy::refused(&self.folder.path().join(JOURNAL_FILE)).unwrap()
    }

    pub(crate) fn refused_hosts(&self) -> Vec<(String, u16, u64)> {
        self.refused().into_iter().map(|refused| (refused.host, refused.port, refused.count)).collect()
    }
}

pub(crate) fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_default()
}

/// A web server that answers every request with `here` and keeps what it got, connection by connection.
pub(crate) struct Web {
    pub(crate) address: SocketAddr,
    got: Receiver<String>,
}

impl Web {
    pub(crate) fn start() -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        let (say, got) = channel();
        let accept = move || {
            for stream in socket.incoming().map_while(Result::ok) {
                let say = say.clone();
                drop(runtime::thread("web", move || answer(&stream, &say)).unwrap());
            }
        };
        drop(runtime::thread("web", accept).unwrap());
        Self { address, got }
    }

    /// Waits for the next request.
    pub(crate) fn got(&self) -> String {
        self.got.recv_timeout(PATIENCE).unwrap()
    }

    pub(crate) fn got_nothing_more(&self) -> bool {
        self.got.try_recv().is_err()
    }
}

/// Reads a head and the body that it announces, answers, and says what else came once the client is gone.
fn answer(mut stream: &TcpStream, say: &Sender<String>) {
    let mut reader = BufReader::new(stream);
    let mut request = String::new();
    while !request.ends_with("\r\n\r\n") && reader.read_line(&mut request).is_ok_and(|read| read > 0) {}
    let length =
        request.lines().find_map(|line| line.strip_prefix("content-length: ")).map_or(0, |n| n.parse().unwrap());
    let mut body = vec![0; length];
    let _ = reader.read_exact(&mut body);
    request.push_str(&String::from_utf8_lossy(&body));
    while request.contains("transfer-encoding: chunked") && !request.ends_with("0\r\n\r\n") {
        if !reader.read_line(&mut request).is_ok_and(|read| read > 0) {
            break;
        }
    }
    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nhere");
    let _ = stream.shutdown(Shutdown::Write);
    let _ = reader.read_to_string(&mut request);
    let _ = say.send(request);
}

//! A server of a few lines that answers what it is told, and a terminal that is paper.

use std::fmt;
use std::io::{BufRead as _, BufReader, Read as _, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use config::Environment;
use runtime::Clock;

use crate::{Invocation, Terminal};

/// What the server is to answer.
pub(crate) struct Answer {
    status: u16,
    headers: String,
    body: String,
    unended: bool,
}

/// Makes an answer.
pub(crate) fn answer(status: u16, body: &str) -> Answer {
    Answer { status, headers: String::new(), body: body.to_owned(), unended: false }
}

impl Answer {
    /// More is said to come, and never does.
    pub(crate) fn unended(mut self) -> Self {
        self.unended = true;
        self
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push_str(&format!("{name}: {value}\r\n"));
        self
    }
}

/// The server, with a home of its own.
pub(crate) struct Stub {
    url: String,
    home: tempfile::TempDir,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Stub {
    /// Starts it; it gives these answers in their order and then no more.
    pub(crate) fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = requests.clone();
        let serve = move || {
            for answer in answers {
                let (stream, _) = listener.accept().unwrap();
                seen.lock().unwrap().push(read_request(&stream));
                write_answer(&stream, &answer);
                if answer.unended {
                    // Until the other side has had enough.
                    let _ = (&stream).read(&mut [0; 1]);
                }
            }
        };
        runtime::thread("stub", serve).unwrap();
        Self { url, home: tempfile::tempdir().unwrap(), requests }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The requests so far: method, path, and body if there was one. The folder that ids are looked for from is `HERE`.
    pub(crate) fn requests(&self) -> Vec<String> {
        let requests = self.requests.lock().unwrap();
        let shown = |request: &String| match request.split_once("?folder=%2F") {
            Some((path, _)) if path.starts_with("GET /ids/") => format!("{path}?folder=HERE"),
            _ => request.clone(),
        };
        requests.iter().map(shown).collect()
    }
}

fn read_request(stream: &TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let mut line = || {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    };
    let request = line().trim_end_matches(" HTTP/1.1").to_owned();
    let headers: Vec<_> = std::iter::from_fn(|| Some(line()).filter(|line| !line.is_empty())).collect();
    let length = headers.iter().find_map(|header| header.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).unwrap();
    let after = headers.iter().find_map(|header| header.strip_prefix("last-event-id: ")).unwrap_or_default();
    format!("{request} {after}{}", String::from_utf8(body).unwrap()).trim_end().to_owned()
}

fn write_answer(mut stream: &TcpStream, answer: &Answer) {
    let Answer { status, headers, body, unended } = answer;
    let length = body.len() + usize::from(*unended);
    let head = format!("HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
}

/// What came of a command.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) exit: u8,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn new(exit: u8, out: &str, err: &str) -> Self {
        Self { exit, out: out.to_owned(), err: err.to_owned() }
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exit {}\n--- out\n{}--- err\n{}", self.exit, self.out, self.err)
    }
}

/// Runs a command line against the server; words are separated by blanks.
pub(crate) async fn run(stub: &Stub, line: &str) -> Ran {
    run_on(stub, line, |terminal| terminal).await
}

/// Runs a command line against the server on a terminal that a person watches.
pub(crate) async fn run_watched(stub: &Stub, line: &str) -> Ran {
    run_on(stub, line, Terminal::watched).await
}

async fn run_on(stub: &Stub, line: &str, made: impl Fn(Terminal) -> Terminal) -> Ran {
    let Ok(Invocation::Command(command)) = crate::parse(line.split_whitespace()) else { panic!("{line}") };
    let home = stub.home.path().display().to_string();
    let keys = tokens::Keys::new(b"a key that this server never checks", None);
    let token =
        keys.issue(&tokens::Member::owner(), Clock::system().now(), std::time::Duration::from_secs(60)).unwrap();
    let variables = [("FLEET_HOME", home.as_str()), ("CLAUDE_FLEET_URL", stub.url()), ("FLEET_TOKEN", token.as_str())];
    let environment: Environment = variables.into_iter().collect();
    let (out, err) = (Paper::default(), Paper::default());
    let mut terminal = made(Terminal::on(Box::new(out.clone()), Box::new(err.clone()), None));
    let exit = match crate::run::act(*command, &environment, &Clock::system(), &mut terminal).await {
        Ok(exit) => exit,
        Err(failure) => terminal.fail(&failure),
    };
    Ran { exit, out: out.text(), err: err.text() }
}

#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Paper {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

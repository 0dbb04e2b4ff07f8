//! HTTP/1.1 by hand: a test sees the very bytes, and can send what no proper client would.

use std::net::SocketAddr;

use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// A request to be sent.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    method: &'static str,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

pub(crate) fn request(method: &'static str, path: impl Into<String>) -> Request {
    Request { method, path: path.into(), headers: Vec::new(), body: Vec::new() }
}

pub(crate) fn get(path: impl Into<String>) -> Request {
    request("GET", path)
}

pub(crate) fn post(path: impl Into<String>, body: &Value) -> Request {
    request("POST", path).body(body.to_string())
}

impl Request {
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn bearer(self, token: &str) -> Self {
        self.header("Authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    fn head(&self, address: SocketAddr) -> String {
        let named = |name: &str| self.headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        let host = if named("host") { String::new() } else { format!("Host: {address}\r\n") };
        let headers: String = self.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let length = self.body.len();
        format!("{} {} HTTP/1.1\r\n{host}{headers}Content-Length: {length}\r\n\r\n", self.method, self.path)
    }
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// Returns the body of an answer that must have this status.
    #[track_caller]
    pub(crate) fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        self.json()
    }
}

pub(super) async fn send(address: SocketAddr, request: Request) -> Reply {
    let head_only = request.method == "HEAD";
    let (status, headers, mut reader) = open(address, request.header("Connection", "close")).await;
    let mut body = Vec::new();
    match headers.get("content-length") {
        _ if head_only => {}
        Some(length) => {
            body.resize(length.to_str().unwrap().parse().unwrap(), 0);
            reader.read_exact(&mut body).await.unwrap();
        }
        None => {
            reader.read_to_end(&mut body).await.unwrap();
        }
    }
    Reply { status, headers, body }
}

/// Sends a request and reads the head of the answer.
pub(super) async fn open(address: SocketAddr, request: Request) -> (u16, HeaderMap, BufReader<TcpStream>) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.head(address).as_bytes()).await.unwrap();
    // A server that refuses need not read what is too long: the answer counts, not whether all was sent.
    let _ = stream.write_all(&request.body).await;
    let mut reader = BufReader::new(stream);
    let status = line(&mut reader).await;
    let status =
        status.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("{status:?}"));
    let mut headers = HeaderMap::new();
    loop {
        let line = line(&mut reader).await;
        let Some((name, value)) = line.split_once(':') else { break };
        let value = HeaderValue::from_str(value.trim()).unwrap();
        headers.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), value);
    }
    (status, headers, reader)
}

pub(super) async fn line(reader: &mut (impl AsyncBufRead + Unpin)) -> String {
    let mut line = String::new();
    reader.read_line(&mut line).await.unwrap();
    line.trim_end().to_owned()
}

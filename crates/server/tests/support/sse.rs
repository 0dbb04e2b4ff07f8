//! A reader of server-sent events.

use http::HeaderMap;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, BufReader};
use tokio::net::TcpStream;

use super::client::{self, Request};
use super::{Server, within};

/// An open stream of events.
pub(crate) struct Events {
    pub(crate) headers: HeaderMap,
    reader: BufReader<TcpStream>,
    read: String,
}

impl Server {
    /// Opens a stream of events that must be granted.
    pub(crate) async fn events(&self, request: Request) -> Events {
        let (status, headers, reader) = within(client::open(self.address, request)).await;
        assert_eq!(status, 200);
        Events { headers, reader, read: String::new() }
    }
}

impl Events {
    /// Returns the next frame, whatever it is; nothing, when the server has ended the stream in good order.
    pub(crate) async fn frame(&mut self) -> Option<String> {
        within(async {
            loop {
                if let Some((frame, rest)) = self.read.split_once("\n\n") {
                    let (frame, rest) = (frame.to_owned(), rest.to_owned());
                    self.read = rest;
                    return Some(frame);
                }
                let chunk = self.chunk().await?;
                self.read += &chunk;
            }
        })
        .await
    }

    /// Returns the next change with the id it came under.
    pub(crate) async fn change(&mut self) -> (String, Value) {
        loop {
            let frame = self.frame().await.expect("the stream ended");
            let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
            if let Some(data) = field("data: ") {
                assert_eq!(field("event: ").as_deref(), Some("change"));
                return (field("id: ").unwrap(), serde_json::from_str(&data).unwrap());
            }
        }
    }

    async fn chunk(&mut self) -> Option<String> {
        let size = client::line(&mut self.reader).await;
        let size = usize::from_str_radix(&size, 16).unwrap_or_else(|_| panic!("the connection broke: {size:?}"));
        let mut chunk = vec![0; size + 2];
        self.reader.read_exact(&mut chunk).await.unwrap();
        chunk.truncate(size);
        (size > 0).then(|| String::from_utf8(chunk).unwrap())
    }
}

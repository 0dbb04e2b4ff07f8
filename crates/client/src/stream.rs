//! A stream of events, from the place that the caller has read to.

use api::{Code, Error};

use crate::frame::{Frame, Parser};

/// Frames as the server sends them; it ends when the server ends it, or the connection breaks.
#[derive(Debug)]
pub struct Stream {
    answer: reqwest::Response,
    parser: Parser,
    server: String,
}

impl Stream {
    pub(crate) fn new(answer: reqwest::Response, server: String) -> Self {
        Self { answer, parser: Parser::default(), server }
    }

    /// Waits for the next frame; none when the server has ended the stream. Dropping the future loses nothing.
    ///
    /// # Errors
    /// [`Code::SERVER_UNREACHABLE`] when the connection broke; whether to come back is for the caller to say.
    pub async fn next(&mut self) -> Result<Option<Frame>, Error> {
        loop {
            let parsed = self.parser.next().map_err(|_| {
                Error::new(Code::INTERNAL, format!("the response of {} is not a stream of events", self.server))
                    .hint("Check that it is a Fleet server of this version: `fleet health`.")
            });
            if let Some(frame) = parsed? {
                return Ok(Some(frame));
            }
            match self.answer.chunk().await {
                Ok(Some(bytes)) => self.parser.push(&bytes),
                Ok(None) => return Ok(None),
                Err(error) => {
                    let message = format!("the stream of {} broke off: {error}", self.server);
                    return Err(Error::new(Code::SERVER_UNREACHABLE, message));
                }
            }
        }
    }
}

//! What every command gets: who runs it where, and where its words go.

use client::{Client, RawReply, Request};
use config::{Environment, Home};
use runtime::Clock;
use serde_json::{Map, Value};

use crate::failure::Failure;
use crate::options::Options;
use crate::render::View;
use crate::terminal::Terminal;

/// What a command runs with.
pub(crate) struct Context<'a> {
    pub(crate) options: &'a Options,
    pub(crate) environment: &'a Environment,
    pub(crate) clock: &'a Clock,
    pub(crate) terminal: &'a mut Terminal,
}

impl Context<'_> {
    /// Finds the home directory, without touching it.
    pub(crate) fn home(&self) -> Result<Home, Failure> {
        Ok(Home::resolve(self.environment)?)
    }

    /// Prepares calls as the account of the token, the owner by default.
    pub(crate) async fn connect(&self) -> Result<Client, Failure> {
        self.options.connect(self.environment, self.clock).await
    }

    /// Calls an operation and prints its warnings; with `--verbose`, the request too.
    pub(crate) async fn send(
        &mut self,
        client: &Client,
        spec: &api::Spec,
        fields: Map<String, Value>,
    ) -> Result<RawReply, api::Error> {
        let request = Request::new(client.base_url(), spec, fields)?;
        if !self.options.verbose {
            let answer = self.awaited(&spec.name.replace('_', " "), client.exchange(request)).await;
            return self.heard(answer);
        }
        self.terminal.say(&format!("> {} {}", request.method, request.url));
        if let Some(body) = request.body.as_ref().filter(|body| !body.is_empty()) {
            self.terminal.say(&format!("> {}", Value::Object(body.clone())));
        }
        let begun = self.clock.monotonic();
        let answer = client.exchange(request).await;
        let took = self.clock.monotonic().saturating_sub(begun).as_millis();
        self.terminal.say(&match &answer {
            Ok(reply) => format!("< {} in {took} ms", reply.status),
            Err(error) => format!("< {} in {took} ms", error.code.as_str()),
        });
        self.heard(answer)
    }

    /// Waits for something, and shows for how long if that is more than a moment.
    pub(crate) async fn awaited<T>(&mut self, what: &str, work: impl Future<Output = T>) -> T {
        self.terminal.awaited(self.clock, what, work).await
    }

    /// Returns how answers are written out.
    pub(crate) fn view(&self) -> View {
        View {
            now: self.clock.now(),
            width: self.terminal.columns(),
            wide: self.options.wide,
            style: self.terminal.data_style(),
        }
    }

    fn heard(&mut self, answer: Result<RawReply, api::Error>) -> Result<RawReply, api::Error> {
        for warning in answer.iter().flat_map(|reply| &reply.warnings) {
            self.terminal.warn(warning);
        }
        answer
    }
}

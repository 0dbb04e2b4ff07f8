//! A generated command, from what was typed to what is shown.

use std::fmt::Write as _;
use std::path::PathBuf;

use api::Operation as _;
use client::{Client, RawReply};
use serde_json::{Map, Value};

use crate::context::Context;
use crate::failure::Failure;
use crate::field::Field;
use crate::operations::Entry;
use crate::{input, prefix, render};

/// The commands that claude-fleet documents: they print JSON where no person reads them.
const CLAUDE_FLEET: [&str; 17] = [
    "health",
    "metrics",
    "debug",
    "auth",
    "teams",
    "tasks",
    "task",
    "task-update",
    "workers",
    "spawn",
    "send",
    "output",
    "dismiss",
    "worktree-status",
    "worktree-commit",
    "worktree-push",
    "worktree-pr",
];

/// A call that was typed.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// The operation.
    pub(crate) entry: Entry,
    /// Its input, as far as it was given.
    pub(crate) fields: Map<String, Value>,
    /// Whether the person said beforehand that something may be removed.
    pub(crate) yes: bool,
}

impl Call {
    /// Makes the call and shows the answer.
    pub(crate) async fn run(mut self, context: &mut Context<'_>) -> Result<u8, Failure> {
        let all = Field::all(&self.entry, &self.entry.input());
        input::localise(&self.entry, &all, &mut self.fields)?;
        let client = self.connect(context).await?;
        self.name_ids(&client, &all, context).await?;
        // The commands of claude-fleet never ask; a program that calls them would wait for ever.
        let asks = self.entry.spec.confirm && !(self.is_claude_fleet() && context.terminal.width().is_none());
        if asks && !self.yes && !self.confirmed(&client, &all, context).await? {
            context.terminal.say("Nothing was changed.");
            return Ok(1);
        }
        let reply = self.send(&client, &all, context).await?;
        if self.is_claude_fleet() && context.terminal.width().is_none() && !context.options.table {
            context.terminal.print(&format!("{:#}\n", reply.body))?;
            return Ok(0);
        }
        show(context, &reply, &self.entry)?;
        Ok(0)
    }

    /// Returns whether the command is one of claude-fleet's, whose scripts read its output as JSON.
    fn is_claude_fleet(&self) -> bool {
        let words = self.entry.pattern.words.as_slice();
        self.entry.spec.name == api::claude_fleet::CreateTask::SPEC.name
            || matches!(words, [word] if CLAUDE_FLEET.contains(word))
    }

    /// Puts ids in the place of names, numbers and paths.
    async fn name_ids(&mut self, client: &Client, all: &[Field], context: &mut Context<'_>) -> Result<(), Failure> {
        for name in prefix::names(all, &self.fields) {
            let (spec, fields) = prefix::question(&name, here().as_deref());
            let found = context.send(client, &spec, fields).await?;
            let found: api::fleet::Resolved = serde_json::from_value(found.body)
                .map_err(|error| Failure::new(api::Kind::Internal, format!("cannot read the answer: {error}")))?;
            prefix::replace(all, &mut self.fields, &[(name, found.id)]);
        }
        Ok(())
    }

    /// Makes a call that changes nothing and returns the answer, for commands that render it themselves.
    pub(crate) async fn answer(mut self, context: &mut Context<'_>) -> Result<RawReply, Failure> {
        let all = Field::all(&self.entry, &self.entry.input());
        let client = self.connect(context).await?;
        self.name_ids(&client, &all, context).await?;
        Ok(self.send(&client, &all, context).await?)
    }

    /// A health check needs no key.
    async fn connect(&self, context: &Context<'_>) -> Result<Client, Failure> {
        let spec = &self.entry.spec;
        if spec.access == api::Access::Public && spec.rest.is_some_and(|rest| rest.verb == api::Verb::Get) {
            context.options.connect_anonymously(context.environment)
        } else {
            context.connect().await
        }
    }

    /// Sends; if that is refused and ids may have been cut short, completes them and sends once more.
    async fn send(
        &mut self,
        client: &Client,
        all: &[Field],
        context: &mut Context<'_>,
    ) -> Result<RawReply, api::Error> {
        let refusal = match context.send(client, &self.entry.spec, self.fields.clone()).await {
            Ok(reply) => return Ok(reply),
            Err(refusal) => refusal,
        };
        let mut whole = Vec::new();
        let suspects = prefix::suspects(all, &self.fields, &refusal);
        for beginning in &suspects {
            match resolve(client, beginning, context).await {
                Ok(Some(found)) => whole.push((beginning.clone(), found.id)),
                Ok(None) => {}
                // The person meant one of several: better to hear that than that none is called so.
                Err(ambiguous) => return Err(ambiguous),
            }
        }
        if !prefix::replace(all, &mut self.fields, &whole) {
            return Err(with_id(refusal, &suspects));
        }
        context.send(client, &self.entry.spec, self.fields.clone()).await
    }

    /// Asks whether what is named may be removed; with its whole id and its title, where they can be found.
    async fn confirmed(&mut self, client: &Client, all: &[Field], context: &mut Context<'_>) -> Result<bool, Failure> {
        let mut question = capitalised(self.entry.pattern.words.last().copied().unwrap_or_default());
        let named: Vec<_> = self.entry.spec.path_fields().filter_map(|name| self.fields.get(name)?.as_str()).collect();
        for text in named.into_iter().map(str::to_owned).collect::<Vec<_>>() {
            // A failure here would be met again by the call itself.
            match resolve(client, &text, context).await.ok().flatten() {
                Some(found) => {
                    let _ = write!(question, " {} {} ({})", found.kind, found.id, found.title);
                    prefix::replace(all, &mut self.fields, &[(text, found.id)]);
                }
                None => {
                    let _ = write!(question, " {text}");
                }
            }
        }
        let nobody = || {
            Failure::new(api::Kind::Invalid, "cannot ask for confirmation: no terminal")
                .hint("Add `--yes` to go ahead without being asked.")
        };
        context.terminal.ask(&format!("{question}?"))?.ok_or_else(nobody)
    }
}

/// Names what was not found: the contract's words do not, and a person may have mistyped it.
fn with_id(refusal: api::Error, suspects: &[String]) -> api::Error {
    match suspects {
        [id] if refusal.kind() == api::Kind::NotFound && !refusal.message.contains(id.as_str()) => {
            api::Error { message: format!("{}: {id}", refusal.message), ..refusal }
        }
        _ => refusal,
    }
}

/// Shows an answer as the person wants it, and how to go on if there is more.
pub(crate) fn show(context: &mut Context<'_>, reply: &RawReply, entry: &Entry) -> Result<(), Failure> {
    if context.options.json {
        let mut body = reply.body.clone();
        render::moment::as_iso(&mut body);
        context.terminal.print_json(&body)?;
    } else {
        let mut body = reply.body.clone();
        // They were said when they came.
        if let Some(members) = body.as_object_mut().filter(|_| !reply.warnings.is_empty()) {
            members.remove("warnings");
        }
        let shown = render::value(&body, entry.spec.name, &entry.noun(), context.view());
        if !shown.data.is_empty() {
            context.terminal.print(&shown.data)?;
        }
        if let Some(remark) = shown.remark {
            context.terminal.say(&remark);
        }
    }
    if let Some(next) = &reply.next {
        context.terminal.say(&format!("There is more: add `--after {next}`."));
    }
    Ok(())
}

/// Looks an id up by its beginning; only one that fits several is an error.
pub(crate) async fn resolve(
    client: &Client,
    beginning: &str,
    context: &mut Context<'_>,
) -> Result<Option<api::fleet::Resolved>, api::Error> {
    let (spec, fields) = prefix::question(beginning, here().as_deref());
    match context.send(client, &spec, fields).await {
        Ok(reply) => Ok(serde_json::from_value(reply.body).ok()),
        Err(error) if error.code == api::Code::ID_AMBIGUOUS => Err(error),
        Err(_) => Ok(None),
    }
}

/// The folder in which the person is.
fn here() -> Option<PathBuf> {
    std::env::current_dir().ok()
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

//! Every operation, bound to its handler and erased to one shape: what all surfaces are made from.

use std::sync::{Arc, OnceLock};

use api::claude_fleet::Authenticate;
use api::{Error, Operation, Spec, Tool, ToolSpec, UnknownFields, Verb};
use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{FutureExt, TryFutureExt};
use redact::Redactor;
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};
use types::Role;

use crate::answers::Question;
use crate::input::{Checked, InputRules};
use crate::{Caller, Contract, Given, Result, Service, authorize};

/// Answers one operation.
pub trait Handle<O: Operation>: Send + Sync + 'static {
    /// Reads, decides, commits, answers.
    fn handle(&self, caller: &Caller, op: O) -> impl Future<Output = Result<O::Output>> + Send;

    /// Names the groups of records that the answer is made from, if it is made from their records and the input alone,
    /// the same for every caller; then it is kept until one of them changes.
    fn groups_read(&self, _: &O) -> Option<Vec<String>> {
        None
    }

    /// Says what the caller should know of an answer, though all was done as asked.
    fn warnings(&self, _: &O::Output) -> impl Future<Output = Vec<String>> + Send {
        std::future::ready(Vec::new())
    }
}

/// A handler without its types.
type Call = Box<dyn Fn(Arc<Service>, Caller, Map<String, Value>, Option<Arc<Redactor>>) -> Answering + Send + Sync>;

/// A call under way.
type Answering = BoxFuture<'static, std::result::Result<Answer, Error>>;

/// Makes a schema.
type MakeSchema = Box<dyn Fn(&mut SchemaGenerator) -> Schema + Send + Sync>;

/// One operation without its types.
#[derive(Debug)]
pub struct Entry {
    /// Its row in the table.
    pub spec: Spec,
    /// The operation in its own words, as REST and the CLI have it.
    pub own: Binding,
    /// The MCP tools that are bound to it.
    pub tools: Vec<Binding>,
}

/// One way to call an operation: what it takes and how it answers.
pub struct Binding {
    /// The operation's name, or the tool's.
    pub name: &'static str,
    /// The operation's row in the table.
    pub spec: Spec,
    /// The tool's row, for one that is a tool.
    pub tool: Option<ToolSpec>,
    /// What happens to input fields it does not know.
    pub unknown_fields: UnknownFields,
    /// An input that would be accepted.
    pub example: Value,
    /// Whether its answer is a page of a list, which the next call continues.
    pub is_paged: bool,
    /// Makes the schema of its output.
    pub output: fn(&mut SchemaGenerator) -> Schema,
    input: MakeSchema,
    /// Make the schemas of what its path shows, whose fields may be sent back to it.
    read_back: Vec<fn(&mut SchemaGenerator) -> Schema>,
    call: Call,
    contract: OnceLock<std::result::Result<Contract, String>>,
}

/// What a call came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The output as compact JSON, its members in the order of its type.
    pub body: Bytes,
    /// Where the next page begins, if there is one.
    pub next: Option<String>,
    /// What the caller should know although the call worked: input fields that were dropped.
    pub warnings: Vec<String>,
    /// It is the answer to an earlier call with the same idempotency key.
    pub replayed: bool,
}

impl Answer {
    /// A list to which nothing belongs.
    fn empty_list() -> Self {
        Self { body: Bytes::from_static(b"[]"), next: None, warnings: Vec::new(), replayed: false }
    }
}

/// All operations.
#[derive(Debug)]
pub struct Registry {
    entries: Vec<Entry>,
}

macro_rules! register {
    ([$entries:ident] $($op:ty,)*) => {
        $entries.extend([$(entry::<$op>(),)*]);
    };
}

impl Registry {
    /// Binds every row of the table to its handler.
    #[must_use]
    pub fn new() -> Self {
        let mut entries = Vec::new();
        api::operations!(register[entries]);
        for at in 0..entries.len() {
            entries[at].own.read_back = shown_at(&entries, at);
        }
        Self { entries }
    }

    /// Returns every operation, in the order of the table.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns every way to call an operation: each by itself, then its tools.
    pub fn bindings(&self) -> impl Iterator<Item = &Binding> {
        self.entries.iter().flat_map(|entry| std::iter::once(&entry.own).chain(&entry.tools))
    }

    /// Returns every tool.
    pub fn tools(&self) -> impl Iterator<Item = &Binding> {
        self.entries.iter().flat_map(|entry| &entry.tools)
    }

    /// Finds an operation or a tool by its name; no two share one.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Binding> {
        self.bindings().find(|binding| binding.name == name)
    }
}

impl Default for Registry {
    fn default() -> Self {
        Self::new()
    }
}

impl Binding {
    /// Carries out a call: checks the role and the input, then what the operation checks of it, then asks the handler.
    ///
    /// # Errors
    /// Returns what the caller is told.
    pub async fn call(
        &self,
        service: Arc<Service>,
        caller: Caller,
        mut given: Given,
    ) -> std::result::Result<Answer, Error> {
        authorize::role(&self.spec, &caller)?;
        let key = given.key.take().filter(|_| self.spec.takes_keys());
        let (input, warnings) = match self.contract()?.check(given)? {
            Checked::Input { fields, warnings } => (fields, warnings),
            Checked::MatchesNothing => return Ok(Answer::empty_list()),
        };
        let redactor = self.hides_from(&caller).then(|| service.sessions().redactor());
        let added = |answer: Answer| {
            let warnings = warnings.into_iter().chain(answer.warnings).collect();
            Answer { warnings, ..answer }
        };
        let Some(key) = key else {
            return Ok(added((self.call)(service, caller, input, redactor).await?));
        };
        let member = caller.member().map_err(crate::Error::told)?.clone();
        let work = (self.call)(Arc::clone(&service), caller, input.clone(), redactor).map_ok(added);
        service.once(&self.spec, &member, &key, &input, work).await
    }

    /// Tells whether secrets are redacted in the answer: the owner sees everything, and a caller that asks for a token
    /// gets it.
    fn hides_from(&self, caller: &Caller) -> bool {
        let owner = matches!(caller, Caller::Known(member) if member.role == Role::Owner);
        !owner && self.spec.name != Authenticate::SPEC.name
    }

    /// Tells whether the caller's role may call at all; asked before a body is read.
    ///
    /// # Errors
    /// Returns what the caller is told.
    pub fn admits(&self, caller: &Caller) -> std::result::Result<(), Error> {
        authorize::role(&self.spec, caller)
    }

    /// Makes the schema of its input.
    pub fn input(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.input)(generator)
    }

    /// Returns what it takes; made when it is first needed, so that starting costs nothing.
    ///
    /// # Errors
    /// Fails when the schema is not one, which a test over all operations rules out.
    pub fn contract(&self) -> std::result::Result<&Contract, Error> {
        let made = self.contract.get_or_init(|| {
            let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
            let mut generator = settings.into_generator();
            let read_back = self.read_back.iter().flat_map(|shown| field_names(&shown(&mut generator))).collect();
            let rules = InputRules { spec: self.spec, tool: self.tool, unknown_fields: self.unknown_fields, read_back };
            Contract::new((self.input)(&mut generator), rules)
        });
        made.as_ref().map_err(|fault| crate::Error::Fault(format!("{}: {fault}", self.name)).told())
    }
}

fn entry<O: Operation>() -> Entry
where
    Service: Handle<O>,
{
    Entry { spec: O::SPEC, own: own::<O>(), tools: O::tools().into_iter().map(bound).collect() }
}

/// Returns what shows the things that are written at the path of an entry: what is got there, and what a change answers.
fn shown_at(entries: &[Entry], at: usize) -> Vec<fn(&mut SchemaGenerator) -> Schema> {
    let entry = &entries[at];
    let (Some(own), UnknownFields::ReadBack) = (entry.spec.rest, entry.spec.unknown_fields) else { return Vec::new() };
    let got = |other: &&Entry| other.spec.rest.is_some_and(|rest| rest.path == own.path && rest.verb == Verb::Get);
    let answered = (own.verb == Verb::Put).then_some(entry);
    entries.iter().filter(got).filter(|_| own.verb != Verb::Get).chain(answered).map(|shown| shown.own.output).collect()
}

/// Returns the names of an object's fields; of a list, those of its items.
fn field_names(schema: &Schema) -> Vec<String> {
    let item = schema.get("items").unwrap_or_else(|| schema.as_value());
    item.get("properties").and_then(Value::as_object).into_iter().flat_map(|fields| fields.keys().cloned()).collect()
}

/// Binds an operation in its own words.
fn own<O: Operation>() -> Binding
where
    Service: Handle<O>,
{
    Binding {
        name: O::SPEC.name,
        spec: O::SPEC,
        tool: None,
        unknown_fields: O::SPEC.unknown_fields,
        example: serde_json::from_str(O::SPEC.example).unwrap_or_default(),
        is_paged: O::PAGED,
        output: SchemaGenerator::subschema_for::<O::Output>,
        input: Box::new(O::json_schema),
        read_back: Vec::new(),
        call: Box::new(|service, caller, fields, redactor| {
            async move {
                let op = O::deserialize(&fields).map_err(misread)?;
                service.allow(&O::SPEC, &caller, &fields).await?;
                // What an agent sees differs from what its team does, so nothing is kept for it or given out to it.
                let is_agent = matches!(&caller, Caller::Known(member) if member.session.is_some());
                let question = if is_agent { None } else { Question::new(&service, &op, redactor.as_ref()) };
                if let Some(answer) = question.as_ref().and_then(|question| service.answers.find(question)) {
                    return Ok(answer);
                }
                let output = service.handle(&caller, op).await.map_err(crate::Error::told)?;
                let encoded =
                    serde_json::to_vec(&output).map_err(|error| crate::Error::Fault(error.to_string()).told());
                let body = shown(encoded?, redactor.as_deref());
                let warnings = service.warnings(&output).await;
                let next = O::next(&output).map(str::to_owned);
                let answer = Answer { body, next, warnings, replayed: false };
                if let Some(question) = question {
                    service.answers.keep(question, &answer);
                }
                Ok(answer)
            }
            .boxed()
        }),
        contract: OnceLock::new(),
    }
}

/// Binds a tool of an operation.
fn bound<O: Operation>(tool: Tool<O>) -> Binding
where
    Service: Handle<O>,
{
    let tool = Arc::new(tool);
    let described = Arc::clone(&tool);
    Binding {
        name: tool.spec.name,
        spec: O::SPEC,
        tool: Some(tool.spec),
        unknown_fields: UnknownFields::Refuse,
        example: tool.example(),
        is_paged: false,
        output: tool.output,
        input: Box::new(move |generator| described.schema(generator)),
        read_back: Vec::new(),
        call: Box::new(move |service, caller, arguments, redactor| {
            let tool = Arc::clone(&tool);
            async move {
                let (op, fields) = tool.read(arguments).map_err(misread)?;
                service.allow(&O::SPEC, &caller, &fields).await?;
                let output = service.handle(&caller, op.clone()).await.map_err(crate::Error::told)?;
                let warnings = service.warnings(&output).await;
                let body = shown((tool.answer)(op, output)?, redactor.as_deref());
                Ok(Answer { body, next: None, warnings, replayed: false })
            }
            .boxed()
        }),
        contract: OnceLock::new(),
    }
}

/// The encoded answer, without its secrets where they are redacted.
fn shown(encoded: Vec<u8>, redactor: Option<&Redactor>) -> Bytes {
    Bytes::from(match redactor {
        Some(redactor) => redactor.bytes(encoded),
        None => encoded,
    })
}

/// Reports input that fits the schema but not the type as wrong input.
fn misread(error: serde_json::Error) -> Error {
    let problem = api::FieldProblem { path: Vec::new(), message: error.to_string(), given: None, missing: false };
    Error::fields(vec![problem])
}

impl std::fmt::Debug for Binding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Binding").field("name", &self.name).finish_non_exhaustive()
    }
}

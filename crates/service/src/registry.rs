//! Every operation, bound to its handler and erased to one shape: what all surfaces are made from.

use std::sync::{Arc, OnceLock};

use api::claude_fleet::Authenticate;
use api::{Error, Operation, Spec};
use futures::FutureExt;
use futures::future::BoxFuture;
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};
use types::Role;

use crate::{Caller, Contract, Given, Result, Service, gate};

/// Answers one operation.
pub trait Handle<O: Operation>: Send + Sync + 'static {
    /// Reads, decides, commits, answers.
    fn handle(&self, caller: &Caller, op: O) -> impl Future<Output = Result<O::Output>> + Send;
}

/// A handler without its types.
type Call = fn(Arc<Service>, Caller, Map<String, Value>) -> BoxFuture<'static, std::result::Result<Answer, Error>>;

/// One operation without its types.
pub struct Entry {
    /// Its row in the table.
    pub spec: Spec,
    /// Makes the schema of its input.
    pub input: fn(&mut SchemaGenerator) -> Schema,
    /// Makes the schema of its output.
    pub output: fn(&mut SchemaGenerator) -> Schema,
    call: Call,
    contract: OnceLock<std::result::Result<Contract, String>>,
}

/// What a call came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The output as compact JSON, its members in the order of its type.
    pub body: Vec<u8>,
    /// Where the next page begins, if there is one.
    pub next: Option<String>,
    /// Input fields that were dropped, as the contract of the path has it.
    pub dropped: Vec<String>,
}

/// All operations.
#[derive(Debug)]
pub struct Registry {
    entries: Vec<Entry>,
}

macro_rules! register {
    ($($op:ty => $name:literal $verb:ident $path:literal -> $output:ty, $access:ident $($paged:ident)? { $($field:ident: $value:expr,)* };)*) => {
        vec![$(entry::<$op>(),)*]
    };
}

impl Registry {
    /// Binds every row of the table to its handler.
    #[must_use]
    pub fn new() -> Self {
        Self { entries: api::operations!(register) }
    }

    /// Returns every operation, in the order of the table.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Finds an operation by its name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.spec.name == name)
    }
}

impl Default for Registry {
    fn default() -> Self {
        Self::new()
    }
}

impl Entry {
    /// Carries a call out: may the caller, is the input right, what does the handler say.
    ///
    /// # Errors
    /// Returns what the caller is told.
    pub async fn call(
        &self,
        service: Arc<Service>,
        caller: Caller,
        given: Given,
    ) -> std::result::Result<Answer, Error> {
        gate::role(&self.spec, &caller)?;
        let (input, dropped) = self.contract()?.check(&self.spec, given)?;
        gate::identity(&self.spec, &caller, &input)?;
        service.scope(&self.spec, &caller, &input).await?;
        let redactor = self.hides_from(&caller).then(|| service.sessions().redactor());
        let answer = (self.call)(service, caller, input).await?;
        let body = match redactor {
            Some(redactor) => redactor.bytes(answer.body),
            None => answer.body,
        };
        Ok(Answer { body, dropped, ..answer })
    }

    /// Tells whether secrets are taken out of what the caller is answered: the owner sees what is there, and whoever asks
    /// for a token gets it.
    fn hides_from(&self, caller: &Caller) -> bool {
        let owner = matches!(caller, Caller::Known(member) if member.role == Role::Owner);
        !owner && self.spec.name != Authenticate::SPEC.name
    }

    /// Tells whether the caller's role may call at all; asked before a body is read.
    ///
    /// # Errors
    /// Returns what the caller is told.
    pub fn admits(&self, caller: &Caller) -> std::result::Result<(), Error> {
        gate::role(&self.spec, caller)
    }

    /// Returns what the operation takes; made when it is first needed, so that starting costs nothing.
    ///
    /// # Errors
    /// Fails when the schema is not one, which a test over all operations rules out.
    pub fn contract(&self) -> std::result::Result<&Contract, Error> {
        let made = self.contract.get_or_init(|| {
            let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
            Contract::new((self.input)(&mut settings.into_generator()))
        });
        made.as_ref().map_err(|fault| crate::Error::Fault(format!("{}: {fault}", self.spec.name)).told())
    }
}

fn entry<O: Operation>() -> Entry
where
    Service: Handle<O>,
{
    Entry {
        spec: O::SPEC,
        input: O::json_schema,
        output: SchemaGenerator::subschema_for::<O::Output>,
        call: |service, caller, input| {
            async move {
                let op = serde_json::from_value::<O>(Value::Object(input)).map_err(misread)?;
                let output = service.handle(&caller, op).await.map_err(crate::Error::told)?;
                let body =
                    serde_json::to_vec(&output).map_err(|error| crate::Error::Fault(error.to_string()).told())?;
                Ok(Answer { body, next: O::next(&output).map(str::to_owned), dropped: Vec::new() })
            }
            .boxed()
        },
        contract: OnceLock::new(),
    }
}

/// The schema let something pass that the type does not take: told as wrong input, since it is.
fn misread(error: serde_json::Error) -> Error {
    let problem = api::FieldProblem { path: Vec::new(), message: error.to_string(), given: None, missing: false };
    Error::fields(vec![problem])
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry").field("name", &self.spec.name).finish_non_exhaustive()
    }
}

//! What the table says about one operation: its name, its bindings, who may call it and what it changes.

use types::Role;

/// Everything about an operation but its input and output types.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// Unique name: the `operationId`, and the label in metrics and logs.
    pub name: &'static str,
    /// Where it is reached over REST, if it is.
    pub rest: Option<Rest>,
    /// Who may call it.
    pub access: Access,
    /// HTTP status of success.
    pub status: u16,
    /// The command line it is reached by: words, then its positional fields (`task-create <to_handle> <subject>`).
    pub cli: Option<&'static str>,
    /// The input field that names who acts; it must agree with the token.
    pub actor_field: Option<&'static str>,
    /// What happens to input fields it does not know, over REST; a tool always refuses them.
    pub unknown_fields: UnknownFields,
    /// What it acts on; who may is decided from this and the effect, before the handler runs.
    pub targets: &'static [Target],
    /// What it does to its targets; MCP clients show it to their users before a call.
    pub effect: Effect,
    /// The CLI asks for confirmation before the call.
    pub confirm: bool,
    /// It commits several times, so it runs to its end in its own task even if the caller disconnects.
    pub detached: bool,
    /// An input that would be accepted, as JSON.
    pub example: &'static str,
}

/// A REST binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rest {
    /// HTTP method.
    pub verb: Verb,
    /// HTTP path; a `{field}` of it is a field of the input.
    pub path: &'static str,
}

/// What an operation acts on. Each text is the input field that names it; where that is optional and not given, the
/// caller's own is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Nothing that belongs to anyone: what the server offers, the same for every caller.
    Nothing,
    /// The server as a whole: its projects, counts, accounts, folders and settings.
    Fleet,
    /// Whatever the caller sees: a list, a search.
    Seen,
    /// A team.
    Team(&'static str),
    /// A project.
    Project(&'static str),
    /// The project that something is put into.
    Into(&'static str),
    /// A mission.
    Mission(&'static str),
    /// The mission that another becomes a part of.
    Parent(&'static str),
    /// Missions that another waits for.
    Link(&'static str),
    /// A session, by its id.
    Session(&'static str),
    /// A session, by the handle of its worker.
    Worker(&'static str),
    /// A tool call that waits for a person.
    Approval(&'static str),
    /// A question of an agent.
    Question(&'static str),
    /// A rule about what agents may do.
    Policy(&'static str),
    /// A branch on its way to the target branch.
    Landing(&'static str),
    /// An MCP server of a project.
    McpServer(&'static str),
    /// A report.
    Report(&'static str),
    /// A plain record of a team.
    Record(&'static str),
    /// A workflow.
    Workflow(&'static str),
    /// An execution of a workflow, or a step of one.
    Execution(&'static str),
}

/// What an operation does to its targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Nothing.
    Read,
    /// Sends words to an agent.
    Message,
    /// Goes on with work that the caller does itself: reports, commits, sub-missions, the status of its task.
    Work,
    /// Makes something new in it.
    Create,
    /// Changes it.
    Change,
    /// Removes or ends what another call cannot bring back.
    Remove,
}

/// An HTTP method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Reads.
    Get,
    /// Creates, or acts.
    Post,
    /// Replaces the given fields.
    Put,
    /// Changes the given fields.
    Patch,
    /// Removes.
    Delete,
}

/// Who may call an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anyone, without a token.
    Public,
    /// Any bearer of a token.
    Read,
    /// Roles that work: team leads, coordinators, workers, mergers.
    Work,
    /// Team leads and coordinators.
    Lead,
    /// Roles that push: team leads, coordinators, mergers.
    Merge,
    /// The person who holds the local key.
    Owner,
}

/// What happens to input fields that an operation does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownFields {
    /// The call is refused and names the field, and the one that was probably meant.
    Refuse,
    /// The same, except for fields of a body that the path itself shows: a client may send back a row that it read, and
    /// is warned that they were left as they are.
    ReadBack,
    /// A field of a body is dropped, as this path's contract has it; the answer warns, in a `Fleet-Warning` header and in
    /// its body. A query parameter is refused: no contract speaks of those.
    Drop,
}

impl UnknownFields {
    /// Returns whether an input may have what rows of the contracts show: null for "leave it", flags as 0 and 1, lists
    /// as JSON text.
    #[must_use]
    pub const fn takes_rows(self) -> bool {
        matches!(self, Self::ReadBack | Self::Drop)
    }
}

/// Whose conventions a path follows: error bodies, status codes, words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// `/api/…`: errors are `{"detail": …}`.
    DevFleet,
    /// Root paths: errors are `{"error": …}`.
    ClaudeFleet,
}

impl Spec {
    /// Starts a row of the table; the rest has defaults.
    #[must_use]
    pub const fn new(
        name: &'static str,
        access: Access,
        targets: &'static [Target],
        unknown_fields: UnknownFields,
    ) -> Self {
        let effect = match access {
            Access::Public | Access::Read => Effect::Read,
            Access::Work | Access::Lead | Access::Merge | Access::Owner => Effect::Change,
        };
        Self {
            name,
            rest: None,
            access,
            status: 200,
            cli: None,
            actor_field: None,
            unknown_fields,
            targets,
            effect,
            confirm: false,
            detached: false,
            example: "{}",
        }
    }

    /// Binds it to a path; what is got changes nothing.
    #[must_use]
    pub const fn at(self, verb: Verb, path: &'static str) -> Self {
        let effect = match verb {
            Verb::Get => Effect::Read,
            Verb::Post | Verb::Put | Verb::Patch | Verb::Delete => self.effect,
        };
        Self { rest: Some(Rest { verb, path }), effect, ..self }
    }

    /// Returns the dialect its path speaks.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.rest.map_or(Dialect::ClaudeFleet, |rest| Dialect::of_path(rest.path))
    }

    /// Returns whether a client may give a call an idempotency key: it changes something, and its answer may be kept.
    /// What only the owner calls and what needs no token answers with tokens, which are not kept.
    #[must_use]
    pub const fn takes_keys(&self) -> bool {
        let keeps = match self.access {
            Access::Work | Access::Lead | Access::Merge => true,
            Access::Public | Access::Read | Access::Owner => false,
        };
        keeps && !matches!(self.effect, Effect::Read)
    }

    /// Returns the fields that travel in the path, in order.
    pub fn path_fields(&self) -> impl Iterator<Item = &'static str> {
        let path = self.rest.map_or("", |rest| rest.path);
        path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }
}

impl Target {
    /// Returns the input field that names it.
    #[must_use]
    pub const fn field(self) -> Option<&'static str> {
        match self {
            Self::Nothing | Self::Fleet | Self::Seen => None,
            Self::Team(field)
            | Self::Project(field)
            | Self::Into(field)
            | Self::Mission(field)
            | Self::Parent(field)
            | Self::Link(field)
            | Self::Session(field)
            | Self::Worker(field)
            | Self::Approval(field)
            | Self::Question(field)
            | Self::Policy(field)
            | Self::Landing(field)
            | Self::McpServer(field)
            | Self::Report(field)
            | Self::Record(field)
            | Self::Workflow(field)
            | Self::Execution(field) => Some(field),
        }
    }

    /// Returns its word in tables for people.
    #[must_use]
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Fleet => "fleet",
            Self::Seen => "what is seen",
            Self::Team(_) => "team",
            Self::Project(_) => "project",
            Self::Into(_) => "into project",
            Self::Mission(_) => "mission",
            Self::Parent(_) => "parent mission",
            Self::Link(_) => "linked missions",
            Self::Session(_) => "session",
            Self::Worker(_) => "worker",
            Self::Approval(_) => "approval",
            Self::Question(_) => "question",
            Self::Policy(_) => "policy",
            Self::Landing(_) => "landing",
            Self::McpServer(_) => "MCP server",
            Self::Report(_) => "report",
            Self::Record(_) => "record",
            Self::Workflow(_) => "workflow",
            Self::Execution(_) => "execution",
        }
    }
}

impl Effect {
    /// Every effect, from the least to the most.
    pub const ALL: [Self; 6] = [Self::Read, Self::Message, Self::Work, Self::Create, Self::Change, Self::Remove];

    /// Returns its word in tables for people.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Message => "message",
            Self::Work => "work",
            Self::Create => "create",
            Self::Change => "change",
            Self::Remove => "remove",
        }
    }
}

impl Dialect {
    /// Returns the dialect from a request's path, known or not.
    #[must_use]
    pub fn of_path(path: &str) -> Self {
        if path == "/api" || path.starts_with("/api/") { Self::DevFleet } else { Self::ClaudeFleet }
    }
}

impl Verb {
    /// Returns the method's name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// Returns whether input that is not in the path travels in the query rather than in a body.
    #[must_use]
    pub const fn takes_query(self) -> bool {
        matches!(self, Self::Get | Self::Delete)
    }
}

impl Access {
    /// Returns the roles that may call; empty means that no token is needed.
    #[must_use]
    pub const fn roles(self) -> &'static [Role] {
        match self {
            Self::Public => &[],
            Self::Read => &Role::ALL,
            Self::Work => &[Role::Owner, Role::TeamLead, Role::Coordinator, Role::Worker, Role::Merger],
            Self::Lead => &[Role::Owner, Role::TeamLead, Role::Coordinator],
            Self::Merge => &[Role::Owner, Role::TeamLead, Role::Coordinator, Role::Merger],
            Self::Owner => &[Role::Owner],
        }
    }
}

//! What the table says about one operation: how it is named, reached and guarded.

use types::Role;

/// Everything about an operation but its input and output types.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// Unique name: the `operationId`, and the MCP tool's name where [`Spec::tool`] is set.
    pub name: &'static str,
    /// HTTP method.
    pub verb: Verb,
    /// HTTP path; a `{field}` of it is a field of the input.
    pub path: &'static str,
    /// Who may call it.
    pub access: Access,
    /// HTTP status of success.
    pub status: u16,
    /// Who sees it as an MCP tool; nobody, when unset.
    pub tool: Option<Audience>,
    /// The command line it is reached by: words, then its positional fields (`task-create <to_handle> <subject>`).
    pub cli: Option<&'static str>,
    /// The input field that names a team; the caller must be its member.
    pub team_field: Option<&'static str>,
    /// The input field that names who acts; it must agree with the token.
    pub actor_field: Option<&'static str>,
    /// What happens to input fields it does not know.
    pub unknown_fields: UnknownFields,
    /// Removes something that cannot be brought back by another call; the CLI asks first.
    pub destructive: bool,
    /// An input that would be accepted, as JSON.
    pub example: &'static str,
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
    /// Those who work: leads, coordinators, workers, mergers.
    Work,
    /// Those who lead: team leads and coordinators.
    Lead,
    /// Those who send work out: leads, coordinators, mergers.
    Merge,
    /// The person who holds the local key.
    Owner,
}

/// Whom a tool is for; a client sees the tools of its audience by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// An agent at work in a team.
    Agent,
    /// A program or person that plans work and follows it.
    Orchestrator,
}

/// What happens to input fields that an operation does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownFields {
    /// The call is refused and names the field.
    Refuse,
    /// The field is dropped, as this path's contract has it, and named in a `Fleet-Warning` header.
    Drop,
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
    pub const fn new(name: &'static str, verb: Verb, path: &'static str, access: Access) -> Self {
        Self {
            name,
            verb,
            path,
            access,
            status: 200,
            tool: None,
            cli: None,
            team_field: None,
            actor_field: None,
            unknown_fields: UnknownFields::Drop,
            destructive: false,
            example: "{}",
        }
    }

    /// Returns the dialect its path speaks.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        Dialect::of_path(self.path)
    }

    /// Returns the fields that travel in the path, in order.
    pub fn path_fields(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }
}

impl Dialect {
    /// Tells the dialect from a request's path, known or not.
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

    /// Tells whether input that is not in the path travels in the query rather than in a body.
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

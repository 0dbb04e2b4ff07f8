//! `docs/reference/authorization.md`: who may call which operation on what, as `authority` decides it.

use std::fmt::Write as _;

use api::{Access, Effect, Spec, Target};
use types::Role;

use crate::authority::{Kin, Rule, admits, rule};

/// What of an operation the agent of a session may call it on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Nothing.
    None,
    /// Whatever the server offers.
    All,
    /// Its own team.
    Team,
    /// Everything of its own project.
    Project,
    /// Its own mission or session, and those that it handed on.
    OwnAndBelow,
    /// Its own mission or session.
    Own,
    /// Missions that it handed on, and the sessions on them.
    Below,
    /// Approvals and questions of its own session and mission.
    OwnQuestions,
}

impl Reach {
    /// Returns its words in the reference.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "–",
            Self::All => "yes",
            Self::Team => "own team",
            Self::Project => "own project",
            Self::OwnAndBelow => "own, handed on",
            Self::Own => "own",
            Self::Below => "handed on",
            Self::OwnQuestions => "own session",
        }
    }
}

/// Says on what the agent of a session that works on a mission may call an operation.
#[must_use]
pub fn agent_reach(spec: &Spec) -> Reach {
    let Some(target) = spec.targets.first().filter(|_| may(spec.access, Role::Worker, true)) else {
        return Reach::None;
    };
    let allows = |kin| rule(true, *target, spec.effect, kin).is_none();
    match target {
        // To register is to renew one's own token.
        Target::Nothing if spec.access == Access::Public && spec.effect != Effect::Read => Reach::Own,
        Target::Nothing if spec.access == Access::Public => Reach::All,
        Target::Fleet | Target::Nothing if allows(Kin::Other) => Reach::All,
        Target::Team(_) if allows(Kin::Other) => Reach::Team,
        // What only people use does not exist for agents.
        Target::Record(_) | Target::Workflow(_) => Reach::None,
        Target::Approval(_) | Target::Question(_) if allows(Kin::Other) => Reach::OwnQuestions,
        Target::Nothing
        | Target::Fleet
        | Target::Seen
        | Target::Team(_)
        | Target::Project(_)
        | Target::Into(_)
        | Target::Mission(_)
        | Target::Parent(_)
        | Target::Link(_)
        | Target::Session(_)
        | Target::Worker(_)
        | Target::Approval(_)
        | Target::Question(_)
        | Target::Policy(_)
        | Target::Landing(_)
        | Target::McpServer(_)
        | Target::Report(_)
        | Target::Execution(_) => match [Kin::Own, Kin::Below, Kin::Other].map(allows) {
            [_, _, true] => Reach::Project,
            [true, true, false] => Reach::OwnAndBelow,
            [true, false, false] => Reach::Own,
            [false, true, false] => Reach::Below,
            [false, false, false] => Reach::None,
        },
    }
}

/// Returns whether a role may call an operation at all.
#[must_use]
pub fn may(access: Access, role: Role, is_agent: bool) -> bool {
    access == Access::Public || admits(access, role, is_agent)
}

/// Writes the page.
#[must_use]
pub fn authorization_reference(specs: &[Spec]) -> String {
    let mut page = OPENING.to_owned();
    let _ = writeln!(page, "| Operation | Acts on | Effect | {} | agent |", Role::ALL.map(Role::as_str).join(" | "));
    let _ = writeln!(page, "| --- | --- | --- |{} --- |", " --- |".repeat(Role::ALL.len()));
    for spec in specs {
        let targets: Vec<_> = spec.targets.iter().map(|target| target.noun()).collect();
        let _ = write!(page, "| `{}` | {} | {} |", spec.name, targets.join(", "), spec.effect.as_str());
        for role in Role::ALL {
            let _ = write!(page, " {} |", cell(spec, role));
        }
        let _ = writeln!(page, " {} |", agent_reach(spec).as_str());
    }
    page.push_str(RULES);
    for rule in Rule::ALL {
        let _ = writeln!(page, "| `{}` | {} |", rule.name(), rule.text());
    }
    page
}

/// The owner acts in every team, everyone else in its own.
fn cell(spec: &Spec, role: Role) -> &'static str {
    match (may(spec.access, role, false), role, spec.targets) {
        (false, _, _) => "–",
        (true, Role::Owner, _) | (true, _, [Target::Nothing | Target::Fleet, ..]) => "yes",
        (true, _, _) => "team",
    }
}

const OPENING: &str = "\
<!-- Generated from crates/api/src/operations and crates/service/src/authority.rs; a test tries every cell. -->
# Authorization

Look up here who may call an operation. A token belongs to the owner, to a registered member of a team with a role, or
to the agent of a session (the claim `session`). `yes`: on anything. `team`: on what belongs to the caller's team.
What a caller may not know of is refused as if it did not exist; what it may see and not change is refused with
`ROLE_REFUSED` and the name of the rule.

The last column is the agent of a session that works on a mission: *own project* is everything of its project, *own* its
mission or session, *handed on* its sub-missions, however deep, and the sessions on them. Lists and searches show it its
own project. An agent without a mission, such as a worker that was spawned, has what belongs to its team and to no
project in place of a project: it gives tasks, and works on tasks that are its own or have no
assignee.

";

const RULES: &str = "
## Rules

| Rule | Meaning |
| --- | --- |
";

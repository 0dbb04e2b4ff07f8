//! Registration, and who is in a team.

use api::claude_fleet::{AgentView, Authenticate, Authenticated, ListTeamAgents};
use api::{Code, Error, Listing};
use tokens::Member;
use types::{Agent, Event, Handle as AgentHandle, Role};

use crate::{Caller, Handle, Result, Service, authorize};

impl Handle<Authenticate> for Service {
    async fn handle(&self, caller: &Caller, op: Authenticate) -> Result<Authenticated> {
        let open = self.settings().open_registration;
        may_register(caller, &op, open)?;
        // An agent of ours that renews its token keeps its session.
        let session = match caller {
            Caller::Known(member) => member.session.clone(),
            Caller::Anonymous => None,
        };
        let member = Member { handle: op.handle, team: op.team_name, role: op.agent_type, session };
        self.register(&member).await?;
        let token = self.keys.issue(&member, self.clock.now(), self.settings().jwt_expires_in);
        let token = token.map_err(|error| crate::Error::Fault(error.to_string()))?;
        let uid = member.uid();
        Ok(Authenticated { uid, handle: member.handle, team_name: member.team, agent_type: member.role, token })
    }
}

impl Handle<ListTeamAgents> for Service {
    async fn handle(&self, _: &Caller, op: ListTeamAgents) -> Result<Listing<AgentView>> {
        let agents = self.members(&op.team_name).await?;
        Ok(Listing::whole(agents.into_iter().map(AgentView::from).collect()))
    }
}

impl Service {
    async fn register(&self, member: &Member) -> Result<Agent> {
        let by = self.stamp(member, &member.team);
        self.store
            .transact(&by, |tx| async move {
                let (uid, now) = (member.uid(), self.clock.now());
                let held = tx.get::<Agent>(&uid).await?;
                let created_at = held.as_ref().map_or(now, |held| held.record.created_at);
                let agent = Agent {
                    uid,
                    handle: member.handle.clone(),
                    team: member.team.clone(),
                    role: member.role,
                    created_at,
                    seen_at: now,
                };
                match &held {
                    Some(held) => tx.update(held, &agent)?,
                    None => tx.insert(&agent)?,
                }
                tx.append(Event::AgentRegistered { uid: agent.uid.clone() });
                Ok(agent)
            })
            .await
    }
}

/// Decides who may register which agent.
///
/// The owner registers anyone. A lead registers members of its team without a leading role. Every agent renews its own
/// token. Without a token it works only while registration is open, which the settings allow on loopback alone.
fn may_register(caller: &Caller, asked: &Authenticate, open: bool) -> std::result::Result<(), Error> {
    if asked.agent_type == Role::Owner || asked.handle == AgentHandle::owner() {
        return Err(Error::new(
            Code::ROLE_REFUSED,
            "no agent can be registered as the owner, who is the user with the local key",
        )
        .hint("Use `fleet token` for a token of the owner."));
    }
    match caller {
        Caller::Known(member) if member.session.is_some() && !renews(member, asked) => Err(Error::new(
            Code::ROLE_REFUSED,
            "Insufficient permissions: an agent renews its own token and makes no other",
        )
        .hint("Ask a lead of your team.")),
        Caller::Known(member) if member.role == Role::Owner => Ok(()),
        Caller::Known(member) if renews(member, asked) => Ok(()),
        Caller::Known(member) if member.role.leads() && member.team == asked.team_name && !asked.agent_type.leads() => {
            Ok(())
        }
        Caller::Known(_) | Caller::Anonymous if open => Ok(()),
        Caller::Known(member) => Err(Error::new(Code::ROLE_REFUSED, "Insufficient permissions")
            .hint("The owner registers anyone; a lead registers workers of its own team.")
            .with("current", member.role.as_str())),
        Caller::Anonymous => Err(Error { code: Code::REGISTRATION_CLOSED, ..authorize::authentication_required() }
            .hint("Or let anyone on this machine register: `fleet config set open_registration=true`.")),
    }
}

fn renews(member: &Member, asked: &Authenticate) -> bool {
    member.handle == asked.handle && member.team == asked.team_name && member.role == asked.agent_type
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(role: Role, team: &str) -> Caller {
        Caller::Known(Member { handle: "m".parse().unwrap(), team: team.parse().unwrap(), role, session: None })
    }

    fn asks(handle: &str, role: Role) -> Authenticate {
        Authenticate { handle: handle.parse().unwrap(), team_name: "alpha".parse().unwrap(), agent_type: role }
    }

    #[test]
    fn nobody_registers_without_a_token_unless_registration_is_open() {
        let refused = may_register(&Caller::Anonymous, &asks("x", Role::Worker), false).unwrap_err();
        assert_eq!(refused.code, Code::REGISTRATION_CLOSED);
        assert!(may_register(&Caller::Anonymous, &asks("x", Role::TeamLead), true).is_ok());
    }

    #[test]
    fn nobody_at_all_is_registered_as_the_owner() {
        for caller in [Caller::Anonymous, member(Role::TeamLead, "alpha"), Caller::Known(Member::owner())] {
            assert!(may_register(&caller, &asks("x", Role::Owner), true).is_err());
            assert!(may_register(&caller, &asks("owner", Role::Worker), true).is_err());
        }
    }

    #[test]
    fn a_lead_registers_workers_of_its_own_team_and_no_other_lead() {
        let lead = member(Role::TeamLead, "alpha");
        assert!(may_register(&lead, &asks("x", Role::Worker), false).is_ok());
        assert!(may_register(&lead, &asks("x", Role::TeamLead), false).is_err());
        assert!(may_register(&member(Role::TeamLead, "beta"), &asks("x", Role::Worker), false).is_err());
    }

    #[test]
    fn an_agent_of_a_session_makes_no_token_but_its_own_even_while_registration_is_open() {
        let agent = Member::agent("s-abcde".parse().unwrap(), "m".parse().unwrap(), "alpha".parse().unwrap());
        let agent = Caller::Known(agent);
        assert!(may_register(&agent, &asks("m", Role::Worker), true).is_ok());
        for (handle, role) in [("m", Role::TeamLead), ("x", Role::Worker), ("x", Role::TeamLead)] {
            assert!(may_register(&agent, &asks(handle, role), true).is_err(), "{handle} {role}");
        }
    }

    #[test]
    fn a_worker_renews_its_own_token_and_raises_nobody() {
        let worker = member(Role::Worker, "alpha");
        assert!(may_register(&worker, &asks("m", Role::Worker), false).is_ok());
        assert!(may_register(&worker, &asks("m", Role::TeamLead), false).is_err());
        assert!(may_register(&worker, &asks("x", Role::Worker), false).is_err());
    }
}

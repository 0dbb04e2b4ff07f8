//! Rules about what agents may do. What a rule means is decided in `policy`.

use std::path::PathBuf;

use api::claude_fleet::{
    CreatePolicy, DeletePolicy, EvaluatePolicy, GetPolicy, ListPolicies, PolicyDeleted, PolicyVerdict, PolicyView,
    UpdatePolicy,
};
use api::{Code, Error, Listing};
use mission_runner::ChosenTools;
use policy::{By, Call, Dialect, SessionPermissions, Verdict};
use serde_json::Value;
use store::{Query, by};
use tokens::Member;
use types::{About, Decision, Event, Project, Role, Rule, RuleId, TeamName};

use super::not_found;
use super::worker_start::team as meant;
use super::{LIST_MAX, limit, listing};
use crate::{Caller, Handle, Result, Service};

/// Rules that a team may have: each is in the permissions of every one of its sessions.
const RULES_MAX: u64 = 200;

impl Handle<CreatePolicy> for Service {
    async fn handle(&self, caller: &Caller, op: CreatePolicy) -> Result<PolicyView> {
        let member = caller.member()?;
        let about = About { tool: op.tool, command: op.command, path: op.path, host: op.host };
        checked(&about)?;
        let project = match &op.project_id {
            Some(project) => Some(self.project(member, project).await?),
            None => None,
        };
        let named = op.team_name.or_else(|| project.as_ref().map(|project| project.team.clone()));
        let team = meant(member, named)?;
        if project.as_ref().is_some_and(|project| project.team != team) {
            let message = format!("the project is not one of team `{team}`");
            return Err(Error::new(Code::FIELDS_INVALID, message).hint("Name the project's own team, or none.").into());
        }
        if self.rules_of(&team) >= RULES_MAX {
            let message = format!("team `{team}` has {RULES_MAX} rules, and no team may have more");
            return Err(Error::new(Code::POLICIES_FULL, message)
                .hint("Remove one: `fleet policy delete RULE`.")
                .into());
        }
        let stamp = self.stamp(member, &team);
        let new = &|id: RuleId| Rule {
            id,
            team: team.clone(),
            project: op.project_id.clone(),
            name: op.name.clone(),
            decision: op.decision,
            about: about.clone(),
            why: op.reason.clone(),
            priority: op.priority.unwrap_or_default(),
            enabled: op.enabled.unwrap_or(true),
            created_by: member.handle.clone(),
            created_at: stamp.at,
            updated_at: stamp.at,
        };
        let made = self.store.transact(&stamp, |tx| async move {
            let rule = new(self.draw_id(RuleId::from_code)?);
            tx.insert(&rule)?;
            tx.append(Event::RuleCreated { rule: rule.id.clone() });
            Ok::<_, crate::Error>(rule)
        });
        let made = made.await?;
        self.sessions.rules_changed(&made.team);
        Ok(made.into())
    }
}

impl Handle<ListPolicies> for Service {
    async fn handle(&self, caller: &Caller, op: ListPolicies) -> Result<Listing<PolicyView>> {
        let member = caller.member()?;
        let page = self.page_of::<Rule>(member, Query::latest(seen(member), LIST_MAX), op.page, |_| true).await?;
        Ok(listing(page, PolicyView::from))
    }
}

impl Handle<GetPolicy> for Service {
    async fn handle(&self, caller: &Caller, op: GetPolicy) -> Result<PolicyView> {
        Ok(self.policy_rule(caller.member()?, &op.id).await?.into())
    }
}

impl Handle<UpdatePolicy> for Service {
    async fn handle(&self, caller: &Caller, op: UpdatePolicy) -> Result<PolicyView> {
        let member = caller.member()?;
        let stamp = self.stamp(member, &self.policy_rule(member, &op.id).await?.team);
        let (op, at) = (&op, stamp.at);
        let changed = self.store.transact(&stamp, |tx| async move {
            let held = tx.get::<Rule>(&op.id).await?.ok_or_else(not_found::policy)?;
            let rule = edited(held.record.clone(), op);
            checked(&rule.about)?;
            if rule != held.record {
                let rule = Rule { updated_at: at, ..rule };
                tx.update(&held, &rule)?;
                tx.append(Event::RuleUpdated { rule: rule.id.clone() });
                return Ok(rule);
            }
            Ok::<_, crate::Error>(rule)
        });
        let changed = changed.await?;
        self.sessions.rules_changed(&changed.team);
        Ok(changed.into())
    }
}

impl Handle<DeletePolicy> for Service {
    async fn handle(&self, caller: &Caller, op: DeletePolicy) -> Result<PolicyDeleted> {
        let member = caller.member()?;
        let stamp = self.stamp(member, &self.policy_rule(member, &op.id).await?.team);
        let id = &op.id;
        let gone = self.store.transact(&stamp, |tx| async move {
            let held = tx.get::<Rule>(id).await?.ok_or_else(not_found::policy)?;
            tx.delete(&held);
            tx.append(Event::RuleDeleted { rule: id.clone() });
            Ok::<_, crate::Error>(())
        });
        gone.await?;
        self.sessions.rules_changed(&stamp.team);
        Ok(PolicyDeleted { success: true, id: op.id })
    }
}

impl Handle<EvaluatePolicy> for Service {
    async fn handle(&self, caller: &Caller, op: EvaluatePolicy) -> Result<PolicyVerdict> {
        let member = caller.member()?;
        let project = match &op.project_id {
            Some(project) => Some(self.project(member, project).await?),
            None => None,
        };
        let team = project.as_ref().map_or(&member.team, |project| &project.team);
        let tools = match &op.preset {
            Some(name) => ChosenTools::named(&self.settings(), name)?.tools,
            None => None,
        };
        let rules = self.store.list::<Rule>(Query::latest(by::rule::team(team), limit(None))).await?.records;
        let rules = policy::concerning(&rules, team, op.project_id.as_ref());
        let fence = SessionPermissions { tools, rules, ..SessionPermissions::open(self.root(project.as_ref())) };
        Ok(view(&fence, &call(&op)))
    }
}

impl Service {
    async fn policy_rule(&self, member: &Member, id: &RuleId) -> Result<Rule> {
        self.read_seen(member, id, not_found::policy).await
    }

    fn rules_of(&self, team: &TeamName) -> u64 {
        let counted =
            |decision| [true, false].map(|enabled| self.store.count(&by::rule::count(team, decision, enabled)));
        Decision::ALL.into_iter().flat_map(counted).sum()
    }

    fn root(&self, project: Option<&Project>) -> PathBuf {
        project.map_or_else(|| self.facts.working_dir.clone(), |project| PathBuf::from(&project.path))
    }
}

/// The group of the rules that a member sees.
fn seen(member: &Member) -> String {
    if member.role == Role::Owner { by::rule::all() } else { by::rule::team(&member.team) }
}

fn edited(rule: Rule, op: &UpdatePolicy) -> Rule {
    let About { tool, command, path, host } = rule.about;
    let about = About {
        tool: op.tool.clone().or(tool),
        command: op.command.clone().or(command),
        path: op.path.clone().or(path),
        host: op.host.clone().or(host),
    };
    Rule {
        about,
        name: op.name.clone().unwrap_or(rule.name),
        decision: op.decision.unwrap_or(rule.decision),
        why: op.reason.clone().or(rule.why),
        priority: op.priority.unwrap_or(rule.priority),
        enabled: op.enabled.unwrap_or(rule.enabled),
        ..rule
    }
}

fn call(op: &EvaluatePolicy) -> Call {
    let mut input = op.input.clone();
    for (field, given) in [("command", &op.command), ("file_path", &op.path), ("url", &op.address)] {
        if let Some(given) = given {
            input.insert(field.to_owned(), Value::String(given.clone()));
        }
    }
    Call::of(Dialect::Claude, &op.tool, &Value::Object(input))
}

fn view(fence: &SessionPermissions, call: &Call) -> PolicyVerdict {
    let (decision, stopped) = match policy::decide(fence, call) {
        Verdict::Allow => (Decision::Allow, None),
        Verdict::Block { by, why } => (Decision::Block, Some((by, why))),
        Verdict::Ask { by, why } => (Decision::Ask, Some((by, why))),
    };
    let tool = call.tool.clone();
    let Some((by, why)) = stopped else {
        return PolicyVerdict { decision, reason: None, rule_id: None, rule_name: None, tool };
    };
    let (rule_id, rule_name) = match by {
        By::Rule { id, name } => (Some(id), Some(name)),
        By::Preset | By::Person { .. } | By::SessionPermissions => (None, None),
    };
    PolicyVerdict { decision, reason: Some(why), rule_id, rule_name, tool }
}

fn checked(about: &About) -> Result<()> {
    policy::check_rule(about).map_err(|error| {
        Error::new(Code::FIELDS_INVALID, error.to_string())
            .hint("A pattern is a glob such as `git push *`, or a regular expression behind `regex:`.")
            .with("field", error.field)
            .into()
    })
}

//! Calls that were not let through, and what the rules stopped. The sessions write them; here they are only read.

use std::cmp::Reverse;

use api::Listing;
use api::claude_fleet::{DecisionCounts, GetPolicyStats, ListViolations, PolicyStats, RuleCount, ViolationView};
use store::{Query, by};
use types::{Decision, Role, Rule, Violation};

use super::{LIST_MAX, limit, listing};
use crate::{Caller, Handle, Result, Service};

impl Handle<ListViolations> for Service {
    async fn handle(&self, caller: &Caller, op: ListViolations) -> Result<Listing<ViolationView>> {
        let member = caller.member()?;
        let group = match (&op.session_id, &op.mission_id, &op.rule_id) {
            (Some(session), _, _) => by::violation::session(session),
            (None, Some(mission), _) => by::violation::mission(mission),
            (None, None, Some(rule)) => by::violation::rule(rule),
            (None, None, None) if member.role == Role::Owner => by::violation::all(),
            (None, None, None) => by::violation::team(&member.team),
        };
        let of_rule = |violation: &Violation| op.rule_id.is_none() || violation.rule == op.rule_id;
        let page = self.page_of(member, Query::latest(group, LIST_MAX), op.page, of_rule).await?;
        Ok(listing(page, ViolationView::from))
    }
}

impl Handle<GetPolicyStats> for Service {
    async fn handle(&self, caller: &Caller, _: GetPolicyStats) -> Result<PolicyStats> {
        let member = caller.member()?;
        let (who, team) = (self.viewer(member), &member.team);
        let rules = Query::latest(by::rule::team(team), limit(None));
        let rules = self.first(rules, |rule: &Rule| who.sees(rule)).await?;
        let enabled = |decision| {
            rules.iter().filter(|rule| rule.enabled && rule.decision == decision).count().try_into().unwrap_or(u64::MAX)
        };
        let by_decision = DecisionCounts {
            block: enabled(Decision::Block),
            ask: enabled(Decision::Ask),
            allow: enabled(Decision::Allow),
        };
        let counted = |rule: &Rule| RuleCount {
            rule_id: rule.id.clone(),
            name: rule.name.clone(),
            count: self.store.count(&by::violation::rule(&rule.id)),
        };
        let mut violations_by_rule: Vec<_> = rules.iter().map(counted).filter(|rule| rule.count > 0).collect();
        violations_by_rule.sort_by_key(|rule| Reverse(rule.count));
        Ok(PolicyStats {
            total_rules: rules.len().try_into().unwrap_or(u64::MAX),
            enabled_rules: by_decision.block + by_decision.ask + by_decision.allow,
            by_decision,
            total_violations: match who.agent() {
                Some(_) => violations_by_rule.iter().map(|rule| rule.count).sum(),
                None => self.store.count(&by::violation::team(team)),
            },
            violations_by_rule,
        })
    }
}

//! What those who do not lead may ask of others: no more than they may do themselves.
//!
//! An agent that only reads could otherwise have another one write for it, and one with a budget could raise it.

use mission_runner::{ChosenTools, StartPlace, StartRequest, tools_of_mission};
use tokens::Member;
use types::{Limits, Mission, Start, ToolChoice};

use crate::{Result, Service, authorize};

/// What only those who lead may set, where it goes beyond what there is.
const TOOLS: &str = "to give an agent tools that one does not have oneself";
const LIMITS: &str = "to raise a ceiling";
const IN_PLACE: &str = "to let an agent work in the project's own folder (`in_place`)";
const CALLBACK: &str = "to have somebody outside told (`callback_url`)";

impl Service {
    /// Refuses tools that the caller does not have itself, unless it leads.
    pub(super) async fn no_wider(&self, member: &Member, chosen: &ChosenTools) -> Result<()> {
        if member.role.leads() {
            return Ok(());
        }
        let own = self.tools_of(member).await?;
        let within = chosen.tools.as_ref().is_some_and(|asked| asked.iter().all(|tool| covered(&own, tool)));
        Ok(authorize::leading(member, !within, TOOLS)?)
    }

    /// Narrows a preset to the tools that the caller has itself; none where that is all of them.
    pub(super) async fn own_part(&self, member: &Member, preset: &str) -> Result<Option<ToolChoice>> {
        let tools = policy::preset(preset).unwrap_or_default();
        if member.role.leads() {
            return Ok(None);
        }
        let own = self.tools_of(member).await?;
        let part: Vec<String> = tools.iter().filter(|tool| covered(&own, tool)).cloned().collect();
        authorize::leading(member, part.is_empty(), TOOLS)?;
        Ok((part.len() < tools.len()).then_some(ToolChoice::Listed(part)))
    }

    /// Returns the tools that a caller has itself.
    async fn tools_of(&self, member: &Member) -> Result<Vec<String>> {
        let session = self.sessions.named(&member.team, &member.handle).await?;
        // Of those that others run Fleet knows nothing: they count as workers do that nobody gave a preset.
        let own = session.and_then(|session| session.order.allowed_tools);
        Ok(own.or_else(|| policy::preset(policy::WORKER)).unwrap_or_default())
    }

    /// Refuses to name wider tools for a mission, and to have it started with wider ones than the caller's.
    pub(super) async fn no_wider_mission(&self, member: &Member, mission: &Mission, named: bool) -> Result<()> {
        let starts = mission.start == Start::WhenReady || mission.schedule.is_some();
        match named || starts {
            true if !member.role.leads() => self.no_wider(member, &tools_of_mission(&self.settings(), mission)?).await,
            true | false => Ok(()),
        }
    }

    /// Refuses what somebody who does not lead may not ask for when a mission is started.
    pub(super) async fn no_wider_start(
        &self,
        member: &Member,
        request: &StartRequest,
        chosen: &ChosenTools,
    ) -> Result<()> {
        no_higher(member, request.mission.limits, request.limits)?;
        authorize::leading(member, request.place == StartPlace::InPlace, IN_PLACE)?;
        self.no_wider(member, chosen).await
    }
}

/// Refuses ceilings above those that are set, unless the caller leads.
pub(super) fn no_higher(member: &Member, set: Limits, asked: Limits) -> Result<()> {
    let raised = over(set.turns_max, asked.turns_max)
        || over(set.dollars_max, asked.dollars_max)
        || over(set.tokens_max, asked.tokens_max)
        || over(set.secs_max, asked.secs_max);
    Ok(authorize::leading(member, raised, LIMITS)?)
}

/// Refuses to have the server speak to an address, unless the caller leads.
pub(super) fn no_callback(member: &Member, url: Option<&str>) -> Result<()> {
    Ok(authorize::leading(member, url.is_some_and(|url| !url.is_empty()), CALLBACK)?)
}

/// Tells whether what is asked is more than what is set; where nothing is set, any ceiling is a narrower one.
fn over<T: PartialOrd>(set: Option<T>, asked: Option<T>) -> bool {
    matches!((set, asked), (Some(set), Some(asked)) if asked > set)
}

/// Tells whether one of the tools lets everything through that the asked one would.
fn covered(own: &[String], asked: &str) -> bool {
    let tool = asked.split_once('(').map_or(asked, |(tool, _)| tool);
    own.iter().any(|own| match own.strip_suffix('*') {
        // A pattern for commands or paths covers only itself.
        Some(_) if own.contains('(') => own == asked,
        Some(beginning) => tool.starts_with(beginning),
        None => own == asked || own == tool,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(own: &[&str], asked: &str) -> bool {
        covered(&own.iter().map(|tool| (*tool).to_owned()).collect::<Vec<_>>(), asked)
    }

    #[test]
    fn a_tool_covers_itself_and_its_narrower_forms_and_no_other() {
        assert!(covers(&["Bash"], "Bash(git push *)") && covers(&["Read", "Bash"], "Bash"));
        assert!(!covers(&["Bash(git *)"], "Bash") && !covers(&["Bash(git *)"], "Bash(rm *)"));
        assert!(covers(&["Bash(git *)"], "Bash(git *)"));
        assert!(!covers(&["Bash(git *)"], "Bash(git push *)"), "narrower or not is not for us to read");
        assert!(covers(&["mcp__shop__*"], "mcp__shop__buy") && !covers(&["mcp__shop__*"], "mcp__bank__pay"));
        assert!(!covers(&[], "Read") && !covers(&["Rea"], "Read") && !covers(&["Read"], "Write"));
    }

    #[test]
    fn a_ceiling_is_raised_by_more_and_not_by_one_where_none_was() {
        assert!(over(Some(1), Some(2)) && !over(Some(2), Some(2)) && !over(Some(2), Some(1)));
        assert!(!over(None, Some(9)) && !over(Some(1), None::<u32>));
    }
}

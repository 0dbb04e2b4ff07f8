//! Calls of the agent that a person must allow: asked while its process waits, or left by one that is gone.
//!
//! What is asked about is judged by the fence, here as where the calls are made, so an answer is found the same way by
//! both. Nothing is asked twice: a call that was asked about before waits for the same answer.

use agents::Say;
use policy::{By, Call, Dialect, Judged, Verdict, decide};
use serde_json::Value;
use types::{
    Approval, ApprovalId, ApprovalState, Begun, FailureClass, Session, SessionEnding, SessionState, Wait, WantedCall,
};

use super::follow::{Following, unreadable};
use super::record::Effects;
use super::report::Words;
use super::{Actor, Flow};
use crate::Result;
use crate::error::Error;
use crate::outbox::Cause;

/// Characters behind the prefix of an approval's id.
const ID_LENGTH: usize = 5;

/// Paths and hosts that people are shown.
const SHOWN_MAX: usize = 20;

/// How often an agent may leave for a call that is decided on, before its hook and Fleet are taken to disagree.
const DECIDED_MAX: u32 = 3;

/// A call that the process waits for.
#[derive(Debug, Clone)]
pub(super) struct Pending {
    call: Call,
    /// What it is called with, as the agent wrote it.
    input: Value,
}

/// A call that a process has left.
#[derive(Debug)]
pub(super) struct Left {
    /// What the agent calls it.
    pub(super) request: String,
    /// The tool.
    pub(super) tool: String,
    /// What it would be called with.
    pub(super) input: Value,
}

/// A question for a person.
#[derive(Debug)]
struct Question {
    key: String,
    call: Call,
    by: By,
    why: String,
}

impl Actor {
    /// Answers what the agent asks while it waits, or asks a person.
    pub(super) async fn asked(
        &mut self,
        following: &mut Following,
        request: String,
        tool: &str,
        input: Value,
    ) -> Result<()> {
        // One that is gone needs no answer, and one that was told is not asked about again.
        let told = Cause::Answer { request: request.clone() };
        if following.outbox.as_ref().is_none_or(|outbox| outbox.knows(&told)) {
            return Ok(());
        }
        let call = Call::of(Dialect::Claude, tool, &input);
        let verdict = decide(&self.fence, &call);
        let pending = Pending { call, input };
        let Verdict::Ask { by, why } = verdict else {
            return self.answer(following, &request, &pending, verdict).await;
        };
        let question = Question { key: pending.call.key(), call: pending.call.clone(), by, why };
        let approval = self.approval(&self.session, question, true).await?;
        self.ask(approval).await?;
        following.pending.insert(request, pending);
        self.count(following);
        Ok(())
    }

    /// Tells the agent what was decided on calls that it waits for.
    pub(super) async fn answer_pending(&mut self, following: &mut Following) -> Result<()> {
        for (request, pending) in std::mem::take(&mut following.pending) {
            match decide(&self.fence, &pending.call) {
                Verdict::Ask { .. } => {
                    following.pending.insert(request, pending);
                }
                verdict @ (Verdict::Allow | Verdict::Block { .. }) => {
                    self.answer(following, &request, &pending, verdict).await?;
                }
            }
        }
        self.count(following);
        Ok(())
    }

    async fn answer(
        &mut self,
        following: &mut Following,
        request: &str,
        pending: &Pending,
        verdict: Verdict,
    ) -> Result<()> {
        let named = request.to_owned();
        let say = match &verdict {
            Verdict::Allow => Say::Allow { request: named, input: pending.input.clone() },
            Verdict::Block { why, .. } | Verdict::Ask { why, .. } => Say::Deny { request: named, why: why.clone() },
        };
        if let (Some(line), Some(outbox)) = (self.adapter()?.say(&say), &mut following.outbox) {
            outbox.push(Cause::Answer { request: request.to_owned() }, line).map_err(unreadable)?;
            following.heard.answered(self.hub.parts.clock.now());
        }
        if let Verdict::Block { by, why } = verdict.clone() {
            let judged = Judged::new(self.hub.parts.clock.now(), None, &pending.call, verdict);
            self.violated(&format!("{}/{request}", self.session.runs), &judged, &by, &why).await?;
        }
        Ok(())
    }

    /// Asks a person about a call that was refused until there is an answer.
    pub(super) async fn ask_for_later(&mut self, judged: Judged) -> Result<()> {
        let Judged { key, call, verdict: Verdict::Ask { by, why }, .. } = judged else { return Ok(()) };
        let counts = |asked: &&Approval| !matches!(asked.state, ApprovalState::Lapsed { .. });
        if self.approvals.iter().filter(counts).any(|asked| asked.key == key) {
            return Ok(());
        }
        let approval = self.approval(&self.session, Question { key, call, by, why }, false).await?;
        self.ask(approval).await
    }

    /// Asks a person, unless that was done before.
    async fn ask(&mut self, approval: Approval) -> Result<()> {
        if !self.approvals.iter().any(|asked| asked.id == approval.id) {
            let effects = Effects { ask: Some(Box::new(approval.clone())), ..Effects::default() };
            self.put(self.session.clone(), effects).await?;
            self.approvals.push(approval);
        }
        Ok(())
    }

    /// Asks a person about the call that a process has left, and waits without one.
    pub(super) async fn left_asking(&mut self, mut session: Session, left: &Left) -> Result<Flow> {
        self.refence().await?;
        let call = Call::of(Dialect::Claude, &left.tool, &left.input);
        let approval = match self.question(left, &call) {
            Some(question) => Some(self.approval(&session, question, false).await?),
            None => None,
        };
        let now = self.hub.parts.clock.now();
        if let Some(approval) = approval.filter(|approval| approval.state == ApprovalState::Waiting) {
            let wait = Wait::Approval { approval: approval.id.clone() };
            session.state = SessionState::Waiting { wait, until: None };
            let effects = Effects { ask: Some(Box::new(approval)), ..Effects::default() };
            self.next_run(session, Begun::Answered, effects).await?;
            self.slot = None;
            return Ok(Flow::On);
        }
        // It was answered, or a rule was changed meanwhile: the agent makes the call again, and is told.
        if session.restarts < DECIDED_MAX {
            session.restarts += 1;
            session.state = SessionState::Starting { since: now };
            return self.next_run(session, Begun::Answered, Effects::default()).await;
        }
        let text = format!("it leaves again and again for a decision on `{}`, which is made", call.tool);
        let ending = SessionEnding::Failed { class: FailureClass::Denied, text };
        session.state = SessionState::Ended { at: now, ending };
        self.over(session, Effects::default(), &Words::default()).await
    }

    /// Says what a person is asked about a call that was left. What was judged where the call was made counts: the
    /// agent may tell of it in other words.
    fn question(&self, left: &Left, call: &Call) -> Option<Question> {
        let judged = self.last_asked(&left.request);
        if let Some(Judged { key, call, verdict: Verdict::Ask { by, why }, .. }) = judged {
            return Some(Question { key: key.clone(), call: call.clone(), by: by.clone(), why: why.clone() });
        }
        match decide(&self.fence, call) {
            Verdict::Ask { by, why } => Some(Question { key: call.key(), call: call.clone(), by, why }),
            Verdict::Allow | Verdict::Block { .. } => None,
        }
    }

    /// Returns the approval of a call: the one that there is, or a new one.
    async fn approval(&self, session: &Session, question: Question, held: bool) -> Result<Approval> {
        let Question { key, call, by, why } = question;
        if let Some(asked) = self.hub.asked(&session.id, &key).await? {
            return Ok(asked);
        }
        let at = self.hub.parts.clock.now();
        let code = self.hub.parts.rng.short_code(ID_LENGTH);
        let id = ApprovalId::from_code(&code).map_err(|error| Error::File {
            what: "cannot name an approval".to_owned(),
            source: std::io::Error::other(error),
        })?;
        Ok(Approval {
            id,
            team: session.team.clone(),
            session: session.id.clone(),
            mission: session.mission.as_ref().map(|assignment| assignment.mission.clone()),
            handle: session.handle.clone(),
            run: session.runs,
            held,
            key,
            wanted: wanted(&call, |text| self.without_secrets(text)),
            rule: match by {
                By::Rule { id, .. } => Some(id),
                By::Preset | By::Person { .. } | By::Fence => None,
            },
            why,
            state: ApprovalState::Waiting,
            created_at: at,
            updated_at: at,
        })
    }
}

/// A call as people are shown it.
fn wanted(call: &Call, shown: impl Fn(&str) -> String) -> WantedCall {
    let what = shown(&call.what());
    let summary = if what.is_empty() { call.tool.clone() } else { format!("{}: {what}", call.tool) };
    let some = |texts: &[String]| texts.iter().take(SHOWN_MAX).map(|text| shown(text)).collect();
    WantedCall {
        tool: call.tool.clone(),
        summary,
        command: call.shortened().command.map(|command| shown(&command)),
        paths: some(&call.paths),
        hosts: some(&call.hosts),
    }
}

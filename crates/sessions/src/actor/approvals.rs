//! Calls of the agent that a person must allow: asked while its process waits, or left by one that is gone.
//!
//! What is asked about is judged by the permissions file, here as where the calls are made, so an answer is found the same way by
//! both. Nothing is asked twice: a call that was asked about before waits for the same answer.

use agents::Say;
use policy::{By, Call, Dialect, Judged, Verdict, decide};
use serde_json::Value;
use types::{Approval, ApprovalId, ApprovalState, Begun, FailureClass, Session, SessionEnding, SessionState, Wait};

use super::follow::{Following, unreadable};
use super::journal::Refused;
use super::record::Effects;
use super::report::Words;
use super::{Actor, Flow};
use crate::Result;
use crate::error::Error;
use crate::outbox::Cause;

/// Characters behind the prefix of an approval's id.
const ID_LENGTH: usize = 5;

/// How often an agent may leave for a call that is decided on, before its hook and Fleet are taken to disagree.
const DECIDED_MAX: u32 = 3;

/// Calls of one process that may wait for a decision at the same time.
const PENDING_MAX: usize = 64;

/// Questions of one process that are answered; a process that asks more often gets no answer any more.
const ANSWERS_MAX: u32 = 10_000;

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
    call: Call,
    /// The key that the journal or the agent gives for it.
    told_key: String,
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
        let verdict = decide(&self.permissions, &call);
        let pending = Pending { call, input };
        let Verdict::Ask { by, why } = verdict else {
            return self.answer(following, &request, &pending, verdict).await;
        };
        if self.is_crowded() && !self.is_asked(&pending.call) || following.pending.len() >= PENDING_MAX {
            self.not_asked();
            let why = "too many calls wait for a person already; wait for their answers".to_owned();
            let verdict = Verdict::Ask { by, why };
            return self.answer(following, &request, &pending, verdict).await;
        }
        let question = Question { told_key: pending.call.key(), call: pending.call.clone(), by, why };
        let approval = self.approval(&self.session, question, true).await?;
        self.ask(approval).await?;
        following.pending.insert(request, pending);
        self.count(following);
        Ok(())
    }

    /// Tells the agent what was decided on calls that it waits for.
    pub(super) async fn answer_pending(&mut self, following: &mut Following) -> Result<()> {
        for (request, pending) in std::mem::take(&mut following.pending) {
            match decide(&self.permissions, &pending.call) {
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
        if following.answers >= ANSWERS_MAX {
            return Ok(());
        }
        following.answers += 1;
        let named = request.to_owned();
        let (say, proof) = match &verdict {
            Verdict::Allow => {
                let proof = self.answer_key().map(|key| key.prove(request, &pending.call));
                (Say::Allow { request: named, input: pending.input.clone() }, proof)
            }
            Verdict::Block { why, .. } | Verdict::Ask { why, .. } => {
                (Say::Deny { request: named, why: why.clone() }, None)
            }
        };
        if let (Some(line), Some(outbox)) = (self.adapter()?.answer(&say, proof), &mut following.outbox) {
            outbox.push(Cause::Answer { request: request.to_owned() }, line).map_err(unreadable)?;
            following.heard.answered(self.shared.parts.clock.now());
        }
        if let Verdict::Block { by, why } = &verdict {
            let (at, place) = (self.shared.parts.clock.now(), format!("{}/{request}", self.session.runs));
            self.violated(Refused::new(place, at, &pending.call.key(), &pending.call, by, why)).await?;
        }
        Ok(())
    }

    /// Asks a person about a call that was refused until there is an answer.
    ///
    /// The journal says which call that was. What it says it is known by, and why it was refused, is found out here.
    pub(super) async fn ask_for_later(&mut self, judged: Judged) -> Result<()> {
        let call = judged.read_again(self.dialect());
        let Verdict::Ask { by, why } = decide(&self.permissions, &call) else { return Ok(()) };
        if self.is_asked(&call) {
            return Ok(());
        }
        if self.is_crowded() {
            self.not_asked();
            return Ok(());
        }
        let question = Question { told_key: judged.key, call, by, why };
        let approval = self.approval(&self.session, question, false).await?;
        self.ask(approval).await
    }

    /// Returns whether a person was asked about this very call and can still answer, or has.
    fn is_asked(&self, call: &Call) -> bool {
        let counts = |asked: &&Approval| !matches!(asked.state, ApprovalState::Lapsed { .. });
        let key = call.key();
        self.approvals.iter().filter(counts).any(|asked| asked.key == key)
    }

    /// Asks a person, unless that was done before.
    async fn ask(&mut self, approval: Approval) -> Result<()> {
        if !self.approvals.iter().any(|asked| asked.id == approval.id) {
            let effects = Effects { ask: Some(Box::new(approval.clone())), ..Effects::default() };
            self.put(self.session.clone(), effects).await?;
            self.approvals.push(approval);
            self.note_approvals();
        }
        Ok(())
    }

    /// Asks a person about the call that a process has left, and waits without one.
    pub(super) async fn left_asking(&mut self, mut session: Session, left: &Left) -> Result<Flow> {
        self.write_permissions().await?;
        let call = Call::of(Dialect::Claude, &left.tool, &left.input);
        let approval = match self.question(left, &call) {
            Some(question) => Some(self.approval(&session, question, false).await?),
            None => None,
        };
        let now = self.shared.parts.clock.now();
        if let Some(approval) = approval.filter(|approval| approval.state == ApprovalState::Waiting) {
            let wait = Wait::Approval { approval: approval.id.clone() };
            session.state = SessionState::Waiting { wait, until: None };
            let effects = Effects { ask: Some(Box::new(approval.clone())), ..Effects::default() };
            self.next_run(session, Begun::Answered, effects).await?;
            self.approvals.push(approval);
            self.note_approvals();
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

    /// Says what a person is asked about a call that was left. How the hook was told of it counts, for the agent may tell of
    /// it in other words, and the answer is found by those of the hook.
    fn question(&self, left: &Left, call: &Call) -> Option<Question> {
        let judged = self.last_asked(&left.request, call);
        let hooked = judged.map(|judged| (judged.read_again(self.dialect()), judged.key.clone()));
        let (call, told_key) = hooked.unwrap_or_else(|| (call.clone(), call.key()));
        match decide(&self.permissions, &call) {
            Verdict::Ask { by, why } => Some(Question { call, told_key, by, why }),
            Verdict::Allow | Verdict::Block { .. } => None,
        }
    }

    /// Returns the approval of a call: the one that there is, or a new one.
    async fn approval(&self, session: &Session, question: Question, held: bool) -> Result<Approval> {
        let Question { call, told_key, by, why } = question;
        let key = call.key();
        if let Some(asked) = self.shared.asked(&session.id, &key).await? {
            return Ok(asked);
        }
        let at = self.shared.parts.clock.now();
        let code = self.shared.parts.rng.short_code(ID_LENGTH);
        let id = ApprovalId::from_code(&code).map_err(|error| Error::File {
            what: "cannot name an approval".to_owned(),
            source: std::io::Error::other(error),
        })?;
        let wanted = policy::wanted(&call, &told_key, |text| self.as_shown(text));
        Ok(Approval {
            id,
            team: session.team.clone(),
            session: session.id.clone(),
            mission: session.mission.as_ref().map(|assignment| assignment.mission.clone()),
            handle: session.handle.clone(),
            run: session.runs,
            held,
            key,
            wanted,
            rule: match by {
                By::Rule { id, .. } => Some(id),
                By::Preset | By::Person { .. } | By::SessionPermissions => None,
            },
            why,
            state: ApprovalState::Waiting,
            created_at: at,
            updated_at: at,
        })
    }
}

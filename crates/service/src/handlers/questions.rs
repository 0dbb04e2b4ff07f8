//! Questions of agents to people. An agent asks for its own session alone, and no agent answers.

use std::time::Duration;

use api::fleet::{AnswerQuestion, AskHuman, AskedQuestion, GetQuestion, ListQuestions, QuestionView, WithdrawQuestion};
use api::{Code, Error, Listing};
use sessions::Asking;
use store::{Query, by};
use tokens::Member;
use types::{Question, QuestionId, QuestionState, QuestionStateName, Role, Session};

use super::{limit, not_found};
use crate::chosen::chosen;
use crate::{Caller, Handle, Result, Service};

/// The longest time that a call waits: clients give up after a minute.
const WAIT_MAX: Duration = Duration::from_secs(55);

/// Why a question is withdrawn where nothing is said.
const NO_REASON: &str = "a person withdrew it";

impl Handle<AskHuman> for Service {
    async fn handle(&self, caller: &Caller, op: AskHuman) -> Result<AskedQuestion> {
        let member = caller.member()?;
        let session = self.asking_session(member).await?;
        if op.session_id.as_ref().is_some_and(|named| *named != session.id) {
            return Err(not_found::session().into());
        }
        let asking = asking(op)?;
        let stamp = self.stamp(member, &session.team);
        let question = self.sessions.ask_person(&session.id, &asking, &stamp).await?;
        let at_most = Duration::from_secs(self.settings().question_wait_secs.into()).min(WAIT_MAX);
        let question = self.sessions.await_answer(question, at_most).await?;
        let registry = self.sessions.agent_registry();
        let is_resumed = registry.find(&session.order.agent).is_ok_and(|agent| agent.capabilities().resume);
        Ok(told(question, is_resumed))
    }
}

impl Handle<ListQuestions> for Service {
    async fn handle(&self, caller: &Caller, op: ListQuestions) -> Result<Listing<QuestionView>> {
        let member = caller.member()?;
        let (who, limit) = (self.viewer(member), limit(op.page.limit));
        let group = group(member, &op);
        let (mut after, mut found) = (op.page.after.clone(), Vec::new());
        // What the index cannot tell is filtered here, page by page.
        loop {
            let query = Query { after, ..Query::latest(group.clone(), limit - found.len()) };
            let page = self.store.list::<Question>(query).await?;
            for question in page.records {
                // Of a session that is over nothing waits, whatever is stored.
                let question = self.sessions.settled_question(question).await?;
                if who.sees(&question) && fits(&op, &question) {
                    found.push(question.into());
                }
            }
            after = page.next;
            if after.is_none() || found.len() >= limit {
                return Ok(Listing { items: found, next: after });
            }
        }
    }
}

impl Handle<GetQuestion> for Service {
    async fn handle(&self, caller: &Caller, op: GetQuestion) -> Result<QuestionView> {
        Ok(self.seen_question(caller.member()?, &op.question).await?.into())
    }
}

impl Handle<AnswerQuestion> for Service {
    async fn handle(&self, caller: &Caller, op: AnswerQuestion) -> Result<QuestionView> {
        let member = caller.member()?;
        let question = self.seen_question(member, &op.question).await?;
        self.no_agent(member).await?;
        let answer = chosen(&question.choices, question.free_text, &op.answer);
        let answer = answer.ok_or_else(|| no_choice(&question))?;
        let stamp = self.stamp(member, &question.team);
        Ok(self.sessions.answer_question(&question.id, &answer, &stamp).await?.into())
    }
}

impl Handle<WithdrawQuestion> for Service {
    async fn handle(&self, caller: &Caller, op: WithdrawQuestion) -> Result<QuestionView> {
        let member = caller.member()?;
        let question = self.seen_question(member, &op.question).await?;
        self.no_agent(member).await?;
        let why = op.why.as_deref().map(str::trim).filter(|why| !why.is_empty()).unwrap_or(NO_REASON);
        let stamp = self.stamp(member, &question.team);
        Ok(self.sessions.withdraw_question(&question.id, why, &stamp).await?.into())
    }
}

impl Service {
    async fn seen_question(&self, member: &Member, id: &QuestionId) -> Result<Question> {
        let who = self.viewer(member);
        let found = self.sessions.question(id).await?.filter(|question| who.sees(question));
        found.ok_or_else(|| not_found::question().into())
    }

    /// Finds the session whose agent asks.
    async fn asking_session(&self, member: &Member) -> Result<Session> {
        let own = match &member.session {
            Some(id) => self.sessions.live(id).map(|live| live.session),
            None => self.sessions.named(&member.team, &member.handle).await?,
        };
        own.ok_or_else(|| {
            let message = format!("`{}` is not an agent that works in a session of Fleet's", member.handle);
            let hint = "Agents ask people with this call. Write to an agent with `fleet send AGENT TEXT`.";
            Error::new(Code::SESSION_NOT_RUNNING, message).hint(hint).into()
        })
    }
}

/// Reads what is asked: one text, and choices that differ from each other.
fn asking(op: AskHuman) -> Result<Asking> {
    let plain = |text: &str| -> String {
        let kept = text.chars().filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t'));
        kept.collect::<String>().trim().to_owned()
    };
    let text = plain(&op.question);
    let choices: Vec<String> = op.choices.unwrap_or_default().iter().map(|choice| plain(choice)).collect();
    let is_repeated = |(at, choice): (usize, &String)| {
        choices.iter().take(at).any(|before| before.eq_ignore_ascii_case(choice)) || choice.is_empty()
    };
    if text.is_empty() || choices.iter().enumerate().any(is_repeated) {
        let error = Error::new(Code::FIELDS_INVALID, "a question has words, and choices that differ from each other");
        return Err(error.hint("Write the question, and each choice once.").into());
    }
    let free_text = op.free_text.unwrap_or(false) || choices.is_empty();
    Ok(Asking { text, choices, free_text })
}

/// Says to an agent what came of its question, and what it does now.
fn told(question: Question, is_resumed: bool) -> AskedQuestion {
    let (question_id, status) = (question.id, question.state.name());
    let (answer, answered_by, message) = match question.state {
        QuestionState::Answered { answer, by, .. } => (Some(answer), Some(by), "A person answered.".to_owned()),
        QuestionState::Withdrawn { why, .. } => {
            (None, None, format!("No person answers: {why}. Decide yourself, and say so in your report."))
        }
        QuestionState::Waiting if is_resumed => {
            let message = "No person has answered yet. End your turn now without a report: the answer is delivered as a \
                           message, and you continue then.";
            (None, None, message.to_owned())
        }
        QuestionState::Waiting => {
            (None, None, "No person has answered yet. Ask again in the same words to wait on.".to_owned())
        }
    };
    AskedQuestion { question_id, status, answer, answered_by, message }
}

fn no_choice(question: &Question) -> Error {
    let choices = question.choices.iter().enumerate();
    let choices: Vec<String> = choices.map(|(at, choice)| format!("{}: {choice}", at + 1)).collect();
    Error::new(Code::FIELDS_INVALID, "the answer is none of the choices, and the question allows no other")
        .hint(format!("Answer with a number or its words: {}.", choices.join("; ")))
}

/// Picks the narrowest index there is for what was asked.
fn group(member: &Member, op: &ListQuestions) -> String {
    match (&op.session_id, &op.mission_id, op.status) {
        (Some(session), _, _) => by::question::session(session),
        (None, Some(mission), _) => by::question::mission(mission),
        // One that was withdrawn may still be stored as one that waits.
        (None, None, Some(QuestionStateName::Withdrawn) | None) if member.role == Role::Owner => by::question::all(),
        (None, None, Some(QuestionStateName::Withdrawn) | None) => by::question::team(&member.team),
        (None, None, Some(state)) if member.role == Role::Owner => by::question::state(state),
        (None, None, Some(state)) => by::question::team_state(&member.team, state),
    }
}

fn fits(op: &ListQuestions, question: &Question) -> bool {
    op.mission_id.as_ref().is_none_or(|mission| question.mission.as_ref() == Some(mission))
        && op.session_id.as_ref().is_none_or(|session| question.session == *session)
        && op.status.is_none_or(|status| question.state.name() == status)
}

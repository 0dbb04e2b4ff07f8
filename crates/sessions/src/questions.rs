//! Questions of agents to people: asked once however often the call is made, answered once, and heard of once.
//!
//! A question and its answer are stored before anything else is done with them. An agent hears of the answer as the result
//! of the call that waits for it; where none does, as a message when its turn is over, or in the words with which its next
//! process begins. Which of them it is, is written down in the commit that makes it so.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use runtime::Kind;
use sha2::{Digest as _, Sha256};
use store::{Query, Stamp, Transaction, by};
use tokio::sync::watch;
use types::{
    Delivery, Event, Hearing, Letter, LetterId, Question, QuestionId, QuestionState, QuestionStateName, Session,
    SessionId, Timestamp,
};

use crate::Result;
use crate::actor::Command;
use crate::error::{Error, Refusal};
use crate::manager::{SessionManager, Shared};
use crate::messages::OVER;

/// Questions of one session that may wait for an answer at the same time.
pub const OPEN_MAX: usize = 3;

/// Questions of one session that are read.
const READ_MAX: usize = 100;

/// Characters behind the prefix of a question's id.
const ID_LENGTH: usize = 5;

/// Characters of a question that are repeated with its answer.
const QUOTED_MAX: usize = 300;

/// What an agent asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asking {
    /// The question.
    pub text: String,
    /// What can be answered; may be empty.
    pub choices: Vec<String>,
    /// Whether an answer may be none of the choices.
    pub free_text: bool,
}

impl Asking {
    /// Returns what the question is known by: the same for the same words and choices.
    fn key(&self) -> String {
        let words = |text: &String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let parts: Vec<String> = std::iter::once(&self.text).chain(&self.choices).map(words).collect();
        Sha256::digest(parts.join("\n")).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Who waits for answers, and the bell that rings when there is one.
#[derive(Debug, Default)]
pub(crate) struct Waiters {
    bell: watch::Sender<u64>,
    calls: Mutex<BTreeMap<QuestionId, usize>>,
    /// Held while a question is made, so that a session has no more than it may.
    making: tokio::sync::Mutex<()>,
}

impl Waiters {
    fn calls(&self) -> MutexGuard<'_, BTreeMap<QuestionId, usize>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ring(&self) {
        self.bell.send_modify(|count| *count += 1);
    }
}

/// A call that waits for the answer of a question, for as long as it is there.
struct WaitingCall<'a> {
    shared: &'a Shared,
    question: &'a Question,
}

impl<'a> WaitingCall<'a> {
    fn new(shared: &'a Shared, question: &'a Question) -> Self {
        *shared.waiters.calls().entry(question.id.clone()).or_default() += 1;
        Self { shared, question }
    }
}

impl Drop for WaitingCall<'_> {
    fn drop(&mut self) {
        let mut calls = self.shared.waiters.calls();
        if let Some(count) = calls.get_mut(&self.question.id) {
            *count -= 1;
            if *count == 0 {
                calls.remove(&self.question.id);
            }
        }
        drop(calls);
        // An answer that this call did not take any more is for the session to tell.
        self.shared.answered(&self.question.session);
    }
}

impl SessionManager {
    /// Returns the question of a session with these words: the one that there is, or a new one.
    ///
    /// # Errors
    /// Refuses a session that is over, and one with too many questions that wait.
    pub async fn ask_person(&self, id: &SessionId, asking: &Asking, stamp: &Stamp) -> Result<Question> {
        let (shared, key) = (&self.0, asking.key());
        let _making = shared.waiters.making.lock().await;
        let store = &shared.parts.store;
        if let Some(asked) =
            store.list::<Question>(Query::earliest(by::question::words(id, &key), 1)).await?.records.pop()
        {
            return Ok(asked);
        }
        let open = shared.unheard(id).await?.into_iter().filter(is_waiting).count();
        if open >= OPEN_MAX {
            return Err(Refusal::QuestionsFull { session: id.clone(), most: OPEN_MAX }.into());
        }
        let question_id = QuestionId::from_code(&shared.parts.rng.short_code(ID_LENGTH)).map_err(unnamed)?;
        let redactor = shared.redactor();
        let shown = |text: &str| redactor.text(text).into_owned();
        let (question_id, key, shown) = (&question_id, &key, &shown);
        store
            .transact(stamp, |tx| async move {
                // Read here, so that a session which ends at this moment leaves no question behind.
                let session = tx.get::<Session>(id).await?.map(|held| held.record);
                let session = session.ok_or_else(|| Refusal::NotFound { session: id.clone() })?;
                if !session.state.is_live() {
                    return Err(Refusal::WrongState { session: id.clone(), state: session.state.name() }.into());
                }
                let question = Question {
                    id: question_id.clone(),
                    team: session.team,
                    project: session.project,
                    session: session.id,
                    mission: session.mission.map(|assignment| assignment.mission),
                    handle: session.handle,
                    key: key.clone(),
                    text: shown(&asking.text),
                    choices: asking.choices.iter().map(|choice| shown(choice)).collect(),
                    free_text: asking.free_text,
                    state: QuestionState::Waiting,
                    heard: None,
                    asked_at: stamp.at,
                    updated_at: stamp.at,
                };
                tx.insert(&question)?;
                tx.append(moved(&question, None));
                Ok::<_, Error>(question)
            })
            .await
    }

    /// Waits until a question is answered or withdrawn, or for as long as asked; what it returns then, its agent has heard.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn await_answer(&self, question: Question, at_most: Duration) -> Result<Question> {
        let (shared, clock) = (&self.0, &self.0.parts.clock);
        // Listened to before the look, so that what happens in between is heard.
        let mut bell = shared.waiters.bell.subscribe();
        let stop = shared.parts.tree.stop_of(Kind::Listener);
        let _waiting = WaitingCall::new(shared, &question);
        let deadline = clock.monotonic() + at_most;
        loop {
            let found = self.question(&question.id).await?.unwrap_or_else(|| question.clone());
            if !is_waiting(&found) {
                return shared.heard_by_call(found).await;
            }
            let rest = deadline.saturating_sub(clock.monotonic());
            if rest.is_zero() {
                return Ok(found);
            }
            tokio::select! {
                biased;
                () = stop.asked() => return Ok(found),
                // When the time is up it is looked at once more.
                _ = clock.timeout(rest, bell.changed()) => {}
            }
        }
    }

    /// Reads a question.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn question(&self, id: &QuestionId) -> Result<Option<Question>> {
        match self.0.parts.store.get::<Question>(id).await? {
            Some(question) => self.settled_question(question).await.map(Some),
            None => Ok(None),
        }
    }

    /// Returns a question as it is now: a server that dies right after a session ended has not written down that no answer
    /// is needed any more.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn settled_question(&self, question: Question) -> Result<Question> {
        if !is_waiting(&question) {
            return Ok(question);
        }
        let session = self.0.parts.store.get::<Session>(&question.session).await?;
        Ok(withdrawn_with(question, session.as_ref()))
    }

    /// Finds the first question of a session that waits for a person.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn open_question(&self, session: &SessionId) -> Result<Option<Question>> {
        match self.0.unheard(session).await?.into_iter().find(is_waiting) {
            Some(question) => Ok(Some(self.settled_question(question).await?).filter(is_waiting)),
            None => Ok(None),
        }
    }

    /// Answers a question. The same answer may be given again.
    ///
    /// # Errors
    /// Refuses a question that has another answer, or needs none any more.
    pub async fn answer_question(&self, id: &QuestionId, answer: &str, stamp: &Stamp) -> Result<Question> {
        let (by, at, answer) = (stamp.handle.clone(), stamp.at, answer.to_owned());
        self.settle_question(id, &QuestionState::Answered { by, answer, at }, stamp).await
    }

    /// Says that no person will answer a question.
    ///
    /// # Errors
    /// Refuses a question that is answered.
    pub async fn withdraw_question(&self, id: &QuestionId, why: &str, stamp: &Stamp) -> Result<Question> {
        self.settle_question(id, &QuestionState::Withdrawn { at: stamp.at, why: why.to_owned() }, stamp).await
    }

    async fn settle_question(&self, id: &QuestionId, state: &QuestionState, stamp: &Stamp) -> Result<Question> {
        let settled = self.0.parts.store.transact(stamp, |tx| async move {
            let held = tx.get::<Question>(id).await?;
            let held = held.ok_or_else(|| Refusal::QuestionNotFound { question: id.clone() })?;
            // Read here, so that a session which ends at this moment has either heard the answer or refused it.
            let session = tx.get::<Session>(&held.record.session).await?;
            let now = withdrawn_with(held.record.clone(), session.as_ref().map(|held| &held.record));
            if !is_waiting(&now) {
                let same = says(&now.state) == says(state) && now.state.name() == state.name();
                let refusal = Refusal::QuestionSettled { question: id.clone(), state: now.state.name() };
                return if same { Ok(now) } else { Err(refusal.into()) };
            }
            let next = Question { state: state.clone(), updated_at: stamp.at, ..held.record.clone() };
            tx.update(&held, &next)?;
            tx.append(moved(&next, Some(QuestionStateName::Waiting)));
            Ok::<_, Error>(next)
        });
        let settled = settled.await?;
        self.0.waiters.ring();
        self.0.answered(&settled.session);
        Ok(settled)
    }
}

impl Shared {
    /// Lets the task of a session look for answers; one that ends meanwhile needs none.
    fn answered(&self, session: &SessionId) {
        if let Some(reach) = self.reach(session) {
            let _ = reach.commands.send(Command::Answered);
        }
    }

    /// Reads the questions of a session whose end its agent has not heard of, the first first.
    pub(crate) async fn unheard(&self, session: &SessionId) -> Result<Vec<Question>> {
        let query = Query::earliest(by::question::unheard(session), READ_MAX);
        Ok(self.parts.store.list::<Question>(query).await?.records)
    }

    /// Writes down that the result of a call says it; another way may have been first, and the call says it all the same.
    async fn heard_by_call(&self, question: Question) -> Result<Question> {
        let stamp = Stamp { at: self.parts.clock.now(), handle: question.handle.clone(), team: question.team.clone() };
        let id = &question.id;
        self.parts.store.transact(&stamp, |tx| async move { hear(&tx, id, Hearing::Call).await.map(drop) }).await?;
        Ok(question)
    }

    /// Writes answers that no call waits for as messages to the agent; returns whether there was one.
    pub(crate) async fn answers_to_letters(&self, session: &Session) -> Result<bool> {
        let mut any = false;
        for question in self.unheard(&session.id).await? {
            let is_taken = self.waiters.calls().contains_key(&question.id);
            if is_waiting(&question) || is_taken {
                continue;
            }
            let letter_id = LetterId::from_code(&self.parts.rng.short_code(8)).map_err(unnamed)?;
            let stamp = self.stamp(session);
            let (question, letter_id, at) = (&question, &letter_id, stamp.at);
            any |= self
                .parts
                .store
                .transact(&stamp, |tx| async move {
                    let Some(question) = hear(&tx, &question.id, Hearing::Message).await? else { return Ok(false) };
                    let number = tx.next_number(&by::session::letters(&question.session)).await?;
                    let from = match &question.state {
                        QuestionState::Answered { by, .. } => by.clone(),
                        QuestionState::Waiting | QuestionState::Withdrawn { .. } => types::Handle::owner(),
                    };
                    tx.insert(&Letter {
                        id: letter_id.clone(),
                        session: question.session.clone(),
                        number,
                        from,
                        text: told(&question),
                        delivery: Delivery::Queued,
                        created_at: at,
                    })?;
                    tx.append(Event::LetterWritten { session: question.session.clone(), number });
                    Ok::<_, Error>(true)
                })
                .await?;
        }
        Ok(any)
    }

    /// Withdraws what still waits for an answer of a session that is over.
    pub(crate) async fn withdraw_questions(&self, session: &Session) -> Result<()> {
        let stamp = &self.stamp(session);
        for question in self.unheard(&session.id).await?.into_iter().filter(is_waiting) {
            let id = &question.id;
            let withdrawn = self.parts.store.transact(stamp, |tx| async move {
                let held = tx.get::<Question>(id).await?;
                let Some(held) = held.filter(|held| is_waiting(&held.record)) else { return Ok(()) };
                let state = QuestionState::Withdrawn { at: stamp.at, why: OVER.to_owned() };
                let next = Question { state, updated_at: stamp.at, ..held.record.clone() };
                tx.update(&held, &next)?;
                tx.append(moved(&next, Some(QuestionStateName::Waiting)));
                Ok::<_, Error>(())
            });
            withdrawn.await?;
            self.waiters.ring();
        }
        Ok(())
    }
}

/// Writes down in a transaction how an agent hears of the end of its question; none if there is nothing to hear, or it
/// has heard.
pub(crate) async fn hear(tx: &Transaction, id: &QuestionId, how: Hearing) -> Result<Option<Question>> {
    let held = tx.get::<Question>(id).await?;
    let Some(held) = held.filter(|held| held.record.heard.is_none() && !is_waiting(&held.record)) else {
        return Ok(None);
    };
    let next = Question { heard: Some(how), ..held.record.clone() };
    tx.update(&held, &next)?;
    Ok(Some(next))
}

/// Says to an agent what came of its question.
pub(crate) fn told(question: &Question) -> String {
    let (id, asked) = (&question.id, excerpt(&question.text));
    match &question.state {
        QuestionState::Waiting => format!("Your question {id} is not answered yet: {asked}"),
        QuestionState::Answered { by, answer, .. } => {
            format!("{by} answered your question {id} ({asked}):\n\n{answer}")
        }
        QuestionState::Withdrawn { why, .. } => {
            format!(
                "No person answers your question {id} ({asked}): {why}. Decide yourself, and say so in your report."
            )
        }
    }
}

pub(crate) fn is_waiting(question: &Question) -> bool {
    question.state == QuestionState::Waiting
}

/// What is not waited for any more is withdrawn.
fn withdrawn_with(question: Question, session: Option<&Session>) -> Question {
    if !is_waiting(&question) || session.is_some_and(|session| session.state.is_live()) {
        return question;
    }
    let at: Timestamp = session.map_or(question.updated_at, |session| session.updated_at);
    Question { state: QuestionState::Withdrawn { at, why: OVER.to_owned() }, ..question }
}

fn says(state: &QuestionState) -> Option<&str> {
    match state {
        QuestionState::Waiting => None,
        QuestionState::Answered { answer, .. } => Some(answer),
        QuestionState::Withdrawn { why, .. } => Some(why),
    }
}

fn moved(question: &Question, from: Option<QuestionStateName>) -> Event {
    Event::QuestionMoved {
        question: question.id.clone(),
        session: question.session.clone(),
        mission: question.mission.clone(),
        from,
        to: question.state.name(),
    }
}

fn excerpt(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(QUOTED_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn unnamed(error: types::IdError) -> Error {
    Error::File { what: "cannot name a question".to_owned(), source: std::io::Error::other(error) }
}

#[cfg(test)]
#[path = "questions_tests.rs"]
mod tests;

//! Calls with an idempotency key: carried out once, however often they are sent.
//!
//! The first commit of the call takes the key, so a call that is sent again after a crash is never carried out twice. Its
//! answer is kept when it ends; in between the server can be killed, and then the answer is lost and the caller is told so.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use api::{Code, Error, Spec};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use store::Claim;
use tokens::Member;
use types::{KeptAnswer, KeyedCall};

use crate::registry::Answer;
use crate::{Result, Service};

/// The largest answer that is kept.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// The calls with a key that are being carried out.
#[derive(Debug, Default)]
pub(crate) struct KeysInUse(Mutex<HashSet<String>>);

/// A key in use; free again when this is dropped.
struct InUse<'a>(&'a KeysInUse, String);

impl KeysInUse {
    fn take(&self, id: &str) -> Option<InUse<'_>> {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned());
        taken.then(|| InUse(self, id.to_owned()))
    }
}

impl Drop for InUse<'_> {
    fn drop(&mut self) {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.1);
    }
}

impl Service {
    /// Carries out a call, or answers it as it was answered before.
    pub(crate) async fn once(
        &self,
        spec: &Spec,
        member: &Member,
        key: &str,
        input: &Map<String, Value>,
        work: impl Future<Output = std::result::Result<Answer, Error>>,
    ) -> std::result::Result<Answer, Error> {
        let (uid, input) = (member.uid(), Value::Object(input.clone()).to_string());
        let call = KeyedCall {
            id: digest(&[uid.as_str(), member.role.as_str(), spec.name, key]),
            team: member.team.clone(),
            input: digest(&[&input]),
            answer: None,
            created_at: self.clock.now(),
        };
        let Some(_in_use) = self.keys_in_use.take(&call.id) else { return Err(busy()) };
        if let Some(earlier) = self.store.get::<KeyedCall>(&call.id).await.map_err(told)? {
            return again(earlier, &call);
        }
        let claim = Claim::new(call.clone());
        let answer = claim.during(work).await?;
        if let Err(error) = self.keep(member, &claim, call, &answer).await {
            // The call is done; only a repetition would not be answered.
            tracing::warn!(%error, operation = spec.name, "the answer to a call with a key was not kept");
        }
        Ok(answer)
    }

    async fn keep(&self, member: &Member, claim: &Claim, mut call: KeyedCall, answer: &Answer) -> Result<()> {
        let body = String::from_utf8(answer.body.to_vec()).ok().filter(|body| body.len() <= ANSWER_BYTES_MAX);
        call.answer = body.map(|body| KeptAnswer { body, warnings: answer.warnings.clone() });
        let (stamp, call) = (self.stamp(member, &member.team), &call);
        let made = claim.is_made();
        let kept = self.store.transact(&stamp, |tx| async move {
            match tx.get::<KeyedCall>(&call.id).await? {
                Some(held) => tx.update(&held, call)?,
                None if made => {}
                None => tx.insert(call)?,
            }
            Ok::<_, crate::Error>(())
        });
        kept.await
    }
}

/// Answers a call that was carried out before.
fn again(earlier: KeyedCall, call: &KeyedCall) -> std::result::Result<Answer, Error> {
    if earlier.input != call.input {
        return Err(Error::new(
            Code::IDEMPOTENCY_KEY_REUSED,
            "this idempotency key was used for a call with other fields",
        )
        .hint("Use a new key for a new call; nothing was changed."));
    }
    let lost = || {
        Error::new(Code::IDEMPOTENCY_ANSWER_LOST, "the call was carried out before, and its answer was lost")
            .hint("Read what it changed; nothing was changed again.")
    };
    let KeptAnswer { body, warnings } = earlier.answer.ok_or_else(lost)?;
    Ok(Answer { body: body.into(), next: None, warnings, replayed: true })
}

/// The refusal of a call whose key another call uses at the moment.
pub(crate) fn busy() -> Error {
    Error::new(Code::IDEMPOTENCY_KEY_BUSY, "a call with this idempotency key is being carried out")
        .hint("Send it again when that has ended; nothing was changed by this one.")
}

fn told(error: store::Error) -> Error {
    crate::Error::from(error).told()
}

/// Texts of any content make different digests if they differ, wherever one ends and the next begins.
fn digest(parts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.len().to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

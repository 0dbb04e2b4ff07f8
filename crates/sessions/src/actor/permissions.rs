//! What the agent may do, written down where its calls are made.
//!
//! The permissions file is made of records alone, so it can be written again at any time: before each process, when a rule or an
//! answer changes, and by the server that takes the session up. The agent reads it and cannot write it. What is decided by
//! it comes back in the journal; see `journal.rs`.

use std::path::PathBuf;

use agents::{ApprovalChannel, PermissionHook};
use policy::{Answer, AnswerKey, Dialect, JOURNAL_FILE, OnAsk, PERMISSIONS_FILE, SessionPermissions, concerning};
use types::{Access, Approval, ApprovalState};

use super::Actor;
use super::tools::free;
use crate::Result;
use crate::error::Error;
use crate::hook_probes;

/// The preset by which an agent may do everything that its user may do.
const FULL_ACCESS: &str = "full-access";

/// Characters of the key that answers are proved by.
const KEY_LENGTH: usize = 40;

impl Actor {
    /// Reads what the agent may do from the records, and writes it down for its process.
    pub(super) async fn write_permissions(&mut self) -> Result<()> {
        self.approvals = self.shared.approvals(&self.session.id).await?;
        self.note_approvals();
        let rules = self.shared.rules(&self.session.team).await?;
        let order = &self.session.order;
        let gear = match &self.session.workspace {
            Some(workspace) => self.gear(workspace).await?.tools,
            None => Vec::new(),
        };
        let tools = order.allowed_tools.as_ref().map(|tools| tools.iter().cloned().chain(free()).chain(gear).collect());
        let folder = self.session.workspace.as_ref().map_or(order.place.folder(), |made| made.path.as_str());
        self.permissions = SessionPermissions {
            tools,
            rules: concerning(&rules, &self.session.team, self.session.project.as_ref()),
            answers: self.approvals.iter().filter_map(answer).collect(),
            on_ask: self.on_ask()?,
            home: self.shared.parts.environment.get("HOME").map(PathBuf::from),
            ..SessionPermissions::open(PathBuf::from(folder))
        };
        self.save_permissions_file()
    }

    /// Says which program judges the calls of the next process, for an agent whose hook can run one.
    pub(super) fn gate(&self, agent: &str) -> ApprovalChannel {
        let folder = self.shared.spools.private(&self.session, self.session.runs);
        hook_probes::gate(agent, &self.shared.parts.program, &folder.join(PERMISSIONS_FILE), &folder.join(JOURNAL_FILE))
    }

    /// Returns the words in which the journal tells of calls: those of the agent whose hook writes it, else the bridge's.
    pub(super) fn dialect(&self) -> Dialect {
        let by_hook = self.adapter().is_ok_and(|adapter| match adapter.capabilities().permission_hook {
            PermissionHook::Program => true,
            PermissionHook::None | PermissionHook::Stream => false,
        });
        let hook = permission_hook::Agent::of(&self.session.order.agent).filter(|_| by_hook);
        hook.map_or(Dialect::Claude, permission_hook::Agent::dialect)
    }

    /// Returns the key that answers to the next process are proved by, for one that asks through a bridge. Agents reach it
    /// as little as they reach the outbox.
    pub(super) fn make_answer_key(&self) -> std::result::Result<Option<String>, String> {
        let adapter = self.adapter().map_err(|error| error.to_string())?;
        match adapter.capabilities().permission_hook {
            PermissionHook::None | PermissionHook::Program => return Ok(None),
            PermissionHook::Stream => {}
        }
        let path = self.shared.spools.answer_key(&self.session, self.session.runs);
        // A start that was slow to answer may have told it to its process already.
        if let Some(key) = self.read_answer_key() {
            return Ok(Some(key));
        }
        let key = self.shared.parts.rng.short_code(KEY_LENGTH);
        let written = self.shared.parts.files.write(&path, &key);
        written.map_err(|error| format!("cannot write `{}`: {error}", path.display()))?;
        Ok(Some(key))
    }

    /// Returns the key that answers to the process are proved by; none of one that was started by a server without keys.
    pub(super) fn answer_key(&self) -> Option<AnswerKey> {
        AnswerKey::of(&self.read_answer_key()?)
    }

    fn read_answer_key(&self) -> Option<String> {
        let path = self.shared.spools.answer_key(&self.session, self.session.runs);
        let key = String::from_utf8(self.shared.parts.files.read(&path).ok()?).ok()?;
        Some(key).filter(|key| !key.is_empty())
    }

    /// Returns what the agent may access: everything only with the preset of full access.
    pub(super) fn access(&self) -> Access {
        let order = &self.session.order;
        match order.preset.as_deref() {
            Some(FULL_ACCESS) if order.allowed_tools.is_none() => Access::Full,
            Some(_) | None => policy::access(order.allowed_tools.as_deref()),
        }
    }

    fn save_permissions_file(&self) -> Result<()> {
        let folder = self.shared.spools.private(&self.session, self.session.runs);
        let failed =
            |source: std::io::Error| Error::File { what: "cannot write the permissions file".to_owned(), source };
        self.shared.parts.files.save_permissions(&folder.join(PERMISSIONS_FILE), &self.permissions).map_err(failed)
    }

    /// Returns how a call that needs an approval is handled.
    fn on_ask(&self) -> Result<OnAsk> {
        let adapter = self.adapter()?;
        if adapter.can_leave() {
            return Ok(OnAsk::Defer);
        }
        Ok(match adapter.capabilities().permission_hook {
            PermissionHook::None | PermissionHook::Program => OnAsk::Refuse,
            PermissionHook::Stream => OnAsk::Wait,
        })
    }

    /// Cuts out of what is shown of a call what is known to be a secret, and what stands where one does.
    pub(super) fn without_secrets(&self, text: &str) -> String {
        self.shared.redactor().command(text).text
    }

    /// Returns what a person is shown of a call, and whether a cut in it may hide more than a secret.
    pub(super) fn as_shown(&self, text: &str) -> policy::Redacted {
        let redact::Shown { text, doubtful } = self.shared.redactor().command(text);
        policy::Redacted { text, doubtful }
    }
}

/// What a person answered, as the permissions file has it.
fn answer(approval: &Approval) -> Option<Answer> {
    let (allow, by, why) = match &approval.state {
        ApprovalState::Allowed { by, .. } => (true, by, None),
        ApprovalState::Denied { by, why, .. } => (false, by, Some(why.clone()).filter(|why| !why.is_empty())),
        ApprovalState::Waiting | ApprovalState::Lapsed { .. } => return None,
    };
    Some(Answer { key: approval.key.clone(), allow, by: by.clone(), why })
}

//! What is said on a socket, as a pure decision: from what is known and what was heard to what is known then and what
//! is answered. Nothing here reads a clock, a store or a socket.

use std::collections::BTreeSet;
use std::sync::Arc;

use api::claude_fleet::{SpawnedWorker, TaskStatus, TaskView};
use sessions::Said;
use tokens::Member;
use types::{Handle, MissionId, SessionId, SessionStateName, TeamName};

use super::message::Reply;

/// Chats that one socket may follow.
const CHATS_MAX: usize = 1000;

/// The state of one socket.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Talk {
    /// The client has not authenticated: nothing is sent.
    #[default]
    Stranger,
    /// A member of a team, and the chats it follows.
    Known {
        /// Who.
        member: Member,
        /// Which.
        chats: BTreeSet<String>,
    },
}

/// Something a client did, with what only the application can know about it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Heard {
    /// A token, and whose it is or why it is not believed.
    Auth(Result<Member, String>),
    /// The wish to follow a chat.
    Subscribe {
        /// Which.
        chat: String,
        /// Who the client says it is.
        uid: Option<String>,
        /// Whether the token's member takes part in it.
        participant: bool,
    },
    /// The wish to follow a chat no longer.
    Unsubscribe(String),
    /// The wish for a sign of life.
    Ping,
    /// The time of the member's token is over.
    Expired,
}

/// Something that happened in the fleet.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum News {
    /// A task was given by one member to another.
    Assigned {
        /// The direct chat of the two.
        chat: String,
        /// The task.
        task: Box<TaskView>,
        /// Who gave it.
        by: Handle,
    },
    /// The status of a task changed.
    Moved {
        /// Which.
        task: MissionId,
        /// What it is now.
        status: TaskStatus,
        /// The team.
        team: TeamName,
        /// Who is to do it.
        owner: Option<Handle>,
    },
    /// A worker was started, or taken up again.
    Spawned(Box<SpawnedWorker>),
    /// A worker said or did something.
    Said(Arc<Said>),
    /// A worker is gone.
    Gone {
        /// Its session.
        session: SessionId,
        /// The team.
        team: TeamName,
        /// Its name.
        handle: Handle,
        /// How it ended.
        how: SessionStateName,
    },
}

impl Talk {
    pub(super) fn member(&self) -> Option<&Member> {
        match self {
            Self::Stranger => None,
            Self::Known { member, .. } => Some(member),
        }
    }

    /// Decides what follows from what was heard.
    pub(super) fn hear(self, heard: Heard) -> (Self, Option<Reply>) {
        match (heard, self) {
            (Heard::Ping, talk) => (talk, Some(Reply::Pong)),
            (Heard::Auth(Ok(member)), talk) => talk.introduce(member),
            (Heard::Auth(Err(why)), talk) => (talk, Some(Reply::error(why))),
            (Heard::Subscribe { .. }, Self::Stranger) => (Self::Stranger, Some(authentication_required())),
            (Heard::Subscribe { chat, uid, participant }, Self::Known { member, chats }) => {
                let (chats, reply) = subscribe(&member, chats, chat, uid, participant);
                (Self::Known { member, chats }, Some(reply))
            }
            (Heard::Unsubscribe(_), Self::Stranger) => (Self::Stranger, None),
            (Heard::Unsubscribe(chat), Self::Known { member, mut chats }) => {
                chats.remove(&chat);
                (Self::Known { member, chats }, None)
            }
            (Heard::Expired, _) => (Self::Stranger, Some(Reply::error("Token expired"))),
        }
    }

    /// Keeps the chats of a member that renews its token, and none of another's.
    fn introduce(self, newcomer: Member) -> (Self, Option<Reply>) {
        let uid = newcomer.uid();
        let chats = match self {
            Self::Known { member, chats } if member == newcomer => chats,
            Self::Known { .. } | Self::Stranger => BTreeSet::new(),
        };
        (Self::Known { member: newcomer, chats }, Some(Reply::Authenticated { uid }))
    }

    /// Decides whether this client is told of what happened.
    pub(super) fn tell(&self, news: News) -> Option<Reply> {
        let Self::Known { member, chats } = self else { return None };
        match news {
            News::Assigned { chat, task, by } if chats.contains(&chat) => {
                Some(Reply::TaskAssigned { task, handle: by })
            }
            News::Moved { task, status, team, owner } if member.sees(&team) => {
                Some(Reply::TaskUpdated { task_id: task, status, team_name: team, owner_handle: owner })
            }
            News::Spawned(worker) if member.sees(&worker.team_name) => Some(Reply::WorkerSpawned { worker }),
            News::Said(said) if member.sees(&said.team) => Some(Reply::WorkerOutput {
                handle: said.handle.clone(),
                output: said.lines.join("\n"),
                team_name: said.team.clone(),
                session_id: said.session.clone(),
                left_out: said.left_out,
            }),
            News::Gone { session, team, handle, how } if member.sees(&team) => {
                Some(Reply::WorkerDismissed { handle, team_name: team, session_id: session, reason: how.as_str() })
            }
            News::Assigned { .. } | News::Moved { .. } | News::Spawned(_) | News::Said(_) | News::Gone { .. } => None,
        }
    }
}

fn subscribe(
    member: &Member,
    mut chats: BTreeSet<String>,
    chat: String,
    uid: Option<String>,
    participant: bool,
) -> (BTreeSet<String>, Reply) {
    if uid.is_some_and(|uid| uid != member.uid().as_str()) {
        return (chats, Reply::error("`uid` names another agent than the token does"));
    }
    if !participant {
        return (chats, Reply::error("Not a participant of this chat"));
    }
    if chats.len() >= CHATS_MAX && !chats.contains(&chat) {
        return (chats, Reply::error(format!("a socket follows at most {CHATS_MAX} chats")));
    }
    chats.insert(chat.clone());
    (chats, Reply::Subscribed { chat_id: chat })
}

fn authentication_required() -> Reply {
    Reply::error(r#"Authentication required. Send {"type":"auth","token":"…"} first."#)
}

#[cfg(test)]
#[path = "talk_tests.rs"]
mod tests;

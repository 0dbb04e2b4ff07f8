//! Answers a question of the agent: the session's permissions decide, and the decision is recorded.

use std::path::{Path, PathBuf};

use agents::{Question, Say};
use policy::{Call, Dialect, JOURNAL_FILE, Judged, OnAsk, PERMISSIONS_FILE, SessionPermissions, Verdict, decide};
use runtime::Clock;

/// Decides by the files of a session.
#[derive(Debug)]
pub(crate) struct Judge {
    fence: PathBuf,
    journal: PathBuf,
    clock: Clock,
}

/// What was decided.
#[derive(Debug, PartialEq)]
pub(crate) enum Judgement {
    /// The agent is told this.
    Answer(Say),
    /// A person is asked about this call, and the agent waits.
    Ask(Call),
}

impl Judge {
    pub(crate) fn new(folder: &Path, clock: Clock) -> Self {
        Self { fence: folder.join(PERMISSIONS_FILE), journal: folder.join(JOURNAL_FILE), clock }
    }

    /// Decides on a call. What cannot be judged or written down is refused.
    pub(crate) fn decide(&self, question: &Question) -> Judgement {
        let call = Call::of(Dialect::Claude, &question.tool, &question.input);
        let (verdict, on_ask) = match SessionPermissions::load(&self.fence) {
            Ok(fence) => (decide(&fence, &call), fence.on_ask),
            Err(error) => (Verdict::unreadable(error.to_string()), OnAsk::Refuse),
        };
        let judged = Judged::new(self.clock.now(), question.call.clone(), &call, verdict.clone());
        let verdict = match judged.append(&self.journal) {
            Ok(()) => verdict,
            Err(error) => Verdict::unreadable(format!("the journal of calls cannot be written: {error}")),
        };
        let request = question.request.clone();
        match (verdict, on_ask) {
            (Verdict::Allow, _) => Judgement::Answer(Say::Allow { request, input: question.input.clone() }),
            (Verdict::Block { why, .. }, _) => Judgement::Answer(Say::Deny { request, why }),
            (Verdict::Ask { .. }, OnAsk::Wait | OnAsk::Defer) => Judgement::Ask(call),
            (Verdict::Ask { why, .. }, OnAsk::Refuse) => {
                let why =
                    format!("a person must allow this first: {why}; continue with something else and try again later");
                Judgement::Answer(Say::Deny { request, why })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn question(command: &str) -> Question {
        let input = json!({"command": command});
        Question { request: "ask-1".to_owned(), tool: "Bash".to_owned(), input, call: Some("c".to_owned()) }
    }

    fn judge(folder: &Path, fence: Option<SessionPermissions>) -> Judge {
        if let Some(fence) = fence {
            fence.save(&folder.join(PERMISSIONS_FILE)).unwrap();
        }
        Judge::new(folder, Clock::system())
    }

    #[test]
    fn without_a_fence_the_answer_is_no_and_is_written_down() {
        let folder = tempfile::tempdir().unwrap();
        let judge = judge(folder.path(), None);
        assert!(
            matches!(judge.decide(&question("ls")), Judgement::Answer(Say::Deny { why, .. }) if why.contains("permissions"))
        );
        assert_eq!(Judged::read(&folder.path().join(JOURNAL_FILE), 0).unwrap().judged.len(), 1);
    }

    #[test]
    fn a_decision_that_cannot_be_written_down_is_no() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(JOURNAL_FILE)).unwrap();
        let judge = judge(folder.path(), Some(SessionPermissions::open(folder.path().into())));
        let answer = judge.decide(&question("ls"));
        assert!(matches!(answer, Judgement::Answer(Say::Deny { why, .. }) if why.contains("journal")));
    }

    #[test]
    fn the_fence_is_read_anew_for_every_call() {
        let folder = tempfile::tempdir().unwrap();
        let open = SessionPermissions::open(folder.path().into());
        let judge = judge(folder.path(), Some(open.clone()));
        assert!(matches!(judge.decide(&question("ls")), Judgement::Answer(Say::Allow { .. })));
        SessionPermissions { tools: Some(vec!["Read".to_owned()]), ..open }
            .save(&folder.path().join(PERMISSIONS_FILE))
            .unwrap();
        assert!(matches!(judge.decide(&question("ls")), Judgement::Answer(Say::Deny { .. })));
        let lines = Judged::read(&folder.path().join(JOURNAL_FILE), 0).unwrap().judged;
        let verdicts: Vec<bool> = lines.iter().map(|line| line.verdict == Verdict::Allow).collect();
        assert_eq!((verdicts, lines[0].id.as_deref()), (vec![true, false], Some("c")));
    }
}

//! What becomes of a question of the agent: the fence of its session decides, and the decision is written down.

use std::path::{Path, PathBuf};

use agents::{Question, Say};
use policy::{Call, Dialect, FENCE_FILE, Fence, JOURNAL_FILE, Judged, OnAsk, Verdict, decide};
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
    /// A person is asked, and the agent waits.
    Ask,
}

impl Judge {
    pub(crate) fn new(folder: &Path, clock: Clock) -> Self {
        Self { fence: folder.join(FENCE_FILE), journal: folder.join(JOURNAL_FILE), clock }
    }

    /// Decides on a call. What cannot be judged or written down is refused.
    pub(crate) fn decide(&self, question: &Question) -> Judgement {
        let call = Call::of(Dialect::Claude, &question.tool, &question.input);
        let (verdict, on_ask) = match Fence::load(&self.fence) {
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
            (Verdict::Ask { .. }, OnAsk::Wait | OnAsk::Defer) => Judgement::Ask,
            (Verdict::Ask { why, .. }, OnAsk::Refuse) => {
                let why =
                    format!("a person must allow this first: {why}; go on with something else and try again later");
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

    fn judge(folder: &Path, fence: Option<Fence>) -> Judge {
        if let Some(fence) = fence {
            fence.save(&folder.join(FENCE_FILE)).unwrap();
        }
        Judge::new(folder, Clock::system())
    }

    #[test]
    fn without_a_fence_the_answer_is_no_and_is_written_down() {
        let folder = tempfile::tempdir().unwrap();
        let judge = judge(folder.path(), None);
        assert!(
            matches!(judge.decide(&question("ls")), Judgement::Answer(Say::Deny { why, .. }) if why.contains("fence"))
        );
        assert_eq!(Judged::read(&folder.path().join(JOURNAL_FILE), 0).unwrap().0.len(), 1);
    }

    #[test]
    fn a_decision_that_cannot_be_written_down_is_no() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(JOURNAL_FILE)).unwrap();
        let judge = judge(folder.path(), Some(Fence::open(folder.path().into())));
        let answer = judge.decide(&question("ls"));
        assert!(matches!(answer, Judgement::Answer(Say::Deny { why, .. }) if why.contains("journal")));
    }

    #[test]
    fn the_fence_is_read_anew_for_every_call() {
        let folder = tempfile::tempdir().unwrap();
        let open = Fence::open(folder.path().into());
        let judge = judge(folder.path(), Some(open.clone()));
        assert!(matches!(judge.decide(&question("ls")), Judgement::Answer(Say::Allow { .. })));
        Fence { tools: Some(vec!["Read".to_owned()]), ..open }.save(&folder.path().join(FENCE_FILE)).unwrap();
        assert!(matches!(judge.decide(&question("ls")), Judgement::Answer(Say::Deny { .. })));
        let (lines, _) = Judged::read(&folder.path().join(JOURNAL_FILE), 0).unwrap();
        let verdicts: Vec<bool> = lines.iter().map(|line| line.verdict == Verdict::Allow).collect();
        assert_eq!((verdicts, lines[0].id.as_deref()), (vec![true, false], Some("c")));
    }
}

//! The owner trusts a repository, and Fleet's git runs the programs that its settings name, at once; others cannot.

use api::Code;
use api::devfleet::{GetProject, TrustProject, UntrustProject};
use client::Client;
use serde_json::json;
use tokens::Member;
use types::Role;

use crate::landing::put;
use crate::sessions::{Work, git, launch, script};

impl Work {
    /// Runs a mission in a new worktree, and says whether the filter of the repository ran for it.
    #[expect(clippy::disallowed_methods, reason = "a test removes its own file")]
    async fn filters(&self) -> bool {
        let planted = self.repository.with_file_name("planted");
        let _ = std::fs::remove_file(&planted);
        let (_, session) = self.run(&script(&[r#"{ do = "finish", text = "over" }"#])).await;
        self.server().session_ended(&session).await;
        planted.exists()
    }

    async fn is_trusted(&self) -> bool {
        self.call::<GetProject>(json!({ "project": self.project })).await.unwrap().trusted
    }
}

fn op<O: api::Operation>(input: serde_json::Value) -> O {
    serde_json::from_value(input).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repository_is_trusted_and_no_longer_without_a_restart() {
    let mut work = Work::begin(launch().env("FLEET_WORKTREE_POOL", "0")).await;
    let planted = work.repository.with_file_name("planted");
    put(&work.repository.join(".gitattributes"), "* filter=mark\n");
    git(&work.repository, &["add", ".gitattributes"]);
    git(&work.repository, &["commit", "--quiet", "--message", "attributes"]);
    git(&work.repository, &["config", "filter.mark.smudge", &format!("touch '{}'; cat", planted.display())]);
    assert!(!work.filters().await && !work.is_trusted().await);

    let project = json!({ "project": work.project });
    for _ in 0..2 {
        let trust = work.call::<TrustProject>(project.clone()).await.unwrap();
        assert!(trust.trusted && trust.repository == work.repository.canonicalize().unwrap().to_string_lossy());
    }
    assert!(work.is_trusted().await && work.filters().await, "the filter of a trusted repository did not run");
    work.restart().await;
    assert!(work.is_trusted().await && work.filters().await, "the trust is gone after a restart");

    let trust = work.call::<UntrustProject>(project).await.unwrap();
    assert!(!trust.trusted && !work.is_trusted().await);
    assert!(!work.filters().await, "the filter of a repository ran that is no longer trusted");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_owner_trusts_a_repository() {
    let work = Work::begin(launch()).await;
    let project = json!({ "project": work.project });
    for role in [Role::TeamLead, Role::Coordinator, Role::Worker] {
        let member = Member { handle: "boss".parse().unwrap(), team: "default".parse().unwrap(), role, session: None };
        let token = work.server().token(&member);
        let client = Client::new(work.server().url(), Some(&token)).unwrap();
        let refused = client.call(op::<TrustProject>(project.clone())).await.unwrap_err();
        assert_eq!(refused.code, Code::ROLE_REFUSED, "{role:?}: {refused:?}");
        let refused = client.call(op::<UntrustProject>(project.clone())).await.unwrap_err();
        assert_eq!(refused.code, Code::ROLE_REFUSED, "{role:?}: {refused:?}");
    }
    let (mission, session) = work.run(&script(&[r#"{ do = "listen" }"#])).await;
    work.server().session_until(&session, |shown| shown.session.sandbox.is_some()).await;
    let agent = work.agent(&mission, &session);
    let refused = agent.call(op::<TrustProject>(project)).await.unwrap_err();
    assert_eq!(refused.code, Code::ROLE_REFUSED, "{refused:?}");
    assert!(!work.is_trusted().await);
}

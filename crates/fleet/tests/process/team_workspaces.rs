//! A lead sees, restores and prunes the workspaces of its own team; the owner those of all.

use api::Code;
use api::fleet::{ListSnapshots, ListWorkspaces, PruneWorkspaces, RemoveWorkspace, RestoreWorkspace};
use client::Client;
use serde_json::{Value, json};
use tokens::Member;
use types::Role;

use crate::sessions::{Work, launch, script};

fn op<O: api::Operation>(input: Value) -> O {
    serde_json::from_value(input).unwrap()
}

fn lead(work: &Work, team: &str) -> Client {
    let (handle, role) = ("boss".parse().unwrap(), Role::TeamLead);
    let token = work.server().token(&Member { handle, team: team.parse().unwrap(), role, session: None });
    Client::new(work.server().url(), Some(&token)).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lead_acts_on_the_workspaces_of_its_own_team_alone() {
    let work = Work::begin(launch().env("FLEET_WORKTREE_POOL", "0")).await;
    let mut sessions = Vec::new();
    for _ in 0..2 {
        let (_, session) = work.run(&script(&[r#"{ do = "finish", text = "over" }"#])).await;
        work.server().session_ended(&session).await;
        sessions.push(session);
    }
    let [removed, kept] = sessions.as_slice() else { panic!("two sessions") };
    let (own, other) = (lead(&work, "default"), lead(&work, "other"));
    let snapshot =
        own.call(op::<RemoveWorkspace>(json!({ "session": removed }))).await.unwrap().output.snapshot.unwrap();
    let folder = json!({ "folder": work.repository });
    let restore = json!({ "folder": work.repository, "snapshot": snapshot });
    let restore_to =
        json!({ "folder": work.repository, "snapshot": snapshot, "to": work.repository.with_file_name("to") });

    // A lead of another team: neither lists, nor restores, nor removes, and its pruning names nothing.
    assert!(other.call(ListWorkspaces {}).await.unwrap().output.items.is_empty());
    let refused = other.call(op::<ListSnapshots>(folder.clone())).await.unwrap_err();
    assert_eq!(refused.code, Code::WORKSPACE_REFUSED, "{refused:?}");
    let refused = other.call(op::<RestoreWorkspace>(restore.clone())).await.unwrap_err();
    assert_eq!(refused.code, Code::WORKSPACE_REFUSED, "{refused:?}");
    assert!(other.call(op::<RemoveWorkspace>(json!({ "session": kept }))).await.is_err());
    let all = json!({ "free_mb": 1_000_000_000_u64, "apply": true });
    let pruned = other.call(op::<PruneWorkspaces>(all.clone())).await.unwrap().output;
    assert!(pruned.removed.is_empty() && pruned.kept.is_empty(), "{pruned:#?}");

    // The same calls succeed for a lead of the team.
    let listed = own.call(ListWorkspaces {}).await.unwrap().output.items;
    let named: Vec<_> = listed.iter().filter_map(|one| one.session.as_deref()).collect();
    assert_eq!(named, [kept.as_str()], "{listed:#?}");
    let snapshots = own.call(op::<ListSnapshots>(folder)).await.unwrap().output.items;
    assert!(snapshots.iter().any(|one| one.snapshot == snapshot), "{snapshots:#?}");
    let refused = own.call(op::<RestoreWorkspace>(restore_to.clone())).await.unwrap_err();
    assert_eq!(refused.code, Code::ROLE_REFUSED, "a lead has a folder written anywhere: {refused:?}");
    own.call(op::<RestoreWorkspace>(restore)).await.unwrap();
    let pruned = own.call(op::<PruneWorkspaces>(all)).await.unwrap().output;
    // Both were just given out, so they stay, and a lead of their team is told so.
    assert!(pruned.kept.iter().any(|one| one.path == listed[0].path), "{pruned:#?}");
}

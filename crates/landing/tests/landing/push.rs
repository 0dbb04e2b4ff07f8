//! A remote gets the target only on request, and never by force.

use fleet_landing::Push;

use crate::sandbox::{Sandbox, landed, put};

#[tokio::test]
async fn nothing_is_pushed_unasked_and_a_remote_that_refuses_is_left_as_it_is() {
    let sandbox = Sandbox::new();
    let (lander, ground) = (sandbox.lander(), sandbox.ground(&["true"]));
    assert_eq!(lander.push(&ground, "upstream").await.unwrap(), Push::NoRemote);
    assert_eq!(lander.push(&ground, "--mirror").await.unwrap(), Push::NoRemote);
    let origin = sandbox.path("origin.git");
    sandbox.run(&sandbox.repo(), &["clone", "-q", "--bare", ".", origin.to_str().unwrap()]);
    sandbox.run(&sandbox.repo(), &["remote", "add", "upstream", origin.to_str().unwrap()]);
    let there = || sandbox.run(&origin, &["rev-parse", "main"]);
    let first = there();
    landed(lander.attempt(&ground, &sandbox.branch("b", "main", &[("b", "b\n")])).await.unwrap());
    assert_eq!(there(), first);
    assert_eq!(lander.push(&ground, "upstream").await.unwrap(), Push::Done);
    assert_eq!(there(), sandbox.main());

    // Another user pushes, and what lands here afterwards is not theirs.
    let other = sandbox.path("other");
    sandbox.run(&sandbox.path("home"), &["clone", "-q", origin.to_str().unwrap(), other.to_str().unwrap()]);
    put(&other, "theirs", "x\n");
    sandbox.commit(&other, "theirs");
    sandbox.run(&other, &["push", "-q", "origin", "main"]);
    let theirs = there();
    landed(lander.attempt(&ground, &sandbox.branch("c", "main", &[("c", "c\n")])).await.unwrap());
    let told = lander.push(&ground, "upstream").await.unwrap();
    assert!(matches!(&told, Push::Rejected { said } if said.contains("rejected")), "{told:?}");
    assert_eq!(there(), theirs);
}

#[tokio::test]
async fn a_protected_branch_is_told_as_a_refusal() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new();
    let origin = sandbox.path("origin.git");
    sandbox.run(&sandbox.repo(), &["clone", "-q", "--bare", ".", origin.to_str().unwrap()]);
    sandbox.run(&sandbox.repo(), &["remote", "add", "origin", origin.to_str().unwrap()]);
    put(&origin, "hooks/pre-receive", "#!/bin/sh\necho this branch is protected\nexit 1\n");
    std::fs::set_permissions(origin.join("hooks/pre-receive"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let (lander, ground) = (sandbox.lander(), sandbox.ground(&["true"]));
    landed(lander.attempt(&ground, &sandbox.branch("b", "main", &[("b", "b\n")])).await.unwrap());
    let told = lander.push(&ground, "origin").await.unwrap();
    assert!(matches!(&told, Push::Rejected { said } if said.contains("protected")), "{told:?}");
}

//! Merges that conflict, halves that are red together, targets that others move.

use super::*;

fn branch(field: &Field, code: &str, change: Change) -> Commit {
    let session = SessionId::from_code(code).unwrap();
    field.branch_off(&session);
    field.inner().add(&session, change);
    field.tip(&session).unwrap()
}

fn change(file: u64, flaw: Flaw) -> Change {
    Change { file, flaw, mends: None }
}

fn merged(field: &Field, on: Commit, branch: Commit) -> Commit {
    match field.merge(on, branch) {
        Merged::Commit(commit) => commit,
        other @ (Merged::Contained | Merged::Conflict) => panic!("{other:?}"),
    }
}

#[test]
fn changes_of_one_file_conflict_until_one_knows_of_the_other() {
    let field = Field::new();
    let one = branch(&field, "aaaaa", change(1, Flaw::None));
    let other = branch(&field, "bbbbb", change(1, Flaw::None));
    assert!(field.swap(field.target(), one));
    assert_eq!(field.merge(field.target(), one), Merged::Contained);
    assert_eq!(field.merge(field.target(), other), Merged::Conflict);
    let session = SessionId::from_code("bbbbb").unwrap();
    field.mend(&session, &Rng::seeded(1));
    let mended = merged(&field, field.target(), field.tip(&session).unwrap());
    assert!(field.swap(field.target(), mended) && field.has(other));
}

#[test]
fn halves_are_green_apart_and_red_together_until_one_is_mended() {
    let field = Field::new();
    let half = |left| Flaw::Half { pair: 0, left };
    let (left, right) =
        (branch(&field, "aaaaa", change(1, half(true))), branch(&field, "bbbbb", change(2, half(false))));
    assert_eq!((field.check(left), field.check(right)), (Checks::Green, Checks::Green));
    assert!(field.swap(field.target(), left));
    assert_eq!(field.check(merged(&field, field.target(), right)), Checks::Red);
    let session = SessionId::from_code("bbbbb").unwrap();
    field.mend(&session, &Rng::seeded(1));
    assert_eq!(field.check(field.tip(&session).unwrap()), Checks::Green);
}

#[test]
fn a_target_that_others_moved_is_not_moved() {
    let field = Field::new();
    let (stood, one) = (field.target(), branch(&field, "aaaaa", change(1, Flaw::None)));
    field.push(&Rng::seeded(1));
    assert!(!field.swap(stood, one) && !field.has(one));
}

#[test]
fn what_hangs_hangs_wherever_it_is_merged() {
    let field = Field::new();
    let one = branch(&field, "aaaaa", change(1, Flaw::Hangs));
    field.push(&Rng::seeded(1));
    let session = SessionId::from_code("aaaaa").unwrap();
    assert_eq!(field.check(one), Checks::Hang);
    field.mend(&session, &Rng::seeded(2));
    assert_eq!(field.check(field.tip(&session).unwrap()), Checks::Green);
}

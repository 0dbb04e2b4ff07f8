//! Sub-missions: how deep they go, how many there are, and what one may spend of what its parent has left.

use types::{Cost, Limits, Mission, SessionId, Share, Spent};

/// How many missions may stand above one another above a sub-mission at most; the settings may allow fewer.
pub const DEPTH_MAX: usize = 10;

/// Most sub-missions of one mission.
pub const CHILDREN_MAX: usize = 20;

/// The least money that is worth handing on.
const CENT: f64 = 0.01;

/// Why a mission gets no further sub-mission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoRoom {
    /// It has as many as it may.
    #[error("it has {CHILDREN_MAX} sub-missions, which is as many as a mission may have")]
    Children,
    /// It is nested too deep itself.
    #[error("it is {most} missions deep, which is as deep as sub-missions go")]
    Depth {
        /// How deep they go.
        most: usize,
    },
    /// Nothing is left of its budget that it could hand on.
    #[error("nothing is left of its budget that could be handed on")]
    Budget,
}

/// Decides whether a mission may have another sub-mission, and under which ceilings.
///
/// `above` counts the missions above the new one and may be `deep` at most, `left` is what the parent has left, and `given` are the ceilings of
/// the sub-missions that it has. Money and tokens are shared: a sub-mission gets half of what is left and not yet
/// given, so all of them together never get more than their parent had. Turns and time bound a single agent, and are no
/// more than the parent's.
///
/// # Errors
/// Says what there is no room for.
pub fn allot((above, deep): (usize, usize), left: Limits, given: &[Limits]) -> Result<Limits, NoRoom> {
    if above > deep {
        return Err(NoRoom::Depth { most: deep });
    }
    if given.len() >= CHILDREN_MAX {
        return Err(NoRoom::Children);
    }
    let dollars: f64 = given.iter().filter_map(|limits| limits.dollars_max).sum();
    let tokens = given.iter().filter_map(|limits| limits.tokens_max).fold(0, u64::saturating_add);
    let share = Limits {
        dollars_max: left.dollars_max.map(|left| (left - dollars) / 2.0),
        tokens_max: left.tokens_max.map(|left| left.saturating_sub(tokens) / 2),
        turns_max: left.turns_max,
        secs_max: left.secs_max,
    };
    let used_up = share.dollars_max.is_some_and(|dollars| dollars < CENT)
        || share.tokens_max == Some(0)
        || share.turns_max == Some(0)
        || share.secs_max == Some(0);
    if used_up { Err(NoRoom::Budget) } else { Ok(share) }
}

/// Returns the part of its parent's ceilings that a new sub-mission takes away, if those are limited at all.
#[must_use]
pub fn share(child: &Mission, by: Option<SessionId>) -> Option<Share> {
    let Limits { dollars_max, tokens_max, .. } = child.limits;
    let cost = dollars_max.map(Cost::from).unwrap_or_default();
    let amount = Spent { cost, tokens: tokens_max.unwrap_or_default(), ..Spent::default() };
    (!amount.is_nothing()).then(|| Share { to: child.id.clone(), by, amount })
}

/// Adds up what a mission has handed on: all of it, or what one of its sessions did.
///
/// What a mission hands on counts as spent by it. So it and its sub-missions together never spend more than it may,
/// however deep they go: what each may spend itself and what it has handed on make up what it was given.
#[must_use]
pub fn handed_on(mission: &Mission, by: Option<&SessionId>) -> Spent {
    let shares = mission.shares.iter().filter(|share| by.is_none() || share.by.as_ref() == by);
    shares.fold(Spent::default(), |sum, share| sum.plus(share.amount))
}

/// Returns the lower of two ceilings, each by itself.
#[must_use]
pub fn within(most: Limits, asked: Limits) -> Limits {
    Limits {
        turns_max: lower(most.turns_max, asked.turns_max, u32::min),
        dollars_max: lower(most.dollars_max, asked.dollars_max, f64::min),
        tokens_max: lower(most.tokens_max, asked.tokens_max, u64::min),
        secs_max: lower(most.secs_max, asked.secs_max, u64::min),
    }
}

fn lower<T>(one: Option<T>, other: Option<T>, least: impl Fn(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(least(one, other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use proptest::option;
    use proptest::prelude::*;

    use types::MissionId;

    use super::*;

    const OPEN: Limits = Limits { turns_max: None, dollars_max: None, tokens_max: None, secs_max: None };

    #[test]
    fn where_nothing_is_limited_nothing_is_and_there_is_an_end_to_how_many_and_how_deep() {
        assert_eq!(allot((1, 3), OPEN, &[]), Ok(OPEN));
        assert_eq!(allot((3, 3), OPEN, &[OPEN; CHILDREN_MAX - 1]), Ok(OPEN));
        assert_eq!(allot((1, 3), OPEN, &[OPEN; CHILDREN_MAX]), Err(NoRoom::Children));
        assert_eq!(allot((4, 3), OPEN, &[]), Err(NoRoom::Depth { most: 3 }));
    }

    #[test]
    fn whoever_has_nothing_left_hands_nothing_on() {
        for left in [
            Limits { dollars_max: Some(0.0), ..OPEN },
            Limits { tokens_max: Some(1), ..OPEN },
            Limits { turns_max: Some(0), ..OPEN },
            Limits { secs_max: Some(0), ..OPEN },
        ] {
            assert_eq!(allot((1, 3), left, &[]), Err(NoRoom::Budget), "{left:?}");
        }
    }

    /// What happens in a tree of missions.
    #[derive(Debug, Clone, Copy)]
    enum Step {
        /// A mission spends so much of what it has left itself.
        Spend(f64),
        /// A mission hands on a part.
        HandOn,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![(0.0..=1.0_f64).prop_map(Step::Spend), Just(Step::HandOn)]
    }

    fn left_of(mission: &Mission) -> Limits {
        let gone = mission.spent.plus(handed_on(mission, None));
        let dollars = |most: f64| (Cost::from(most).nanodollars().saturating_sub(gone.cost.nanodollars())) as f64 / 1e9;
        Limits {
            dollars_max: mission.limits.dollars_max.map(dollars),
            tokens_max: mission.limits.tokens_max.map(|most| most.saturating_sub(gone.tokens)),
            ..OPEN
        }
    }

    /// Lets a tree spend and hand on, and each mission spend what it has left at the end; returns what all of it spent
    /// and how often something was handed on.
    fn spent_by_a_tree(limits: Limits, steps: &[(usize, Step)], takes_away: bool) -> (Spent, usize) {
        let mission = |number: usize, limits| {
            let code = format!("aa{number:0>5}").replace(['0', '1'], "z");
            Mission { id: MissionId::from_code(&code).unwrap(), limits, ..crate::samples::draft() }
        };
        let mut tree = vec![mission(0, limits)];
        let spend = |mission: &mut Mission, part: f64| {
            let left = left_of(mission);
            let dollars = left.dollars_max.unwrap_or_default() * part;
            let tokens = (left.tokens_max.unwrap_or_default() as f64 * part) as u64;
            mission.spent = mission.spent.plus(Spent { cost: Cost::from(dollars), tokens, ..Spent::default() });
        };
        let mut handed = 0;
        for (at, step) in steps {
            let at = at % tree.len();
            match step {
                Step::Spend(part) => spend(&mut tree[at], *part),
                Step::HandOn => {
                    let Ok(limits) = allot((1, 3), left_of(&tree[at]), &[]) else { continue };
                    let child = mission(tree.len(), limits);
                    handed += 1;
                    if takes_away {
                        tree[at].shares.extend(share(&child, None));
                    }
                    tree.push(child);
                }
            }
        }
        tree.iter_mut().for_each(|mission| spend(mission, 1.0));
        (tree.iter().fold(Spent::default(), |sum, mission| sum.plus(mission.spent)), handed)
    }

    #[test]
    fn a_parent_that_handed_on_spends_the_rest_alone_and_without_that_the_tree_would_spend_more() {
        let limits = Limits { dollars_max: Some(8.0), tokens_max: Some(800), ..OPEN };
        let steps = [(0, Step::HandOn)];
        assert_eq!(spent_by_a_tree(limits, &steps, true).0.tokens, 800);
        assert_eq!(spent_by_a_tree(limits, &steps, false).0.tokens, 1200, "the control");
    }

    fn any_limits() -> impl Strategy<Value = Limits> {
        let whole = || option::of(0..1_000_u32);
        (whole(), option::of(0.0..10.0_f64), whole(), whole()).prop_map(|(turns_max, dollars_max, tokens, secs)| {
            Limits { turns_max, dollars_max, tokens_max: tokens.map(u64::from), secs_max: secs.map(u64::from) }
        })
    }

    proptest! {
        #[test]
        fn a_tree_never_spends_more_than_its_root_was_given(
            dollars in 0.05..10.0_f64,
            tokens in 2..2_000_u64,
            steps in proptest::collection::vec((any::<usize>(), step()), 0..60),
        ) {
            let limits = Limits { dollars_max: Some(dollars), tokens_max: Some(tokens), ..OPEN };
            let (all, handed) = spent_by_a_tree(limits, &steps, true);
            prop_assert!(all.cost <= Cost::from(dollars) && all.tokens <= tokens, "{all:?} of {limits:?}");
            // The control: if what is handed on is not taken away, the root spends it once more itself.
            let (unguarded, _) = spent_by_a_tree(limits, &steps, false);
            prop_assert!(handed == 0 || unguarded.tokens >= all.tokens);
        }

        #[test]
        fn nobody_gets_more_than_its_parent_and_all_together_share_its_money(left in any_limits()) {
            let mut given = Vec::new();
            while let Ok(share) = allot((1, 3), left, &given) {
                // What is limited stays limited.
                prop_assert_eq!(share.dollars_max.is_some(), left.dollars_max.is_some());
                prop_assert_eq!(share.tokens_max.is_some(), left.tokens_max.is_some());
                prop_assert_eq!((share.turns_max, share.secs_max), (left.turns_max, left.secs_max));
                given.push(share);
            }
            let dollars: f64 = given.iter().filter_map(|limits| limits.dollars_max).sum();
            let tokens: u64 = given.iter().filter_map(|limits| limits.tokens_max).sum();
            prop_assert!(given.len() <= CHILDREN_MAX);
            prop_assert!(left.dollars_max.is_none_or(|left| dollars <= left));
            prop_assert!(left.tokens_max.is_none_or(|left| tokens <= left));
        }
    }
}

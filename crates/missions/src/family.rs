//! Sub-missions: how deep they go, how many there are, and what one may spend of what its parent has left.

use types::Limits;

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

#[cfg(test)]
mod tests {
    use proptest::option;
    use proptest::prelude::*;

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

    fn any_limits() -> impl Strategy<Value = Limits> {
        let whole = || option::of(0..1_000_u32);
        (whole(), option::of(0.0..10.0_f64), whole(), whole()).prop_map(|(turns_max, dollars_max, tokens, secs)| {
            Limits { turns_max, dollars_max, tokens_max: tokens.map(u64::from), secs_max: secs.map(u64::from) }
        })
    }

    proptest! {
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

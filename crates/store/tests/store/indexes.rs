//! Indexes: after any history, every list is what a look at all the records gives, and no place is left behind.

use std::collections::BTreeMap;

use fleet_store::{Page, Query, Store, by};
use kv::Order;
use proptest::prelude::*;
use types::{Mission, MissionId, MissionState, StateName, TeamName, Timestamp};

use crate::engines::Probe;
use crate::support::{assert_places, at, change, id, insert, mission, open, project, remove};

type Model = BTreeMap<MissionId, Mission>;

#[derive(Debug, Clone)]
enum Step {
    Put(Box<Mission>),
    Remove(MissionId),
}

/// Groups that are listed as one, and what belongs to them.
struct Listing {
    groups: Vec<String>,
    holds: Box<dyn Fn(&Mission) -> bool>,
    by: By,
}

#[derive(Clone, Copy)]
enum By {
    Urgency,
    Age,
    Number,
}

fn team(number: usize) -> TeamName {
    ["alpha", "beta"][number].parse().unwrap()
}

fn states() -> Vec<MissionState> {
    vec![
        MissionState::Draft,
        MissionState::Ready { since: at(0) },
        MissionState::Parked { why: types::ParkReason::Budget { text: String::new() }, until: None },
    ]
}

fn any_mission() -> impl Strategy<Value = Mission> {
    let tags = prop::sample::subsequence(vec!["a", "b", "a/b"], 0..=3);
    let times = vec![Timestamp::from_second(-5).unwrap(), at(0), at(1), Timestamp::from_microsecond(7).unwrap()];
    let priorities = prop::sample::select(vec![i32::MIN, -100_001, -1, 0, 0, 9, 899_999, 900_001, i32::MAX]);
    let others = (prop::option::of(0..2usize), prop::sample::subsequence(vec![0usize, 1, 2], 0..=3));
    let names = (0..8usize, 0..2usize, prop::option::of(0..2usize));
    (names, prop::sample::select(states()), priorities, tags, others, prop::sample::select(times)).prop_map(
        |((number, of, in_project), state, priority, tags, (parent, depends_on), created_at)| Mission {
            team: team(of),
            project: in_project.map(project),
            number: in_project.map(|_| number as u64 + 1),
            state,
            priority,
            tags: tags.into_iter().map(str::to_owned).collect(),
            parent: parent.map(id),
            depends_on: depends_on.into_iter().map(id).collect(),
            created_at,
            ..mission(number)
        },
    )
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![4 => any_mission().prop_map(|mission| Step::Put(Box::new(mission))), 1 => (0..8usize).prop_map(|number| Step::Remove(id(number)))]
}

fn listing(groups: Vec<String>, by: By, holds: impl Fn(&Mission) -> bool + 'static) -> Listing {
    Listing { groups, holds: Box::new(holds), by }
}

/// Every group there is, and some that are asked for together.
fn listings() -> Vec<Listing> {
    let mut all = vec![listing(vec![by::mission::all()], By::Urgency, |_| true)];
    for tag in ["a", "b", "a/b"] {
        let holds = move |mission: &Mission| mission.tags.iter().any(|other| other == tag);
        all.push(listing(vec![by::mission::tag(tag)], By::Urgency, holds));
    }
    for state in StateName::ALL {
        all.push(listing(vec![by::mission::state(state)], By::Urgency, move |mission| mission.state.name() == state));
        for of in [0, 1] {
            let in_team = move |mission: &Mission| mission.team == team(of) && mission.state.name() == state;
            all.push(listing(vec![by::mission::team_state(&team(of), state)], By::Urgency, in_team));
            let in_project =
                move |mission: &Mission| mission.project == Some(project(of)) && mission.state.name() == state;
            all.push(listing(vec![by::mission::project_state(&project(of), state)], By::Urgency, in_project));
        }
    }
    for of in [0, 1] {
        let (in_team, in_project) = (
            move |mission: &Mission| mission.team == team(of),
            move |mission: &Mission| mission.project == Some(project(of)),
        );
        all.push(listing(vec![by::mission::team(&team(of))], By::Urgency, in_team));
        all.push(listing(vec![by::mission::team_age(&team(of))], By::Age, in_team));
        all.push(listing(vec![by::mission::project(&project(of))], By::Urgency, in_project));
        all.push(listing(vec![by::mission::number(&project(of))], By::Number, in_project));
        all.push(listing(vec![by::mission::parent(&id(of))], By::Urgency, move |mission| {
            mission.parent == Some(id(of))
        }));
        let waits = move |mission: &Mission| mission.depends_on.contains(&id(of));
        all.push(listing(vec![by::mission::dependency(&id(of))], By::Urgency, waits));
    }
    let ages = [0, 1].map(|of| by::mission::team_age(&team(of)));
    all.push(listing(ages.to_vec(), By::Age, |_| true));
    let open = [StateName::Draft, StateName::Ready].map(by::mission::state);
    all.push(listing(open.to_vec(), By::Urgency, |mission| mission.state.name() != StateName::Parked));
    let tagged = ["a", "b"].map(by::mission::tag);
    let holds = |mission: &Mission| mission.tags.iter().any(|tag| tag == "a" || tag == "b");
    all.push(listing(tagged.to_vec(), By::Urgency, holds));
    all
}

/// What a list should be, by a look at every record.
fn expected(model: &Model, listing: &Listing, order: Order) -> Vec<Mission> {
    let mut missions: Vec<Mission> = model.values().filter(|mission| (listing.holds)(mission)).cloned().collect();
    missions.sort_by_key(|mission| match listing.by {
        By::Urgency => (i64::from(mission.priority), mission.created_at, mission.id.clone()),
        By::Age => (0, mission.created_at, mission.id.clone()),
        By::Number => (mission.number.unwrap().try_into().unwrap(), at(0), mission.id.clone()),
    });
    if order == Order::Descending {
        missions.reverse();
    }
    missions
}

/// Reads a list to its end, page by page.
async fn pages(store: &Store, groups: &[String], order: Order, limit: usize) -> Vec<Page<Mission>> {
    let mut pages: Vec<Page<Mission>> = Vec::new();
    loop {
        let after = pages.last().map(|page| page.next.clone());
        let Some(after) = after.map_or(Some(None), |next| next.map(Some)) else { return pages };
        let query = Query { groups: groups.to_vec(), order, after, limit };
        pages.push(store.list(query).await.unwrap());
    }
}

async fn assert_listed(store: &Store, model: &Model) {
    for listing in listings() {
        for order in [Order::Ascending, Order::Descending] {
            let expected = expected(model, &listing, order);
            for limit in (1..=expected.len() + 1).chain([usize::MAX]) {
                let pages = pages(store, &listing.groups, order, limit).await;
                assert_eq!(pages.len(), expected.len().div_ceil(limit).max(1), "{:?}, {limit} a page", listing.groups);
                let listed: Vec<_> = pages.into_iter().flat_map(|page| page.records).collect();
                assert_eq!(listed, expected, "{:?} {order:?}, {limit} a page", listing.groups);
            }
        }
    }
}

async fn run(steps: Vec<Step>) {
    let probe = Probe::default();
    let store = open(probe.clone(), 1).await;
    let mut model = Model::new();
    for step in steps {
        match step {
            Step::Put(mission) => {
                if model.contains_key(&mission.id) {
                    change(&store, &mission.id, |stored| stored.clone_from(&mission)).await.unwrap();
                } else {
                    insert(&store, &mission).await.unwrap();
                }
                model.insert(mission.id.clone(), *mission);
            }
            Step::Remove(id) if model.remove(&id).is_some() => remove(&store, &id).await.unwrap(),
            Step::Remove(_) => {}
        }
    }
    assert_places(&probe, model.values()).await;
    assert_listed(&store, &model).await;
    let all: Vec<_> = model.values().cloned().collect();
    assert_eq!(store.ids::<Mission>("m-", usize::MAX).await.unwrap(), all);
    for number in 0..8 {
        assert_eq!(store.get(&id(number)).await.unwrap().as_ref(), model.get(&id(number)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn after_any_history_lists_are_what_the_records_say(steps in prop::collection::vec(any_step(), 0..40)) {
        futures::executor::block_on(run(steps));
    }
}

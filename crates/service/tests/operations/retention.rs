//! What is kept is shown with what is due, and removed when asked for.

use std::time::Duration;

use api::fleet::{RetentionRow, RunRetention, ShowRetention};
use serde_json::json;
use testkit::{fleet, owner};

fn row<'a>(rows: &'a [RetentionRow], name: &str) -> &'a RetentionRow {
    rows.iter().find(|row| row.name == name).unwrap()
}

#[tokio::test]
async fn what_is_due_is_shown_first_and_removed_when_asked_for() {
    let fleet = fleet().await;
    let project = fleet.project(&owner(), "shop").await;
    let mission = fleet.mission(&owner(), &project, json!({})).await;
    let newest = fleet.mission(&owner(), &project, json!({})).await;
    for mission in [&mission, &newest] {
        fleet.send(&owner(), "task_update", json!({ "taskId": mission, "status": "resolved" })).await.unwrap();
    }
    fleet.clock.advance(Duration::from_secs(91 * 86_400));
    let shown = fleet.call(&owner(), ShowRetention {}).await.unwrap().items;
    assert_eq!((row(&shown, "events").due, row(&shown, "missions").due), (Some(2), Some(0)));
    assert_eq!(row(&shown, "events").kept, "90 days");
    assert!(row(&shown, "feed").due.unwrap() > 0);
    let again = fleet.call(&owner(), ShowRetention {}).await.unwrap().items;
    assert_eq!(shown, again, "looking removes nothing");
    let gone = fleet.call(&owner(), RunRetention {}).await.unwrap().items;
    assert_eq!((row(&gone, "events").removed, row(&gone, "feed").removed), (Some(2), row(&shown, "feed").due));
    let kept = fleet.json(&owner(), "mission_get", json!({ "mission": mission })).await.unwrap();
    assert_eq!(kept["id"], json!(mission));

    fleet.clock.advance(Duration::from_secs(300 * 86_400));
    let gone = fleet.call(&owner(), RunRetention {}).await.unwrap().items;
    assert_eq!(row(&gone, "missions").removed, Some(1));
    assert!(fleet.send(&owner(), "mission_get", json!({ "mission": mission })).await.is_err());
    // The next number is counted behind the newest.
    fleet.send(&owner(), "mission_get", json!({ "mission": newest })).await.unwrap();
}

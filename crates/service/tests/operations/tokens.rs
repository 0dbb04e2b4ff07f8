//! Tokens and sign-in links in time: believed until they are over, and a link once.

use std::time::Duration;

use api::Code;
use fleet_service::Caller;
use serde_json::json;
use testkit::{fleet, known, owner};
use types::Role;

#[tokio::test]
async fn a_token_speaks_for_its_member_until_its_time_is_over() {
    let fleet = fleet().await;
    for caller in [known("alpha", "scout", Role::Worker), owner()] {
        let token = fleet.token(&caller);
        assert_eq!(fleet.service.authenticate(Some(&token)), Ok(caller));
    }
    let token = fleet.token(&owner());
    fleet.clock.advance(Duration::from_secs(24 * 3600 - 1));
    assert!(fleet.service.authenticate(Some(&token)).is_ok());
    fleet.clock.advance(Duration::from_secs(1));
    let refused = fleet.service.authenticate(Some(&token)).unwrap_err();
    assert_eq!((refused.code, refused.message.as_str()), (Code::TOKEN_EXPIRED, "Token expired"));
}

#[tokio::test]
async fn a_token_of_a_registration_is_believed_for_as_long_as_the_settings_say() {
    let fleet = fleet().await;
    fleet.set(|settings| settings.jwt_expires_in = Duration::from_secs(60));
    let made = fleet.json(&owner(), "auth", json!({ "handle": "scout", "teamName": "alpha" })).await.unwrap();
    let token = made["token"].as_str().unwrap();
    assert_eq!(fleet.service.authenticate(Some(token)), Ok(known("alpha", "scout", Role::Worker)));
    fleet.clock.advance(Duration::from_secs(60));
    assert_eq!(fleet.service.authenticate(Some(token)).unwrap_err().code, Code::TOKEN_EXPIRED);
}

#[tokio::test]
async fn no_token_is_nobody_and_a_forged_one_is_refused() {
    let fleet = fleet().await;
    assert_eq!(fleet.service.authenticate(None), Ok(Caller::Anonymous));
    let token = fleet.token(&owner());
    for forged in ["", "x", "a.b.c", &token[1..], &format!("{token}x"), &token.replace('.', "")] {
        assert_eq!(fleet.service.authenticate(Some(forged)).unwrap_err().code, Code::TOKEN_INVALID, "{forged}");
    }
}

#[tokio::test]
async fn calling_is_being_seen() {
    let fleet = fleet().await;
    let scout = fleet.join("alpha", "scout", Role::Worker).await;
    let token = fleet.token(&scout);
    fleet.clock.advance(Duration::from_secs(5));
    fleet.service.authenticate(Some(&token)).unwrap();
    let agents = fleet.json(&scout, "team_agents", json!({ "teamName": "alpha" })).await.unwrap();
    assert_eq!(agents[0]["lastSeen"], "2026-01-02T03:04:10.000Z");
}

async fn link(fleet: &testkit::Fleet) -> String {
    let link = fleet.json(&owner(), "login_link_create", json!({})).await.unwrap();
    link["path"].as_str().unwrap().strip_prefix("/login?code=").unwrap().to_owned()
}

#[tokio::test]
async fn a_sign_in_link_makes_its_bearer_the_owner_once() {
    let fleet = fleet().await;
    let code = link(&fleet).await;
    let token = fleet.service.redeem_login(&code).unwrap();
    assert_eq!(fleet.service.authenticate(Some(&token)), Ok(owner()));
    assert_eq!(fleet.service.redeem_login(&code).unwrap_err().code, Code::LOGIN_LINK_SPENT);
}

#[tokio::test]
async fn a_sign_in_link_is_good_for_five_minutes_and_none_is_like_another() {
    let fleet = fleet().await;
    let (first, second) = (link(&fleet).await, link(&fleet).await);
    assert_ne!(first, second);
    fleet.clock.advance(Duration::from_secs(299));
    assert!(fleet.service.redeem_login(&first).is_ok());
    fleet.clock.advance(Duration::from_secs(1));
    assert_eq!(fleet.service.redeem_login(&second).unwrap_err().code, Code::LOGIN_LINK_SPENT);
    assert_eq!(fleet.service.redeem_login("").unwrap_err().code, Code::LOGIN_LINK_SPENT);
}

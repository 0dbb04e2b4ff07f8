//! Answers, taken apart.

use serde_json::json;

use super::*;

fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        headers.append(*name, value.parse().unwrap());
    }
    headers
}

#[test]
fn an_answer_brings_its_headers_along() {
    let headers = headers(&[("fleet-next", "m-2"), ("fleet-warning", "first"), ("fleet-warning", "second")]);
    let reply = RawReply::read(200, &headers, b"[\"a\"]").unwrap();
    let warnings = vec!["first".to_owned(), "second".to_owned()];
    assert_eq!(reply, RawReply { status: 200, body: json!(["a"]), next: Some("m-2".to_owned()), warnings });
    assert_eq!(reply.typed::<Vec<String>>().unwrap().output, ["a"]);
}

#[test]
fn a_refusal_is_the_error_that_the_server_meant() {
    let body = br#"{"detail":"Mission not found","code":"MISSION_NOT_FOUND","hint":"See the missions: `fleet mission list`."}"#;
    let error = RawReply::read(404, &HeaderMap::new(), body).unwrap_err();
    let expected =
        Error::new(Code::MISSION_NOT_FOUND, "Mission not found").hint("See the missions: `fleet mission list`.");
    assert_eq!(error, expected);
}

#[test]
fn a_refusal_of_somebody_in_between_is_told_by_its_status() {
    let error = RawReply::read(502, &HeaderMap::new(), b"<html>Bad gateway</html>").unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (Code::SERVER_UNREACHABLE, "the server answered with status 502"));
    assert_eq!(RawReply::read(302, &HeaderMap::new(), b"").unwrap_err().code, Code::INTERNAL);
}

#[test]
fn an_answer_of_another_shape_is_an_error_and_no_panic() {
    let error = RawReply::read(200, &HeaderMap::new(), b"OK").unwrap_err();
    assert!(error.message.starts_with("cannot read the server's answer: "), "{error}");
    let reply = RawReply::read(200, &HeaderMap::new(), b"{}").unwrap();
    assert_eq!(reply.typed::<Vec<String>>().unwrap_err().code, Code::INTERNAL);
}

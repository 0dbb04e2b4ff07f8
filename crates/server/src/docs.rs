//! The browsable page of the interface: one file, no request to anywhere else.

use std::sync::LazyLock;

use axum::response::{Html, IntoResponse, Response};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY};
use sha2::{Digest, Sha256};

const PAGE: &str = include_str!("docs.html");

/// Allows the scripts in the file and no others, and lets them call this server only.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let (script, style) = (hash(inline("script")), hash(inline("style")));
    format!(
        "default-src 'none'; script-src '{script}'; style-src '{style}'; connect-src 'self'; img-src data:; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
});

/// Shows every operation, read from `/openapi.json` by the page itself.
pub(crate) async fn page() -> Response {
    let mut response = Html(PAGE).into_response();
    if let Ok(policy) = HeaderValue::from_str(&POLICY) {
        response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    }
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// Returns the text between the tags of that name; the page has one pair of each.
fn inline(tag: &str) -> &'static str {
    let (_, rest) = PAGE.split_once(&format!("<{tag}>")).unwrap_or_default();
    rest.split_once(&format!("</{tag}>")).map(|(text, _)| text).unwrap_or_default()
}

fn hash(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_one_script_and_one_style_and_loads_nothing() {
        for tag in ["script", "style"] {
            assert_eq!(PAGE.matches(&format!("<{tag}")).count(), 1, "{tag}");
            assert!(inline(tag).len() > 100, "{tag}");
        }
        for loads in ["src=", "http://", "https://", "@import", ": url(", " style=\"", "innerHTML"] {
            assert!(!PAGE.contains(loads), "{loads}");
        }
    }

    #[test]
    fn the_policy_names_the_script_and_the_style_by_their_hashes() {
        assert!(POLICY.starts_with("default-src 'none'; script-src 'sha256-"), "{}", *POLICY);
        assert!(!POLICY.contains("unsafe"), "{}", *POLICY);
    }
}

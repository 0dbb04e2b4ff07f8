use proptest::prelude::*;

use super::*;

fn preview(text: &str) -> String {
    let mut said = Said::default();
    said.put(Section::Preview, text);
    said.preview_url
}

#[test]
fn a_preview_is_the_address_without_bullet_label_or_brackets() {
    for text in [
        "http://localhost:4321/cart",
        "- URL: http://localhost:4321/cart",
        "* **Preview:** <http://localhost:4321/cart>.",
        "[the cart](http://localhost:4321/cart) is up",
        "see http://localhost:4321/cart, then https://example.org",
    ] {
        assert_eq!(preview(text), "http://localhost:4321/cart", "{text}");
    }
}

#[test]
fn what_is_no_web_address_is_no_preview() {
    for text in ["", "none", "javascript:alert(1)", "file:///etc/passwd", "http://", "https://..."] {
        assert_eq!(preview(text), "", "{text}");
    }
    assert_eq!(preview(&format!("http://{}", "a".repeat(URL_MAX))), "", "half an address is none");
}

#[test]
fn words_for_nothing_are_known() {
    for text in ["", " - None.", "N/A", "(nothing)", "* none"] {
        assert!(says_nothing(text), "{text}");
    }
    assert!(!says_nothing("None of the tests ran"));
}

proptest! {
    #[test]
    fn every_part_is_bounded_and_putting_it_again_changes_nothing(
        text in prop_oneof![any::<String>(), "\\PC{0,40}".prop_map(|text| text.repeat(2000)), "[ -]{0,3}https?://\\PC{0,30}"],
        at in 0..8usize,
    ) {
        let section = Section::ALL[at];
        let mut said = Said::default();
        said.put(section, &text);
        let once = said.text(section).to_owned();
        prop_assert!(once.len() <= TEXT_MAX);
        said.put(section, &once);
        prop_assert_eq!(said.text(section), once);
    }
}

use super::*;

fn price(input: f64) -> Price {
    Price { input, output: 0.0, cache_read: None, cache_write: None }
}

#[test]
fn a_model_has_the_price_of_its_name_with_or_without_a_date_before_that_of_any() {
    let prices = BTreeMap::from([
        ("opus".to_owned(), price(1.0)),
        ("opus-20260101".to_owned(), price(2.0)),
        ("*".to_owned(), price(3.0)),
    ]);
    let found = |model| of_model(&prices, model).map(|price| price.input);
    assert_eq!(found(Some("opus")), Some(1.0));
    assert_eq!(found(Some("opus-20260101")), Some(2.0));
    assert_eq!(found(Some("opus-20251231")), Some(1.0));
    assert_eq!(found(Some("opus-mini")), Some(3.0), "another model");
    assert_eq!(found(Some("opus-2026010x")), Some(3.0));
    assert_eq!(found(None), Some(3.0));
    assert_eq!(of_model(&BTreeMap::new(), Some("opus")), None);
}

#[test]
fn a_call_keeps_the_price_of_its_own_model() {
    let mut usage =
        crate::Usage { tokens: Tokens { input: 1_000_000, ..Tokens::default() }, ..crate::Usage::default() };
    let filled = |usage: &crate::Usage| {
        let mut event = Event::Usage(usage.clone());
        price(2.0).fill_in(&mut event);
        let Event::Usage(usage) = event else { panic!("it is a call") };
        usage.cost
    };
    assert_eq!(filled(&usage), Some(2.0.into()));
    usage.cost = Some(0.5.into());
    assert_eq!(filled(&usage), Some(0.5.into()));
}

use super::*;

#[test]
fn the_context_presses_at_the_threshold_and_not_below() {
    let usage = |context, window| Usage { context: Some(context), window, ..Usage::default() };
    assert!(usage(180_000, Some(200_000)).presses(90, 0));
    assert!(!usage(179_999, Some(200_000)).presses(90, 0));
    assert!(!usage(180_000, Some(1_000_000)).presses(90, 200_000), "a window that was told beats the fallback");
    assert!(usage(180_000, None).presses(90, 200_000));
    assert!(!usage(180_000, None).presses(90, 0), "without any window nothing is known");
    assert!(!Usage { window: Some(1), ..Usage::default() }.presses(90, 1), "a subagent's call does not fill it");
}

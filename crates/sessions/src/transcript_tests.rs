use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn a_place_is_read_back_as_it_is_shown(run: u32, offset: u64) {
        let cursor = Cursor { run, offset };
        prop_assert_eq!(cursor.to_string().parse::<Cursor>().unwrap(), cursor);
    }

    #[test]
    fn places_follow_each_other_as_processes_and_their_lines_do(a: (u32, u64), b: (u32, u64)) {
        let cursor = |(run, offset)| Cursor { run, offset };
        prop_assert_eq!(cursor(a).cmp(&cursor(b)), a.cmp(&b));
    }

    #[test]
    fn other_words_are_no_place(text in "[a-z:.]{0,8}") {
        prop_assert!(text.parse::<Cursor>().is_err());
    }
}

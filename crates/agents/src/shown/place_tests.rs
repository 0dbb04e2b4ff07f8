use proptest::prelude::*;

use super::*;

fn place((run, offset, frames, notices): (u32, u64, u32, u32)) -> Place {
    Place { run, offset, frames, notices }
}

proptest! {
    #[test]
    fn a_place_is_read_back_as_it_is_shown(at: (u32, u64, u32, u32)) {
        prop_assert_eq!(place(at).to_string().parse::<Place>().unwrap(), place(at));
    }

    #[test]
    fn places_follow_each_other_as_processes_their_lines_and_their_frames_do(a: (u32, u64, u32, u32), b: (u32, u64, u32, u32)) {
        prop_assert_eq!(place(a).cmp(&place(b)), a.cmp(&b));
    }

    #[test]
    fn other_words_are_no_place(text in "[a-z:.+~-]{0,8}") {
        prop_assert!(text.parse::<Place>().is_err());
    }
}

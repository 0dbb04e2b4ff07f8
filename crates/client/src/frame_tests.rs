//! Frames out of bytes, however those were cut.

use proptest::prelude::*;

use super::*;

fn frame(id: Option<&str>, data: &str) -> Frame {
    Frame { id: id.map(str::to_owned), data: data.to_owned() }
}

fn all(parser: &mut Parser) -> Vec<Frame> {
    std::iter::from_fn(|| parser.next().unwrap()).collect()
}

#[test]
fn frames_are_read_and_what_is_none_is_passed_over() {
    let mut parser = Parser::default();
    parser.push(b"retry: 2000\n\n: \n\nid: 1-20\ndata: {\"a\":1}\n\ndata: x\r\ndata:y\r\n\r\nid: 9\n\ndata: half");
    assert_eq!(all(&mut parser), [frame(Some("1-20"), "{\"a\":1}"), frame(None, "x\ny")]);
    parser.push(b"\n\n");
    assert_eq!(all(&mut parser), [frame(None, "half")]);
}

#[test]
fn a_stream_that_never_ends_a_line_is_given_up() {
    let mut parser = Parser::default();
    parser.push(&vec![b'x'; FRAME_MAX + 1]);
    assert_eq!(parser.next(), Err(TooLong));
}

proptest! {
    #[test]
    fn the_same_frames_come_out_wherever_the_bytes_are_cut(
        frames in prop::collection::vec((prop::option::of("[0-9]-[0-9]{1,4}"), "[^\r\n]{0,20}"), 0..8),
        cuts in prop::collection::vec(1..9_usize, 1..40),
    ) {
        let text: String = frames
            .iter()
            .map(|(id, data)| format!("{}data: {data}\n\n", id.as_ref().map(|id| format!("id: {id}\n")).unwrap_or_default()))
            .collect();
        let (mut rest, mut parser, mut found) = (text.as_bytes(), Parser::default(), Vec::new());
        for cut in cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (now, later) = rest.split_at((*cut).min(rest.len()));
            parser.push(now);
            found.extend(all(&mut parser));
            rest = later;
        }
        let expected: Vec<_> = frames.iter().map(|(id, data)| frame(id.as_deref(), data)).collect();
        prop_assert_eq!(found, expected);
    }
}

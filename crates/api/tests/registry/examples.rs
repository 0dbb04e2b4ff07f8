//! The example of each row: an input that would be accepted.

use crate::table::{Row, breakers, rows};

#[test]
fn an_example_reads_as_its_input_and_is_written_back_the_same() {
    for row in rows() {
        let written = (row.round_trip)(row.example()).map_err(|error| error.to_string());
        assert_eq!(written, Ok(row.example()), "{}", row.spec.name);
    }
}

#[test]
fn an_example_fits_the_schema_of_its_input() {
    for row in rows() {
        let validator = jsonschema::draft202012::new(&row.input).unwrap();
        let problems: Vec<_> = validator.iter_errors(&row.example()).map(|error| error.to_string()).collect();
        assert_eq!(problems, [""; 0], "{}", row.spec.name);
    }
}

#[test]
fn an_input_without_a_required_field_is_refused_by_its_type_as_by_its_schema() {
    for row in rows() {
        let validator = jsonschema::draft202012::new(&row.input).unwrap();
        for (name, _) in row.fields() {
            let mut input = row.example();
            input.as_object_mut().and_then(|members| members.remove(name));
            let place = format!("{}.{name}", row.spec.name);
            assert_eq!(validator.is_valid(&input), !row.requires(name), "{place}");
            assert_eq!((row.round_trip)(input).is_ok(), !row.requires(name), "{place}");
        }
    }
}

#[test]
fn the_schema_of_an_output_is_itself_valid() {
    assert_eq!(breakers(|row: &Row| jsonschema::draft202012::new(&row.output).is_ok()), [""; 0]);
}

//! Amounts as people read them: one unit for each quantity, wherever Fleet writes it in words.

/// Writes dollars to the cent; what is less than a cent and not nothing is not shown as nothing.
#[must_use]
pub fn dollars(amount: f64) -> String {
    if amount > 0.0 && amount < 0.005 { "<$0.01".to_owned() } else { format!("${amount:.2}") }
}

/// Writes dollars, or that they are unknown.
#[must_use]
pub fn cost(amount: f64, unknown: bool) -> String {
    if unknown { "unknown".to_owned() } else { dollars(amount) }
}

/// Writes a number of tokens in at most four characters: `950`, `2.7k`, `41k`, `1.2M`.
#[must_use]
pub fn tokens(count: u64) -> String {
    scaled(count as f64, 1_000.0, &["", "k", "M", "G", "T"])
}

/// Writes bytes: `512 B`, `4.2 MB`.
#[must_use]
pub fn bytes(count: u64) -> String {
    scaled(count as f64, 1_000.0, &[" B", " kB", " MB", " GB", " TB"])
}

/// Writes a duration by its largest unit: `41 ms`, `3.7 s`, `2 min`, `5 h`, `3 d`.
#[must_use]
pub fn duration(millis: u64) -> String {
    let secs = millis / 1_000;
    match secs {
        0 => format!("{millis} ms"),
        1..=9 => trimmed(millis as f64 / 1_000.0, " s"),
        _ => whole_duration(secs),
    }
}

/// Writes whole seconds by their largest unit: `41 s`, `2 min`, `5 h`, `3 d`.
#[must_use]
pub fn whole_duration(secs: u64) -> String {
    const UNITS: [(u64, u64, &str); 3] = [(60, 1, "s"), (3_600, 60, "min"), (48 * 3_600, 3_600, "h")];
    let (unit, name) =
        UNITS.into_iter().find(|(below, ..)| secs < *below).map_or((86_400, "d"), |(_, unit, name)| (unit, name));
    format!("{} {name}", secs / unit)
}

/// Writes a count with its noun: `1 file`, `2 files`.
#[must_use]
pub fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Writes a number with the largest unit that leaves it at least one, with a decimal below ten.
fn scaled(mut number: f64, step: f64, units: &[&str]) -> String {
    let mut at = 0;
    // What rounds to the next unit is written in it.
    while number >= step - 0.5 && at + 1 < units.len() {
        number /= step;
        at += 1;
    }
    let unit = units.get(at).copied().unwrap_or_default();
    if at == 0 || number >= 9.95 { format!("{number:.0}{unit}") } else { trimmed(number, unit) }
}

/// Writes a decimal that says something.
fn trimmed(number: f64, unit: &str) -> String {
    let text = format!("{number:.1}");
    format!("{}{unit}", text.strip_suffix(".0").unwrap_or(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_are_written_to_the_cent_and_never_round_to_nothing() {
        assert_eq!([0.0, 0.004, 0.005, 0.42, 12.0].map(dollars), ["$0.00", "<$0.01", "$0.01", "$0.42", "$12.00"]);
        assert_eq!([cost(0.42, false), cost(0.0, true)], ["$0.42", "unknown"]);
    }

    #[test]
    fn tokens_and_bytes_take_the_largest_unit_that_fits() {
        let written = [0, 950, 999, 1_000, 2_700, 9_960, 41_200, 999_600, 1_200_000].map(tokens);
        assert_eq!(written, ["0", "950", "999", "1k", "2.7k", "10k", "41k", "1M", "1.2M"]);
        assert!([1, 999, 99_949, 999_499, 1 << 40].into_iter().all(|count| tokens(count).len() <= 4));
        assert_eq!([512, 4_200_000].map(bytes), ["512 B", "4.2 MB"]);
    }

    #[test]
    fn a_duration_is_written_by_its_largest_unit() {
        let written = [0, 41, 3_712, 9_000, 59_999, 60_000, 119_999, 7_200_000, 172_799_000, 172_800_000].map(duration);
        let expected = ["0 ms", "41 ms", "3.7 s", "9 s", "59 s", "1 min", "1 min", "2 h", "47 h", "2 d"];
        assert_eq!(written, expected);
    }

    #[test]
    fn a_count_agrees_with_its_noun() {
        assert_eq!([0, 1, 2].map(|count| counted(count, "file")), ["0 files", "1 file", "2 files"]);
    }
}

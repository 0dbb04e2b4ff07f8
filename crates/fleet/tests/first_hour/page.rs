//! The page as a list of commands with what they printed, between text that stays as it is.

use std::fmt;

/// Ends the output of a command that failed.
const STATUS: (&str, &str) = ("[exits with status ", "]");

#[derive(Debug)]
pub(crate) struct Page(Vec<Part>);

#[derive(Debug)]
enum Part {
    Text(String),
    Step(Step),
}

/// A command and its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) command: String,
    pub(crate) output: String,
    pub(crate) status: i32,
}

impl Page {
    pub(crate) fn parse(text: &str) -> Self {
        let (mut parts, mut is_console) = (Vec::new(), false);
        for line in text.lines() {
            let was_console = is_console;
            is_console = if line.starts_with("```") { line == "```console" } else { is_console };
            match (line.strip_prefix("$ "), parts.last_mut()) {
                (Some(command), _) if is_console => {
                    parts.push(Part::Step(Step { command: command.to_owned(), output: String::new(), status: 0 }));
                }
                (_, Some(Part::Step(step))) if is_console && was_console => match status(line) {
                    Some(status) => step.status = status,
                    None => step.output.push_str(&format!("{line}\n")),
                },
                _ => parts.push(Part::Text(line.to_owned())),
            }
        }
        Self(parts)
    }

    /// Reads the first block of a section as a script: every line is a command, and none fails.
    pub(crate) fn script(text: &str, heading: &str) -> Self {
        let section = text.lines().skip_while(|line| *line != heading);
        let block = section.skip_while(|line| !line.starts_with("```")).skip(1);
        let commands = block.take_while(|line| !line.starts_with("```"));
        let step = |line: &str| Part::Step(Step { command: line.to_owned(), output: String::new(), status: 0 });
        Self(commands.map(step).collect())
    }

    pub(crate) fn steps(&mut self) -> impl Iterator<Item = &mut Step> {
        self.0.iter_mut().filter_map(|part| if let Part::Step(step) = part { Some(step) } else { None })
    }
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.0 {
            match part {
                Part::Text(line) => writeln!(f, "{line}")?,
                Part::Step(Step { command, output, status }) => {
                    writeln!(f, "$ {command}")?;
                    output.lines().try_for_each(|line| writeln!(f, "{}", line.trim_end()))?;
                    if *status != 0 {
                        writeln!(f, "{}{status}{}", STATUS.0, STATUS.1)?;
                    }
                }
            }
        }
        Ok(())
    }
}

fn status(line: &str) -> Option<i32> {
    line.strip_prefix(STATUS.0)?.strip_suffix(STATUS.1)?.parse().ok()
}

#[test]
fn a_page_is_written_as_it_was_read() {
    let text =
        "# Hour\n\n```sh\n$ not this\n```\n\n```console\n$ a\none\n\ntwo\n$ b\n[exits with status 3]\n```\nEnd.\n";
    let mut page = Page::parse(text);
    let steps: Vec<_> = page.steps().map(|step| (step.command.clone(), step.output.clone(), step.status)).collect();
    let expected = [("a", "one\n\ntwo\n", 0), ("b", "", 3)];
    assert_eq!(steps, expected.map(|(command, output, status)| (command.to_owned(), output.to_owned(), status)));
    assert_eq!(page.to_string(), text);
}

#[test]
fn a_script_is_the_first_block_of_its_section() {
    let text = "# A\n```sh\nno\n```\n## Use it\nSo:\n\n```sh\none  # first\ntwo\n```\n```sh\nno\n```\n";
    let mut page = Page::script(text, "## Use it");
    let commands: Vec<_> = page.steps().map(|step| step.command.clone()).collect();
    assert_eq!(commands, ["one  # first", "two"]);
}

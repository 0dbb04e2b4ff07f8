//! Reads the spools of a session: the agents' own output, with which everything else is compared.

use std::path::Path;

use serde_json::Value;

/// One process of a session, as its files tell.
#[derive(Debug, Default)]
pub(super) struct Run {
    pub(super) number: u64,
    /// The agent that the shim wrote down: number and start.
    pub(super) agent: Option<(u32, u64)>,
    /// How often an agent said that it begins.
    pub(super) begun: usize,
    /// Everything it said, in order.
    pub(super) texts: Vec<String>,
    /// The numbers of its numbered lines, in order.
    pub(super) numbers: Vec<u64>,
    /// The last ending that it told.
    pub(super) result: Option<String>,
    /// Whether it committed something.
    pub(super) committed: bool,
    /// Whether it is written down how it ended.
    pub(super) ended: bool,
}

/// Reads all processes of a session.
pub(super) fn runs(folder: &Path) -> Vec<Run> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u64>().ok());
    let mut runs: Vec<_> = numbers.map(|number| Run::read(number, &folder.join(number.to_string()))).collect();
    runs.sort_by_key(|run| run.number);
    runs
}

impl Run {
    fn read(number: u64, folder: &Path) -> Self {
        let json =
            |name: &str| -> Option<Value> { serde_json::from_slice(&std::fs::read(folder.join(name)).ok()?).ok() };
        let identity = |record: &Value| {
            let agent = &record["agent"];
            Some((u32::try_from(agent["pid"].as_u64()?).ok()?, agent["start_ticks"].as_u64()?))
        };
        let agent = json("shim.json").as_ref().and_then(identity);
        let mut run = Self { number, agent, ended: json("exit.json").is_some(), ..Self::default() };
        let log = std::fs::read(folder.join("log.jsonl")).unwrap_or_default();
        String::from_utf8_lossy(&log).lines().for_each(|line| run.take(line));
        run
    }

    fn take(&mut self, line: &str) {
        let event: Value = serde_json::from_str(line).unwrap_or_default();
        match (event["kind"].as_str(), event["text"].as_str()) {
            (Some("started"), _) => self.begun += 1,
            (Some("result"), _) => self.result = event["ending"]["how"].as_str().map(str::to_owned),
            (Some("tool_result"), Some("committed")) => self.committed = true,
            (Some("text"), Some(text)) => {
                self.numbers.extend(numbered(text));
                self.texts.push(text.to_owned());
            }
            _ => {}
        }
    }
}

/// The number of a line `flood 7 at …`.
pub(super) fn numbered(text: &str) -> Option<u64> {
    text.strip_prefix("flood ")?.split(' ').next()?.parse().ok()
}

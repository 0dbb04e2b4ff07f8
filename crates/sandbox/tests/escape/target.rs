//! What a process outside of any sandbox has that attacks are after.

/// A process that runs `sandbox-probe victim`, as its first line describes it.
#[derive(Debug, Default)]
pub(crate) struct Target {
    pub(crate) pid: String,
    pub(crate) address: String,
    pub(crate) udp: String,
    pub(crate) tcp: String,
    pub(crate) key: String,
    pub(crate) terminal: String,
    pub(crate) has_key: bool,
}

impl Target {
    /// Reads the line.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let [pid, address, udp, tcp, key, terminal, has_key] = <[String; 7]>::try_from(words).ok()?;
        Some(Self { pid, address, udp, tcp, key, terminal, has_key: has_key == "true" })
    }
}

//! What a repository's own `fleet.toml` says about landing and about the sandbox, beside what its project says.
//!
//! Pure: text in, rules out. Whose text is for the caller to see to: an agent can write to the file on its branch, so
//! only the version on the target branch counts, before anything is merged. The project's settings override the file.

use serde::Deserialize;
use types::{HostRule, LandMode, LandingRules, NetworkWish, SandboxRules, Wanted};

/// The file, in the top directory of a repository.
pub const RULES_FILE: &str = "fleet.toml";

/// The most checks, and the most characters of one, as for a project.
const CHECKS_MAX: usize = 50;
const CHECK_CHARS_MAX: usize = 2_000;

/// What a file says about landing; what it leaves out is left to others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileRules {
    /// What happens to finished branches.
    pub mode: Option<LandMode>,
    /// Where they land.
    pub target: Option<String>,
    /// Lines for the shell that must all be green on what lands.
    pub checks: Vec<String>,
    /// How long one of them may run.
    pub check_timeout_secs: Option<u32>,
}

/// A file that cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot read `[{table}]` in `{RULES_FILE}`: {reason}")]
pub struct RulesError {
    /// The table that it is in.
    pub table: &'static str,
    /// What is wrong, and where.
    pub reason: String,
}

#[derive(Deserialize, Default)]
struct File {
    #[serde(default)]
    landing: Table,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Table {
    checks: Vec<String>,
    target_branch: Option<String>,
    land: Option<LandMode>,
    check_timeout_secs: Option<u32>,
}

impl FileRules {
    /// Reads the text of a `fleet.toml`; other tables are others' to read, an unknown key in this one is refused.
    ///
    /// # Errors
    /// When something in the table cannot be followed.
    pub fn parse(text: &str) -> Result<Self, RulesError> {
        let table = "landing";
        let file: File = toml::from_str(text).map_err(|error| RulesError { table, reason: told(&error, text) })?;
        let Table { checks, target_branch, land, check_timeout_secs } = file.landing;
        let refused = |reason: String| Err(RulesError { table, reason });
        if checks.len() > CHECKS_MAX {
            return refused(format!("it has {} checks, and {CHECKS_MAX} are the most", checks.len()));
        }
        if let Some(place) = checks.iter().position(|check| !is_check(check)) {
            return refused(format!("check {} is empty or has more than {CHECK_CHARS_MAX} characters", place + 1));
        }
        if check_timeout_secs == Some(0) {
            return refused("`check_timeout_secs` must be at least 1".to_owned());
        }
        let target = target_branch.filter(|target| !target.is_empty());
        Ok(Self { mode: land, target, checks, check_timeout_secs })
    }
}

#[derive(Deserialize, Default)]
struct SandboxFile {
    #[serde(default)]
    sandbox: SandboxTable,
}

/// Nothing that lets an agent reach more: the author of the file need not be the user who runs it.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct SandboxTable {
    level: Option<Wanted>,
    network: Option<NetworkWish>,
    tcp_ports: Vec<u16>,
    hosts: Vec<HostRule>,
}

/// Reads what the text of a `fleet.toml` says about the sandbox of agents; it counts only where it narrows.
///
/// # Errors
/// When something in the table cannot be followed.
pub fn sandbox_of_file(text: &str) -> Result<SandboxRules, RulesError> {
    let refused = |error: toml::de::Error| RulesError { table: "sandbox", reason: told(&error, text) };
    let table = toml::from_str::<SandboxFile>(text).map_err(refused)?.sandbox;
    let SandboxTable { level, network, tcp_ports: ports, hosts } = table;
    Ok(SandboxRules { level, network, ports, hosts, ..SandboxRules::default() })
}

/// Returns the rules that hold: what the project says, and where it says nothing, what the file does.
#[must_use]
pub fn effective(own: &LandingRules, file: &FileRules) -> LandingRules {
    LandingRules {
        mode: own.mode.or(file.mode),
        target: own.target.clone().or_else(|| file.target.clone()),
        checks: if own.checks.is_empty() { file.checks.clone() } else { own.checks.clone() },
        check_timeout_secs: own.check_timeout_secs.or(file.check_timeout_secs),
        ..own.clone()
    }
}

fn is_check(check: &str) -> bool {
    !check.trim().is_empty() && check.chars().count() <= CHECK_CHARS_MAX
}

/// Says in one line what the reader says in a picture.
fn told(error: &toml::de::Error, text: &str) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    format!("line {line}: {}", error.message().trim().replace('\n', ", "))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(checks: &[&str]) -> Vec<String> {
        checks.iter().map(|check| (*check).to_owned()).collect()
    }

    #[test]
    fn a_file_narrows_the_sandbox_and_cannot_name_what_would_widen_it() {
        let text = "[landing]\nchecks = ['x']\n[sandbox]\nlevel = 'required'\nnetwork = 'none'\ntcp_ports = [443]\n\
                    hosts = ['api.example.com']\n";
        let expected = SandboxRules {
            level: Some(Wanted::Required),
            network: Some(NetworkWish::None),
            ports: vec![443],
            hosts: vec!["api.example.com".parse().unwrap()],
            ..SandboxRules::default()
        };
        assert_eq!(sandbox_of_file(text), Ok(expected));
        assert_eq!(sandbox_of_file(""), Ok(SandboxRules::default()));
        for wide in ["write = ['/']", "read = ['~/.ssh']", "level = 'none'", "tcp_ports = [70000]", "hosts = ['a b']"] {
            let error = sandbox_of_file(&format!("[sandbox]\n{wide}\n")).unwrap_err().to_string();
            assert!(error.contains("[sandbox]") && error.contains("line 2"), "{error}");
        }
    }

    #[test]
    fn every_key_is_read_and_other_tables_are_left_to_others() {
        let text = "[workspace]\nsetup = ['npm ci']\n[landing]\nchecks = ['make test', 'make lint']\n\
                    target_branch = 'develop'\nland = 'review'\ncheck_timeout_secs = 60\n";
        let expected = FileRules {
            mode: Some(LandMode::Review),
            target: Some("develop".to_owned()),
            checks: words(&["make test", "make lint"]),
            check_timeout_secs: Some(60),
        };
        assert_eq!(FileRules::parse(text), Ok(expected));
        assert_eq!(FileRules::parse(""), Ok(FileRules::default()));
    }

    #[test]
    fn what_cannot_be_followed_is_refused_by_its_line_and_name() {
        let told = |text: &str| FileRules::parse(text).unwrap_err().to_string();
        let misspelt = told("[landing]\ncheck = ['make']\n");
        assert!(misspelt.contains("line 2") && misspelt.contains("check"), "{misspelt}");
        // A file cannot decide where work is pushed.
        assert!(told("[landing]\npush = 'origin'\n").contains("push"));
        assert!(told("[landing]\nland = 'now'\n").contains("line 2"));
        assert!(told("[landing]\nchecks = ['make', ' ']\n").contains("check 2 is empty"));
        assert!(told("[landing]\ncheck_timeout_secs = 0\n").contains("at least 1"));
    }

    #[test]
    fn what_the_project_says_beats_the_file_key_by_key() {
        let file = FileRules {
            mode: Some(LandMode::Never),
            target: Some("develop".to_owned()),
            checks: words(&["true"]),
            check_timeout_secs: Some(9),
        };
        let own = LandingRules { checks: words(&["make test"]), push: Some("origin".to_owned()), ..Default::default() };
        let held = effective(&own, &file);
        assert_eq!((held.checks, held.push), (words(&["make test"]), Some("origin".to_owned())));
        assert_eq!((held.mode, held.target.as_deref()), (Some(LandMode::Never), Some("develop")));
        let own = LandingRules { mode: Some(LandMode::Auto), target: Some("main".to_owned()), ..Default::default() };
        let held = effective(&own, &file);
        assert_eq!((held.mode, held.target.as_deref()), (Some(LandMode::Auto), Some("main")));
        assert_eq!((held.checks, held.check_timeout_secs), (words(&["true"]), Some(9)));
    }

    proptest! {
        #[test]
        fn no_text_brings_the_reader_down(text in "\\PC{0,200}") {
            let _ = FileRules::parse(&text);
            let _ = FileRules::parse(&format!("[landing]\n{text}"));
        }
    }
}

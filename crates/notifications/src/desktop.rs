//! The desktop of the server's machine: `notify-send`, where there is one.

use std::path::{Path, PathBuf};
use std::time::Duration;

use config::Environment;
use process::{Command, End, Keep};
use runtime::Clock;

/// The program that shows notifications.
const PROGRAM: &str = "notify-send";

/// How long it may take.
const LIMIT: Duration = Duration::from_secs(5);

/// Bytes of its error output that are kept.
const ERRORS_MAX: usize = 500;

/// What the program needs to find the user's session.
const PASSED: [&str; 6] =
    ["DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "HOME", "XAUTHORITY"];

/// Where the program is, and what it is run with.
#[derive(Debug, Clone)]
pub struct Desktop {
    program: Option<PathBuf>,
    variables: Vec<(String, String)>,
    directory: PathBuf,
}

impl Desktop {
    /// Looks for the program in the search path; it is run in a folder of Fleet's.
    #[must_use]
    pub fn find(environment: &Environment, directory: &Path) -> Self {
        let path = environment.get("PATH").unwrap_or_default();
        let mut candidates =
            path.split(':').filter(|folder| folder.starts_with('/')).map(|it| Path::new(it).join(PROGRAM));
        let variables = PASSED.iter().filter_map(|name| Some(((*name).to_owned(), environment.get(name)?.to_owned())));
        Self {
            program: candidates.find(|program| program.is_file()),
            variables: variables.collect(),
            directory: directory.to_owned(),
        }
    }

    /// Returns whether there is one.
    pub(crate) fn is_there(&self) -> bool {
        self.program.is_some()
    }

    /// Shows a text.
    pub(crate) async fn show(&self, clock: &Clock, text: &str) -> Result<(), String> {
        let Some(program) = &self.program else { return Err(format!("`{PROGRAM}` is not installed")) };
        let variables = self.variables.iter().map(|(name, value)| (name, value));
        // Behind the dashes nothing is an option, whatever an agent has written.
        let command = Command::new(program, &self.directory, LIMIT)
            .args(["--app-name=Fleet", "--", "Fleet waits for you", text])
            .variables(variables);
        let command = Command { stdout: Keep::Nothing, stderr: Keep::Last(ERRORS_MAX), ..command };
        let running = command.start().map_err(|error| error.to_string())?;
        let finished = running.finish(clock).await.map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&finished.stderr);
        if finished.end == End::Code(0) { Ok(()) } else { Err(format!("`{PROGRAM}` failed: {}", said.trim())) }
    }
}

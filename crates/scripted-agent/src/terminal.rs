//! Whether standard output is a terminal, for tests of agents that need one.

use rustix::termios::{LocalModes, OutputModes, isatty, tcgetattr, tcgetwinsize};

/// Describes the terminal that standard output is; says so if it is none.
pub(crate) fn described() -> String {
    let output = rustix::stdio::stdout();
    if !isatty(output) {
        return "no terminal".to_owned();
    }
    let size = tcgetwinsize(output).map_or_else(
        |error| format!("of unknown size ({error})"),
        |size| format!("of {} rows and {} columns", size.ws_row, size.ws_col),
    );
    // Raw is what changes no byte on the way out and sends none back.
    let raw = tcgetattr(output).is_ok_and(|modes| {
        !modes.output_modes.contains(OutputModes::OPOST) && !modes.local_modes.contains(LocalModes::ECHO)
    });
    format!("a {} terminal {size}", if raw { "raw" } else { "cooked" })
}

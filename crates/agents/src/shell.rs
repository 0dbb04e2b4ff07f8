//! The agent without a model: it runs the command in its prompt, for the script steps of workflows.
//!
//! It is started, sandboxed and followed like every other; its exit code is its result. The last thing that it prints is
//! a report, whatever the command printed before.

use std::sync::Arc;

use crate::Setup;
use crate::custom::{Custom, Definition, DefinitionError};

/// Its name.
pub const NAME: &str = "shell";

/// The line before a command in a prompt, and the one behind it.
pub const BEGIN: &str = "~~~ script";
/// See [`BEGIN`].
pub const END: &str = "~~~ end";

const DEFINITION: &str = r###"
argv = ["sh", "-c", '''
script=$(sed -n '/^~~~ script$/,/^~~~ end$/p' "$0" | sed '1d;$d')
sh -c "$script"
code=$?
echo "---DEVFLEET-REPORT-START---"
echo "## What's Done"
echo "The command exited with status $code."
echo "---DEVFLEET-REPORT-END---"
exit $code
''', "{prompt_file}"]
stdin = "closed"
format = "text"
silent = true
"###;

/// Makes the adapter.
///
/// # Errors
/// Never, as a test shows.
pub fn shell(setup: &Setup) -> Result<Custom, DefinitionError> {
    Ok(Custom::new(NAME, Arc::new(Definition::parse(DEFINITION)?), setup))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_description_is_valid() {
        assert!(shell(&Setup::default()).is_ok());
    }
}

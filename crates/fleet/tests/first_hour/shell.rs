//! One shell, as a person has it open: folders and variables stay from command to command.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use config::Environment;

/// What the shell prints after each command, with its status.
const END: &str = "\u{1}end of command ";

#[derive(Debug)]
pub(crate) struct Shell {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) output: String,
    pub(crate) status: i32,
}

impl Shell {
    pub(crate) fn start(home: &Path, programs: &[&Path]) -> Self {
        let path = Environment::of_process().get("PATH").unwrap_or_default().to_owned();
        let path: Vec<_> = programs.iter().map(|path| path.display().to_string()).chain([path]).collect();
        let mut command = Command::new("bash");
        command.args(["--noprofile", "--norc"]).env_clear().current_dir(home);
        command.env("HOME", home).env("PATH", path.join(":")).env("PORT", "0").env("LANG", "C.UTF-8");
        command
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("FLEET_STOP_GRACE_SECS", "1")
            .env("DEVFLEET_RETRY_INITIAL_DELAY", "0");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output }
    }

    pub(crate) fn run(&mut self, command: &str) -> Ran {
        writeln!(self.input, "{{ {command}\n}} </dev/null 2>&1; printf '\\001end of command %s\\n' $?").unwrap();
        let mut output = String::new();
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the shell ended:\n{output}");
            if let Some((before, status)) = line.split_once(END) {
                output.push_str(before);
                return Ran { output, status: status.trim().parse().unwrap() };
            }
            output.push_str(&line);
        }
    }
}

/// Whatever went wrong, no server and no agent stays.
impl Drop for Shell {
    fn drop(&mut self) {
        // Each of these has nothing to do if all went well.
        let _ = writeln!(self.input, "fleet up --stop; exit");
        let _ = self.child.wait();
    }
}

//! The program of the tests: the bridge, as the `fleet` binary is it, and the agent on its other side.

mod stub;

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    match args.split_first() {
        Some((word, rest)) if word == fleet_bridge::WORD => fleet_bridge::main(rest).into(),
        Some((word, rest)) if word == "stub" => stub::main(rest),
        Some((word, _)) if word == "stay" => {
            // tidy: sleep because staying is all that it does.
            std::thread::sleep(std::time::Duration::from_secs(600));
            ExitCode::SUCCESS
        }
        Some(_) | None => ExitCode::from(98),
    }
}

//! The program of the tests: the scripted agent, as the `fleet` binary is it.

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    match args.split_first() {
        Some((word, rest)) if word == fleet_scripted_agent::WORD => fleet_scripted_agent::main(rest).into(),
        Some(_) | None => ExitCode::from(98),
    }
}

//! The program of the tests: the shim, and an agent that is held or is not, by its first argument.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::ExitCode;

use policy::{Call, Dialect, Judged, Verdict};
use serde_json::{Value, json};
use supervisor::shim;
use types::Timestamp;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let Some((word, rest)) = args.split_first() else { return ExitCode::from(2) };
    if word == shim::WORD {
        return shim::main(rest).into();
    }
    let rest: Vec<&str> = rest.iter().filter_map(|word| word.to_str()).collect();
    let [log, url, _fence, journal] = rest.as_slice() else { return ExitCode::from(3) };
    match agent(&word.to_string_lossy(), log, url, Path::new(journal)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Errors of an agent are printed by the test.
            writeln!(io::stderr(), "{error}").ok();
            ExitCode::FAILURE
        }
    }
}

/// Asks its model until that calls no more tools.
fn agent(way: &str, log: &str, url: &str, journal: &Path) -> io::Result<()> {
    writeln!(OpenOptions::new().create(true).append(true).open(log)?, "{way}")?;
    if way == "silent" {
        return Err(io::Error::other("please log in"));
    }
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    loop {
        let answer = ask(url, &messages)?;
        let content = answer["content"].as_array().cloned().unwrap_or_default();
        let Some(call) = content.iter().find(|block| block["type"] == "tool_use") else { return Ok(()) };
        carry_out(way, call, journal)?;
        let result = json!({"type": "tool_result", "tool_use_id": call["id"], "content": "x"});
        messages.push(json!({"role": "assistant", "content": content}));
        messages.push(json!({"role": "user", "content": [result]}));
    }
}

fn carry_out(way: &str, call: &Value, journal: &Path) -> io::Result<()> {
    let tool = call["name"].as_str().unwrap_or_default();
    let deny = || {
        let judged = Call::of(Dialect::Claude, tool, &call["input"]);
        Judged::new(Timestamp::UNIX_EPOCH, None, &judged, Verdict::unreadable("no")).append(journal)
    };
    match (way, tool) {
        ("held", _) | ("half", "Bash") => deny(),
        ("open", "Bash") => OpenOptions::new().create(true).append(true).open("by-shell").map(drop),
        _ => Ok(()),
    }
}

fn ask(url: &str, messages: &[Value]) -> io::Result<Value> {
    let body = json!({"model": "m", "tools": [{"name": "Bash"}, {"name": "Write"}], "messages": messages}).to_string();
    let host = url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(host)?;
    let length = body.len();
    let head =
        format!("POST /v1/messages HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n");
    stream.write_all(format!("{head}{body}").as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (_, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
    Ok(serde_json::from_str(body)?)
}

//! What a hostile agent tries. Each returns without an error exactly if it got what it wanted.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{TcpStream, UdpSocket};
use std::os::unix::fs::symlink;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::calls;

type Tried = io::Result<()>;

pub(crate) fn attack(name: &str, args: &[&str]) -> Tried {
    let number = |text: &str| text.parse::<i64>().map_err(|_| io::Error::other("no number"));
    match (name, args) {
        ("victim", [folder]) => crate::victim::run(folder),
        ("read", [path]) => read(path),
        ("write", [path]) => OpenOptions::new().append(true).create(true).open(path).map(drop),
        ("append", [path]) => OpenOptions::new().append(true).open(path)?.write_all(b"planted"),
        ("truncate", [path]) => OpenOptions::new().write(true).truncate(true).open(path).map(drop),
        ("list", [path]) => std::fs::read_dir(path).map(drop),
        ("list", [path, for_what]) => list(path, for_what),
        ("sh", [script]) => shell(script),
        ("rename", [from, to]) => rename(from, to),
        ("hard-link", [from, to]) => std::fs::hard_link(from, to).and_then(|()| read(to)),
        ("through-link", [from, to]) => symlink(from, to).and_then(|()| read(to)),
        ("link", [at]) => symlink("elsewhere", at),
        ("run-as-root", [program]) => run_as_root(program),
        ("see", [pid]) => std::fs::metadata(format!("/proc/{pid}")).map(drop),
        ("proc", [pid, file]) => read(&format!("/proc/{pid}/{file}")),
        ("proc-link", [pid, file]) => std::fs::read_link(format!("/proc/{pid}/{file}")).map(drop),
        ("kill", [pid]) => calls::signal(number(pid)?),
        ("ptrace", [pid]) => calls::ptrace(number(pid)?),
        ("read-memory", [pid, address]) => calls::read_memory(number(pid)?, number(address)?),
        ("take-descriptor", [pid, descriptor]) => calls::take_descriptor(number(pid)?, number(descriptor)?),
        ("unix", [path]) => talk(UnixStream::connect(path)?),
        ("abstract", [name]) => abstract_socket(name),
        ("tcp", [port]) => TcpStream::connect(("127.0.0.1", port.parse().unwrap_or(0))).map(drop),
        ("tcp-by", [how, port]) => calls::connect_by(how, port.parse().unwrap_or(0)),
        ("udp", [port]) => udp(port.parse().unwrap_or(0)),
        ("socket", [family, kind, protocol]) => calls::socket(number(family)?, number(kind)?, number(protocol)?),
        ("shared-memory", [key]) => calls::shared_memory(number(key)?),
        ("queue", [name]) => calls::queue(name),
        ("terminal", [path]) => OpenOptions::new().read(true).write(true).open(path).map(drop),
        ("type", []) => calls::type_into_terminal(),
        ("call", [name]) => calls::named(name),
        ("key", [name]) => calls::find_key(name),
        ("threads", [count]) => threads(number(count)?),
        ("memory", [mib]) => {
            Vec::<u8>::new().try_reserve_exact((number(mib)? as usize) << 20).map_err(io::Error::other)
        }
        ("memory-together", [mib]) => memory_together(number(mib)?),
        ("use", [mib]) => touch(number(mib)?),
        ("fill", [path, mib]) => fill(path, number(mib)?),
        ("files", [count]) => files(number(count)?),
        ("grow", [path, mib]) => grow(path, number(mib)?),
        _ => Err(io::Error::new(ErrorKind::Unsupported, format!("no attack `{name}`"))),
    }
}

fn read(path: &str) -> Tried {
    let mut first = [0];
    OpenOptions::new().read(true).open(path)?.read_exact(&mut first)
}

#[expect(clippy::disallowed_methods, reason = "it tries what an agent would")]
fn rename(from: &str, to: &str) -> Tried {
    std::fs::rename(from, to)?;
    // Where it succeeds, things are left as they were: others may still need them.
    std::fs::rename(to, from)
}

/// Finds something in a folder.
fn list(path: &str, for_what: &str) -> Tried {
    let found = std::fs::read_dir(path)?.flatten().any(|entry| entry.file_name() == for_what);
    if found { Ok(()) } else { Err(ErrorKind::NotFound.into()) }
}

/// Whatever a shell can do.
#[expect(clippy::disallowed_methods, reason = "it tries what an agent would")]
fn shell(script: &str) -> Tried {
    let done = Command::new("sh").args(["-c", script]).stdin(Stdio::null()).output()?;
    let said = || io::Error::other(String::from_utf8_lossy(&done.stderr).trim().to_owned());
    if done.status.success() { Ok(()) } else { Err(said()) }
}

/// A program that belongs to root and runs as root for every user.
#[expect(clippy::disallowed_methods, reason = "it tries what an agent would")]
fn run_as_root(program: &str) -> Tried {
    let said = Command::new(program).arg("-u").output()?;
    if said.stdout.starts_with(b"0\n") { Ok(()) } else { Err(ErrorKind::PermissionDenied.into()) }
}

/// Gets an answer from a process outside.
fn talk(mut socket: UnixStream) -> Tried {
    socket.set_read_timeout(Some(Duration::from_secs(5)))?;
    socket.write_all(b"?")?;
    socket.read_exact(&mut [0])
}

fn abstract_socket(name: &str) -> Tried {
    use std::os::linux::net::SocketAddrExt as _;
    talk(UnixStream::connect_addr(&SocketAddr::from_abstract_name(name)?)?)
}

fn udp(port: u16) -> Tried {
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    socket.set_read_timeout(Some(Duration::from_secs(2)))?;
    socket.connect(("127.0.0.1", port))?;
    socket.send(b"?")?;
    let mut answer = [0];
    socket.recv(&mut answer)?;
    // In a network of its own it may have been given the very port that it sends to.
    if answer == *b"!" { Ok(()) } else { Err(ErrorKind::ConnectionRefused.into()) }
}

/// Threads are to the kernel what processes are.
fn threads(count: i64) -> Tried {
    for _ in 0..count {
        std::thread::Builder::new().stack_size(16 << 10).spawn(std::thread::park)?;
    }
    Ok(())
}

/// Uses memory in several processes at a time, each of which uses little.
#[expect(clippy::disallowed_methods, reason = "it tries what an agent would")]
fn memory_together(mib: i64) -> Tried {
    const EACH: i64 = 40;
    let own = std::env::current_exe()?;
    let one = |_| {
        let each = EACH.to_string();
        Command::new(&own).args(["use", &each]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
    };
    let mut all = (0..mib / EACH).map(one).collect::<io::Result<Vec<_>>>()?;
    // Each says that it has it, and keeps it until its input ends.
    let has_it =
        |child: &mut std::process::Child| child.stdout.as_mut().ok_or(ErrorKind::BrokenPipe)?.read_exact(&mut [0]);
    let mut used: Tried = all.iter_mut().try_for_each(has_it);
    // Those that had it first may have lost it to the others.
    if used.is_ok() && all.iter_mut().any(|child| !matches!(child.try_wait(), Ok(None))) {
        used = Err(ErrorKind::OutOfMemory.into());
    }
    all.iter_mut().for_each(|child| drop(child.kill().and_then(|()| child.wait())));
    used
}

fn touch(mib: i64) -> Tried {
    let used = vec![1_u8; (mib as usize) << 20];
    io::stdout().write_all(&used[..1])?;
    io::stdout().flush()?;
    io::stdin().read_to_end(&mut Vec::new()).map(|_| drop(used))
}

/// Writes many files, none of which is long.
#[expect(clippy::disallowed_methods, reason = "it removes the files that it made")]
fn fill(path: &str, mib: i64) -> Tried {
    const EACH: usize = 8;
    let names: Vec<String> = (0..mib as usize / EACH).map(|number| format!("{path}-{number}")).collect();
    let filled = names.iter().try_for_each(|name| std::fs::write(name, vec![1; EACH << 20]));
    names.iter().for_each(|name| drop(std::fs::remove_file(name)));
    filled
}

fn files(count: i64) -> Tried {
    let opened: io::Result<Vec<_>> = (0..count).map(|_| OpenOptions::new().read(true).open("/dev/null")).collect();
    opened.map(drop)
}

#[expect(clippy::disallowed_methods, reason = "it removes the file that it made")]
fn grow(path: &str, mib: i64) -> Tried {
    let file = OpenOptions::new().write(true).create(true).truncate(true).open(Path::new(path))?;
    let grown = file.set_len(mib.unsigned_abs() << 20);
    std::fs::remove_file(path)?;
    grown
}

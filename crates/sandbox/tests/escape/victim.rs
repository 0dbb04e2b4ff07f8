//! A process outside of any sandbox, of the same user: what it has is what attacks are after.

use std::io::{self, Read as _, Write as _};
use std::net::UdpSocket;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::Path;

use crate::calls;

/// Offers everything, says in one line where it is, and ends when its input does.
pub(crate) fn run(folder: &str) -> io::Result<()> {
    let name = std::process::id();
    let by_path = UnixListener::bind(Path::new(folder).join("socket"))?;
    let abstract_name = format!("victim-{name}");
    let by_name = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&abstract_name)?)?;
    let datagrams = UdpSocket::bind("127.0.0.1:0")?;
    let stream = std::net::TcpListener::bind("127.0.0.1:0")?;
    let ports = [datagrams.local_addr()?.port(), stream.local_addr()?.port()];
    let key = i64::from(name) + 0x5eed;
    calls::make_shared_memory(key)?;
    calls::make_queue(&format!("victim-{name}"))?;
    // Some machines give users no keys.
    let has_key = calls::add_user_key(&abstract_name).is_ok();
    let terminal = rustix::pty::openpt(rustix::pty::OpenptFlags::RDWR | rustix::pty::OpenptFlags::NOCTTY)?;
    rustix::pty::unlockpt(&terminal)?;
    let terminal_path = rustix::pty::ptsname(&terminal, Vec::new())?;
    let secret = Box::new([7_u8; 64]);
    let address = secret.as_ptr() as usize;
    answer(by_path);
    answer(by_name);
    runtime_thread(move || {
        let mut byte = [0];
        while let Ok((_, from)) = datagrams.recv_from(&mut byte) {
            let _ = datagrams.send_to(b"!", from);
        }
    });
    let terminal_path = terminal_path.to_string_lossy();
    writeln!(io::stdout(), "{name} {address} {} {} {key} {terminal_path} {has_key}", ports[0], ports[1])?;
    io::stdin().read_to_end(&mut Vec::new())?;
    calls::remove_queue(&format!("victim-{name}"))?;
    calls::remove_shared_memory(key)
}

fn answer(listener: UnixListener) {
    runtime_thread(move || {
        for mut client in listener.incoming().flatten() {
            let _ = echo(&mut client);
        }
    });
}

fn echo(client: &mut UnixStream) -> io::Result<()> {
    let mut byte = [0];
    client.read_exact(&mut byte)?;
    client.write_all(&byte)
}

#[expect(clippy::disallowed_methods, reason = "this process has no task tree")]
fn runtime_thread(work: impl FnOnce() + Send + 'static) {
    std::thread::spawn(work);
}

//! Attacks by system calls of which there is no safe form.
#![expect(unsafe_code, reason = "an attacker is not safe")]

use std::ffi::CString;
use std::io;
use std::os::fd::AsRawFd as _;

type Tried = io::Result<()>;

/// Takes what a system call returned.
fn done(returned: i64) -> Tried {
    if returned < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn call(number: libc::c_long, args: [i64; 6]) -> Tried {
    let [a, b, c, d, e, f] = args;
    // SAFETY: what is tried here has numbers, and pointers that the caller keeps valid, for arguments.
    done(unsafe { libc::syscall(number, a, b, c, d, e, f) })
}

pub(crate) fn signal(pid: i64) -> Tried {
    call(libc::SYS_kill, [pid, 0, 0, 0, 0, 0])
}

pub(crate) fn ptrace(pid: i64) -> Tried {
    const SEIZE: i64 = 0x4206;
    call(libc::SYS_ptrace, [SEIZE, pid, 0, 0, 0, 0])
}

pub(crate) fn read_memory(pid: i64, address: i64) -> Tried {
    let mut byte = 0_u8;
    let ours = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
    let theirs = libc::iovec { iov_base: std::ptr::without_provenance_mut(address as usize), iov_len: 1 };
    let args = [pid, (&raw const ours) as i64, 1, (&raw const theirs) as i64, 1, 0];
    call(libc::SYS_process_vm_readv, args)
}

pub(crate) fn take_descriptor(pid: i64, descriptor: i64) -> Tried {
    // SAFETY: the call takes numbers.
    let process = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    done(process)?;
    call(libc::SYS_pidfd_getfd, [process, descriptor, 0, 0, 0, 0])
}

pub(crate) fn socket(family: i64, kind: i64, protocol: i64) -> Tried {
    call(libc::SYS_socket, [family, kind, protocol, 0, 0, 0])
}

/// Connects to a port of this machine by a call that is not the usual one.
pub(crate) fn connect_by(how: &str, port: u16) -> Tried {
    let protocol = if how == "mptcp" { libc::IPPROTO_MPTCP } else { 0 };
    // SAFETY: the call takes numbers.
    let socket = unsafe { libc::syscall(libc::SYS_socket, libc::AF_INET, libc::SOCK_STREAM, protocol) };
    done(socket)?;
    let address = libc::sockaddr_in {
        sin_family: libc::AF_INET as u16,
        sin_port: port.to_be(),
        sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes([127, 0, 0, 1]) },
        sin_zero: [0; 8],
    };
    let (to, length) = ((&raw const address) as i64, size_of::<libc::sockaddr_in>() as i64);
    let mut letter = b'?';
    let mut part = libc::iovec { iov_base: (&raw mut letter).cast(), iov_len: 1 };
    let opens = i64::from(libc::MSG_FASTOPEN);
    // Zeros are a message without anything, and without a length.
    let mut messages = [0_u64; 8];
    messages[..4].copy_from_slice(&[to as u64, length as u64, (&raw mut part) as u64, 1]);
    let message = messages.as_mut_ptr() as i64;
    match how {
        "mptcp" => call(libc::SYS_connect, [socket, to, length, 0, 0, 0]),
        "sendto" => call(libc::SYS_sendto, [socket, (&raw const letter) as i64, 1, opens, to, length]),
        "sendmsg" => call(libc::SYS_sendmsg, [socket, message, opens, 0, 0, 0]),
        "sendmmsg" => call(libc::SYS_sendmmsg, [socket, message, 1, opens, 0, 0]),
        "option" => {
            let (level, name, on) = (i64::from(libc::IPPROTO_TCP), i64::from(libc::TCP_FASTOPEN_CONNECT), 1_i32);
            call(libc::SYS_setsockopt, [socket, level, name, (&raw const on) as i64, 4, 0])?;
            call(libc::SYS_connect, [socket, to, length, 0, 0, 0])
        }
        _ => Err(io::Error::new(io::ErrorKind::Unsupported, "no such way")),
    }
}

/// Attaches memory that another process shares under a key.
pub(crate) fn shared_memory(key: i64) -> Tried {
    // SAFETY: the call takes numbers.
    let id = unsafe { libc::syscall(libc::SYS_shmget, key, 1, 0) };
    done(id)?;
    call(libc::SYS_shmat, [id, 0, 0, 0, 0, 0])
}

pub(crate) fn make_shared_memory(key: i64) -> Tried {
    call(libc::SYS_shmget, [key, 1, i64::from(libc::IPC_CREAT | 0o666), 0, 0, 0])
}

pub(crate) fn remove_shared_memory(key: i64) -> Tried {
    // SAFETY: the call takes numbers.
    let id = unsafe { libc::syscall(libc::SYS_shmget, key, 1, 0) };
    done(id)?;
    call(libc::SYS_shmctl, [id, i64::from(libc::IPC_RMID), 0, 0, 0, 0])
}

pub(crate) fn queue(name: &str) -> Tried {
    let name = CString::new(name)?;
    call(libc::SYS_mq_open, [name.as_ptr() as i64, i64::from(libc::O_RDONLY), 0, 0, 0, 0])
}

pub(crate) fn make_queue(name: &str) -> Tried {
    let name = CString::new(name)?;
    call(libc::SYS_mq_open, [name.as_ptr() as i64, i64::from(libc::O_RDWR | libc::O_CREAT), 0o666, 0, 0, 0])
}

pub(crate) fn remove_queue(name: &str) -> Tried {
    let name = CString::new(name)?;
    call(libc::SYS_mq_unlink, [name.as_ptr() as i64, 0, 0, 0, 0, 0])
}

/// Types a letter into a terminal as its user would.
pub(crate) fn type_into_terminal() -> Tried {
    let ours = rustix::pty::openpt(rustix::pty::OpenptFlags::RDWR | rustix::pty::OpenptFlags::NOCTTY)?;
    rustix::pty::unlockpt(&ours)?;
    let theirs = rustix::pty::ioctl_tiocgptpeer(&ours, rustix::pty::OpenptFlags::RDWR)?;
    let letter = b"x";
    call(libc::SYS_ioctl, [i64::from(theirs.as_raw_fd()), libc::TIOCSTI as i64, letter.as_ptr() as i64, 0, 0, 0])
}

const USER_KEYRING: i64 = -4;
const PROCESS_KEYRING: i64 = -2;

pub(crate) fn add_key(name: &str, keyring: i64) -> Tried {
    let (kind, name, secret) = (c"user", CString::new(name)?, b"secret");
    let args = [kind.as_ptr() as i64, name.as_ptr() as i64, secret.as_ptr() as i64, secret.len() as i64, keyring, 0];
    call(libc::SYS_add_key, args)
}

pub(crate) fn add_user_key(name: &str) -> Tried {
    add_key(name, USER_KEYRING)
}

/// Finds a key of the user that another process keeps.
pub(crate) fn find_key(name: &str) -> Tried {
    const SEARCH: i64 = 10;
    let (kind, name) = (c"user", CString::new(name)?);
    call(libc::SYS_keyctl, [SEARCH, USER_KEYRING, kind.as_ptr() as i64, name.as_ptr() as i64, 0, 0])
}

/// Makes a process with flags, which ends at once.
fn clone(flags: i32) -> Tried {
    // SAFETY: without a flag that shares memory the new process has its own, and it does nothing but end.
    let pid = unsafe { libc::syscall(libc::SYS_clone, i64::from(flags | libc::SIGCHLD), 0, 0, 0, 0) };
    if pid == 0 {
        // SAFETY: the new process ends here.
        unsafe { libc::_exit(0) };
    }
    done(pid)
}

/// Calls that are tried with the least arguments that the kernel takes.
pub(crate) fn named(name: &str) -> Tried {
    let zeros = [0_u8; 256];
    let zeros = zeros.as_ptr() as i64;
    let (here, tmpfs) = (c"mounted", c"tmpfs");
    let (here, tmpfs) = (here.as_ptr() as i64, tmpfs.as_ptr() as i64);
    match name {
        "mount" => {
            std::fs::create_dir_all("mounted")?;
            call(libc::SYS_mount, [tmpfs, here, tmpfs, 0, 0, 0])?;
            // Where it succeeds, the machine is left as it was.
            call(libc::SYS_umount2, [here, i64::from(libc::MNT_DETACH), 0, 0, 0, 0])
        }
        "fsopen" => call(libc::SYS_fsopen, [tmpfs, 0, 0, 0, 0, 0]),
        "open-tree" => call(libc::SYS_open_tree, [i64::from(libc::AT_FDCWD), c"/".as_ptr() as i64, 1, 0, 0, 0]),
        "chroot" => call(libc::SYS_chroot, [c".".as_ptr() as i64, 0, 0, 0, 0, 0]),
        "user-namespace" => call(libc::SYS_unshare, [i64::from(libc::CLONE_NEWUSER), 0, 0, 0, 0, 0]),
        "mount-namespace" => call(libc::SYS_unshare, [i64::from(libc::CLONE_NEWNS), 0, 0, 0, 0, 0]),
        "clone-user-namespace" => clone(libc::CLONE_NEWUSER),
        "add-key" => add_key("tried", PROCESS_KEYRING),
        "bpf" => {
            // A map: kind array, keys of four bytes, values of four bytes, one of them.
            let mut map = [0_u32; 32];
            map[..4].copy_from_slice(&[2, 4, 4, 1]);
            call(libc::SYS_bpf, [0, map.as_ptr() as i64, 128, 0, 0, 0])
        }
        "perf" => {
            // A software clock of this process, without the kernel.
            let mut event = [0_u8; 128];
            event[0] = 1;
            event[4] = 128;
            event[40] = 0b0110_0000;
            call(libc::SYS_perf_event_open, [event.as_ptr() as i64, 0, -1, -1, 0, 0])
        }
        "userfaultfd" => call(libc::SYS_userfaultfd, [1, 0, 0, 0, 0, 0]),
        "io-uring" => call(libc::SYS_io_uring_setup, [1, zeros, 0, 0, 0, 0]),
        "handle" => {
            let mut handle = [0_u32; 64];
            handle[0] = 128;
            let (mut mount, path) = (0_i32, c".");
            let args = [i64::from(libc::AT_FDCWD), path.as_ptr() as i64, handle.as_mut_ptr() as i64];
            call(libc::SYS_name_to_handle_at, [args[0], args[1], args[2], (&raw mut mount) as i64, 0, 0])
        }
        "hostname" => {
            let name = rustix::system::uname().nodename().to_owned();
            call(libc::SYS_sethostname, [name.as_ptr() as i64, name.as_bytes().len() as i64, 0, 0, 0, 0])
        }
        "syslog" => call(libc::SYS_syslog, [10, 0, 0, 0, 0, 0]),
        "device" => {
            let path = c"device";
            let kind = i64::from(libc::S_IFCHR | 0o600);
            call(libc::SYS_mknodat, [i64::from(libc::AT_FDCWD), path.as_ptr() as i64, kind, 0x103, 0, 0])
        }
        "become-another" => call(libc::SYS_setuid, [4711, 0, 0, 0, 0, 0]),
        _ => Err(io::Error::new(io::ErrorKind::Unsupported, "no such call")),
    }
}

//! The system calls that no agent needs, and by which one would reach around the rest of the sandbox.
//!
//! A filter names what is refused; everything else is allowed. What no filter can judge, as its arguments lie in
//! memory, is answered as by a kernel that does not have it, so that programs use the older form.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Op, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter, sock_filter,
};
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// Which sockets an agent may make.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sockets {
    /// Those with a name in the file system. Without them only connected pairs can be made.
    pub unix: bool,
    /// Those of the internet.
    pub inet: Inet,
}

/// Which sockets of the internet an agent may make.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Inet {
    /// None.
    #[default]
    None,
    /// Those whose every connection Landlock sees: plain TCP. It judges neither Multipath TCP, SCTP and SMC, nor a
    /// connection that is made by sending.
    Listed {
        /// UDP as well, which nothing here limits to ports.
        udp: bool,
    },
    /// All but raw ones.
    All,
}

/// Calls that are refused whatever their arguments are.
const REFUSED: &[libc::c_long] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    // Keys of the user.
    libc::SYS_add_key,
    libc::SYS_keyctl,
    libc::SYS_request_key,
    // The tree of mounts, and handles that go around it.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    // Other namespaces.
    libc::SYS_setns,
    // The kernel itself.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    libc::SYS_nfsservctl,
    // Calls within calls, which no filter sees.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

/// Calls that only this processor has.
#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[libc::c_long] = &[libc::SYS_ioperm, libc::SYS_iopl, libc::SYS_modify_ldt, libc::SYS_uselib];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_HERE: &[libc::c_long] = &[];

/// Typing into a terminal, and pasting into it, as if its user had.
#[expect(clippy::unnecessary_cast, reason = "the C library decides which type they have")]
const TERMINAL_INPUT: [u64; 2] = [libc::TIOCSTI as u64, libc::TIOCLINUX as u64];

/// Families of sockets with a use for an agent.
const FAMILIES: [i32; 4] = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// The bits of a socket's type that are its kind; others say how its descriptor behaves.
const KIND: u64 = 0xf;

/// The kind of packet sockets before they had a family.
const OLD_PACKET: i32 = 10;

/// Kinds of internet sockets that are neither TCP nor UDP: reliable datagrams, SCTP, DCCP.
const OTHER_KINDS: [i32; 3] = [libc::SOCK_RDM, libc::SOCK_SEQPACKET, 6];

/// Settings by which a TCP socket connects when it first sends, or becomes one of another protocol.
const TCP_SETTINGS: [i32; 2] = [libc::TCP_FASTOPEN_CONNECT, libc::TCP_ULP];

/// Calls that send, each with the argument that has its flags.
const SENDS: [(libc::c_long, u8); 3] = [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)];

/// A new user namespace has all capabilities, and with them the kernel's least tested code.
const NEW_NAMESPACES: i32 = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP;

/// Refuses these calls to this thread and all that it starts, for good.
pub(crate) fn apply(sockets: Sockets) -> Result<(), Error> {
    apply_filter(&unknown_calls())?;
    apply_filter(&refused_calls(sockets)?)?;
    Ok(())
}

/// Returns whether this kernel has filters for this processor.
pub(crate) fn is_supported() -> bool {
    rustix::thread::secure_computing_mode().is_ok() && TargetArch::try_from(std::env::consts::ARCH).is_ok()
}

fn refused_calls(sockets: Sockets) -> Result<BpfProgram, Error> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        REFUSED.iter().chain(REFUSED_HERE).map(|call| (*call, Vec::new())).collect();
    let input = TERMINAL_INPUT.map(|request| SeccompRule::new(vec![equal(1, request)?]));
    rules.insert(libc::SYS_ioctl, input.into_iter().collect::<Result<_, _>>()?);
    for call in [libc::SYS_clone, libc::SYS_unshare] {
        rules.insert(call, namespace_rules()?);
    }
    rules.insert(libc::SYS_socket, socket_rules(sockets)?);
    if matches!(sockets.inet, Inet::Listed { .. }) {
        rules.extend(connecting_otherwise()?);
    }
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    Ok(SeccompFilter::new(rules, SeccompAction::Allow, refused, arch)?.try_into()?)
}

/// One rule for each kind of namespace, as a rule compares with one value.
fn namespace_rules() -> Result<Vec<SeccompRule>, Error> {
    let kinds = (0..32).map(|bit| 1_u64 << bit).filter(|bit| u64::from(NEW_NAMESPACES.unsigned_abs()) & bit != 0);
    let rule = |bit: u64| {
        let set = SeccompCondition::new(0, Length::Dword, Op::MaskedEq(bit), bit)?;
        Ok(SeccompRule::new(vec![set])?)
    };
    kinds.map(rule).collect()
}

fn socket_rules(sockets: Sockets) -> Result<Vec<SeccompRule>, Error> {
    let number = |family: i32| u64::from(family.unsigned_abs());
    let others = FAMILIES.map(|family| SeccompCondition::new(0, Length::Dword, Op::Ne, number(family)));
    let mut rules = vec![SeccompRule::new(others.into_iter().collect::<Result<_, _>>()?)?];
    for family in [libc::AF_INET, libc::AF_INET6] {
        for kind in [libc::SOCK_RAW, OLD_PACKET] {
            let kind = SeccompCondition::new(1, Length::Dword, Op::MaskedEq(KIND), number(kind))?;
            rules.push(SeccompRule::new(vec![equal(0, number(family))?, kind])?);
        }
        match sockets.inet {
            Inet::All => {}
            Inet::None => rules.push(SeccompRule::new(vec![equal(0, number(family))?])?),
            Inet::Listed { udp } => rules.extend(listed_rules(number(family), udp)?),
        }
    }
    // Routes and addresses are read by every program that lists its network; the rest of netlink is administration.
    let administration = SeccompCondition::new(2, Length::Dword, Op::Ne, number(libc::NETLINK_ROUTE))?;
    rules.push(SeccompRule::new(vec![equal(0, number(libc::AF_NETLINK))?, administration])?);
    if !sockets.unix {
        rules.push(SeccompRule::new(vec![equal(0, number(libc::AF_UNIX))?])?);
    }
    Ok(rules)
}

/// Refuses what Landlock does not see of one family. Protocol 0 is the usual one of its kind.
fn listed_rules(family: u64, udp: bool) -> Result<Vec<SeccompRule>, Error> {
    let number = |value: i32| u64::from(value.unsigned_abs());
    let kind = |kind: i32| SeccompCondition::new(1, Length::Dword, Op::MaskedEq(KIND), number(kind));
    let not = |protocol: i32| SeccompCondition::new(2, Length::Dword, Op::Ne, number(protocol));
    let other_than = |is: i32, protocol: i32| -> Result<_, Error> {
        Ok(SeccompRule::new(vec![equal(0, family)?, kind(is)?, not(0)?, not(protocol)?])?)
    };
    let mut rules = vec![other_than(libc::SOCK_STREAM, libc::IPPROTO_TCP)?];
    rules.push(match udp {
        true => other_than(libc::SOCK_DGRAM, libc::IPPROTO_UDP)?,
        false => SeccompRule::new(vec![equal(0, family)?, kind(libc::SOCK_DGRAM)?])?,
    });
    for other in OTHER_KINDS {
        rules.push(SeccompRule::new(vec![equal(0, family)?, kind(other)?])?);
    }
    Ok(rules)
}

/// Refuses connections by other calls than `connect`, the only one that Landlock judges.
fn connecting_otherwise() -> Result<Vec<(i64, Vec<SeccompRule>)>, Error> {
    let number = |value: i32| u64::from(value.unsigned_abs());
    let opens = number(libc::MSG_FASTOPEN);
    let mut rules = Vec::with_capacity(SENDS.len() + 1);
    for (call, flags) in SENDS {
        let opening = SeccompCondition::new(flags, Length::Dword, Op::MaskedEq(opens), opens)?;
        rules.push((call, vec![SeccompRule::new(vec![opening])?]));
    }
    let setting = |name: i32| -> Result<_, Error> {
        Ok(SeccompRule::new(vec![equal(1, number(libc::IPPROTO_TCP))?, equal(2, number(name))?])?)
    };
    rules.push((libc::SYS_setsockopt, TCP_SETTINGS.into_iter().map(setting).collect::<Result<_, _>>()?));
    Ok(rules)
}

fn equal(argument: u8, value: u64) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, Length::Dword, Op::Eq, value)
}

/// Answers as if the kernel had no such call: `clone3`, whose flags lie in memory, and the calls of another ABI, whose
/// numbers no rule names.
fn unknown_calls() -> BpfProgram {
    const LOAD_NUMBER: u16 = 0x20;
    const IF_EQUAL: u16 = 0x15;
    const IF_SET: u16 = 0x45;
    const RETURN: u16 = 0x06;
    const OTHER_ABI: u32 = 0x4000_0000;
    const ALLOW: u32 = 0x7fff_0000;
    const FAIL: u32 = 0x0005_0000;
    let clone3 = u32::try_from(libc::SYS_clone3).unwrap_or(u32::MAX);
    let step = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    vec![
        step(LOAD_NUMBER, 0, 0, 0),
        step(IF_EQUAL, 2, 0, clone3),
        step(IF_SET, 1, 0, OTHER_ABI),
        step(RETURN, 0, 0, ALLOW),
        step(RETURN, 0, 0, FAIL | libc::ENOSYS.unsigned_abs()),
    ]
}

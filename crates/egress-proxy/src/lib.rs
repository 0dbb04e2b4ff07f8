//! The only way out of an agent's network namespace: a proxy that connects to listed hosts and to nothing else.
//!
//! It is a process of its own, outside of the namespace, and accepts on sockets that were bound inside and handed over
//! ([`receive`]). It speaks HTTP (`CONNECT` and absolute-form requests) and SOCKS5 on one port, and forwards listed
//! loopback ports as they are. A host is judged by its name first ([`AllowList::judge`]), then by each address that the
//! name resolves to, and the connection goes to exactly the address that was judged. What it refuses it writes to a
//! journal of bounded size. It never looks into TLS, and never trusts a byte of what a client sends.

mod accept;
mod allow;
mod beside;
mod framing;
mod handover;
mod http;
mod journal;
mod order;
mod public;
mod read;
mod request;
mod resolve;
mod socks;
mod tunnel;

pub use accept::{Listener, Proxy};
pub use allow::{AllowList, Why};
pub use beside::{command, give, variables};
pub use handover::{receive, send};
pub use journal::{JOURNAL_FILE, Journal, Refused, refused};
pub use order::{Limits, Order, PORT, WORD, main};
pub use public::is_public;
pub use resolve::{Resolve, System};

//! What a user can decide, and where each decision came from.
//!
//! One table, [`SETTINGS`], declares every setting: its key in `runtime.toml`, its environment variables, its default.
//! [`load`] resolves them (flag over environment over file over default), [`watch()`] follows the file while the server
//! runs, [`set`] edits it. Its tables `[agents.NAME]` are read with it. [`Home`] is the directory that all of it lives in. This is the only crate that reads the
//! environment, and only [`Environment::of_process`] does; it starts no task and takes no decision of the domain.

mod agent_files;
mod agent_tables;
mod budget;
mod declare;
mod disk;
mod environment;
mod error;
mod file;
mod home;
mod key;
mod load;
mod names;
mod preset_tables;
mod recognised;
mod reference;
mod registry;
mod sandbox;
mod secrets;
mod server_file;
mod sessions;
mod set;
mod suggest;
mod value;
mod warning;
mod watch;

pub use agent_files::AgentFile;
pub use environment::{CLIENT, ClientEnv, Environment, Variable};
pub use error::{Error, Position};
pub use home::Home;
pub use key::{LocalKey, challenge};
pub use load::{Loaded, Overrides, Resolved, ResolvedSetting, Source, load};
pub use recognised::{RECOGNISED, RECOGNISED_KEYS, Reach, Recognised, System};
pub use reference::configuration_reference;
pub use registry::{Reload, SETTINGS, Setting, Settings};
pub use secrets::{agents_shown, file_shown, is_secret, known_secrets};
pub use server_file::ServerFile;
pub use sessions::Parking;
pub use set::set;
pub use suggest::closest;
pub use value::{Form, Host, LogLevel, Secret, StorageBackend};
pub use warning::Warning;
pub use watch::{Change, Watcher, watch};

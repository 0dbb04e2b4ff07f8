//! `fleet up`: parsed here, done by the binary, which alone may start a server.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use config::Overrides;

/// Start, check or stop the server
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct UpArgs {
    /// Start in the background and return once it answers
    #[arg(long, short, group = "mode")]
    pub background: bool,
    /// Show whether it runs; exit with status 1 if not
    #[arg(long, short = 't', group = "mode")]
    pub status: bool,
    /// Stop the background server
    #[arg(long, short, group = "mode")]
    pub stop: bool,
    /// Port to listen on; 0 lets the system choose one
    #[arg(long)]
    pub port: Option<u16>,
    /// Address to listen on
    #[arg(long)]
    pub host: Option<String>,
    /// SQLite database file
    #[arg(long, value_name = "PATH")]
    pub db: Option<PathBuf>,
    /// Log level: error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL")]
    pub log_level: Option<String>,
    /// Whether to answer in JSON; comes from the options of every command.
    #[arg(skip)]
    pub json: bool,
}

/// What `fleet up` is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpMode {
    /// Be the server.
    Foreground,
    /// Start a server and return.
    Background,
    /// Say whether one runs.
    Status,
    /// Stop the one that runs.
    Stop,
}

impl UpArgs {
    /// Returns what is asked for.
    #[must_use]
    pub fn mode(&self) -> UpMode {
        match (self.background, self.status, self.stop) {
            (true, _, _) => UpMode::Background,
            (_, true, _) => UpMode::Status,
            (_, _, true) => UpMode::Stop,
            (false, false, false) => UpMode::Foreground,
        }
    }

    /// Returns the settings that were given as flags.
    ///
    /// # Errors
    /// Never, as long as the settings named here exist.
    pub fn overrides(&self) -> Result<Overrides, config::Error> {
        let mut overrides = Overrides::new();
        for (_, key, value) in self.given() {
            overrides.insert(key, value)?;
        }
        Ok(overrides)
    }

    /// Returns the arguments that start the same server in the foreground.
    #[must_use]
    pub fn foreground_arguments(&self) -> Vec<OsString> {
        let flags = self.given().into_iter().flat_map(|(flag, _, value)| [flag.to_owned(), value]);
        std::iter::once("up".to_owned()).chain(flags).map(OsString::from).collect()
    }

    /// The flags that were given: flag, setting, value. A path is made absolute: the server works elsewhere.
    fn given(&self) -> Vec<(&'static str, &'static str, String)> {
        let db = self.db.as_ref().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()));
        let values = [
            ("--port", "port", self.port.map(|port| port.to_string())),
            ("--host", "host", self.host.clone()),
            ("--db", "db_path", db.map(|path| path.display().to_string())),
            ("--log-level", "log_level", self.log_level.clone()),
        ];
        values.into_iter().filter_map(|(flag, key, value)| Some((flag, key, value?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_in_the_background_gets_the_flags_of_the_one_who_started_it() {
        let args = UpArgs {
            background: true,
            port: Some(0),
            db: Some("/data/x.db".into()),
            log_level: Some("debug".to_owned()),
            ..UpArgs::default()
        };
        assert_eq!(args.mode(), UpMode::Background);
        let expected = ["up", "--port", "0", "--db", "/data/x.db", "--log-level", "debug"];
        assert_eq!(args.foreground_arguments(), expected.map(OsString::from));
        let relative = UpArgs { db: Some("x.db".into()), ..UpArgs::default() };
        assert!(PathBuf::from(&relative.foreground_arguments()[2]).is_absolute());
    }

    #[test]
    fn every_flag_is_a_setting() {
        let args = UpArgs {
            port: Some(1),
            host: Some("::1".to_owned()),
            db: Some("x".into()),
            log_level: Some("warn".to_owned()),
            ..UpArgs::default()
        };
        assert!(args.overrides().is_ok());
        assert_eq!(args.given().len(), 4);
    }
}

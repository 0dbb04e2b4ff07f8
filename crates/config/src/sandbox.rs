//! What the settings of the sandbox can be.
//!
//! It says what a text may be; what is made of it is decided where agents are started.

use std::path::{Path, PathBuf};

use types::{HostRule, NetworkWish, SandboxRules, Wanted};

use crate::registry::Settings;
use crate::value::{Form, Value};

impl Settings {
    /// Returns what is said here about the sandbox of agents.
    #[must_use]
    pub fn sandbox_rules(&self) -> SandboxRules {
        SandboxRules {
            level: Some(self.sandbox),
            network: Some(self.sandbox_network),
            read: self.sandbox_read.clone(),
            write: self.sandbox_write.clone(),
            ports: self.sandbox_tcp_ports.clone(),
            hosts: self.sandbox_hosts.clone(),
        }
    }

    /// Returns the folders of the repositories that the owner trusts; `~` is the home of the user.
    #[must_use]
    pub fn trusted_folders(&self, home: Option<&Path>) -> Vec<PathBuf> {
        let folder = |text: &String| match (text.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => home.join(rest),
            (Some(_), None) | (None, _) => PathBuf::from(text),
        };
        self.trusted_repositories.iter().map(folder).collect()
    }
}

impl Value for NetworkWish {
    const FORM: Form = Form::Text;

    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "open" => Ok(Self::Open),
            "hosts" => Ok(Self::Hosts),
            "none" => Ok(Self::None),
            _ => Err("takes auto, open, hosts or none".to_owned()),
        }
    }
}

impl Value for Wanted {
    const FORM: Form = Form::Text;

    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "off" => Ok(Self::Off),
            "required" => Ok(Self::Required),
            _ => Err("takes auto, off or required".to_owned()),
        }
    }
}

impl Value for Vec<u16> {
    const FORM: Form = Form::List;

    fn parse(text: &str) -> Result<Self, String> {
        let ports = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        let port = |port: &str| port.parse().map_err(|_| "takes ports, from 0 to 65535".to_owned());
        ports.map(port).collect()
    }
}

impl Value for Vec<HostRule> {
    const FORM: Form = Form::List;

    fn parse(text: &str) -> Result<Self, String> {
        let hosts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        hosts.map(|host| host.parse().map_err(|error| format!("takes hosts: {error}"))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_none_is_refused_with_those_there_are() {
        assert_eq!(Wanted::parse("required"), Ok(Wanted::Required));
        assert!(Wanted::parse("on").unwrap_err().contains("required"));
        assert!(NetworkWish::parse("some").unwrap_err().contains("none"));
    }

    #[test]
    fn hosts_are_read_from_a_list_and_one_that_is_none_is_refused() {
        let hosts = Vec::<HostRule>::parse("registries, *.Example.com:8443,").unwrap();
        assert_eq!(hosts.iter().map(ToString::to_string).collect::<Vec<_>>(), ["registries", "*.example.com:8443"]);
        assert!(Vec::<HostRule>::parse("https://example.com").unwrap_err().contains("is not a host"));
    }

    #[test]
    fn ports_are_read_from_a_list_of_numbers() {
        assert_eq!(Vec::<u16>::parse("443, 8080,"), Ok(vec![443, 8080]));
        assert_eq!(Vec::<u16>::parse(""), Ok(vec![]));
        assert!(Vec::<u16>::parse("443,http").is_err() && Vec::<u16>::parse("70000").is_err());
    }
}

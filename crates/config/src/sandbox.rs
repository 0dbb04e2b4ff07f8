//! What the settings of the sandbox can be.
//!
//! It says what a text may be; what is made of it is decided where agents are started.

use types::{NetworkWish, SandboxRules, Wanted};

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
        }
    }
}

impl Value for NetworkWish {
    const FORM: Form = Form::Text;

    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "open" => Ok(Self::Open),
            "none" => Ok(Self::None),
            _ => Err("takes auto, open or none".to_owned()),
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
    fn ports_are_read_from_a_list_of_numbers() {
        assert_eq!(Vec::<u16>::parse("443, 8080,"), Ok(vec![443, 8080]));
        assert_eq!(Vec::<u16>::parse(""), Ok(vec![]));
        assert!(Vec::<u16>::parse("443,http").is_err() && Vec::<u16>::parse("70000").is_err());
    }
}

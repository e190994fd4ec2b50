//! A grant: what something from outside may do. The one type for it, for everything that asks: a handler of an engine, later a run.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What something from outside may do. What is not in it, it may not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// Files and folders of the user that it may read.
    pub read: Vec<PathBuf>,
    /// Files and folders of the user that it may read and change.
    pub write: Vec<PathBuf>,
    pub network: Network,
    /// Programs that it may start.
    pub commands: Vec<String>,
    /// Tools that it may call.
    pub tools: Vec<String>,
    /// What it may spend.
    pub money: Option<Allowance>,
}

/// Whom something may talk to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    #[default]
    None,
    /// These hosts and no other.
    Hosts(Vec<String>),
    All,
}

/// What may be spent at the user's endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allowance {
    pub calls: u32,
    /// Tokens of one call, those sent and those answered.
    pub tokens: u32,
}

impl Grant {
    /// What it comes to, a line for each thing that is allowed.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        words.extend(self.read.iter().map(|path| format!("read {}", path.display())));
        words.extend(self.write.iter().map(|path| format!("read and change {}", path.display())));
        match &self.network {
            Network::None => {}
            Network::Hosts(hosts) => words.extend(hosts.iter().map(|host| format!("talk to {host}"))),
            Network::All => words.push("use the network: talk to any address, send anything there".to_owned()),
        }
        words.extend(self.tools.iter().map(|tool| format!("call the tool {tool}")));
        words.extend(self.money.map(|money| {
            let Allowance { calls, tokens } = money;
            format!("spend your money: at most {calls} calls of at most {tokens} tokens, each time it is set off")
        }));
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_allowed_has_its_line() {
        let grant = Grant {
            read: vec!["/srv/figures".into()],
            write: vec!["/srv/out".into()],
            network: Network::All,
            commands: vec!["/bin/sh".to_owned()],
            tools: vec!["search".to_owned()],
            money: Some(Allowance { calls: 4, tokens: 17_500 }),
        };
        assert_eq!(
            grant.words(),
            [
                "read /srv/figures",
                "read and change /srv/out",
                "use the network: talk to any address, send anything there",
                "call the tool search",
                "spend your money: at most 4 calls of at most 17500 tokens, each time it is set off",
            ]
        );
        assert_eq!(Grant::default().words(), [""; 0]);
    }
}

//! What the settings say of an agent.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use types::Limits;

use crate::price::of_model;
use crate::{Brief, LaunchError, Price};

/// What `[agents.NAME]` of the settings says of an agent.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Setup {
    /// The program; a name is looked up in `PATH`.
    pub binary: Option<String>,
    /// The model, where a brief names none.
    pub model: Option<String>,
    /// The provider's account that it uses: agents of one account are parked together. By default the agent's name.
    pub account: Option<String>,
    /// Short names for models.
    pub aliases: BTreeMap<String, String>,
    /// Environment to set.
    pub env: BTreeMap<String, String>,
    /// Names of Fleet's own environment to pass on, beside those that the agent is known to need.
    pub pass: Vec<String>,
    /// Arguments to add.
    pub args: Vec<String>,
    /// How it is spoken with, where there are several ways; an agent that Fleet does not know speaks `acp`.
    pub protocol: Option<Protocol>,
    /// Whether its standard output is to be a terminal: some programs hold their lines back without one.
    pub pty: bool,
    /// How many tokens fit into its context, where it does not tell.
    pub context_limit: Option<u64>,
    /// What models cost, by their full names with or without a date, or `*`: for an agent that does not tell, or only
    /// when a turn is over.
    pub prices: BTreeMap<String, Price>,
    /// Ceilings, where a brief sets none.
    pub limits: Limits,
}

/// How an agent is spoken with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Over the Agent Client Protocol: it asks, and can be told something at any time.
    Acp,
    /// Over the app-server of Codex, likewise.
    AppServer,
    /// One process a turn, which prints what it does.
    Exec,
}

impl Protocol {
    /// Returns the word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Acp => "acp",
            Self::AppServer => "app-server",
            Self::Exec => "exec",
        }
    }
}

impl Setup {
    /// Returns the model to use, by its full name.
    #[must_use]
    pub fn model(&self, asked: Option<&str>) -> Option<String> {
        let model = asked.or(self.model.as_deref())?;
        Some(self.aliases.get(model).map_or(model, String::as_str).to_owned())
    }

    /// Returns the account that the agent of this name uses.
    #[must_use]
    pub fn account<'a>(&'a self, agent: &'a str) -> &'a str {
        self.account.as_deref().unwrap_or(agent)
    }

    /// Returns what a model costs.
    #[must_use]
    pub fn price(&self, asked: Option<&str>) -> Option<Price> {
        of_model(&self.prices, self.model(asked).as_deref())
    }

    /// Refuses a ceiling in dollars on an agent that reports no cost, if the settings have no price for its model: it
    /// would hold nothing back.
    pub(crate) fn check_budget(&self, agent: &str, brief: &Brief) -> Result<(), LaunchError> {
        if self.has_prices_for(brief.limits, brief.model.as_deref()) {
            return Ok(());
        }
        let what = "keep to a budget in dollars: it reports no cost, and the settings have no `prices` for its model";
        Err(LaunchError::Incapable { agent: agent.to_owned(), what })
    }

    /// Returns whether a ceiling in dollars, if there is one, can be kept by the prices of the settings.
    pub(crate) fn has_prices_for(&self, asked: Limits, model: Option<&str>) -> bool {
        self.limits(asked).dollars_max.is_none() || self.price(model).is_some()
    }

    /// Returns the ceilings of a run: what is asked for, else what the settings say.
    #[must_use]
    pub fn limits(&self, asked: Limits) -> Limits {
        Limits {
            turns_max: asked.turns_max.or(self.limits.turns_max),
            dollars_max: asked.dollars_max.or(self.limits.dollars_max),
            tokens_max: asked.tokens_max.or(self.limits.tokens_max),
            secs_max: asked.secs_max.or(self.limits.secs_max),
        }
    }

    /// Returns this, and where it says nothing what another says.
    pub(crate) fn or(self, other: &Self) -> Self {
        let over = |mine: BTreeMap<String, String>, theirs: &BTreeMap<String, String>| {
            theirs.clone().into_iter().chain(mine).collect()
        };
        Self {
            binary: self.binary.or_else(|| other.binary.clone()),
            model: self.model.or_else(|| other.model.clone()),
            account: self.account.or_else(|| other.account.clone()),
            aliases: over(self.aliases, &other.aliases),
            env: over(self.env, &other.env),
            pass: other.pass.iter().cloned().chain(self.pass).collect(),
            args: other.args.iter().cloned().chain(self.args).collect(),
            protocol: self.protocol.or(other.protocol),
            pty: self.pty || other.pty,
            context_limit: self.context_limit.or(other.context_limit),
            prices: other.prices.clone().into_iter().chain(self.prices).collect(),
            limits: Limits {
                turns_max: self.limits.turns_max.or(other.limits.turns_max),
                dollars_max: self.limits.dollars_max.or(other.limits.dollars_max),
                tokens_max: self.limits.tokens_max.or(other.limits.tokens_max),
                secs_max: self.limits.secs_max.or(other.limits.secs_max),
            },
        }
    }

    /// What a brief sets beats what the settings set.
    pub(crate) fn env(&self, brief: &Brief) -> BTreeMap<String, String> {
        self.env.iter().chain(&brief.env).map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// The names an agent is known to need, and those that the settings add.
    pub(crate) fn pass(&self, known: &[&str]) -> Vec<String> {
        known.iter().map(|name| (*name).to_owned()).chain(self.pass.clone()).collect()
    }
}

/// Values of the environment may be secrets, so only their names are shown.
impl fmt::Debug for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { binary, model, account, aliases, env, pass, args, protocol, pty, context_limit, prices, limits } =
            self;
        let mut shown = f.debug_struct("Setup");
        shown.field("binary", binary).field("model", model).field("account", account).field("aliases", aliases);
        shown.field("env", &env.keys()).field("pass", pass).field("args", args).field("protocol", protocol);
        shown.field("pty", pty).field("context_limit", context_limit).field("prices", prices);
        shown.field("limits", limits).finish()
    }
}

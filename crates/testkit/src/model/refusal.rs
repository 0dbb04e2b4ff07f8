//! What a provider refuses a request with: status, headers and body as the Messages API has them.

use serde_json::{Value, json};

/// A refusal. The agent decides whether it tries again; each try takes a turn of the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// 429: too fast.
    RateLimited {
        /// After how many seconds to try again.
        retry_after: u32,
    },
    /// 529: the provider has too much to do.
    Overloaded,
    /// 500: the provider failed.
    Broken,
    /// 401: the key is not good.
    Unauthorized,
    /// 429 of a subscription whose five hours are used up. Agents believe its headers only with a token of OAuth.
    QuotaExceeded {
        /// When the window is empty again, in seconds of Unix time.
        resets_at: i64,
    },
    /// 400: the account has no money left.
    NoCredit,
    /// 400: more tokens than fit into the context.
    ContextTooLong {
        /// How many were sent.
        tokens: u64,
        /// How many fit.
        limit: u64,
    },
}

impl Refusal {
    pub(super) fn status(self) -> u16 {
        match self {
            Self::RateLimited { .. } | Self::QuotaExceeded { .. } => 429,
            Self::Overloaded => 529,
            Self::Broken => 500,
            Self::Unauthorized => 401,
            Self::NoCredit | Self::ContextTooLong { .. } => 400,
        }
    }

    pub(super) fn headers(self) -> Vec<(String, String)> {
        let header = |name: &str, value: String| (name.to_owned(), value);
        match self {
            Self::RateLimited { retry_after } => vec![header("retry-after", retry_after.to_string())],
            Self::QuotaExceeded { resets_at } => vec![
                header("anthropic-ratelimit-unified-status", "rejected".to_owned()),
                header("anthropic-ratelimit-unified-reset", resets_at.to_string()),
                header("anthropic-ratelimit-unified-representative-claim", "five_hour".to_owned()),
                header("anthropic-ratelimit-unified-5h-status", "rejected".to_owned()),
                header("anthropic-ratelimit-unified-5h-utilization", "1.0".to_owned()),
                header("anthropic-ratelimit-unified-5h-reset", resets_at.to_string()),
            ],
            Self::Overloaded | Self::Broken | Self::Unauthorized | Self::NoCredit | Self::ContextTooLong { .. } => {
                Vec::new()
            }
        }
    }

    pub(super) fn body(self) -> Value {
        let (kind, message) = match self {
            Self::RateLimited { .. } => ("rate_limit_error", "too many requests, says the script".to_owned()),
            Self::QuotaExceeded { .. } => ("rate_limit_error", "the quota is used up, says the script".to_owned()),
            Self::Overloaded => ("overloaded_error", "Overloaded".to_owned()),
            Self::Broken => ("api_error", "Internal server error".to_owned()),
            Self::Unauthorized => ("authentication_error", "invalid x-api-key".to_owned()),
            Self::NoCredit => {
                ("invalid_request_error", "Your credit balance is too low to access the Anthropic API.".to_owned())
            }
            Self::ContextTooLong { tokens, limit } => {
                ("invalid_request_error", format!("prompt is too long: {tokens} tokens > {limit} maximum"))
            }
        };
        error(kind, &message)
    }
}

/// An error as the Messages API writes it.
pub(super) fn error(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}})
}

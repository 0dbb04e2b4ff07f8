//! What a provider refuses a request with: status, headers and body as each dialect has them.

use serde_json::{Value, json};

use crate::answer::Window;
use crate::dialect::Dialect;
use crate::write::{Event, failed};

/// A refusal. The agent decides whether it tries again; each try takes a turn of the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// 429: too fast.
    RateLimited {
        /// After how many seconds to try again.
        retry_after: u32,
    },
    /// 529 or 503: the provider has too much to do.
    Overloaded,
    /// 500: the provider failed.
    Broken,
    /// 401: the key is not good.
    Unauthorized,
    /// 429 of a subscription whose window is used up. Claude Code believes its headers only with a token of OAuth; Gemini
    /// has no word for when it is over.
    QuotaExceeded {
        /// When the window is empty again, in seconds of Unix time.
        resets_at: i64,
    },
    /// The account has no money left.
    NoCredit,
    /// More tokens than fit into the context.
    ContextTooLong {
        /// How many were sent.
        tokens: u64,
        /// How many fit.
        limit: u64,
    },
}

/// A refusal, as it goes over the wire.
#[derive(Debug)]
pub(crate) enum Refused {
    /// By its status.
    Status { status: u16, headers: Vec<(String, String)>, body: Value },
    /// By a stream that has begun well.
    Stream(Vec<Event>),
}

impl Refusal {
    pub(crate) fn in_dialect(self, dialect: Dialect, number: usize) -> Refused {
        match (dialect, self) {
            (Dialect::Responses, Self::ContextTooLong { .. }) => {
                Refused::Stream(failed(number, "context_length_exceeded", &self.message(dialect)))
            }
            (Dialect::Responses, Self::NoCredit) => {
                Refused::Stream(failed(number, "insufficient_quota", &self.message(dialect)))
            }
            _ => Refused::Status {
                status: self.status(dialect),
                headers: self.headers(dialect),
                body: self.body(dialect),
            },
        }
    }

    fn status(self, dialect: Dialect) -> u16 {
        match (self, dialect) {
            (Self::RateLimited { .. } | Self::QuotaExceeded { .. }, _) => 429,
            (Self::Overloaded, Dialect::Messages) => 529,
            (Self::Overloaded, Dialect::Responses | Dialect::Chat | Dialect::Gemini) => 503,
            (Self::Broken, _) => 500,
            (Self::Unauthorized, _) => 401,
            (Self::NoCredit, Dialect::Messages) | (Self::ContextTooLong { .. }, _) => 400,
            (Self::NoCredit, Dialect::Responses | Dialect::Chat) => 429,
            (Self::NoCredit, Dialect::Gemini) => 403,
        }
    }

    fn headers(self, dialect: Dialect) -> Vec<(String, String)> {
        match self {
            Self::RateLimited { retry_after } => vec![("retry-after".to_owned(), retry_after.to_string())],
            Self::QuotaExceeded { resets_at } => Window { used_percent: 100, resets_at }.headers(dialect),
            Self::Overloaded | Self::Broken | Self::Unauthorized | Self::NoCredit | Self::ContextTooLong { .. } => {
                Vec::new()
            }
        }
    }

    fn body(self, dialect: Dialect) -> Value {
        let message = self.message(dialect);
        match dialect {
            Dialect::Messages => error(dialect, self.anthropic_kind(), &message),
            Dialect::Responses | Dialect::Chat => self.openai_body(&message),
            Dialect::Gemini => self.google_body(&message),
        }
    }

    fn message(self, dialect: Dialect) -> String {
        match (self, dialect) {
            (Self::RateLimited { .. }, _) => "too many requests, says the script".to_owned(),
            (Self::QuotaExceeded { .. }, _) => "the quota is used up, says the script".to_owned(),
            (Self::Overloaded, _) => "Overloaded".to_owned(),
            (Self::Broken, _) => "Internal server error".to_owned(),
            (Self::Unauthorized, Dialect::Messages) => "invalid x-api-key".to_owned(),
            (Self::Unauthorized, Dialect::Responses | Dialect::Chat) => "Incorrect API key provided".to_owned(),
            (Self::Unauthorized, Dialect::Gemini) => "API key not valid. Please pass a valid API key.".to_owned(),
            (Self::NoCredit, Dialect::Messages) => {
                "Your credit balance is too low to access the Anthropic API.".to_owned()
            }
            (Self::NoCredit, Dialect::Responses | Dialect::Chat | Dialect::Gemini) => {
                "You exceeded your current quota, please check your plan and billing details.".to_owned()
            }
            (Self::ContextTooLong { tokens, limit }, Dialect::Messages) => {
                format!("prompt is too long: {tokens} tokens > {limit} maximum")
            }
            (Self::ContextTooLong { tokens, limit }, Dialect::Responses | Dialect::Chat) => {
                format!("Your input of {tokens} tokens exceeds the context window of {limit} of this model.")
            }
            (Self::ContextTooLong { tokens, limit }, Dialect::Gemini) => {
                format!("The input token count ({tokens}) exceeds the maximum number of tokens allowed ({limit}).")
            }
        }
    }

    fn anthropic_kind(self) -> &'static str {
        match self {
            Self::RateLimited { .. } | Self::QuotaExceeded { .. } => "rate_limit_error",
            Self::Overloaded => "overloaded_error",
            Self::Broken => "api_error",
            Self::Unauthorized => "authentication_error",
            Self::NoCredit | Self::ContextTooLong { .. } => "invalid_request_error",
        }
    }

    fn openai_body(self, message: &str) -> Value {
        let (kind, code) = match self {
            Self::RateLimited { .. } => ("requests", "rate_limit_exceeded"),
            Self::Overloaded => ("service_unavailable_error", "server_is_overloaded"),
            Self::Broken => ("server_error", "server_error"),
            Self::Unauthorized => ("invalid_request_error", "invalid_api_key"),
            Self::NoCredit => ("insufficient_quota", "insufficient_quota"),
            Self::ContextTooLong { .. } => ("invalid_request_error", "context_length_exceeded"),
            Self::QuotaExceeded { resets_at } => {
                let kind = "usage_limit_reached";
                return json!({"error": {"type": kind, "message": message, "plan_type": "plus", "resets_at": resets_at}});
            }
        };
        json!({"error": {"type": kind, "code": code, "message": message, "param": null}})
    }

    fn google_body(self, message: &str) -> Value {
        let (status, details) = match self {
            Self::RateLimited { retry_after } => (
                "RESOURCE_EXHAUSTED",
                json!([{
                    "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": format!("{retry_after}s"),
                }]),
            ),
            Self::QuotaExceeded { .. } => (
                "RESOURCE_EXHAUSTED",
                json!([{
                    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
                    "violations": [{"quotaId": "GenerateRequestsPerDayPerProject"}],
                }]),
            ),
            Self::Overloaded => ("UNAVAILABLE", json!([])),
            Self::Broken => ("INTERNAL", json!([])),
            Self::Unauthorized => ("UNAUTHENTICATED", json!([])),
            Self::NoCredit => ("PERMISSION_DENIED", json!([])),
            Self::ContextTooLong { .. } => ("INVALID_ARGUMENT", json!([])),
        };
        let code = self.status(Dialect::Gemini);
        json!({"error": {"code": code, "message": message, "status": status, "details": details}})
    }
}

/// An error as a dialect writes one that no refusal of a script is.
pub(crate) fn error(dialect: Dialect, kind: &str, message: &str) -> Value {
    match dialect {
        Dialect::Messages => json!({"type": "error", "error": {"type": kind, "message": message}}),
        Dialect::Responses | Dialect::Chat => json!({"error": {"type": kind, "code": kind, "message": message}}),
        Dialect::Gemini => json!({"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}),
    }
}

//! The real agents, run by the real server against a model that the tests script: what each of them can do.
//!
//! A scenario is one function for all agents, and says what it has shown; `matrix.rs` holds that against the table in the
//! docs. Each agent runs as people install it, in the version that `scripts/agents` pins, with a home of its own, no
//! account, and nothing of the network but loopback.

mod calls;
mod ends;
mod escape;
mod faults;
mod lineage;
mod matrix;
mod reviewers;
mod scene;
mod unhooked;
mod work;

/// Runs a scenario with each agent, each in a test of its own.
macro_rules! with_each_agent {
    ($($scenario:ident),+ $(,)?) => {
        $(mod $scenario {
            use testkit::Cli;

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn claude() {
                crate::real::matrix::hold(Cli::Claude, super::$scenario(Cli::Claude).await);
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn codex() {
                crate::real::matrix::hold(Cli::Codex, super::$scenario(Cli::Codex).await);
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn gemini() {
                crate::real::matrix::hold(Cli::Gemini, super::$scenario(Cli::Gemini).await);
            }
        })+
    };
}
use with_each_agent;

//! Lands finished branches, and does what follows for their missions.
//!
//! Each target branch of a repository has a queue, and each queue that is not empty has a worker: a task that ends when
//! nothing is left to do. Queues do not wait for each other. What is tried next and what follows from an outcome is
//! decided by [`landing::next`] and [`landing::follows`]; what lands is checked by [`landing`] on exactly the tree that
//! lands. Start with [`queues`], which hears of what is to do, then [`worker`].
//!
//! Nothing here is remembered: a crash between any two steps leaves records from which the next worker goes on. What is
//! [`types::LandingState::Cleared`] may have landed, so the target branch is looked at before anything else.

mod desk;
mod publish;
mod queues;
mod records;
mod rules;
mod settle;
mod told;
mod turn;
mod worker;

use std::sync::Arc;

use landing::Lander;
use runtime::{Stop, Tree};

pub(crate) use records::Move;

use crate::Service;

/// Lands branches until it is asked to stop.
pub async fn land(service: Arc<Service>, lander: Lander, tree: Tree, stop: &Stop) {
    queues::Queues::new(service, lander, tree).run(stop).await;
}

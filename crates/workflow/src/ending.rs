//! The end of an execution in which every step is over.

use serde_json::Map;
use types::{ExecutionState, StepState};

use crate::advance::Work;
use crate::bounds::{self, OUTPUTS_BYTES_MAX};

impl Work<'_> {
    /// Completes the execution once every step is over, and its answer is read.
    pub(crate) fn conclude(&mut self) {
        let is_over = self.execution.steps.values().all(|step| StepState::is_over(&step.state));
        if !self.execution.state.is_live() || !is_over {
            return;
        }
        let mut outputs = Map::new();
        for (name, text) in self.execution.definition.outputs.clone() {
            let Some(value) = self.value_of(&text) else { return };
            outputs.insert(name, value);
        }
        if bounds::bytes(outputs.values()) > OUTPUTS_BYTES_MAX {
            let why = format!("what it answers has more than {OUTPUTS_BYTES_MAX} bytes");
            return self.end(ExecutionState::Failed { at: self.facts.now, step: None, why });
        }
        self.end(ExecutionState::Completed { at: self.facts.now, outputs });
    }
}

//! What a session says it did, what Fleet saw of it, and what follows from the two.
//!
//! An agent speaks of its work in one of three ways: through the tool `submit_report` ([`read_submitted`]), in a marked
//! block of text ([`read_marked`]), or in a `result.json` ([`read_result`]). All of them end as a [`types::Said`].
//! Beside it is the [`types::Evidence`]: what git, the checks and the meter show. [`told`] chooses between them.
//! [`judge`] decides from the evidence whether the work is done; what was said can only make it less so. [`prompt`] is
//! the other direction: what an agent is told.
//!
//! Everything here is pure and total: any text is read or refused in words, no clock is read and no file is touched.

mod claims;
mod cut;
mod evidence;
mod judge;
mod marked;
mod next;
mod prompt;
mod result;
mod said;
mod salvage;
#[cfg(test)]
mod samples;
mod submitted;
mod told;

pub use claims::{DISCREPANCIES_MAX, discrepancies};
pub use cut::{head, tail};
pub use evidence::{Digest, OUTPUT_TAIL_MAX, bounded, digest};
pub use judge::{Expectation, checked, judge};
pub use marked::{MARK_END, MARK_START, MarkedError, read_marked, write_marked};
pub use next::{NextMission, next_mission};
pub use prompt::{Answer, DependencyReport, Mail, PROMPT_MAX, PromptParts, SentBack, again, prompt, system_prompt};
pub use result::{
    RESULT_MAX, ResultError, ResultReading, ResultStatus, TestClaim, WorkResult, read_result, result_schema,
    write_result,
};
pub use said::{Section, Sections, TEXT_MAX, URL_MAX, says_nothing};
pub use salvage::Repair;
pub use submitted::{SubmitError, read_submitted, read_submitted_text};
pub use told::{Left, told};

//! `fleet report`: what an agent said about a mission, what Fleet saw of it, and where the two differ.

use api::devfleet::{
    EvidenceView, GetMissionReport, LandingView, MissionReport, MissionStatus, ReportRow, ReportSource, ReportVerdict,
};
use api::quantity;
use serde_json::{Map, json};

use crate::call::Call;
use crate::context::Context;
use crate::failure::Failure;
use crate::operations::unlisted;
use crate::terminal::Style;

/// Files and commits that are listed; the rest is counted.
const LISTED_MAX: usize = 20;

/// Show the report of a mission with Fleet's evidence
///
/// Exits with status 0 when Fleet counts the work as done, with 1 when it does not or when there is no report yet.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// The mission
    mission: String,
}

pub(crate) async fn run(args: Args, context: &mut Context<'_>) -> Result<u8, Failure> {
    let fields = Map::from_iter([("mission".to_owned(), json!(args.mission))]);
    let call = Call { entry: unlisted::<GetMissionReport>(), fields, yes: false };
    let reply = call.answer(context).await?;
    let unreadable = |error: serde_json::Error| {
        Failure::new(api::Kind::Internal, format!("cannot read the server's answer: {error}"))
    };
    let report: MissionReport = serde_json::from_value(reply.body.clone()).map_err(unreadable)?;
    let done = report.report.as_ref().is_some_and(|report| report.verdict == ReportVerdict::Done);
    let done = done && on_its_way(&report).is_none();
    if context.options.json {
        context.terminal.print_json(&reply.body)?;
    } else {
        let text = page(&report, context.terminal.data_style());
        context.terminal.print(&text)?;
    }
    Ok(u8::from(!done))
}

/// Writes everything out: words, evidence, differences.
fn page(mission: &MissionReport, style: Style) -> String {
    let mut text = format!(
        "{}\n",
        style.bold(&format!("{} {} ({})", mission.mission_id, line(&mission.title), mission.status.as_str()))
    );
    let Some(report) = &mission.report else {
        text.push_str("\nNothing was reported yet.\n");
        return text;
    };
    text.push_str(&words(report, style));
    text.push_str(&seen(&report.evidence, style));
    text.push_str(&verdict(report, on_its_way(mission), style));
    text
}

/// Returns the landing that the work has still to pass.
fn on_its_way(mission: &MissionReport) -> Option<&LandingView> {
    mission.landing.as_ref().filter(|landing| landing.status != "landed" && mission.status != MissionStatus::Completed)
}

fn words(report: &ReportRow, style: Style) -> String {
    let how = match report.source {
        ReportSource::Submitted => "The agent reports",
        ReportSource::ResultFile => "The agent left in result.json",
        ReportSource::Salvaged => "The agent left a broken result.json; this could be read of it",
        ReportSource::MarkedText => "The agent wrote at the end",
        ReportSource::LastWords => "The agent reported nothing; its last words",
        ReportSource::None => return format!("\n{}\n", style.bold("The agent reported nothing.")),
    };
    let mut text = format!("\n{}\n", style.bold(&format!("{how}:")));
    let texts = &report.texts;
    let parts = [
        ("done", &texts.what_done),
        ("open", &texts.what_open),
        ("tested", &texts.what_tested),
        ("not tested", &texts.what_untested),
        ("files", &texts.files_changed),
        ("next", &texts.next_steps),
        ("errors", &texts.errors_encountered),
        ("preview", &texts.preview_url),
    ];
    for (name, said) in parts {
        for (at, said) in said.trim().lines().enumerate() {
            let label = if at == 0 { name } else { "" };
            text.push_str(&format!("  {}  {}\n", style.dim(&format!("{label:<10}")), line(said)));
        }
    }
    text
}

fn seen(evidence: &EvidenceView, style: Style) -> String {
    let commit = |commit: &api::devfleet::CommitView| {
        format!("{} {}", commit.hash.chars().take(10).collect::<String>(), line(&commit.subject))
    };
    let file = |file: &api::devfleet::FileView| {
        let lines = file.added.zip(file.removed).map(|(added, removed)| format!(" +{added} -{removed}"));
        format!("{:<8} {}{}", file.change, line(&file.path), lines.unwrap_or_default())
    };
    let check = |check: &api::devfleet::CheckView| {
        let mark = if check.passed { style.good("green") } else { style.error("red") };
        let tail = check.output_tail.lines().rev().take(5).collect::<Vec<_>>().into_iter().rev();
        let tail: String = tail.filter(|_| !check.passed).map(|said| format!("\n      {}", line(said))).collect();
        let sandbox = check.sandbox.as_deref().map(|sandbox| format!(", sandbox {}", line(sandbox)));
        let about = format!("{}{}", quantity::duration(check.duration_ms), sandbox.unwrap_or_default());
        let refused = check.refused.iter().map(|host| format!("\n      network refused: {}", line(host)));
        let tail = tail + &refused.collect::<String>();
        format!("{mark} `{}` {} ({about}){tail}", line(&check.command), check.outcome)
    };
    let mut text = format!("\n{}\n", style.bold("Fleet saw:"));
    text.push_str(&listed("commit", evidence.commits.iter().map(commit), evidence.more_commits));
    text.push_str(&listed("file", evidence.files.iter().map(file), evidence.more_files));
    if evidence.uncommitted_kept {
        text.push_str("  The agent left work uncommitted; Fleet committed it.\n");
    }
    match evidence.checks.is_empty() {
        true => text.push_str("  No check has run on it yet.\n"),
        false => text.push_str(&listed("check", evidence.checks.iter().map(check), 0)),
    }
    let cost = match evidence.cost_unknown {
        true => "cost unknown".to_owned(),
        false => quantity::dollars(evidence.total_cost_usd),
    };
    text.push_str(&format!(
        "  {}, {} tokens, {}, {}\n",
        cost,
        quantity::tokens(evidence.total_tokens),
        quantity::counted(evidence.turns.into(), "turn"),
        quantity::duration(evidence.duration_ms)
    ));
    text
}

fn verdict(report: &ReportRow, landing: Option<&LandingView>, style: Style) -> String {
    let mut text = String::new();
    if !report.discrepancies.is_empty() {
        text.push_str(&format!("\n{}\n", style.bold("Where the two differ:")));
        for differs in &report.discrepancies {
            text.push_str(&format!("  {}\n", style.warning(&line(differs))));
        }
    }
    match (report.verdict, landing) {
        (ReportVerdict::Done, Some(landing)) => {
            let why = landing.why.as_deref().map(|why| format!(": {}", line(why))).unwrap_or_default();
            let said =
                format!("The agent is through with it; it is not done until it has landed ({}){why}", landing.status);
            text.push_str(&format!("\n{}\n", style.warning(&said)));
        }
        (ReportVerdict::Done, None) => text.push_str(&format!("\n{}\n", style.good("Fleet counts it as done."))),
        (ReportVerdict::Unseen, _) => text.push_str("\nFleet saw nothing of this work, and judges nothing.\n"),
        (ReportVerdict::NotDone, _) => {
            text.push_str(&format!("\n{}\n", style.error("Fleet does not count it as done:")));
            for reason in &report.reasons {
                text.push_str(&format!("  {}\n", line(reason)));
            }
        }
    }
    text
}

fn listed(what: &str, items: impl ExactSizeIterator<Item = String>, more: usize) -> String {
    let total = items.len() + more;
    if total == 0 {
        return format!("  no {what}s\n");
    }
    let mut text = format!("  {}\n", quantity::counted(total as u64, what));
    let left = total - items.len().min(LISTED_MAX);
    for item in items.take(LISTED_MAX) {
        text.push_str(&format!("    {item}\n"));
    }
    if left > 0 {
        text.push_str(&format!("    and {left} more\n"));
    }
    text
}

/// A text of others as one line that a terminal can show.
fn line(text: &str) -> String {
    text.replace('\t', "    ").chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;

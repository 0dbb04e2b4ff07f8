//! Where recorded processes stood, event by event.

use fleet_agents::{Event, Exit, Phase};

use crate::fixtures::{ALL, events};

const ENDED: Event = Event::Ended { exit: Exit::Code { code: 0 } };

/// The phases that a process went through.
fn phases(events: &[Event]) -> Vec<Phase> {
    let mut phases = vec![Phase::default()];
    for event in events {
        let now = phases[phases.len() - 1].after(event);
        if now != phases[phases.len() - 1] {
            phases.push(now);
        }
    }
    phases
}

#[test]
fn a_run_is_ready_then_works_then_is_ready_again() {
    use Phase::{Ready, Starting, Stopped, Working};
    let mut run = events("claude-commit");
    run.push(ENDED);
    assert_eq!(phases(&run), [Starting, Ready, Working, Ready, Stopped]);
    let turns = [Starting, Ready, Working, Ready, Working, Ready, Working, Ready, Working, Ready];
    assert_eq!(phases(&events("claude-stream-input")), turns);
    assert_eq!(phases(&events("claude-sigterm")), [Starting, Ready, Working], "it was cut off");
    assert_eq!(phases(&events("claude-acp")), [Starting], "nobody understood a word");
}

#[test]
fn nobody_comes_back_from_being_told_to_go() {
    for (name, _) in ALL {
        for event in events(name) {
            assert_eq!(Phase::Working.told_to_go().after(&event), Phase::Stopping);
            assert_eq!(Phase::Stopped.after(&event), Phase::Stopped);
        }
    }
    assert_eq!(Phase::Stopping.after(&ENDED), Phase::Stopped);
    assert_eq!(Phase::Stopped.told_to_go(), Phase::Stopped);
}

//! Carries out what the stepper says, one effect after the other, and lets it hear what is said meanwhile.

use std::io::{self, Write as _};

use agents::sim::{Effect, FloodLine, Stepper};

use crate::folder::Folder;
use crate::input::{Input, InputEvent};
use crate::signals::{self, Signals};
use crate::{Trouble, attempt, clock, commit, left, terminal};

/// An agent at work.
#[derive(Debug)]
pub(crate) struct Player {
    stepper: Stepper,
    input: Input,
    folder: Folder,
    signals: Signals,
}

impl Player {
    pub(crate) fn new(stepper: Stepper, input: Input, folder: Folder, signals: Signals) -> Self {
        Self { stepper, input, folder, signals }
    }

    /// Plays to the end, and returns what the script returns.
    pub(crate) fn run(mut self) -> Result<u8, Trouble> {
        loop {
            self.hear_what_is_there()?;
            let Some(effect) = self.stepper.next() else { return Ok(0) };
            if let Some(code) = self.carry_out(effect)? {
                return Ok(code);
            }
        }
    }

    /// Returns the exit code if that was the last effect.
    fn carry_out(&mut self, effect: Effect) -> Result<Option<u8>, Trouble> {
        match effect {
            Effect::Print { line } => print(line)?,
            Effect::Flood { number, session } => {
                print(FloodLine { number, at_us: clock::now_us(), session }.line())?;
            }
            Effect::Write { path, text } => self.stepper.went(self.folder.write(&path, &text)),
            Effect::Commit { message } => self.stepper.went(commit::commit(&message)),
            Effect::ForkOff { secs } => self.stepper.went(left::fork_off(secs)),
            Effect::Terminal => self.stepper.went(Ok(terminal::described())),
            Effect::Try { deed, on } => self.stepper.went(Ok(attempt::tried(deed, &on))),
            Effect::Sleep { ms } => self.sleep(ms)?,
            Effect::Listen => self.listen()?,
            Effect::IgnoreTerm => self.signals.ignore_term(),
            Effect::Abort => signals::die(),
            Effect::Hang => signals::wait_for_ever(),
            Effect::Exit { code } => return Ok(Some(low_byte(code))),
        }
        Ok(None)
    }

    fn hear_what_is_there(&mut self) -> Result<(), Trouble> {
        while let InputEvent::Line(line) = self.input.next(Some(clock::now())).map_err(unreadable())? {
            self.stepper.hear(&line);
        }
        Ok(())
    }

    /// A word breaks it off; the stepper sees to the rest of the time.
    fn sleep(&mut self, ms: u64) -> Result<(), Trouble> {
        let Some(deadline) = clock::after_ms(ms) else { signals::wait_for_ever() };
        if let InputEvent::Line(line) = self.input.next(Some(deadline)).map_err(unreadable())? {
            self.stepper.hear(&line);
            self.stepper.woken(clock::ms_until(deadline));
        }
        Ok(())
    }

    fn listen(&mut self) -> Result<(), Trouble> {
        match self.input.next(None).map_err(unreadable())? {
            InputEvent::Line(line) => self.stepper.hear(&line),
            InputEvent::Nothing | InputEvent::End => self.stepper.unheard(),
        }
        Ok(())
    }
}

fn unreadable() -> impl FnOnce(io::Error) -> Trouble {
    Trouble::system("reading standard input")
}

/// Prints a line in one write, so that no other line and no end of the process comes in between.
fn print(mut line: String) -> Result<(), Trouble> {
    line.push('\n');
    let mut stdout = io::stdout().lock();
    let printed = stdout.write_all(line.as_bytes()).and_then(|()| stdout.flush());
    printed.map_err(Trouble::system("printing"))
}

/// What the system keeps of an exit code.
fn low_byte(code: i32) -> u8 {
    u8::try_from(code.rem_euclid(256)).unwrap_or(u8::MAX)
}

//! Output above, the line that is typed below it. Without a person, output alone.

use crate::context::Context;
use crate::failure::Failure;

const PROMPT: &str = "> ";
/// To the beginning of the line, and everything behind it away.
const CLEAR: &str = "\r\x1b[K";

/// What is on the screen.
#[derive(Debug, Default)]
pub(super) struct Screen {
    interactive: bool,
    typed: String,
}

impl Screen {
    pub(super) fn new(interactive: bool) -> Self {
        Self { interactive, typed: String::new() }
    }

    pub(super) fn is_interactive(&self) -> bool {
        self.interactive
    }

    /// Prints what the session told.
    pub(super) fn data(&mut self, text: &str, context: &mut Context<'_>) -> Result<(), Failure> {
        match (text.is_empty(), self.interactive) {
            (true, _) => Ok(()),
            (false, false) => context.terminal.print(text),
            (false, true) => {
                let line = self.line(context);
                context.terminal.print(&format!("{CLEAR}{text}{line}"))
            }
        }
    }

    /// Prints what is not part of the session.
    pub(super) fn note(&mut self, text: &str, context: &mut Context<'_>) -> Result<(), Failure> {
        if !self.interactive {
            context.terminal.say(text);
            return Ok(());
        }
        let dim = context.terminal.data_style().dim(text);
        self.data(&format!("{dim}\n"), context)
    }

    /// Prints what the person said.
    pub(super) fn said(&mut self, line: &str, context: &mut Context<'_>) -> Result<(), Failure> {
        if !self.interactive {
            return Ok(());
        }
        let said = context.terminal.data_style().bold(&format!("{PROMPT}{line}"));
        self.data(&format!("{said}\n"), context)
    }

    /// Shows the line as far as it is typed.
    pub(super) fn typing(&mut self, text: &str, context: &mut Context<'_>) -> Result<(), Failure> {
        self.typed = text.to_owned();
        if !self.interactive {
            return Ok(());
        }
        let line = self.line(context);
        context.terminal.print(&format!("{CLEAR}{line}"))
    }

    /// Takes the line away.
    pub(super) fn close(&mut self, context: &mut Context<'_>) -> Result<(), Failure> {
        if self.interactive { context.terminal.print(CLEAR) } else { Ok(()) }
    }

    /// The end of a line that is too long is what the person looks at.
    fn line(&self, context: &Context<'_>) -> String {
        let room = context.terminal.width().unwrap_or(80).saturating_sub(PROMPT.len() + 1);
        let length = self.typed.chars().count();
        if length <= room {
            return format!("{PROMPT}{}", self.typed);
        }
        let end: String = self.typed.chars().skip(length + 1 - room).collect();
        format!("{PROMPT}…{end}")
    }
}

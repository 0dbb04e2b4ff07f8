//! What an agent says, gathered from the pieces in which it comes.
//!
//! A piece may be half a word. It is told by whole lines, and only when there is much of it or something else happens,
//! so that what was told, joined by line breaks, is what was said.

use crate::Event;

/// From so many bytes on, whole lines are told though more may follow.
const MUCH: usize = 2 * 1024;

/// Bytes of the last message that are kept, at most.
const WORDS_MAX: usize = 64 * 1024;

/// How an agent speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Voice {
    /// To others.
    Aloud,
    /// To itself.
    Thinking,
}

/// What was said and not yet told.
#[derive(Debug, Default)]
pub(crate) struct Prose {
    voice: Option<Voice>,
    message: Option<String>,
    pending: String,
    words: String,
}

impl Prose {
    /// Takes a piece in; `message` is the agent's id of what it belongs to, where it has one.
    pub(crate) fn said(&mut self, voice: Voice, piece: &str, message: Option<&str>) -> Vec<Event> {
        let same = self.voice == Some(voice) && self.message.as_deref() == message;
        let mut events = if same { Vec::new() } else { self.told() };
        if !same {
            self.message = message.map(str::to_owned);
            if voice == Voice::Aloud {
                self.words.clear();
            }
        }
        self.voice = Some(voice);
        self.pending.push_str(piece);
        if voice == Voice::Aloud {
            self.keep(piece);
        }
        if self.pending.len() > MUCH
            && let Some(end) = self.pending.rfind('\n')
        {
            let rest = self.pending.split_off(end + 1);
            self.pending.truncate(end);
            events.extend(event(voice, std::mem::replace(&mut self.pending, rest)));
        }
        events
    }

    /// Reports what is left, since something else happens.
    pub(crate) fn told(&mut self) -> Vec<Event> {
        let text = std::mem::take(&mut self.pending);
        self.message = None;
        self.voice.take().and_then(|voice| event(voice, text)).into_iter().collect()
    }

    /// Returns its last words, and forgets them.
    pub(crate) fn last_words(&mut self) -> String {
        std::mem::take(&mut self.words)
    }

    fn keep(&mut self, piece: &str) {
        self.words.push_str(piece);
        if self.words.len() > 2 * WORDS_MAX {
            let from = self.words.ceil_char_boundary(self.words.len() - WORDS_MAX);
            self.words.drain(..from);
        }
    }
}

fn event(voice: Voice, text: String) -> Option<Event> {
    if text.trim().is_empty() {
        return None;
    }
    Some(match voice {
        Voice::Aloud => Event::Text { text, within: None },
        Voice::Thinking => Event::Thinking { text, within: None },
    })
}

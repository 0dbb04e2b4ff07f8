//! What is sent of several notifications at once. No I/O.

use serde_json::{Value, json};
use types::{Channel, Notification};

use crate::kind::kind_of;

/// Lines that a digest shows.
const LINES_MAX: usize = 10;

/// What is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// The words, a line for each.
    pub text: String,
    /// The body of a POST.
    pub body: String,
}

/// Says several things as one; none if there is nothing to say.
#[must_use]
pub fn digest(channel: Channel, due: &[Notification]) -> Option<Digest> {
    let text = match due {
        [] => return None,
        [one] => one.text.clone(),
        many => {
            let lines = many.iter().take(LINES_MAX).map(|one| format!("\n• {}", one.text));
            let more = many.len().saturating_sub(LINES_MAX);
            let rest = if more > 0 { format!("\n… and {more} more: fleet inbox") } else { String::new() };
            format!("{} things wait for you:{}{rest}", many.len(), lines.collect::<String>())
        }
    };
    let body = match channel {
        Channel::Slack => json!({ "text": escaped(&text) }),
        Channel::Webhook | Channel::Desktop => {
            let items: Vec<Value> = due.iter().map(item).collect();
            json!({ "text": text, "count": due.len(), "items": items })
        }
    };
    Some(Digest { text, body: body.to_string() })
}

fn item(one: &Notification) -> Value {
    json!({ "id": one.id, "kind": kind_of(&one.about).map(|kind| kind.as_str()), "text": one.text, "team": one.team })
}

/// What Slack would take for a link or a mention is text: an agent mentions no user.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use types::{Event, Timestamp};

    use super::*;

    fn notification(text: &str) -> Notification {
        Notification {
            id: "n-x7k2m".parse().unwrap(),
            team: "alpha".parse().unwrap(),
            channel: Channel::Slack,
            about: Event::BudgetUsedUp { project: None, why: String::new(), resets_at: None },
            text: text.to_owned(),
            tries: 0,
            at: Timestamp::UNIX_EPOCH,
            created_at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn one_is_said_alone_and_many_in_one_with_a_bounded_number_of_lines() {
        assert_eq!(digest(Channel::Slack, &[]), None);
        assert_eq!(digest(Channel::Desktop, &[notification("a")]).unwrap().text, "a");
        let many: Vec<_> = (0..12).map(|number| notification(&format!("number {number}"))).collect();
        let text = digest(Channel::Desktop, &many).unwrap().text;
        assert!(text.starts_with("12 things wait for you:\n• number 0\n"), "{text}");
        assert!(text.ends_with("• number 9\n… and 2 more: fleet inbox"), "{text}");
    }

    #[test]
    fn no_text_of_an_agent_mentions_anybody_or_hides_a_link_in_slack() {
        let sent = digest(Channel::Slack, &[notification("<!channel> <https://a.example|here> & there")]).unwrap();
        let body: Value = serde_json::from_str(&sent.body).unwrap();
        assert_eq!(body, json!({ "text": "&lt;!channel&gt; &lt;https://a.example|here&gt; &amp; there" }));
    }
}

//! What the model does in the first hour: a few turns for each mission, found by a phrase of its prompt.

use testkit::model::{Act, Answer, Script, Turn, Usage, When};

/// What is on `main` in the end.
pub(crate) const SUBJECTS: [&str; 8] = [
    "Add a cart",
    "List the prices",
    "Write a welcome",
    "Plan discounts",
    "Decide the discount",
    "Remove the old menu",
    "Sell coffee",
    "Prefer green tea",
];

/// Returns the turns of all missions.
pub(crate) fn script() -> Script {
    let end = |text: &str| vec![Answer::new().text(text)];
    let missions = [
        ("Add a cart", [writes("cart.txt", "an empty cart\n", "Add a cart"), end("The cart is there.")].concat()),
        ("List the prices", [writes("prices.txt", "tea 4.50\n", "List the prices"), end("Prices are listed.")].concat()),
        ("Write a welcome", [writes("welcome.txt", "Welcome!\n", "Write a welcome"), end("Guests are welcome.")].concat()),
        (
            "Plan discounts",
            [
                writes("discounts.txt", "TODO: decide\n", "Plan discounts"),
                end("The discounts are planned."),
                vec![shell("The check is right.", &commits("printf '10 percent off tea\\n' > discounts.txt", "Decide the discount"))],
                end("Now it is decided."),
            ]
            .concat(),
        ),
        (
            "Remove the old menu",
            [
                vec![shell("I remove it.", "git rm --quiet old-menu.txt")],
                vec![shell("I commit.", "git commit --quiet --message 'Remove the old menu'")],
                end("It is removed."),
            ]
            .concat(),
        ),
        (
            "Sell coffee",
            [
                vec![shell("The notes are about coffee and out of date.", "git rm --quiet notes.txt")],
                vec![shell("Now the menu.", &commits("printf 'tea, coffee\\n' > menu.txt", "Sell coffee"))],
                end("Coffee is on the menu."),
                vec![shell(
                    "Both changed the menu. I keep both.",
                    "git merge --quiet main; printf 'green tea, coffee\\n' > menu.txt && git add --all && git commit --quiet --no-edit",
                )],
                end("Merged: green tea and coffee."),
            ]
            .concat(),
        ),
    ];
    missions.into_iter().fold(Script::new(), |script, (phrase, answers)| {
        let turns = answers.into_iter().map(|answer| Turn::from(answer).when(When::said(phrase)));
        turns.fold(script, Script::then)
    })
}

fn writes(path: &str, text: &str, subject: &str) -> Vec<Answer> {
    let write = Answer::new().text(&format!("I write {path}.")).act(Act::write(path, text)).usage(USAGE);
    vec![write, shell("I commit.", &commits("", subject))]
}

fn shell(text: &str, command: &str) -> Answer {
    Answer::new().text(text).act(Act::shell(command)).usage(USAGE)
}

fn commits(before: &str, subject: &str) -> String {
    let before = if before.is_empty() { String::new() } else { format!("{before} && ") };
    format!("{before}git add --all && git commit --quiet --message '{subject}'")
}

const USAGE: Usage = Usage { input: 1200, output: 90, cache_read: 0, cache_write: 0 };

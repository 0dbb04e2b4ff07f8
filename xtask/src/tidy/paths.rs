//! Rule: no file names a folder of a developer's machine.

use super::Complaint;
use super::tree::Tree;

/// The top folders under which people and machines keep their own things.
const PRIVATE: [&str; 3] = ["root", "home", "work"];

pub(super) fn check(tree: &Tree) -> Vec<Complaint> {
    let folders = PRIVATE.map(|folder| format!("/{folder}/"));
    let mut complaints = Vec::new();
    for file in &tree.files {
        for (at, line) in file.text.lines().enumerate() {
            if let Some(folder) = folders.iter().find(|folder| mentions(line, folder)) {
                let message =
                    format!("a path below {folder} exists on one machine only; use a relative or a made-up one");
                complaints.push(Complaint::new(&file.path, at + 1, "machine-path", message));
            }
        }
    }
    complaints
}

/// Whether an absolute path starts with the folder: nothing that could be a path or a URL precedes it.
fn mentions(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|before| before.is_alphanumeric() || "._-})]>*~".contains(before))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(text: &str) -> usize {
        check(&Tree::of(&[("README.md", text)])).len()
    }

    #[test]
    fn an_absolute_path_below_a_private_folder_is_found() {
        for folder in PRIVATE {
            assert_eq!(complaints(&format!("cd /{folder}/me\n")), 1);
            assert_eq!(complaints(&format!("\"/{folder}/me\"\n")), 1);
            assert_eq!(complaints(&format!("file:///{folder}/me\n")), 1);
        }
    }

    #[test]
    fn a_folder_inside_another_path_passes() {
        for folder in PRIVATE {
            assert_eq!(complaints(&format!("docs/{folder}/me ./{folder}/ {{id}}/{folder}/ /srv/{folder}/x\n")), 0);
        }
    }
}

//! Which files a patch in the form of `apply_patch` changes, and how.

/// What a patch does to files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Patch {
    pub(crate) paths: Vec<String>,
    /// Whether files come or go; otherwise it only changes what is there.
    pub(crate) adds: bool,
}

/// Reads the heads of a patch's sections.
pub(crate) fn read(text: &str) -> Patch {
    let mut patch = Patch::default();
    for line in text.lines() {
        let Some(head) = line.trim_start().strip_prefix("*** ") else { continue };
        let (verb, path) = head.split_once(": ").unwrap_or((head, ""));
        match verb {
            "Update File" => {}
            "Add File" | "Delete File" | "Move to" => patch.adds = true,
            _ => continue,
        }
        patch.paths.push(path.trim().to_owned());
    }
    patch
}

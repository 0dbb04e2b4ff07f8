use super::*;

fn file(text: &str) -> RustFile {
    RustFile::new("crates/x/src/lib.rs", text)
}

#[test]
fn a_function_runs_from_its_fn_to_its_last_brace() {
    let file = file("/// Doc.\n#[inline]\npub fn a(x: [u8; 4]) -> usize {\n    if x { 1 } else { 2 }\n}\nfn b() {}\n");
    assert_eq!(
        file.functions,
        [
            Function { name: "a".into(), line: 3, lines: 3, test: false },
            Function { name: "b".into(), line: 6, lines: 1, test: false },
        ]
    );
}

#[test]
fn a_function_without_a_body_and_a_function_type_are_no_functions() {
    assert_eq!(file("trait T { fn a(&self); }\ntype F = fn(u8) -> u8;\nlet r#fn = 1;\n").functions, []);
}

#[test]
fn braces_in_strings_and_comments_do_not_end_a_function() {
    let file = file("fn a() {\n    // }\n    f(\"}\");\n}\n");
    assert_eq!(file.functions[0].lines, 4);
}

#[test]
fn a_method_with_bounds_is_measured() {
    let file = file(
        "impl<T> A<T>\nwhere\n    T: Fn(u8) -> u8,\n{\n    fn go<U>(u: U)\n    where\n        U: B,\n    {\n    }\n}\n",
    );
    assert_eq!(file.functions, [Function { name: "go".into(), line: 5, lines: 5, test: false }]);
}

#[test]
fn a_test_module_is_counted_as_test() {
    let file = file("fn a() {}\n\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\nfn c() {}\n");
    assert_eq!(file.test_lines, [false, false, true, true, true, true, false]);
    assert_eq!(file.functions.iter().map(|function| function.test).collect::<Vec<_>>(), [false, true, false]);
    assert_eq!((file.test_line_count(), file.production_line_count()), (4, 3));
}

#[test]
fn a_declaration_for_tests_ends_at_its_semicolon() {
    let file = file(
        "#[cfg(test)]\n#[path = \"a_tests.rs\"]\nmod tests;\nfn a() {}\n#[cfg(test)]\nuse a::{b, c};\nfn d() {}\n",
    );
    assert_eq!(file.test_lines, [true, true, true, false, true, true, false]);
}

#[test]
fn what_is_compiled_without_tests_is_no_test() {
    assert_eq!(file("#[cfg(not(test))]\nfn a() {}\n").test_line_count(), 0);
}

#[test]
fn a_file_is_a_test_by_its_place_its_name_or_its_first_attribute() {
    for path in ["crates/x/tests/a.rs", "crates/x/src/a_tests.rs", "crates/x/src/a/tests.rs"] {
        let file = RustFile::new(path, "fn a() {}\n");
        assert!(file.is_test() && file.test_lines == [true], "{path}");
    }
    assert_eq!(file("#![cfg(test)]\nfn a() {}\n").test_line_count(), 2);
    assert!(!RustFile::new("crates/x/src/latests.rs", "").is_test());
}

#[test]
fn attributes_are_found_outside_strings_only() {
    let file = file("#![deny(a)]\n#[serde(\n    default\n)]\nconst A: &str = \"#[b]\"; // #[c]\n");
    let found: Vec<_> = file.attributes.iter().map(|attribute| (attribute.line, attribute.text.clone())).collect();
    assert_eq!(found[0], (1, "deny(a)".to_owned()));
    assert_eq!(found[1].0, 2);
    assert_eq!(found.len(), 2);
}

//! The examples of 30 lines.

use std::path::Path;
use std::process::Command;

use crate::common::sandbox::Sandbox;
use crate::common::{example, output, root};
use crate::{ABC, EMPTY};

fn sandbox(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    for example_name in ["stream", "checked", "many_messages"] {
        sandbox.install("bin", example_name, example(example_name));
    }
    sandbox.write("abc", "abc");
    sandbox.copy(root().join("tests/data/collisions/shattered-1.head"), "attack");
    sandbox
}

#[test]
fn stream() {
    let sandbox = sandbox("stream");
    sandbox.expect(0, format!("{ABC}\n"), "", "stream <abc");
    sandbox.expect(0, format!("{EMPTY}\n"), "", "stream </dev/null");
    let million = "head -c 1000000 /dev/zero | tr '\\0' a | stream";
    sandbox.expect(0, "34aa973cd4c4daa4f61eeb2bdbad27316534016f\n", "", million);
    sandbox.expect(1, "", "stream: standard input: Is a directory\n", "stream <.");
}

#[test]
fn many_messages() {
    let sandbox = sandbox("many_messages");
    sandbox.expect(0, "", "", "many_messages");
    let hello = "2ef7bde608ce5404e97d5f042f95f89f1c232871  Hello World!\n";
    let all = format!("{ABC}  abc\n{EMPTY}  \n{hello}");
    sandbox.expect(0, all, "", "many_messages abc '' 'Hello World!'");
}

#[test]
fn checked() {
    let sandbox = sandbox("checked");
    sandbox.expect(0, format!("{ABC}\n"), "", "checked <abc");
    let refused = "checked: refused, this is part of a SHA-1 collision attack\n";
    sandbox.expect(1, "", refused, "checked <attack");
    sandbox.expect(1, "", refused, "(cat attack; echo more) | checked");
    sandbox.expect(1, "", "checked: standard input: Is a directory\n", "checked <.");
}

#[test]
fn rust() {
    let sandbox = sandbox("rust");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--quiet", "--features", "std", "--example", "rust", "--target-dir"]);
    let target = root().join("target/learning");
    output(build.arg(&target).current_dir(root()));
    let program = target.join("debug/examples/rust");
    sandbox.install("bin", "rust-example", Path::new(&program));

    sandbox.expect(0, format!("{ABC}  abc\n"), "", "rust-example abc");
    let refused = "attack: refused, this is part of a SHA-1 collision attack\nError: \"1 of 2 refused\"\n";
    sandbox.expect(1, format!("{ABC}  abc\n"), refused, "rust-example attack abc");
    let missing = "Error: \"missing: No such file or directory (os error 2)\"\n";
    sandbox.expect(1, "", missing, "rust-example abc missing");
}

//! examples/programs/many.c: errors, and the sums that sha1sum and `git hash-object`
//! print for the same files and for pieces of them.

use std::fs;
use std::path::Path;

use crate::common::sandbox::Sandbox;
use crate::common::{example, have, not_run};
use crate::{ABC, EMPTY, have_dev_full, random, unreadable};

fn sandbox(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(&format!("many-{name}"));
    sandbox.install("bin", "many", example("many"));
    for name in ["abc", "two words", "-dash"] {
        sandbox.write(name, "abc");
    }
    sandbox.write("empty", "");
    fs::create_dir(sandbox.path("dir")).unwrap();
    sandbox
}

#[test]
fn known_sums() {
    let sandbox = sandbox("known");
    for (sums, script) in [
        (&[(EMPTY, "empty")][..], "many empty"),
        (&[(ABC, "abc"), (EMPTY, "empty"), (ABC, "abc")], "many abc empty abc"),
        (&[(ABC, "-dash"), (ABC, "two words")], "many -- -dash 'two words'"),
        (&[(ABC, "abc:0")], "many --pieces 3 abc"),
        (&[(ABC, "abc:0")], "many --pieces 18446744073709551615 abc"),
        (&[], "many --pieces 3 empty"),
        (&[("f2ba8f84ab5c1bce84a7b441cb1959cfc7093b7f", "abc")], "many --git abc"),
        (&[("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", "empty")], "many --git empty"),
    ] {
        let lines: String = sums.iter().map(|(sum, name)| format!("{sum}  {name}\n")).collect();
        sandbox.expect(0, lines, "", script);
    }
}

#[test]
fn errors() {
    let mut sandbox = sandbox("errors");
    let missing = "many: missing: No such file or directory\n";
    let directory = "many: dir: Is a directory\n";
    sandbox.expect(1, "", missing, "many missing");
    sandbox.expect(1, "", directory, "many dir");
    sandbox.expect(1, "", directory, "many --pieces 3 dir");
    sandbox.expect(1, format!("{ABC}  abc\n{EMPTY}  empty\n"), missing, "many abc missing empty");
    let between = format!("{ABC}  abc\n{missing}{ABC}  abc\n");
    sandbox.expect(1, between, "", "many abc missing abc 2>&1");
    let between = format!("{ABC}  abc:0\n{directory}{ABC}  abc:0\n");
    sandbox.expect(1, between, "", "many --pieces 9 abc dir abc 2>&1");
    sandbox.expect(1, "", "many: /dev/null: Not a regular file\n", "many /dev/null");
    if sandbox.run("mkfifo pipe").status == Some(0) {
        sandbox.expect(1, "", "many: pipe: Not a regular file\n", "many pipe");
    } else {
        not_run("many on a pipe (no mkfifo)");
    }
    if Path::new("/proc/version").exists() {
        sandbox.expect(1, "", "many: /proc/version: Size is not known\n", "many /proc/version");
    } else {
        not_run("many on files of /proc (there are none)");
    }
    let wrong = |sandbox: &Sandbox, why: &str, script| {
        sandbox.expect(2, "", format!("many: {why}\nTry 'many --help'.\n"), script)
    };
    wrong(&sandbox, "no file given", "many");
    wrong(&sandbox, "no file given", "many --git");
    wrong(&sandbox, "--pieces and --git exclude each other", "many --git --pieces 3 abc");
    wrong(&sandbox, "--pieces and --git exclude each other", "many --pieces 3 --git abc");
    for size in ["0", "-1", "x", "3x", "", " 3", "18446744073709551616"] {
        sandbox.set("size", size);
        wrong(&sandbox, "a piece must have a positive number of bytes", "many --pieces \"$size\" abc");
    }
    wrong(&sandbox, "option '--pieces' requires an argument", "many --pieces");
    wrong(&sandbox, "invalid option -- 'x'", "many -x");
    sandbox.expect(1, "", "many: write error: Bad file descriptor\n", "many abc >&-");
    if have_dev_full() {
        sandbox.expect(1, "", "many: write error: No space left on device\n", "many abc >/dev/full");
        sandbox.expect(1, "", "many: write error: No space left on device\n", "many --help >/dev/full");
    }
    if unreadable(&sandbox) {
        sandbox.expect(1, "", "many: unreadable: Permission denied\n", "many unreadable");
    }
    let help = sandbox.run("many --help").text();
    assert!(help.lines().any(|line| line.starts_with("Usage: many ")), "{help}");
}

/// More files than a batch takes, of which few are of the same size; and pieces.
#[test]
fn sums_of_others() {
    const FILES: &str = "files/* files/random empty files/?";
    let sandbox = sandbox("others");
    let random = random(300_009);
    for i in 0..300 {
        sandbox.write(format!("files/{i}"), &random[..i * i * i / 271]);
    }
    sandbox.write("files/random", &random);
    sandbox.write("random", &random);
    let same = |ours: &str, theirs: &str| {
        let [ours_out, theirs_out] = [ours, theirs].map(|script| sandbox.run(script).text());
        assert_eq!(ours_out, theirs_out, "{ours}");
    };
    if have("sha1sum") {
        same(&format!("many {FILES}"), &format!("sha1sum {FILES}"));
        same("many random", "sha1sum random");
        for size in [1000, 4096, 65536, 100003, 300008, 300009, 300010] {
            for (number, piece) in random.chunks(size).enumerate() {
                sandbox.write(format!("pieces/{number:04}"), piece);
            }
            let names = "sed 's,pieces/0*\\(.\\),random:\\1,'";
            same(&format!("many --pieces {size} random"), &format!("sha1sum pieces/* | {names}"));
            fs::remove_dir_all(sandbox.path("pieces")).unwrap();
        }
    } else {
        not_run("the sums of sha1sum (there is none)");
    }
    if have("git") {
        let sums = "cut -d ' ' -f 1";
        same(&format!("many --git {FILES} | {sums}"), &format!("git hash-object --no-filters {FILES}"));
    } else {
        not_run("many --git beside git (there is none)");
    }
}

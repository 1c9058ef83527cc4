//! examples/programs/git_object.c: known object ids, and those that `git hash-object`
//! gives to the same files.

use std::fs;
use std::path::Path;

use crate::common::sandbox::Sandbox;
use crate::common::{example, have, not_run};
use crate::{have_dev_full, random, unreadable};

const EMPTY: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
const ABC: &str = "f2ba8f84ab5c1bce84a7b441cb1959cfc7093b7f";
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

fn sandbox(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(&format!("git_object-{name}"));
    sandbox.install("bin", "git_object", example("git_object"));
    for name in ["abc", "two words", "-dash"] {
        sandbox.write(name, "abc");
    }
    sandbox.write("empty", "");
    fs::create_dir(sandbox.path("dir")).unwrap();
    sandbox
}

#[test]
fn known_ids() {
    let sandbox = sandbox("known");
    for (ids, script) in [
        (&[EMPTY][..], "git_object empty"),
        (&[EMPTY], "git_object"),
        (&[EMPTY], "git_object -t blob -"),
        (&[ABC], "git_object abc"),
        (&[ABC], "git_object <abc"),
        (&[ABC], "cat abc | git_object"),
        (&[ABC, EMPTY, ABC], "cat abc | git_object abc empty -"),
        (&[ABC, ABC], "git_object -- -dash 'two words'"),
        (&[EMPTY_TREE], "git_object -t tree empty"),
        (&[EMPTY_TREE], "git_object -t tree /dev/null"),
        (&["557db03de997c86a4a028e1ebd3a1ceb225be238"], "echo Hello World | git_object"),
    ] {
        sandbox.expect(0, ids.join("\n") + "\n", "", script);
    }
}

#[test]
fn errors() {
    let sandbox = sandbox("errors");
    let fails = |why: &str, script| sandbox.expect(1, "", format!("git_object: {why}\n"), script);
    fails("missing: No such file or directory", "git_object missing");
    fails("dir: Is a directory", "git_object dir");
    fails("standard input: Is a directory", "git_object <dir");
    let missing = "git_object: missing: No such file or directory\n";
    sandbox.expect(1, format!("{ABC}\n"), missing, "git_object missing abc");
    for (why, script) in [
        ("invalid object type 'blip'", "git_object -t blip abc"),
        ("option requires an argument -- 't'", "git_object -t"),
        ("invalid option -- 'x'", "git_object -x"),
    ] {
        sandbox.expect(2, "", format!("git_object: {why}\nTry 'git_object --help'.\n"), script);
    }
    fails("standard input: Bad file descriptor", "git_object <&-");
    fails("write error: Bad file descriptor", "git_object abc >&-");
    if have_dev_full() {
        fails("write error: No space left on device", "git_object abc >/dev/full");
        fails("write error: No space left on device", "git_object --help >/dev/full");
    }
    if unreadable(&sandbox) {
        fails("unreadable: Permission denied", "git_object unreadable");
    }
    let help = sandbox.run("git_object --help 2>&1").text();
    assert!(help.lines().any(|line| line.starts_with("Usage: git_object ")), "{help}");
}

/// A file that is being appended to all the time. The zeros (a hole, where the file
/// system knows holes) make sure that it grows between fstat and the end of reading.
#[test]
fn growing_file() {
    let sandbox = sandbox("growing");
    fs::File::create(sandbox.path("growing")).unwrap().set_len(1 << 28).unwrap();
    sandbox.expect(
        1,
        "",
        "git_object: growing: file grew while it was read\n",
        "sh -c 'while :; do echo; done >>growing' &
        git_object growing
        status=$?
        kill $!
        wait
        exit $status",
    );
}

/// Files of other sizes than they say: many in /sys say 4096, those of /proc 0.
#[test]
fn files_of_the_kernel() {
    let sandbox = sandbox("kernel");
    let sys = ["kernel/mm/transparent_hugepage/enabled", "kernel/uevent_seqnum", "devices/system/cpu/online"];
    let short = sys.map(|file| Path::new("/sys").join(file)).into_iter();
    match short.rev().find(|file| file.metadata().is_ok_and(|metadata| metadata.len() == 4096)) {
        Some(file) => {
            let file = file.display();
            let error = format!("git_object: {file}: file shrank while it was read\n");
            sandbox.expect(1, "", error, &format!("git_object {file}"));
        }
        None => not_run("a file that is shorter than it says (none in /sys of size 4096)"),
    }
    if Path::new("/proc/version").exists() {
        let id = sandbox.run("cat /proc/version | git_object").text();
        sandbox.expect(0, id, "", "git_object /proc/version");
    } else {
        not_run("files that are longer than they say (no /proc)");
    }
}

#[test]
fn ids_of_git() {
    if !have("git") {
        return not_run("the ids that git gives (there is no git)");
    }
    let mut sandbox = sandbox("git");
    let random = random(3 * 131073);
    let mut files: Vec<String> = ["abc", "empty", "crlf", "two words", "-dash"].map(String::from).into();
    for size in [
        1, 9, 10, 55, 56, 57, 63, 64, 65, 99, 100, 119, 120, 999, 1000, 4096, 131071, 131072, 131073, 262144,
        262145, 393219,
    ] {
        files.push(format!("size{size}"));
        sandbox.write(files.last().unwrap(), &random[..size]);
    }
    sandbox.write("crlf", "a\r\nb\n");
    // Both succeed and print the same.
    let same = |sandbox: &Sandbox, ours: &str, theirs: &str| {
        let [ours_out, theirs_out] = [ours, theirs].map(|script| sandbox.run(script).text());
        assert_eq!(ours_out, theirs_out, "{ours}");
    };
    for file in files {
        sandbox.set("file", &file);
        same(&sandbox, "git_object -- \"$file\"", "git hash-object --no-filters -- \"$file\"");
        same(&sandbox, "git_object <\"$file\"", "git hash-object --stdin <\"$file\"");
        same(&sandbox, "cat <\"$file\" | git_object -", "git hash-object --stdin <\"$file\"");
        for kind in ["tree", "commit", "tag"] {
            same(
                &sandbox,
                &format!("git_object -t {kind} -- \"$file\""),
                &format!("git hash-object -t {kind} --literally --stdin <\"$file\""),
            );
        }
    }
    same(&sandbox, "git_object size*", "git hash-object --no-filters size*");
    same(
        &sandbox,
        "(dd of=/dev/null bs=7 count=1 2>/dev/null; git_object) <size4096",
        "dd if=size4096 bs=7 skip=1 2>/dev/null | git hash-object --stdin",
    );

    // Objects of a repository, by their own contents.
    sandbox
        .run(
            "(git init repo && cp size4096 abc crlf repo && cd repo &&
        git config user.name Tester && git config user.email tester@example.invalid &&
        git add . && git commit -m 'a commit' && git tag -am 'a tag' v1) >/dev/null 2>&1",
        )
        .text();
    for (kind, object) in [("commit", "HEAD"), ("tree", "HEAD:"), ("tag", "v1"), ("blob", "HEAD:size4096")] {
        same(
            &sandbox,
            &format!("git -C repo cat-file {kind} {object} | git_object -t {kind}"),
            &format!("git -C repo rev-parse {object}"),
        );
    }
}

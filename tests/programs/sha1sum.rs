//! examples/programs/sha1sum.c beside coreutils' sha1sum: the same standard output,
//! standard error and exit status. The messages of coreutils change a little from
//! version to version, so only a `sha1sum` 9.1 in PATH is taken as the reference, or
//! any that SHAONE_SHA1SUM names.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use crate::common::sandbox::{Outcome, Sandbox};
use crate::common::{example, not_run, root};
use crate::{ABC, EMPTY, have_dev_full, unreadable};

const ABC_UPPER: &str = "A9993E364706816ABA3E25717850C26C9CD0D89D";
const BAD: &str = "b9993e364706816aba3e25717850c26c9cd0d89d";
const TRY: &str = "Try 'sha1sum --help' for more information.\n";

/// Three that have to be escaped.
const NEW_LINE: &str = "new\nline";
const CARRIAGE: &str = "cr\rx";
const ALL_THREE: &str = "a\nb\\c\rd";

fn reference() -> Option<&'static PathBuf> {
    static REFERENCE: OnceLock<Option<PathBuf>> = OnceLock::new();
    REFERENCE
        .get_or_init(|| {
            let named = env::var_os("SHAONE_SHA1SUM").map(PathBuf::from);
            let found = named.clone().or_else(|| {
                let path = env::var_os("PATH")?;
                env::split_paths(&path).map(|dir| dir.join("sha1sum")).find(|file| file.exists())
            });
            let version = found.as_ref().and_then(|file| Command::new(file).arg("--version").output().ok());
            let version = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
            let first = version.as_ref().and_then(|text| text.lines().next()).unwrap_or_default();
            match first.strip_prefix("sha1sum (GNU coreutils) ") {
                Some(version) if named.is_some() || version == "9.1" => found,
                Some(version) => {
                    not_run(&format!(
                        "coreutils' sha1sum (it is {version}, not 9.1: SHAONE_SHA1SUM=PATH takes it)"
                    ));
                    None
                }
                None => {
                    not_run("coreutils' sha1sum (there is none)");
                    None
                }
            }
        })
        .as_ref()
}

struct Test(Sandbox);

impl Test {
    fn new(name: &str) -> Self {
        let mut sandbox = Sandbox::new(&format!("sha1sum-{name}"));
        // By one name, with which both begin their messages.
        sandbox.install("ours", "sha1sum", example("sha1sum"));
        if let Some(reference) = reference() {
            sandbox.install("theirs", "sha1sum", reference);
        }
        let names = ["abc", "two words", " blank", "*star", "-dash", "quote'", "a:b", "b\\c", "paren) = x"];
        for name in names.into_iter().chain([NEW_LINE, CARRIAGE, ALL_THREE]) {
            sandbox.write(name, "abc");
        }
        sandbox.write("empty", "");
        fs::create_dir(sandbox.path("dir")).unwrap();
        sandbox.write("good", format!("{ABC}  abc\n"));
        sandbox.write("wrong", format!("{BAD}  abc\n"));
        sandbox.write("missing1", format!("{ABC}  missing\n"));
        sandbox.write("malformed1", format!("x\n{ABC}  abc\n"));
        sandbox.write("malformed2", format!("x\n{ABC}  abc\ny\n"));
        sandbox.write("oneblank", format!("{ABC} abc\n"));
        sandbox.write("dashlist", format!("{ABC}  -\n"));
        for (name, value) in [("abc", ABC), ("newline", NEW_LINE), ("cr", CARRIAGE), ("all", ALL_THREE)] {
            sandbox.set(name, value);
        }
        Test(sandbox)
    }

    /// Ours and the reference do the same.
    #[track_caller]
    fn same(&self, script: &str) {
        if reference().is_some() {
            let [ours, theirs] = ["ours", "theirs"].map(|whose| self.0.run_with(whose, script));
            assert_eq!(ours, theirs, "{script}");
        }
    }

    /// Ours does this.
    #[track_caller]
    fn only(&self, status: i32, stdout: impl AsRef<[u8]>, stderr: impl AsRef<[u8]>, script: &str) {
        assert_eq!(self.0.run_with("ours", script), Outcome::new(status, stdout, stderr), "{script}");
    }

    /// Ours does this, and so does the reference.
    #[track_caller]
    fn expect(&self, status: i32, stdout: impl AsRef<[u8]>, stderr: impl AsRef<[u8]>, script: &str) {
        self.only(status, stdout, stderr, script);
        self.same(script);
    }
}

#[test]
fn digests() {
    let test = Test::new("digests");
    test.expect(0, format!("{EMPTY}  empty\n"), "", "sha1sum empty");
    test.expect(0, format!("{EMPTY}  -\n"), "", "sha1sum");
    test.expect(0, format!("{EMPTY}  -\n"), "", "sha1sum -");
    test.expect(0, format!("{ABC}  -\n"), "", "sha1sum <abc");
    test.expect(0, format!("{ABC}  abc\n"), "", "sha1sum abc");
    let million = vec![b'a'; 1_000_000];
    let digest = "34aa973cd4c4daa4f61eeb2bdbad27316534016f";
    test.0.write("million", &million);
    test.expect(0, format!("{digest}  million\n"), "", "sha1sum million");
    test.expect(0, format!("{digest}  -\n"), "", "cat million | sha1sum");
    test.0.write("a56", [b'a'; 56]);
    test.0.write("a63", [b'a'; 63]);
    test.0.write("x8192", [b'x'; 8192]);
    test.expect(
        0,
        "c2db330f6083854c99d4b5bfb6e8f29f201be699  a56\n\
         03f09f5b158a7a8cdad920bddc29b81c18a551f5  a63\n\
         9105c5e76995943a47c0b54a9d0cb275197df1af  x8192\n",
        "",
        "sha1sum a56 a63 x8192",
    );
    for size in [1, 54, 55, 57, 64, 65, 119, 120, 127, 128, 129, 131071, 131072, 131073, 262145] {
        test.0.write(format!("size{size}"), &million[..size]);
    }
    test.same("sha1sum size*");
    test.same("sha1sum - abc - <abc");
    test.same("(dd bs=1 count=1 2>/dev/null; sha1sum) <abc");
    test.same("cat size64 | sha1sum - -");
    test.0.run("mkfifo fifo").text();
    test.same("cat abc >fifo & sha1sum fifo; kill $! 2>/dev/null; wait");
}

#[test]
fn output_forms() {
    let test = Test::new("forms");
    for (stdout, script) in [
        (format!("{ABC} *abc\n"), "sha1sum -b abc"),
        (format!("{ABC} *abc\n"), "sha1sum --binary abc"),
        (format!("{ABC}  abc\n"), "sha1sum -t abc"),
        (format!("{ABC}  abc\n"), "sha1sum -bt abc"),
        (format!("SHA1 (abc) = {ABC}\n"), "sha1sum --tag abc"),
        (format!("SHA1 (abc) = {ABC}\n"), "sha1sum -t --tag abc"),
        (format!("{ABC}  abc\0"), "sha1sum -z abc"),
        (format!("SHA1 (abc) = {ABC}\0"), "sha1sum --zero --tag abc"),
        (format!("\\{ABC}  new\\nline\n"), "sha1sum \"$newline\""),
        (format!("\\{ABC} *cr\\rx\n"), "sha1sum -b \"$cr\""),
        (format!("\\{ABC}  b\\\\c\n"), "sha1sum 'b\\c'"),
        (format!("\\SHA1 (new\\nline) = {ABC}\n"), "sha1sum --tag \"$newline\""),
        (format!("{ABC}  new\nline\0"), "sha1sum -z \"$newline\""),
        (format!("{ABC}  -dash\n"), "sha1sum -- -dash"),
        (format!("{ABC}  ./-dash\n"), "sha1sum ./-dash"),
    ] {
        test.expect(0, stdout, "", script);
    }
}

/// A single odd byte, and one after a letter.
#[test]
fn names_with_odd_bytes() {
    let mut test = Test::new("bytes");
    for &byte in b"\x01\x07\t\n\r\x1b !\"#$&'()*:;<=>?@[\\^`{|}~\x7f\x80\xc3\xff" {
        for name in [&[byte][..], &[b'x', byte], &[b'x', byte, b'y']] {
            let name = OsStr::from_bytes(name);
            test.0.set("name", name);
            // Not every file system takes all.
            if fs::write(test.0.path(name), "").is_ok() {
                test.same(
                    "sha1sum -- \"$name\"; sha1sum -z -- \"$name\"
                     sha1sum -b -- \"$name\"; sha1sum --tag -- \"$name\"",
                );
                test.same("sha1sum \"./$name\" | sha1sum -c; sha1sum --tag \"./$name\" | sha1sum -c");
                fs::remove_file(test.0.path(name)).unwrap();
            }
            // It is missing: how messages quote it.
            test.same("sha1sum -- \"$name\"");
        }
    }
}

#[test]
fn names() {
    let mut test = Test::new("names");
    let names: [&[u8]; 26] = [
        NEW_LINE.as_bytes(),
        CARRIAGE.as_bytes(),
        ALL_THREE.as_bytes(),
        b"two words",
        b" blank",
        b"*star",
        b"-dash",
        b"quote'",
        b"a:b",
        b"b\\c",
        b"paren) = x",
        "\u{e9}".as_bytes(),
        "x\u{2028}y".as_bytes(),
        "\u{1f600} x".as_bytes(),
        b"\xf0\x9f",
        b"#x",
        b"~x",
        b"{x}",
        b"~'",
        b"it's",
        b"it's \"",
        b"",
        b"$x",
        b"a'new\nline'b",
        b"..",
        b".",
    ];
    for name in names {
        test.0.set("name", OsStr::from_bytes(name));
        test.same("sha1sum \"$name\"; sha1sum -z \"$name\"; sha1sum -b -- \"$name\"");
        test.same("sha1sum -- \"$name\" | sha1sum -c; sha1sum --tag -- \"$name\" | sha1sum -c -");
        test.same("sha1sum \"missing$name\"");
        test.same("LC_ALL=C.UTF-8 sha1sum \"missing$name\"");
        test.same("echo \"$abc  missing$name\" | sha1sum -c");
    }
}

#[test]
fn options() {
    let test = Test::new("options");
    for (option, script) in [
        ("quiet", "sha1sum --quiet abc"),
        ("status", "sha1sum --status abc"),
        ("strict", "sha1sum --strict abc"),
        ("warn", "sha1sum -w abc"),
        ("ignore-missing", "sha1sum --ignore-missing abc"),
    ] {
        let why = "option is meaningful only when verifying checksums";
        test.expect(1, "", format!("sha1sum: the --{option} {why}\n{TRY}"), script);
    }
    for (why, script) in [
        ("invalid option -- 'x'", "sha1sum -x"),
        ("--tag does not support --text mode", "sha1sum --tag --text abc"),
        ("the --tag option is meaningless when verifying checksums", "sha1sum -c --tag abc"),
        ("the --zero option is not supported when verifying checksums", "sha1sum -cz abc"),
        ("the --binary and --text options are meaningless when verifying checksums", "sha1sum -cb abc"),
    ] {
        test.expect(1, "", format!("sha1sum: {why}\n{TRY}"), script);
    }
    for option in [
        "--binary",
        "--check",
        "--text",
        "--zero",
        "--warn",
        "--b",
        "--bin",
        "--ch",
        "--ig",
        "--ignore",
        "--q",
        "--st",
        "--sta",
        "--str",
        "--t",
        "--ta",
        "--te",
        "--w",
        "--z",
        "--x",
        "--tag=1",
        "--check=x",
        "--strict=",
        "-Z",
        "-bx",
        "-cwx",
        "-",
    ] {
        test.same(&format!("sha1sum {option} good"));
    }
    test.same("sha1sum -- -c");
    test.same("sha1sum -c -- good");
    test.same("sha1sum good -c");
    test.same("POSIXLY_CORRECT=1 sha1sum good -c");
    test.same("sha1sum abc missing abc dir abc");
    test.same("sha1sum abc missing abc dir abc 2>&1");
    test.same("sha1sum -z abc missing abc 2>&1");

    test.only(0, format!("{ABC}  abc\n"), "", "sha1sum --progress abc");
    test.only(0, "abc: OK\n", "", "sha1sum --prog -c good");
    let help = test.0.run_with("ours", "sha1sum --help").text();
    for option in [
        "-b,",
        "-t,",
        "-z,",
        "-c,",
        "-w,",
        "--binary",
        "--text",
        "--zero",
        "--check",
        "--tag",
        "--warn",
        "--ignore-missing",
        "--quiet",
        "--status",
        "--strict",
        "--progress",
        "--help",
        "--check-collisions",
        "--version",
    ] {
        assert!(help.contains(option), "--help does not name {option}");
    }
    let version = test.0.run_with("ours", "sha1sum --version; sha1sum --vers -x").text();
    let number =
        |word: &str| word.split_once('.').is_some_and(|(a, b)| a.ends_with(digit) && b.starts_with(digit));
    assert!(
        version.lines().any(|line| line.starts_with("sha1sum ") && line.split(' ').any(number)),
        "--version: {version}"
    );
}

fn digit(c: char) -> bool {
    c.is_ascii_digit()
}

#[test]
fn two_options() {
    let test = Test::new("two-options");
    let first =
        ["-b", "-c", "-t", "-z", "-w", "--tag", "--ignore-missing", "--quiet", "--status", "--strict"];
    let second = first.into_iter().chain(["--tag -t", "-t --tag", "-c -z", "-c --status", "--quiet -w"]);
    for one in first {
        test.same(&format!("sha1sum {one} abc"));
        test.same(&format!("sha1sum {one} good"));
        test.same(&format!("sha1sum abc {one}"));
        test.same(&format!("sha1sum {one}"));
        for two in second.clone() {
            test.same(&format!("sha1sum {one} {two} good"));
        }
    }
}

#[test]
fn check() {
    const NO_MATCH: &str = "sha1sum: WARNING: 1 computed checksum did NOT match\n";
    const MALFORMED: &str = "sha1sum: WARNING: 1 line is improperly formatted\n";
    const MISSING: &str = "sha1sum: missing: No such file or directory\n";
    let test = Test::new("check");
    test.expect(0, "abc: OK\n", "", "sha1sum -c good");
    test.expect(0, "abc: OK\n", "", "sha1sum -c <good");
    test.expect(0, "abc: OK\n", "", "sha1sum -c - <good");
    test.expect(0, "", "", "sha1sum -c --quiet good");
    test.expect(0, "", "", "sha1sum -c --status good");
    test.expect(1, "abc: FAILED\n", NO_MATCH, "sha1sum -c wrong");
    test.expect(1, "abc: FAILED\n", NO_MATCH, "sha1sum -c --quiet wrong");
    test.expect(1, "", "", "sha1sum -c --status wrong");
    test.0.write("wrong2", format!("{BAD}  abc\n").repeat(2));
    test.expect(
        1,
        "abc: FAILED\nabc: FAILED\n",
        "sha1sum: WARNING: 2 computed checksums did NOT match\n",
        "sha1sum -c wrong2",
    );
    let unread = format!("{MISSING}sha1sum: WARNING: 1 listed file could not be read\n");
    test.expect(1, "missing: FAILED open or read\n", unread, "sha1sum -c missing1");
    test.expect(1, "", "sha1sum: missing1: no file was verified\n", "sha1sum -c --ignore-missing missing1");
    test.expect(1, "", MISSING, "sha1sum -c --status missing1");
    test.0.write("missing2", format!("{ABC}  missing\n{ABC}  abc\n{ABC}  missing\n"));
    test.expect(
        1,
        "missing: FAILED open or read\nabc: OK\nmissing: FAILED open or read\n",
        format!("{MISSING}{MISSING}sha1sum: WARNING: 2 listed files could not be read\n"),
        "sha1sum -c missing2",
    );
    test.expect(0, "abc: OK\n", "", "sha1sum -c --ignore-missing missing2");
    test.0.write("directory", format!("{ABC}  dir\n"));
    test.expect(
        1,
        "dir: FAILED open or read\n",
        "sha1sum: dir: Is a directory\nsha1sum: WARNING: 1 listed file could not be read\n",
        "sha1sum -c directory",
    );
    test.expect(0, "abc: OK\n", MALFORMED, "sha1sum -c malformed1");
    test.expect(1, "abc: OK\n", MALFORMED, "sha1sum -c --strict malformed1");
    let which = format!("sha1sum: malformed1: 1: improperly formatted SHA1 checksum line\n{MALFORMED}");
    test.expect(0, "abc: OK\n", which, "sha1sum -c -w malformed1");
    test.expect(0, "", "", "sha1sum -c --status malformed1");
    test.expect(1, "", "", "sha1sum -c --status --strict malformed1");
    let malformed = "sha1sum: WARNING: 2 lines are improperly formatted\n";
    test.expect(0, "abc: OK\n", malformed, "sha1sum -c malformed2");
    let none = "no properly formatted checksum lines found\n";
    test.expect(1, "", format!("sha1sum: abc: {none}"), "sha1sum -c abc");
    test.expect(1, "", format!("sha1sum: 'standard input': {none}"), "sha1sum -c");
    test.expect(1, "", "sha1sum: dir: read error\n", "sha1sum -c dir");
    test.expect(1, "", "sha1sum: nolist: No such file or directory\n", "sha1sum -c nolist");
    test.0.write("escaped", format!("\\{ABC}  new\\nline\n"));
    test.expect(0, "\\new\\nline: OK\n", "", "sha1sum -c escaped");
    test.0.write("tagcrlf", format!("SHA1 (abc) = {ABC_UPPER}\r\n"));
    test.expect(0, "abc: OK\n", "", "sha1sum -c tagcrlf");
    test.0.write("crlf", format!("{ABC_UPPER} *abc\r\n"));
    test.expect(0, "abc: OK\n", "", "sha1sum -c crlf");
    test.expect(0, "abc: OK\n", "", "sha1sum -c oneblank");

    for lists in [
        "good good",
        "abc good",
        "good abc",
        "good nolist good",
        "dir good",
        "good oneblank good",
        "oneblank good",
        "- good",
        "good - good",
        "wrong malformed1",
        "--ignore-missing missing1 good",
        "--ignore-missing empty good",
        "-w abc malformed2",
        "--strict malformed1 good",
        "good/x",
    ] {
        test.same(&format!("sha1sum -c {lists}"));
        test.same(&format!("sha1sum -c {lists} <good"));
        test.same(&format!("sha1sum -c {lists} 2>&1"));
    }
    test.same("sha1sum -c dashlist <abc");
    test.same("sha1sum -c dashlist dashlist <abc");
    test.same("sha1sum -cw <dashlist");
    symlink("loop", test.0.path("loop")).unwrap();
    test.same("sha1sum loop");
    test.same("sha1sum -c loop");
    test.same("sha1sum abc 'two words' | sha1sum -c");
    test.same("sha1sum --tag abc 'two words' \"$all\" | sha1sum -c --strict");
}

/// Each is a list: H and U are a right digest in lower and upper case, B a wrong
/// one, Z forty z.
const LISTS: &[&str] = &[
    "H  abc",
    "H  abc\n",
    "H *abc\n",
    "H abc\n",
    "H   abc\n",
    "H\tabc\n",
    "H\t abc\n",
    "H \tabc\n",
    "Habc\n",
    "H\n",
    "H \n",
    "H  \n",
    "H *\n",
    "H",
    "H ",
    "H  ",
    "U  abc\n",
    "H0  abc\n",
    "0H  abc\n",
    "Z  abc\n",
    "Z abc\nH  abc\n",
    " H  abc\n",
    "\t H *abc\n",
    "\x0bH  abc\n",
    "\\H  abc\n",
    "  \\H  abc\n",
    "\\ H  abc\n",
    "\\H  new\\nline\n",
    "\\H  cr\\rx\n",
    "\\H  b\\\\c\n",
    "\\H  a\\nb\\\\c\\rd\n",
    "H  b\\c\n",
    "\\H  abc\\x\n",
    "\\H  abc\\\n",
    "\\H abc\\x\nH  abc\n",
    "\\B  new\\nline\n",
    "H  abc\r\n",
    "H  abc\r\r\n",
    "H  abc\r",
    "#H  abc\n",
    " #H  abc\n",
    "# comment\n\nH  abc\n\n",
    "\r\nH  abc\n",
    "  \nH  abc\n",
    "#\n#\n",
    "\n",
    "x\n",
    "x\ny\nH  abc\n",
    "B  abc\nx\nH  missing\nH  dir\nH  abc\n",
    "H  abc/x\n",
    "H  abc\nH abc\n",
    "H abc\nH  abc\n",
    "H abc\nH *star\nH  blank\n",
    "SHA1 (abc) = H\nH abc\nH  abc\n",
    "H  abc\nSHA1 (abc) = H\n\\H  new\\nline\nU *abc\r\n",
    "SHA1 (abc) = H\n",
    "SHA1 (abc) = U\n",
    "SHA1(abc)= H\n",
    "SHA1(abc)=H\n",
    "SHA1  (abc) = H\n",
    "SHA1\t(abc) = H\n",
    "SHA1 (abc)  =\t H\n",
    "SHA1 (abc) = H \n",
    "SHA1 (abc) = H0\n",
    "SHA1 (abc) = H)\n",
    "SHA1 (abc) H\n",
    "SHA1 (abc = H\n",
    "SHA1 abc) = H\n",
    "SHA1 () = H\n",
    "SHA1 (paren) = x) = H\n",
    "  SHA1 (abc) = H\n",
    "\\SHA1 (new\\nline) = H\n",
    "\\SHA1 (abc\\q) = H\n",
    "\\  SHA1 (abc) = H\n",
    "sha1 (abc) = H\n",
    "SHA256 (abc) = H\n",
    "MD5 (abc) = H\n",
    "SHA1\n",
    "H  abc\0def\n",
    "H \0abc\n",
    "\\H  abc\0def\n",
    "H\0  abc\n",
    "\0H  abc\n",
    "SHA1 (abc\0) = H\n",
    "SHA1 (abc) = H\0\n",
    "SHA1 (abc) \0= H\n",
    "H  -\n",
    "SHA1 (-) = H\n",
];

fn written_out(list: &str) -> String {
    // The names of algorithms have such letters too.
    let list = list.replace("SHA", "\x01").replace("MD5", "\x02");
    let letter = |c: char| match c {
        'H' => ABC.into(),
        'U' => ABC_UPPER.into(),
        'B' => BAD.into(),
        'Z' => "z".repeat(40),
        '\x01' => "SHA".into(),
        '\x02' => "MD5".into(),
        other => other.to_string(),
    };
    list.chars().map(letter).collect()
}

#[test]
fn lists() {
    let test = Test::new("lists");
    for list in LISTS {
        test.0.write("list", written_out(list));
        test.same(&format!(
            "# {list:?}
            for flag in '' -w --quiet --status --strict --ignore-missing; do
                sha1sum -c $flag list
                echo \"$? $flag\"
            done
            sha1sum -cw --ignore-missing --strict <list"
        ));
    }
}

const ATTACK: &str = "is part of a SHA-1 collision attack\n";
const SHATTERED: &str = "f92d74e3874587aaf443d1db961d4e26dde13e9c";

/// With files that are parts of attacks.
fn with_attacks(name: &str) -> Test {
    let test = Test::new(name);
    let collisions = root().join("tests/data/collisions");
    for (file, name) in [
        ("shattered-1.head", "one"),
        ("shattered-2.head", "two"),
        ("sha-mbles-1.bin", "mbles"),
        ("sha1_reducedsha_coll.bin", "fewer"),
    ] {
        test.0.copy(collisions.join(file), name);
    }
    test
}

#[test]
fn attacks() {
    const MBLES: &str = "8ac60ba76f1999a1ab70223f225aefdc78d4ddc0";
    let test = with_attacks("attacks");
    // Nobody looks unasked.
    test.expect(0, format!("{SHATTERED}  one\n{SHATTERED}  two\n"), "", "sha1sum one two");
    test.only(0, format!("{ABC}  abc\n"), "", "sha1sum --check-collisions abc");
    test.only(0, format!("{ABC}  -\n"), "", "sha1sum --check-collisions <abc");
    let fewer_rounds = "a56374e1cf4c3746499bc7c0acb39498ad2ee185  fewer\n";
    test.only(0, fewer_rounds, "", "sha1sum --check-collisions fewer");
    let [one, two, input] = ["one", "two", "-"].map(|name| format!("sha1sum: {name}: {ATTACK}"));
    test.only(1, format!("{SHATTERED}  one\n"), &one, "sha1sum --check-collisions one");
    test.only(1, format!("{SHATTERED}  -\n"), &input, "sha1sum --check-collisions <one");
    test.only(1, format!("{SHATTERED}  -\n"), &input, "cat two | sha1sum --check-collisions -");
    test.only(
        1,
        format!("{SHATTERED}  one\n{ABC}  abc\n{MBLES}  mbles\n"),
        format!("{one}sha1sum: mbles: {ATTACK}"),
        "sha1sum one abc --check-collisions mbles",
    );
    test.only(1, format!("SHA1 (one) = {SHATTERED}\n"), &one, "sha1sum --check-collisions --tag one");
    test.only(1, format!("{SHATTERED} *two\0"), &two, "sha1sum -b --check-collisions -z two");
    let missing = "sha1sum: missing: No such file or directory\n";
    test.only(1, format!("{ABC}  abc\n"), missing, "sha1sum --check-collisions missing abc");
    // What follows does not matter; what is before it does.
    test.0.write("million", vec![b'a'; 1_000_000]);
    test.0.run("cat one million >longer; cat abc one >later").text();
    let longer = format!("sha1sum: longer: {ATTACK}");
    test.only(1, &longer, "", "sha1sum --check-collisions longer 2>&1 >/dev/null");
    let unasked = test.0.run_with("ours", "sha1sum longer").text();
    test.only(1, unasked, &longer, "sha1sum --check-collisions longer");
    test.only(0, "", "", "sha1sum --check-collisions later 2>&1 >/dev/null");

    test.0.write("attacked", format!("{SHATTERED}  one\n{ABC}  abc\n"));
    test.expect(0, "one: OK\nabc: OK\n", "", "sha1sum -c attacked");
    let warning = format!("{one}sha1sum: WARNING: 1 listed file is part of a collision attack\n");
    let failed = "one: FAILED collision attack\n";
    test.only(1, format!("{failed}abc: OK\n"), &warning, "sha1sum --check-collisions -c attacked");
    test.only(1, failed, &warning, "sha1sum -c --check-collisions --quiet attacked");
    test.only(1, "", &one, "sha1sum -c --check-collisions --status attacked");
    test.only(0, "abc: OK\n", "", "sha1sum --check-collisions -c good");
    test.0.write("attacked", format!("{SHATTERED}  one\n{SHATTERED}  two\n{BAD}  mbles\n"));
    test.only(
        1,
        "one: FAILED collision attack\ntwo: FAILED collision attack\nmbles: FAILED\n",
        format!(
            "{one}{two}sha1sum: mbles: {ATTACK}\
             sha1sum: WARNING: 1 computed checksum did NOT match\n\
             sha1sum: WARNING: 2 listed files are part of a collision attack\n"
        ),
        "sha1sum --check-collisions -c attacked",
    );
}

/// Its name in full, and only where an option can be.
#[test]
fn option_that_coreutils_lacks() {
    let test = with_attacks("own-option");
    for option in ["--c", "--ch", "--che", "--check"] {
        test.expect(0, "abc: OK\n", "", &format!("sha1sum {option} good"));
    }
    for option in ["--check-", "--check-collision", "--check-collisions=1"] {
        let error = format!("sha1sum: unrecognized option '{option}'\n{TRY}");
        test.only(1, "", error, &format!("sha1sum {option} abc"));
    }
    test.same("sha1sum -- --check-collisions");
    test.same("sha1sum -- one --check-collisions");
    test.same("POSIXLY_CORRECT=1 sha1sum one --check-collisions");
    test.same("POSIXLY_CORRECT=1 sha1sum - --check-collisions");
    for script in [
        "POSIXLY_CORRECT=1 sha1sum -t --check-collisions one",
        "sha1sum --check-collisions --check-collisions one",
    ] {
        test.only(1, format!("{SHATTERED}  one\n"), format!("sha1sum: one: {ATTACK}"), script);
    }
    test.0.write("--check-collisions", "abc");
    let stdout = format!("{ABC}  --check-collisions\n");
    test.only(0, stdout, "", "sha1sum --check-collisions -- --check-collisions");
}

#[test]
fn files_that_fail() {
    let test = Test::new("failing-files");
    test.expect(1, "", "sha1sum: dir: Is a directory\n", "sha1sum dir");
    test.expect(1, "", "sha1sum: -: Is a directory\n", "sha1sum <dir");
    let missing = "sha1sum: missing: No such file or directory\n";
    test.expect(1, format!("{ABC}  abc\n"), missing, "sha1sum missing abc");
    if unreadable(&test.0) {
        let denied = "sha1sum: unreadable: Permission denied\n";
        test.expect(1, "", denied, "sha1sum unreadable");
        test.0.write("unreadable1", format!("{ABC}  unreadable\n"));
        let denied = format!("{denied}sha1sum: WARNING: 1 listed file could not be read\n");
        test.expect(1, "unreadable: FAILED open or read\n", denied, "sha1sum -c unreadable1");
        test.same("sha1sum -c --ignore-missing unreadable1");
        test.same("sha1sum -c --status unreadable1");
        test.same("sha1sum -c unreadable");
    }
}

#[test]
fn streams_that_fail() {
    let test = Test::new("failing-streams");
    let closed = "sha1sum: standard input: Bad file descriptor\n";
    test.expect(1, "", format!("sha1sum: -: Bad file descriptor\n{closed}"), "sha1sum <&-");
    test.expect(1, "", format!("sha1sum: 'standard input': read error\n{closed}"), "sha1sum -c <&-");
    test.expect(1, "", "sha1sum: write error: Bad file descriptor\n", "sha1sum abc >&-");
    for script in [
        "sha1sum abc <&-",
        "sha1sum abc - abc <&-",
        "sha1sum -c good <&-",
        "sha1sum -c dashlist <&-",
        "sha1sum missing >&-",
        "sha1sum -z abc >&-",
        "sha1sum -c good >&-",
        "sha1sum -c --status good >&-",
        "sha1sum -c --quiet good >&-",
        "sha1sum -c --status wrong >&-",
        "sha1sum -x >&-",
        "sha1sum abc missing 2>&-",
        "sha1sum -c malformed1 2>&-",
        "sha1sum abc <&- 2>&-",
        "sha1sum abc <&- >&- 2>&-",
    ] {
        test.same(script);
    }
    if have_dev_full() {
        // coreutils 9.1 loses the reason that later versions give.
        let full = "sha1sum: write error: No space left on device\n";
        for script in ["abc", "abc abc", "-z abc", "--tag abc", "-c good", "--help", "--version"] {
            test.only(1, "", full, &format!("sha1sum {script} >/dev/full"));
        }
        test.same("sha1sum -c --status good >/dev/full");
        test.same("sha1sum -c --quiet good >/dev/full");
        test.same("sha1sum missing >/dev/full");
        test.same("sha1sum abc missing 2>/dev/full");
        test.same("sha1sum -c malformed1 2>/dev/full");
    }
}

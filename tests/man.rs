//! The manual pages in `docs/man` are what is made of the headers today.
//!
//! `make headers` (SHAONE_BLESS=1) writes them; otherwise a difference fails.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

mod common;

use common::sandbox::outcome;
use common::{not_run, output, root};

/// A page, and the functions that it is about.
struct Page {
    name: &'static str,
    header: &'static str,
    about: &'static str,
    functions: &'static [&'static str],
    /// Other names of these.
    aliases: &'static [&'static str],
    /// What the page has besides, in man(7).
    more: &'static str,
}

const PAGES: &[Page] = &[
    Page {
        name: "shaone",
        header: "shaone.h",
        about: "SHA-1 at the speed of the CPU",
        functions: &["shaone_backend", "shaone_version"],
        aliases: &[],
        more: "",
    },
    Page {
        name: "sha1_init",
        header: "shaone.h",
        about: "SHA-1 of a message that comes in parts",
        functions: &["shaone_init", "shaone_update", "shaone_final", "shaone_peek"],
        aliases: &["sha1_update", "sha1_final"],
        more: ".SS Short names\n\
            sha1_init, sha1_update and sha1_final are other names of shaone_init, shaone_update and\n\
            shaone_final, unless SHAONE_NO_SHORT_NAMES is defined before the header is included.\n\
            .SH EXAMPLES\n.nf\nshaone_ctx ctx;\nunsigned char digest[20];\n\nsha1_init(&ctx);\n\
            sha1_update(&ctx, \"abc\", 3);\nsha1_final(digest, &ctx);\n.fi\n",
    },
    Page {
        name: "shaone_digest",
        header: "shaone.h",
        about: "SHA-1 of a message, or of a file",
        functions: &["shaone_digest", "shaone_digest_fd"],
        aliases: &[],
        more: "",
    },
    Page {
        name: "shaone_checked_digest",
        header: "shaone.h",
        about: "SHA-1 with collision detection",
        functions: &[
            "shaone_checked_digest",
            "shaone_checked_init",
            "shaone_checked_update",
            "shaone_checked_final",
        ],
        aliases: &[],
        more: "",
    },
    Page {
        name: "shaone_digest_many",
        header: "shaone.h",
        about: "SHA-1 of many messages at once",
        functions: &[
            "shaone_digest_many",
            "shaone_pieces",
            "shaone_update_many",
            "shaone_final_many",
            "shaone_checked_digest_many",
        ],
        aliases: &[],
        more: "",
    },
    Page {
        name: "SHA1DCInit",
        header: "shaone/compat/sha1dc/sha1dc/sha1.h",
        about: "SHA-1 with collision detection, as sha1collisiondetection has it",
        functions: &[
            "SHA1DCInit",
            "SHA1DCUpdate",
            "SHA1DCFinal",
            "SHA1DCSetSafeHash",
            "SHA1DCSetUseUBC",
            "SHA1DCSetUseDetectColl",
            "SHA1DCSetDetectReducedRoundCollision",
            "SHA1DCSetCallback",
        ],
        aliases: &[],
        more: "",
    },
];

/// A function of a header: its declaration, and what the comment above says.
struct Function {
    name: String,
    declaration: String,
    comment: String,
}

/// The text of a comment whose lines begin with an asterisk.
fn text(comment: &str) -> String {
    let lines = comment.trim_matches(['/', '*', ' ', '\n']).lines();
    lines.map(|line| line.trim().trim_start_matches('*').trim()).collect::<Vec<_>>().join("\n")
}

fn functions(header: &str) -> Vec<Function> {
    let mut found = Vec::new();
    for piece in header.split("\n/**\n").skip(1) {
        let (comment, rest) = piece.split_once("*/").unwrap();
        let declaration = rest.split_once(';').unwrap().0.trim();
        let Some((declaration, _)) = declaration.split_once(" SHAONE_SYMBOL(") else { continue };
        let before = declaration.split_once('(').unwrap().0;
        found.push(Function {
            name: before.rsplit([' ', '*']).next().unwrap().into(),
            declaration: declaration.split_whitespace().collect::<Vec<_>>().join(" "),
            comment: text(comment),
        });
    }
    found
}

/// What man(7) would take for its own.
fn escaped(text: &str) -> String {
    let escape = |line: &str| {
        let line = line.replace('\\', "\\e").replace('-', "\\-");
        if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
    };
    text.lines().map(escape).collect::<Vec<_>>().join("\n")
}

fn paragraphs(text: &str) -> String {
    text.split("\n\n").map(|paragraph| format!(".PP\n{}\n", escaped(paragraph))).collect()
}

/// The page, and pages that lead to it for its other functions.
fn generate(page: &Page) -> Vec<(String, String)> {
    let header = fs::read_to_string(root().join("include").join(page.header)).unwrap();
    let all = functions(&header);
    let these = page.functions.iter().map(|name| {
        all.iter()
            .find(|function| function.name == **name)
            .unwrap_or_else(|| panic!("{name} is not in {}", page.header))
    });
    let mut names = vec![page.name];
    names.extend(page.aliases);
    names.extend(page.functions.iter().filter(|name| **name != page.name));
    let version = env!("CARGO_PKG_VERSION");
    let mut told = format!(
        ".\\\" SPDX-License-Identifier: MIT OR Apache-2.0\n\
         .\\\" Generated by tests/man.rs from include/{}: change the source of that.\n\
         .TH {} 3 \"\" \"shaone {version}\" \"Library Functions Manual\"\n\
         .SH NAME\n{} \\- {}\n.SH LIBRARY\nSHA\\-1 library (libshaone, \\-lshaone)\n.SH SYNOPSIS\n.nf\n#include <{}>\n",
        page.header,
        page.name,
        names.join(", "),
        escaped(page.about),
        page.header.strip_prefix("shaone/compat/sha1dc/").unwrap_or(page.header),
    );
    for function in these.clone() {
        told += &format!(".PP\n{};\n", escaped(&function.declaration));
    }
    told += ".fi\n.SH DESCRIPTION\n";
    let about = text(header.split_once("/*\n").unwrap().1.split_once("*/").unwrap().0);
    told.push_str(paragraphs(&about).strip_prefix(".PP\n").unwrap());
    for function in these {
        told += &format!(".SS {}\n", function.name);
        told.push_str(paragraphs(&function.comment).strip_prefix(".PP\n").unwrap());
    }
    told += page.more;
    told += ".SH SEE ALSO\n";
    let others: Vec<String> = PAGES
        .iter()
        .filter(|other| other.name != page.name)
        .map(|other| format!(".BR {} (3)", other.name))
        .collect();
    told += &(others.join(",\n") + "\n");

    let links = names[1..].iter().map(|name| (format!("{name}.3"), format!(".so man3/{}.3\n", page.name)));
    [(format!("{}.3", page.name), told)].into_iter().chain(links).collect()
}

fn directory() -> PathBuf {
    root().join("docs/man")
}

fn pages() -> Vec<(String, String)> {
    PAGES.iter().flat_map(generate).collect()
}

#[test]
fn committed_pages_are_current() {
    let pages = pages();
    if env::var_os("SHAONE_BLESS").is_some() {
        fs::create_dir_all(directory()).unwrap();
        for (name, text) in &pages {
            fs::write(directory().join(name), text).unwrap();
        }
    }
    let names = |directory: &Path| -> BTreeSet<String> {
        fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    };
    assert_eq!(names(&directory()), pages.iter().map(|(name, _)| name.clone()).collect());
    for (name, text) in pages {
        assert!(
            fs::read_to_string(directory().join(&name)).unwrap() == text,
            "docs/man/{name} is out of date: run `make headers`"
        );
    }
}

/// Every function of these headers has a page.
#[test]
fn every_function_has_a_page() {
    let told: BTreeSet<&str> = PAGES.iter().flat_map(|page| page.functions).copied().collect();
    for header in PAGES.iter().map(|page| page.header).collect::<BTreeSet<_>>() {
        let header = fs::read_to_string(root().join("include").join(header)).unwrap();
        for function in functions(&header) {
            assert!(told.contains(function.name.as_str()), "{} is on no page", function.name);
        }
    }
}

#[test]
fn pages_are_well_formed() {
    // It has no --version.
    if outcome(Command::new("sh").args(["-c", "command -v mandoc"])).status != Some(0) {
        return not_run("the manual pages' form (there is no mandoc)");
    }
    for page in PAGES {
        // It has no date on purpose: the pages change with the headers and with nothing else.
        let mut command = Command::new("mandoc");
        command.args(["-T", "lint", "-W", "warning"]).arg(directory().join(page.name).with_extension("3"));
        let complaints = command.output().unwrap();
        let complaints = String::from_utf8(complaints.stdout).unwrap();
        let complaints: Vec<&str> =
            complaints.lines().filter(|line| !line.contains("missing date")).collect();
        assert!(complaints.is_empty(), "{complaints:#?}");
        let text = output(
            Command::new("mandoc").args(["-T", "ascii"]).arg(directory().join(page.name).with_extension("3")),
        );
        for function in page.functions {
            assert!(text.contains(function), "{function} is not on the page {}", page.name);
        }
    }
}

//! What the order on a linker's command line decides, for each linker: the table of
//! `docs/integrating.md` is what this test finds.
//!
//! SHAONE_BLESS=1 writes the table; otherwise a difference fails.

mod common;

use std::env;
use std::fs;

use common::sandbox::Sandbox;
use common::{not_run, root, stage};

const LINKERS: [&str; 4] = ["bfd", "gold", "lld", "mold"];

/// Command lines, with the program's own SHA-1 in `libown.a` or `sha1.o`.
const LINES: [&str; 12] = [
    "prog.o $lib/libshaone.a libown.a",
    "-Wl,-u,sha1_buffer $lib/libshaone.a prog.o libown.a",
    "-Wl,--whole-archive $lib/libshaone.a -Wl,--no-whole-archive prog.o libown.a",
    "prog.o -lshaone libown.a",
    "-Wl,--no-as-needed -lshaone prog.o libown.a",
    "$lib/libshaone.a prog.o libown.a",
    "-Wl,--as-needed -lshaone prog.o libown.a",
    "-Wl,--as-needed -Wl,-u,sha1_buffer -lshaone prog.o libown.a",
    "prog.o libown.a $lib/libshaone.a",
    "prog.o libown.a -lshaone",
    "prog.o sha1.o $lib/libshaone.a",
    "-lshaone prog.o sha1.o",
];

const PROG_C: &str = r#"
#include <stddef.h>
#include <stdio.h>

void *sha1_buffer(const char *data, size_t len, void *digest);

int main(void)
{
    unsigned char digest[20];

    puts(sha1_buffer("abc", 3, digest) == digest ? "ours" : "its own");
    return 0;
}
"#;

/// Has the name, and does nothing.
const SHA1_C: &str = r#"
#include <stddef.h>

void *sha1_buffer(const char *data, size_t len, void *digest)
{
    return (void)data, (void)len, (void)digest, NULL;
}
"#;

const MARKS: [&str; 2] = ["<!-- made by tests/link_order.rs -->\n", "<!-- end -->\n"];

#[test]
fn the_table_is_true() {
    let mut sandbox = Sandbox::new("link-order");
    sandbox.write("prog.c", PROG_C);
    sandbox.write("sha1.c", SHA1_C);
    let lib = stage().join("lib");
    sandbox.set("lib", &lib);
    sandbox.set("LD_LIBRARY_PATH", &lib);
    sandbox.expect(0, "", "", "${CC:-cc} -O2 -Wall -c prog.c sha1.c && ar rc libown.a sha1.o");
    let here = LINKERS.map(|linker| {
        // gcc before 12.1 has never heard of mold.
        let there =
            sandbox.run(&format!("${{CC:-cc}} -fuse-ld={linker} -o trial prog.o sha1.o")).status == Some(0);
        if !there {
            not_run(&format!("the order of libraries with {linker} (it is not installed)"));
        }
        there
    });

    let path = root().join("docs/integrating.md");
    let text = fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(MARKS[0]).expect("the first mark");
    let (old, after) = rest.split_once(MARKS[1]).expect("the second mark");
    let mut rows = old.lines().skip(3);

    let mut table = format!(
        "\n| on the linker's command line | {} |\n|---{}|\n",
        LINKERS.join(" | "),
        "|---".repeat(LINKERS.len())
    );
    for line in LINES {
        // What a linker that is not here would do is what the table says already.
        let told: Vec<&str> =
            rows.next().unwrap_or_default().trim_matches('|').split('|').skip(1).map(str::trim).collect();
        let mut cells = vec![format!("`{line}`")];
        for (i, linker) in LINKERS.iter().enumerate() {
            cells.push(if here[i] {
                let built = format!("${{CC:-cc}} -fuse-ld={linker} -o prog -L$lib {line} && ./prog");
                sandbox.run(&built).text().trim_end().to_string()
            } else {
                told.get(i).copied().unwrap_or_default().to_string()
            });
        }
        table += &format!("| {} |\n", cells.join(" | "));
    }
    table += "\n";
    if env::var_os("SHAONE_BLESS").is_some() {
        fs::write(&path, [before, MARKS[0], &table, MARKS[1], after].concat()).unwrap();
    } else {
        assert!(old == table, "docs/integrating.md has another table than this:\n{table}");
    }
}

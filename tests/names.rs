//! In one process with other libraries, programs and plugins that have functions of the
//! same names: every call goes where it was meant to go.

mod common;

use std::fs;
use std::path::PathBuf;

use common::sandbox::{Outcome, Sandbox};
use common::{have, not_run, stage, stage_with};

/// A sandbox with these sources, our headers and libraries in `$S` and `$N` (without the
/// peers' names).
fn sandbox(name: &str, sources: &[(&str, &str)]) -> Sandbox {
    let mut sandbox = Sandbox::new(&format!("names-{name}"));
    for (file, text) in sources {
        fs::write(sandbox.path(file), text).unwrap();
    }
    sandbox.set("S", stage());
    sandbox.set("N", stage_with("no-dropins", "DROP_IN", "no"));
    sandbox
}

/// Linkers by gcc's names.
fn linkers() -> Vec<&'static str> {
    let (found, missing): (Vec<_>, Vec<_>) =
        ["bfd", "gold", "lld", "mold"].into_iter().partition(|linker| match *linker {
            "mold" => have("mold"),
            linker => have(format!("ld.{linker}")),
        });
    for linker in missing {
        not_run(&format!("names with {linker} (it is not installed)"));
    }
    found
}

fn has_header(header: &str) -> bool {
    let found = PathBuf::from("/usr/include").join(header).exists();
    if !found {
        not_run(&format!("names beside {header} (it is not installed)"));
    }
    found
}

/// What a part of a program prints: whose digest of "abc" is right.
const OURS_C: &str = r#"
#include <shaone.h>
#include <stdio.h>
#include <string.h>

int ours(void)
{
    shaone_ctx ctx;
    unsigned char digest[20];

    sha1_init(&ctx);
    sha1_update(&ctx, "abc", 3);
    sha1_final(digest, &ctx);
    return memcmp(digest, "\xa9\x99\x3e\x36\x47\x06\x81\x6a\xba\x3e\x25\x71\x78\x50\xc2\x6c\x9c\xd0\xd8\x9d", 20) == 0;
}
"#;

/// The same by gnulib's header.
const OURS_GNULIB_C: &str = r#"
#include <shaone/compat/gnulib/sha1.h>
#include <string.h>

int ours(void)
{
    struct sha1_ctx ctx;
    unsigned char digest[20];

    sha1_init_ctx(&ctx);
    sha1_process_bytes("abc", 3, &ctx);
    sha1_finish_ctx(&ctx, digest);
    return memcmp(digest, "\xa9\x99\x3e\x36\x47\x06\x81\x6a\xba\x3e\x25\x71\x78\x50\xc2\x6c\x9c\xd0\xd8\x9d", 20) == 0;
}
"#;

/// libtomcrypt has a sha1_init of another kind; it calls it by relocation in its table.
const TOMCRYPT_C: &str = r#"
#include <tomcrypt.h>
#include <string.h>

int tomcrypt(void)
{
    hash_state state;
    unsigned char direct[20], by_table[20];
    unsigned long len = sizeof by_table;

    if (register_hash(&sha1_desc) < 0 ||
        hash_memory(find_hash("sha1"), (const unsigned char *)"abc", 3, by_table, &len) != CRYPT_OK)
        return 0;
    if (by_table[0] != 0xa9 || by_table[19] != 0x9d)
        return 0;
#ifdef BY_TABLE
    return 1;
#endif
    if (sha1_init(&state) != CRYPT_OK || sha1_process(&state, (const unsigned char *)"abc", 3) != CRYPT_OK ||
        sha1_done(&state, direct) != CRYPT_OK)
        return 0;
    return memcmp(direct, by_table, 20) == 0;
}
"#;

const BOTH_C: &str = r#"
#include <stdio.h>
int ours(void);
int tomcrypt(void);
int main(void)
{
    printf("%d %d\n", ours(), tomcrypt());
    return 0;
}
"#;

#[test]
fn beside_libtomcrypt() {
    if !has_header("tomcrypt.h") {
        return;
    }
    let sources = [("ours.c", OURS_C), ("tomcrypt.c", TOMCRYPT_C), ("main.c", BOTH_C)];
    let sandbox = sandbox("tomcrypt", &sources);
    // A program that calls sha1_init itself and is linked to an archive with that name gets
    // ours (from bfd, if the archive comes first); libtomcrypt's own calls are its own.
    let links = [
        ("archive first", "-DBY_TABLE $S/lib/libshaone.a -ltomcrypt"),
        ("archive first, exporting", "-DBY_TABLE -rdynamic $S/lib/libshaone.a -ltomcrypt"),
        ("archive last, exporting", "-DBY_TABLE -rdynamic -ltomcrypt $S/lib/libshaone.a"),
        ("archive first, without the peers' names", "-rdynamic $N/lib/libshaone.a -ltomcrypt"),
        ("archive last, without the peers' names", "-rdynamic -ltomcrypt $N/lib/libshaone.a"),
        ("shared last", "-ltomcrypt -L$S/lib -lshaone -Wl,-rpath,$S/lib"),
        ("shared first, without the peers' names", "-L$N/lib -lshaone -ltomcrypt -Wl,-rpath,$N/lib"),
        ("shared last, without the peers' names", "-ltomcrypt -L$N/lib -lshaone -Wl,-rpath,$N/lib"),
    ];
    for linker in linkers() {
        for flags in ["", "-flto"] {
            // gold knows nothing of gcc's newer LTO, and lld nothing at all.
            if flags == "-flto" && linker != "bfd" {
                continue;
            }
            for (how, libraries) in links {
                let build = format!(
                    "gcc -O2 {flags} -fuse-ld={linker} -I$S/include ours.c tomcrypt.c main.c -o both {libraries} && ./both"
                );
                assert_eq!(sandbox.run(&build), Outcome::new(0, "1 1\n", ""), "{linker} {flags}: {how}");
            }
        }
    }
}

/// A host that exports functions of our names, and a plugin that uses ours.
#[test]
fn in_a_plugin_of_a_host_with_such_names() {
    const HOST_C: &str = r#"
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The host's own, of other kinds. */
void sha1_init(void) { abort(); }
void sha1_update(int a) { (void)a; abort(); }
void sha1_final(int a) { (void)a; abort(); }
void sha1_init_ctx(void) { abort(); }
void sha1_process_bytes(void) { abort(); }
void sha1_finish_ctx(void) { abort(); }
void blk_SHA1_Init(void) { abort(); }
uint32_t get_be32(const void *p) { (void)p; abort(); }

int main(int argc, char **argv)
{
    int global = argc > 2;
    void *plugin = dlopen(argv[1], RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
    int (*ours)(void);

    if (plugin == NULL) {
        puts(dlerror());
        return 1;
    }
    ours = (int (*)(void))dlsym(plugin, "ours");
    printf("%d\n", ours());
    return 0;
}
"#;
    const OURS_CPP: &str = r#"
#include <shaone/shaone.hpp>
extern "C" int ours(void)
{
    shaone::sha1 hash;
    hash.update("abc");
    return hash.final()[0] == 0xa9;
}
"#;
    let sources =
        [("host.c", HOST_C), ("ours.c", OURS_C), ("gnulib.c", OURS_GNULIB_C), ("hpp.cpp", OURS_CPP)];
    let sandbox = sandbox("plugin", &sources);
    for linker in linkers() {
        let host = format!("gcc -O2 -rdynamic -fuse-ld={linker} host.c -o host -ldl");
        assert_eq!(sandbox.run(&host), Outcome::new(0, "", ""));
        for (cc, source) in [("gcc", "ours.c"), ("gcc", "gnulib.c"), ("g++", "hpp.cpp")] {
            for library in ["$S/lib/libshaone.a", "-L$S/lib -lshaone -Wl,-rpath,$S/lib"] {
                let build = format!(
                    "{cc} -O2 -fPIC -shared -fuse-ld={linker} -I$S/include {source} -o plugin.so {library} && \
                     ./host ./plugin.so && ./host ./plugin.so global"
                );
                assert_eq!(
                    sandbox.run(&build),
                    Outcome::new(0, "1\n1\n", ""),
                    "{linker}: {source} {library}"
                );
            }
        }
    }
}

/// A host that has our archive in it and exports all it has, and a plugin with functions of
/// our names.
#[test]
fn in_a_host_of_plugins_with_such_names() {
    const HOST_C: &str = r#"
#include <dlfcn.h>
#include <stdio.h>
int ours(void);
int main(int argc, char **argv)
{
    void *plugin = dlopen(argv[argc - 1], RTLD_NOW | RTLD_GLOBAL);
    int (*theirs)(void);

    if (plugin == NULL) {
        puts(dlerror());
        return 1;
    }
    theirs = (int (*)(void))dlsym(plugin, "theirs");
    printf("%d %d\n", theirs(), ours());
    return 0;
}
"#;
    const PLUGIN_C: &str = r#"
int sha1_init(int a) { return a + 1; }
int get_be32(int a) { return a + 2; }
int sha1_init_ctx(int a) { return a + 3; }
int shaone_of_plugin(void) { return 0; }
int theirs(void) { return sha1_init(1) + get_be32(10) + sha1_init_ctx(100); }
"#;
    let sandbox = sandbox("host", &[("host.c", HOST_C), ("ours.c", OURS_C), ("plugin.c", PLUGIN_C)]);
    for linker in linkers() {
        for library in [
            "$S/lib/libshaone.a",
            "-Wl,--whole-archive $S/lib/libshaone.a -Wl,--no-whole-archive",
            "-L$N/lib -lshaone -Wl,-rpath,$N/lib",
        ] {
            let build = format!(
                "gcc -O2 -fPIC -shared -fuse-ld={linker} plugin.c -o plugin.so && \
                 gcc -O2 -rdynamic -fuse-ld={linker} -I$S/include host.c ours.c -o host {library} -ldl && \
                 ./host ./plugin.so"
            );
            assert_eq!(sandbox.run(&build), Outcome::new(0, "117 1\n", ""), "{linker}: {library}");
        }
    }
}

/// All of them in one process.
#[test]
fn beside_nettle_libmd_and_libcrypto() {
    if !["nettle/sha1.h", "sha1.h", "openssl/sha.h"].into_iter().all(has_header) {
        return;
    }
    const THEIRS_C: &str = r#"
#include <nettle/sha1.h>
#include <openssl/sha.h>
#include <stdint.h>
/* libmd's, whose header has names of OpenSSL's. */
char *SHA1Data(const uint8_t *data, size_t len, char *hex);
int theirs(void)
{
    struct sha1_ctx ctx;
    unsigned char a[20], b[20];
    char hex[41];
    sha1_init(&ctx);
    sha1_update(&ctx, 3, (const uint8_t *)"abc");
    sha1_digest(&ctx, 20, a);
    SHA1((const unsigned char *)"abc", 3, b);
    SHA1Data((const uint8_t *)"abc", 3, hex);
    return a[0] == 0xa9 && b[0] == 0xa9 && hex[0] == 'a' && hex[1] == '9';
}
"#;
    const MAIN_C: &str = r#"
#include <stdio.h>
int ours(void), theirs(void);
int main(void) { printf("%d %d\n", ours(), theirs()); return 0; }
"#;
    let sandbox = sandbox("three", &[("theirs.c", THEIRS_C), ("ours.c", OURS_C), ("main.c", MAIN_C)]);
    let theirs = "-lnettle -lmd -lcrypto";
    for linker in linkers() {
        for libraries in [
            format!("$S/lib/libshaone.a {theirs}"),
            format!("{theirs} $S/lib/libshaone.a"),
            format!("-L$S/lib -lshaone {theirs} -Wl,-rpath,$S/lib"),
            format!("{theirs} -L$S/lib -lshaone -Wl,-rpath,$S/lib"),
        ] {
            let build = format!(
                "gcc -O2 -fuse-ld={linker} -I$S/include main.c ours.c theirs.c -o all {libraries} && ./all"
            );
            assert_eq!(sandbox.run(&build), Outcome::new(0, "1 1\n", ""), "{linker}: {libraries}");
        }
    }
}

/// `shaone.h` and the headers of others in one source file.
#[test]
fn headers_beside_others() {
    const BODY: &str = r#"
int main(void)
{
    shaone_ctx ctx;
    unsigned char digest[20];
    shaone_init(&ctx);
    shaone_update(&ctx, "abc", 3);
    shaone_final(digest, &ctx);
    return digest[0] != 0xa9;
}
"#;
    let sandbox = sandbox("headers", &[]);
    let headers = [
        ("nettle/sha1.h", "", "struct sha1_ctx theirs; void f(void) { sha1_init(&theirs); }"),
        (
            "tomcrypt.h",
            "#define SHAONE_NO_SHORT_NAMES\n",
            "hash_state theirs; void f(void) { sha1_init(&theirs); }",
        ),
        (
            "openssl/sha.h",
            "",
            "SHA_CTX theirs; shaone_ctx mine; void f(void) { SHA1_Init(&theirs); sha1_init(&mine); }",
        ),
    ];
    for (header, before, theirs) in headers {
        if !has_header(header) {
            continue;
        }
        // Only where ours comes first need it be told.
        for (ours_first, includes) in [
            (true, format!("{before}#include <shaone.h>\n#include <{header}>\n")),
            (false, format!("#include <{header}>\n#include <shaone.h>\n")),
        ] {
            // (That they work, not which library has them, is what counts.)
            fs::write(sandbox.path("one.c"), format!("{includes}{theirs}{BODY}")).unwrap();
            let build = "gcc -O2 -Wall -Wextra -Werror -Wno-deprecated-declarations -I$S/include one.c -o one \
                         $S/lib/libshaone.a -lnettle -ltomcrypt -lcrypto && ./one";
            assert_eq!(sandbox.run(build), Outcome::new(0, "", ""), "{header}, ours first: {ours_first}");
        }
    }
}
